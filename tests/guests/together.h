// A starting line for guests: nobody goes on before all have arrived. It passes no gate, so it decides nothing that is
// recorded; it only makes sure that the adversary has all of its threads to choose from. Those who wait sleep, so that
// the adversary does not take them for runnable.
//
//   Together start(3);
//   reprise::thread a([&] { start.arrive(); work(); });
#pragma once

#include <atomic>

class Together {
 public:
  explicit Together(int parties) : missing_(parties) {}
  void arrive() {
    int left = missing_.fetch_sub(1) - 1;
    if (left == 0) missing_.notify_all();
    for (; left > 0; left = missing_.load()) missing_.wait(left);
  }

 private:
  std::atomic<int> missing_;
};

// A little work that passes no gate.
inline void compute(int rounds) {
  for (int i = 0; i < rounds; ++i) asm volatile("");
}
