// Trait: two threads race to initialise a function-local static whose first initialisation throws.
// Label: racing
#include <reprise/reprise.h>

#include <string>

#include "guests/together.h"

namespace {

// The initialisation passes gates itself, and the first try of it throws.
int troubled(int me) {
  static reprise::atomic<int> tries{0};
  static const int first = [me] {
    if (tries.fetch_add(1) == 0) throw me;
    return me;
  }();
  return first;
}

}  // namespace

int main() {
  std::string seen[2];
  Together start(2);
  auto work = [&](int who) {
    start.arrive();
    for (int i = 0; i < 2; ++i) {
      try {
        seen[who] += std::to_string(troubled(who));
      } catch (int thrower) {
        seen[who] += 't' + std::to_string(thrower);
      }
    }
  };
  reprise::thread a(work, 0);
  reprise::thread b(work, 1);
  a.join();
  b.join();
  reprise::out << seen[0] << ' ' << seen[1] << '\n';
}
