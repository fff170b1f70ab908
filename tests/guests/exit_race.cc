// Trait: two threads call _exit with different codes at the same time: there is one end, and it replays.
// Label: racing
#include <reprise/reprise.h>
#include <unistd.h>

#include "guests/together.h"

int main() {
  Together start(2);
  auto work = [&](int who) {
    start.arrive();
    reprise::out << who << " wants to end\n";
    _exit(40 + who);
  };
  reprise::thread a(work, 1);
  reprise::thread b(work, 2);
  a.join();
  b.join();
}
