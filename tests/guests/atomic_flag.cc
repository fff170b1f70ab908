// Trait: atomic_flag as a spin lock (test_and_set, test, clear) and as a signal (wait, notify).
// Label: racing
#include <reprise/reprise.h>

#include <string>

#include "guests/together.h"

int main() {
  reprise::atomic_flag busy{"busy"};
  reprise::atomic_flag finished;
  std::string seen;
  int spins[2] = {0, 0};
  Together start(2);
  auto work = [&](int who) {
    start.arrive();
    for (int i = 0; i < 10; ++i) {
      while (busy.test_and_set(reprise::memory_order_acquire)) {
        while (busy.test(reprise::memory_order_relaxed)) ++spins[who];
      }
      seen += static_cast<char>('a' + who);
      busy.clear(reprise::memory_order_release);
    }
  };
  reprise::thread a(work, 0);
  reprise::thread b(work, 1);
  reprise::thread c([&] {
    finished.wait(false);
    seen += finished.test() ? '!' : '?';
  });
  a.join();
  b.join();
  finished.test_and_set();
  finished.notify_all();
  c.join();
  reprise::out << seen << ' ' << spins[0] << ' ' << spins[1] << '\n';
}
