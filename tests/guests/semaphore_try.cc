// Trait: try_acquire that succeeds and fails by race.
// Label: racing
#include <reprise/reprise.h>

#include <string>

#include "guests/together.h"

int main() {
  reprise::counting_semaphore<> slots(2, "slots");
  reprise::atomic<int> held{0};
  std::string seen[3];
  Together start(3);
  auto work = [&](int who) {
    start.arrive();
    for (int i = 0; i < 30; ++i) {
      const bool got = slots.try_acquire();
      seen[who] += got ? 'y' : 'n';
      if (got && held.fetch_add(1) % 3 != who) slots.release();  // else somebody else will have to
      if (!got) slots.release();
    }
  };
  {
    reprise::jthread a(work, 0);
    reprise::jthread b(work, 1);
    reprise::jthread c(work, 2);
  }
  reprise::out << seen[0] << ' ' << seen[1] << ' ' << seen[2] << '\n';
}
