// Trait: threads race for a binary_semaphore that stands in for a mutex.
// Label: racing
#include <reprise/reprise.h>

#include <string>

#include "guests/together.h"

int main() {
  reprise::binary_semaphore turn(1, "turn");
  std::string seen;
  Together start(3);
  auto work = [&](char who) {
    start.arrive();
    for (int i = 0; i < 20; ++i) {
      turn.acquire();
      seen += who;
      turn.release();
    }
  };
  reprise::thread a(work, 'a');
  reprise::thread b(work, 'b');
  reprise::thread c(work, 'c');
  a.join();
  b.join();
  c.join();
  reprise::out << seen << '\n';
}
