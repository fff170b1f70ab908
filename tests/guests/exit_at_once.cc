// Trait: _exit while others hold a lock and wait for it: no destructor runs; the code is decided by a race.
// Label: racing
#include <reprise/reprise.h>
#include <unistd.h>

#include "guests/together.h"

int main() {
  reprise::mutex guard{"guard"};
  Together start(2);
  auto work = [&](int who) {
    start.arrive();
    guard.lock();  // the loser waits for ever
    reprise::out << who << " is first\n";
    _exit(30 + who);
  };
  reprise::thread a(work, 1);
  reprise::thread b(work, 2);
  a.join();
  b.join();
}
