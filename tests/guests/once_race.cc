// Trait: who runs a call_once is a race; where it throws, the next caller runs it.
// Label: racing
#include <reprise/reprise.h>

#include <mutex>
#include <stdexcept>
#include <string>

#include "guests/together.h"

int main() {
  constexpr int flags = 12;
  reprise::once_flag once[flags];
  int tries[flags] = {};
  std::string winners(flags, '?');
  std::string caught[3];
  Together start(3);
  auto work = [&](int who) {
    start.arrive();
    for (int i = 0; i < flags; ++i) {
      for (int again = 0; again < 2; ++again) {
        try {
          reprise::call_once(
              once[i],
              [&](int limit) {
                if (++tries[i] < limit) throw std::runtime_error("not yet");
                winners[i] = static_cast<char>('a' + who);
              },
              i % 3 + 1);
        } catch (const std::runtime_error&) {
          caught[who] += static_cast<char>('A' + i);
        }
      }
    }
  };
  {
    reprise::jthread a(work, 0);
    reprise::jthread b(work, 1);
    reprise::jthread c(work, 2);
  }
  reprise::out << winners << ' ' << caught[0] << ' ' << caught[1] << ' ' << caught[2] << '\n';
}
