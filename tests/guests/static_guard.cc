// Trait: two threads race to initialise function-local statics; the value says who won.
// Label: racing
#include <reprise/reprise.h>

#include <string>

#include "guests/together.h"

namespace {

template <int which>
int winner(int me) {
  static const int first = me;
  return first;
}

}  // namespace

int main() {
  std::string seen[2];
  Together start(2);
  auto work = [&](int who) {
    start.arrive();
    seen[who] += std::to_string(winner<0>(who)) + std::to_string(winner<1>(who)) + std::to_string(winner<2>(who));
  };
  reprise::thread a(work, 0);
  reprise::thread b(work, 1);
  a.join();
  b.join();
  reprise::out << seen[0] << ' ' << seen[1] << '\n';
}
