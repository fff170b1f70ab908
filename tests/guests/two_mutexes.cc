// Trait: std::scoped_lock over two mutexes, which backs off with try_lock, taken in opposite orders.
// Label: racing
#include <reprise/reprise.h>

#include <mutex>
#include <string>

#include "guests/together.h"

int main() {
  reprise::mutex left{"left"};
  reprise::mutex right{"right"};
  std::string seen;
  Together start(2);
  reprise::thread a([&] {
    start.arrive();
    for (int i = 0; i < 25; ++i) {
      const std::scoped_lock both(left, right);
      seen += 'a';
    }
  });
  reprise::thread b([&] {
    start.arrive();
    for (int i = 0; i < 25; ++i) {
      const std::scoped_lock both(right, left);
      seen += 'b';
    }
  });
  a.join();
  b.join();
  reprise::out << seen << '\n';
}
