// Trait: each of two threads raises its own flag, then looks at the other's (as in Dekker's algorithm).
// Label: racing
#include <reprise/reprise.h>

#include <string>

#include "guests/together.h"

int main() {
  reprise::atomic<int> flag[2] = {0, 0};
  std::string seen[2];
  Together start(2);
  auto work = [&](int who) {
    start.arrive();
    for (int i = 1; i <= 30; ++i) {
      flag[who].store(i);
      seen[who] += std::to_string(flag[1 - who].load()) + ' ';
    }
  };
  reprise::thread a(work, 0);
  reprise::thread b(work, 1);
  a.join();
  b.join();
  reprise::out << seen[0] << "| " << seen[1] << '\n';
}
