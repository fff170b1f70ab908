// Trait: short timed waits race with notifications: each is woken or expires, and both sides see what came first.
// Label: racing
#include <reprise/reprise.h>

#include <chrono>
#include <mutex>
#include <string>

#include "guests/together.h"

int main() {
  using namespace std::chrono_literals;
  reprise::mutex guard{"guard"};
  reprise::condition_variable changed{"changed"};
  std::string seen;
  Together start(2);
  reprise::thread waiter([&] {
    start.arrive();
    std::unique_lock lock(guard);
    for (int i = 0; i < 15; ++i) {
      seen += changed.wait_for(lock, 100us) == reprise::cv_status::timeout ? 't' : 'w';
    }
  });
  reprise::thread notifier([&] {
    start.arrive();
    for (int i = 0; i < 15; ++i) {
      const std::lock_guard lock(guard);
      seen += 'N';
      changed.notify_one();
    }
  });
  waiter.join();
  notifier.join();
  reprise::out << seen << '\n';
}
