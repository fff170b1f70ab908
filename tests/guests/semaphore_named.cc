// Trait: three threads pass two named semaphores, one of which lets two in at once.
// Label: racing
#include <reprise/monitor.h>
#include <reprise/reprise.h>

#include <string>

#include "guests/together.h"

int main() {
  constexpr int count = 8;
  reprise::semaphore room(2, "room");
  reprise::semaphore pen(1, "pen");
  std::string seen;
  Together start(3);
  auto visit = [&](char who) {
    start.arrive();
    for (int i = 0; i < count; ++i) {
      room.P();
      pen.P();
      seen += who;
      pen.V();
      room.V();
    }
  };
  reprise::thread a(visit, 'a');
  reprise::thread b(visit, 'b');
  reprise::thread c(visit, 'c');
  for (reprise::thread* thread : {&a, &b, &c}) thread->join();
  reprise::out << seen << '\n';
}
