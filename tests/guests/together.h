// A starting line for guests: nobody goes on before all have arrived. It passes no gate, so it decides nothing that is
// recorded; it only makes sure that the adversary has all of its threads to choose from.
//
//   Together start(3);
//   reprise::thread a([&] { start.arrive(); work(); });
#pragma once

#include <sched.h>

#include <atomic>

class Together {
 public:
  explicit Together(int parties) : missing_(parties) {}
  void arrive() {
    missing_.fetch_sub(1);
    while (missing_.load() > 0) sched_yield();
  }

 private:
  std::atomic<int> missing_;
};
