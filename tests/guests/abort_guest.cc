// Trait: abort, by the thread that comes second to a mutex.
// Label: racing
#include <reprise/reprise.h>

#include <cstdlib>
#include <mutex>

#include "guests/together.h"

int main() {
  reprise::mutex guard{"guard"};
  int arrived = 0;
  Together start(2);
  auto work = [&](int who) {
    start.arrive();
    const std::lock_guard lock(guard);
    reprise::out << who << " comes\n";
    if (++arrived == 2) std::abort();
  };
  reprise::thread a(work, 1);
  reprise::thread b(work, 2);
  a.join();
  b.join();
}
