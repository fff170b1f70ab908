// Trait: five hundred short threads, ten at a time, each taking tickets.
// Label: racing
#include <reprise/reprise.h>

#include <string>
#include <vector>

#include "guests/together.h"

int main() {
  reprise::atomic<int> tickets{0};
  unsigned digest = 0;
  for (int batch = 0; batch < 50; ++batch) {
    unsigned taken[10] = {};
    Together start(10);
    std::vector<reprise::thread> threads;
    for (unsigned& mine : taken) {
      threads.emplace_back([&] {
        start.arrive();
        mine = static_cast<unsigned>(tickets.fetch_add(1));
      });
    }
    for (auto& thread : threads) thread.join();
    for (const unsigned mine : taken) digest = digest * 31 + mine;
  }
  reprise::out << digest << ' ' << tickets.load() << '\n';
}
