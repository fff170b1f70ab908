// Trait: a recursive_mutex is locked again by its owner (lock and try_lock), while another thread races for it.
// Label: racing
#include <reprise/reprise.h>

#include <mutex>
#include <string>

#include "guests/together.h"

namespace {

reprise::recursive_mutex turn{"turn"};
std::string seen;

void nest(char who, int depth) {
  const std::lock_guard lock(turn);
  seen += who;
  if (depth > 1) return nest(who, depth - 1);
  if (turn.try_lock()) {
    seen += '+';
    turn.unlock();
  }
}

}  // namespace

int main() {
  Together start(2);
  int failed[2] = {0, 0};
  auto work = [&](int who) {
    start.arrive();
    for (int i = 0; i < 12; ++i) {
      nest(static_cast<char>('a' + who), 1 + i % 3);
      while (!turn.try_lock()) ++failed[who];
      seen += static_cast<char>('A' + who);
      turn.unlock();
    }
  };
  reprise::thread a(work, 0);
  reprise::thread b(work, 1);
  a.join();
  b.join();
  reprise::out << seen << ' ' << failed[0] << ' ' << failed[1] << '\n';
}
