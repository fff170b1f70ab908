// Trait: an atomic of sixteen bytes, and one whose type has padding.
// Label: racing
#include <reprise/reprise.h>

#include <cstdint>
#include <string>

#include "guests/together.h"

namespace {

struct Wide {
  std::uint64_t sum;
  std::uint64_t count;
};
struct Padded {
  char who;
  int count;
};

}  // namespace

int main() {
  reprise::atomic<Wide> wide{Wide{0, 0}};
  reprise::atomic<Padded> padded{Padded{'-', 0}};
  std::string seen[2];
  Together start(2);
  auto work = [&](std::uint64_t who) {
    start.arrive();
    for (std::uint64_t i = 0; i < 15; ++i) {
      Wide old = wide.load();
      while (!wide.compare_exchange_strong(old, Wide{old.sum * 3 + who, old.count + 1})) {
      }
      Padded last = padded.load();
      while (!padded.compare_exchange_weak(last, Padded{static_cast<char>('a' + who), last.count + 1})) {
      }
      seen[who] += std::to_string(old.count) + last.who + ' ';
    }
  };
  reprise::thread a(work, 0u);
  reprise::thread b(work, 1u);
  a.join();
  b.join();
  const Wide end = wide.exchange(Wide{1, 2});
  reprise::out << seen[0] << "| " << seen[1] << "| " << end.sum << ' ' << end.count << ' ' << wide.load().count << '\n';
}
