// Trait: an exception that nobody catches, thrown in a child while main waits for it.
// Label: racing
#include <reprise/reprise.h>

#include <stdexcept>

#include "guests/together.h"

int main() {
  reprise::atomic<int> arrived{0};
  Together start(2);
  auto work = [&](int who) {
    start.arrive();
    const int place = arrived.fetch_add(1);
    reprise::out << who << " is number " << place << '\n';
    if (place == 1) throw std::runtime_error("second");
  };
  reprise::thread a(work, 1);
  reprise::thread b(work, 2);
  a.join();
  b.join();
}
