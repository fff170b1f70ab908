// Trait: waits that a stop ends, untimed and timed: stopped before, while waiting, by time-out, or satisfied in time.
#include <reprise/reprise.h>

#include <chrono>
#include <mutex>
#include <string>

#include "guests/together.h"

int main() {
  using namespace std::chrono_literals;
  std::string seen;
  const auto note = [&](bool yes) { seen += yes ? 'y' : 'n'; };
  reprise::mutex guard{"guard"};
  reprise::condition_variable_any changed{"changed"};
  int value = 0;
  Together start(3);
  {
    reprise::jthread waiter([&](const reprise::stop_token& stop) {
      start.arrive();
      for (int wanted = 1; wanted < 100; ++wanted) {
        std::unique_lock lock(guard);
        const bool got = changed.wait(lock, stop, [&] { return value >= wanted; });
        note(got);
        if (!got) break;
      }
    });
    reprise::jthread timed([&](const reprise::stop_token& stop) {
      start.arrive();
      for (int i = 0; i < 6; ++i) {
        std::unique_lock lock(guard);
        const bool got = i % 2 == 0 ? changed.wait_for(lock, stop, 20s, [&] { return value > i * 3; })
                                    : changed.wait_until(lock, stop, reprise::steady_clock::now() + 20s,
                                                         [&] { return value > i * 3; });
        seen += got ? 'Y' : 'N';
      }
      std::unique_lock lock(guard);
      seen += changed.wait_for(lock, stop, 1ms, [] { return false; }) ? '!' : '.';
    });
    start.arrive();
    for (int i = 0; i < 10; ++i) {
      const std::lock_guard lock(guard);
      ++value;
      changed.notify_all();
    }
    waiter.request_stop();
    timed.request_stop();
  }
  reprise::stop_source stopped;
  stopped.request_stop();
  std::unique_lock lock(guard);
  note(changed.wait(lock, stopped.get_token(), [] { return false; }));
  note(changed.wait_for(lock, stopped.get_token(), 20s, [] { return true; }));
  note(changed.wait_for(lock, reprise::stop_token(), 1ms, [] { return false; }));
  lock.unlock();
  reprise::out << seen << '\n';
}
