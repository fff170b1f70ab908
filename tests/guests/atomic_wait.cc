// Trait: atomic wait, notify_one and notify_all: threads sleep until a value changes, then race for what it means.
// Label: racing
#include <reprise/reprise.h>

#include <string>
#include <vector>

#include "guests/together.h"

int main() {
  reprise::atomic<int> round{0, "round"};
  reprise::atomic<int> arrived{0, "arrived"};
  std::string seen[3];
  Together start(3);
  auto work = [&](int who) {
    start.arrive();
    for (int i = 0; i < 8; ++i) {
      const int place = arrived.fetch_add(1);
      seen[who] += std::to_string(place % 3);
      if (place % 3 == 2) {
        round.store(i + 1);
        i % 2 == 0 ? round.notify_all() : (round.notify_one(), round.notify_all());
      } else {
        round.wait(i);
      }
    }
  };
  std::vector<reprise::thread> threads;
  for (int who = 0; who < 3; ++who) threads.emplace_back(work, who);
  for (auto& thread : threads) thread.join();
  reprise::out << seen[0] << ' ' << seen[1] << ' ' << seen[2] << ' ' << round.load() << '\n';
}
