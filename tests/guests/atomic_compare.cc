// Trait: compare_exchange, strong and weak, that succeeds and fails; failures and values seen are a race.
// Label: racing
#include <reprise/reprise.h>

#include <string>

#include "guests/together.h"

int main() {
  reprise::atomic<unsigned> word{1, "word"};
  std::string seen[2];
  Together start(2);
  auto work = [&](unsigned who) {
    start.arrive();
    for (unsigned i = 0; i < 20; ++i) {
      unsigned expected = 1 + i;  // mostly wrong
      int failures = 0;
      while (i % 2 == 0 ? !word.compare_exchange_strong(expected, expected * 3 + who)
                        : !word.compare_exchange_weak(expected, expected * 5 + who, reprise::memory_order_acq_rel,
                                                      reprise::memory_order_acquire)) {
        ++failures;
      }
      seen[who] += std::to_string(failures) + ':' + std::to_string(expected) + ' ';
    }
  };
  reprise::thread a(work, 0u);
  reprise::thread b(work, 1u);
  a.join();
  b.join();
  reprise::out << seen[0] << "| " << seen[1] << "| " << word.load() << '\n';
}
