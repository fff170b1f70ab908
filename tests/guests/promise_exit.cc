// Trait: promises made ready when their thread ends, after its thread_locals; broken ones; a condition notified then.
#include <reprise/reprise.h>

#include <mutex>
#include <stdexcept>
#include <string>

namespace {

reprise::mutex guard;
std::string seen;  // guarded by guard

struct Local {
  ~Local() {
    const std::lock_guard lock(guard);
    seen += "local ";
  }
  int touched{0};
};
thread_local Local local;

}  // namespace

int main() {
  {
    reprise::promise<int> number;
    reprise::promise<void> nothing;
    reprise::promise<std::string> broken;
    auto sum = number.get_future();
    auto done = nothing.get_future();
    auto never = broken.get_future();
    reprise::thread thread([&, broken = std::move(broken)]() mutable {
      local.touched = 1;
      number.set_value_at_thread_exit(5);
      nothing.set_exception_at_thread_exit(std::make_exception_ptr(std::runtime_error("at exit")));
      try {
        number.set_value(6);
      } catch (const reprise::future_error&) {
        const std::lock_guard lock(guard);
        seen += "twice ";
      }
      reprise::promise<std::string>(std::move(broken));
    });
    reprise::out << sum.get() << ' ';
    {
      const std::lock_guard lock(guard);
      reprise::out << seen << '\n';
    }
    try {
      done.get();
    } catch (const std::runtime_error& error) {
      reprise::out << error.what() << '\n';
    }
    try {
      never.get();
    } catch (const reprise::future_error& error) {
      reprise::out << (error.code() == reprise::future_errc::broken_promise) << '\n';
    }
    thread.join();
  }
  reprise::condition_variable ended;
  bool is_over = false;
  reprise::thread last([&] {
    std::unique_lock lock(guard);
    is_over = true;
    seen = "over";
    reprise::notify_all_at_thread_exit(ended, std::unique_lock(guard, std::adopt_lock));
    lock.release();
  });
  {
    std::unique_lock lock(guard);
    ended.wait(lock, [&] { return is_over; });
  }
  last.join();
  reprise::out << seen << '\n';
}
