// Trait: the recording ends while threads change an atomic, and more threads begin; no change may be lost.
// Label: helper
#include <pthread.h>
#include <reprise/reprise.h>
#include <unistd.h>

#include <atomic>
#include <iostream>
#include <vector>

#include "guests/together.h"

int main() {
  constexpr long each = 100'000;
  constexpr int early = 4;
  constexpr int late = 2;
  reprise::atomic<long> sum{0};
  std::vector<reprise::thread> threads;
  threads.reserve(early + late);
  Together start(early + 1);
  const auto add = [&sum] {
    for (long i = 0; i < each; ++i) sum.fetch_add(1);
  };
  for (int i = 0; i < early; ++i) {
    threads.emplace_back([&] {
      start.arrive();
      add();
    });
  }
  pthread_t sleeper{};
  pthread_create(
      &sleeper, nullptr,
      [](void*) -> void* {
        for (;;) pause();
      },
      nullptr);
  start.arrive();
  while (sum.load() < each) {
  }
  pthread_cancel(sleeper);  // is refused: here the recording ends
  for (int i = 0; i < late; ++i) threads.emplace_back(add);
  for (reprise::thread& thread : threads) thread.join();
  const long lost = (early + late) * each - sum.load();
  if (lost != 0) std::cerr << "lost " << lost << " changes\n";
  return lost == 0 ? 0 : 1;
}
