// Trait: two threads take two locks in opposite orders and wait for each other.
// Label: racing hangs
#include <reprise/reprise.h>

#include "guests/together.h"

int main() {
  reprise::mutex left{"left"};
  reprise::mutex right{"right"};
  reprise::mutex turn{"turn"};
  Together start(2);
  Together hold(2);
  auto work = [&](int who, reprise::mutex& first, reprise::mutex& second) {
    start.arrive();
    turn.lock();
    reprise::out << who << " comes\n";
    turn.unlock();
    first.lock();
    hold.arrive();
    second.lock();
    reprise::out << "never\n";
  };
  reprise::thread a([&] { work(1, left, right); });
  reprise::thread b([&] { work(2, right, left); });
  a.join();
  b.join();
}
