// Trait: a thread polls an atomic in a spin loop; how often it looks, and which values it misses, is a race.
// Label: racing
#include <reprise/reprise.h>

#include <string>

#include "guests/together.h"

int main() {
  reprise::atomic<int> progress{0, "progress"};
  Together start(2);
  std::string seen;
  int looks = 0;
  reprise::thread worker([&] {
    start.arrive();
    for (int i = 1; i <= 10; ++i) progress.store(i);
  });
  reprise::thread watcher([&] {
    start.arrive();
    for (int now = 0, last = 0; now < 10; last = now) {
      now = progress.load(reprise::memory_order_acquire);
      ++looks;
      if (now != last) seen += std::to_string(now) + ' ';
    }
  });
  worker.join();
  watcher.join();
  reprise::out << looks << " looks: " << seen << '\n';
}
