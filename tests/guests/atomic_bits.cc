// Trait: fetch_or, fetch_and, fetch_xor and their operators on one word.
// Label: racing
#include <reprise/reprise.h>

#include <cstdint>
#include <string>

#include "guests/together.h"

int main() {
  reprise::atomic<std::uint32_t> word{0, "word"};
  std::string seen[2];
  Together start(2);
  auto work = [&](std::uint32_t who) {
    start.arrive();
    for (std::uint32_t i = 0; i < 12; ++i) {
      seen[who] += std::to_string(word.fetch_or(1u << (2 * i + who))) + ' ';
      seen[who] += std::to_string(word.fetch_xor(0x0F0F0F0Fu << who)) + ' ';
      seen[who] += std::to_string(word.fetch_and(~(1u << i))) + ' ';
      word |= 1;
      word ^= 2;
      word &= 0x7FFFFFFF;
    }
  };
  reprise::thread a(work, 0u);
  reprise::thread b(work, 1u);
  a.join();
  b.join();
  reprise::out << seen[0] << "| " << seen[1] << "| " << word.load() << '\n';
}
