// Trait: timed waits that expire and timed waits that do not, with and without predicate, by each clock.
#include <reprise/reprise.h>

#include <chrono>
#include <mutex>
#include <string>

int main() {
  using namespace std::chrono_literals;
  reprise::mutex guard{"guard"};
  reprise::condition_variable changed{"changed"};
  bool ready = false;
  std::string seen;
  const auto note = [&](bool yes) { seen += yes ? 'y' : 'n'; };
  std::unique_lock lock(guard);
  note(changed.wait_for(lock, 1ms) == reprise::cv_status::timeout);
  note(changed.wait_until(lock, reprise::steady_clock::now() + 1ms) == reprise::cv_status::timeout);
  note(changed.wait_until(lock, reprise::system_clock::now() + 1ms) == reprise::cv_status::timeout);
  note(changed.wait_until(lock, std::chrono::steady_clock::now() - 1s) == reprise::cv_status::timeout);
  note(changed.wait_for(lock, 1ms, [&] { return ready; }));
  note(changed.wait_until(lock, reprise::steady_clock::now() + 1ms, [&] { return ready; }));
  reprise::thread setter([&] {
    const std::lock_guard inner(guard);
    ready = true;
    changed.notify_one();
  });
  note(changed.wait_for(lock, 20s, [&] { return ready; }));
  note(changed.wait_until(lock, reprise::system_clock::now() + 20s, [&] { return ready; }));
  lock.unlock();
  setter.join();
  reprise::out << seen << '\n';
}
