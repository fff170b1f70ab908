// Trait: threads race for a timed_mutex with time-outs that are long enough, and with ones that may expire.
// Label: racing
#include <reprise/reprise.h>

#include <chrono>
#include <string>

#include "guests/together.h"

int main() {
  using namespace std::chrono_literals;
  reprise::timed_mutex turn{"turn"};
  std::string seen;
  int expired[2] = {0, 0};
  Together start(2);
  auto work = [&](int who) {
    start.arrive();
    for (int i = 0; i < 30; ++i) {
      if (i % 3 == 0) {
        turn.lock();
      } else if (i % 3 == 1 ? !turn.try_lock_for(10s) : !turn.try_lock_for(1us)) {
        ++expired[who];
        continue;
      }
      seen += static_cast<char>('a' + who);
      turn.unlock();
    }
  };
  reprise::thread a(work, 0);
  reprise::thread b(work, 1);
  a.join();
  b.join();
  reprise::out << seen << ' ' << expired[0] << ' ' << expired[1] << '\n';
}
