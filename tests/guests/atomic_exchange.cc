// Trait: exchange and store race for one atomic; each thread prints what it took out.
// Label: racing
#include <reprise/reprise.h>

#include <string>

#include "guests/together.h"

int main() {
  reprise::atomic<int> box{-1, "box"};
  std::string seen[2];
  Together start(2);
  auto work = [&](int who) {
    start.arrive();
    for (int i = 0; i < 25; ++i) {
      if (i % 5 == 4) {
        box.store(1000 * (who + 1) + i, reprise::memory_order_release);
      } else {
        seen[who] += std::to_string(box.exchange(100 * (who + 1) + i, reprise::memory_order_acq_rel)) + ' ';
      }
    }
  };
  reprise::thread a(work, 0);
  reprise::thread b(work, 1);
  a.join();
  b.join();
  reprise::out << seen[0] << "| " << seen[1] << "| " << box.load(reprise::memory_order_relaxed) << '\n';
}
