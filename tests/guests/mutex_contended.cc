// Trait: three threads race for one mutex; the order of ownership is printed.
// Label: racing
#include <reprise/reprise.h>

#include <mutex>
#include <string>

#include "guests/together.h"

int main() {
  reprise::mutex turn{"turn"};
  std::string seen;
  Together start(3);
  auto work = [&](char who) {
    start.arrive();
    for (int i = 0; i < 40; ++i) {
      const std::lock_guard lock(turn);
      seen += who;
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
