// Trait: recursive_timed_mutex: nested locks, tries that fail by race, and time-outs that expire.
// Label: racing
#include <reprise/reprise.h>

#include <chrono>
#include <string>

#include "guests/together.h"

int main() {
  using namespace std::chrono_literals;
  reprise::recursive_timed_mutex turn{"turn"};
  std::string seen;
  std::string outcomes[2];
  Together start(2);
  auto work = [&](int who) {
    start.arrive();
    for (int i = 0; i < 20; ++i) {
      bool got = true;
      switch (i % 4) {
        case 0:
          turn.lock();
          break;
        case 1:
          got = turn.try_lock();
          break;
        case 2:
          got = turn.try_lock_for(10s);
          break;
        default:
          got = turn.try_lock_until(reprise::steady_clock::now() + 1us);
          break;
      }
      outcomes[who] += got ? 'y' : 'n';
      if (!got) continue;
      seen += static_cast<char>('a' + who);
      const bool nested = turn.try_lock_for(0s) && turn.try_lock();
      turn.lock();
      seen += nested ? '+' : '-';
      for (int depth = 0; depth < 4; ++depth) turn.unlock();
    }
  };
  reprise::thread a(work, 0);
  reprise::thread b(work, 1);
  a.join();
  b.join();
  turn.lock();
  reprise::thread c([&] { outcomes[0] += turn.try_lock_for(1ms) ? 'Y' : 'N'; });
  c.join();
  turn.unlock();
  reprise::out << seen << ' ' << outcomes[0] << ' ' << outcomes[1] << '\n';
}
