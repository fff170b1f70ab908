// Trait: main returns while other threads still run; the exit code is decided by a race.
// Label: racing
#include <reprise/reprise.h>

#include "guests/together.h"

namespace {

reprise::atomic<int> count{0};
Together start(3);

void run_for_ever() {
  start.arrive();
  for (;;) {
    count.fetch_add(1);
    compute(300000);
  }
}

}  // namespace

int main() {
  reprise::thread(run_for_ever).detach();
  reprise::thread(run_for_ever).detach();
  start.arrive();
  int last = 0;
  for (int i = 0; i < 4; ++i) {
    last = count.load();
    reprise::out << last << '\n';
  }
  return 10 + last % 97;
}
