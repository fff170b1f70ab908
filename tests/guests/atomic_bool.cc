// Trait: atomic<bool> and an enumeration: exchange, store and compare_exchange decide who is first in each round.
// Label: racing
#include <reprise/reprise.h>

#include <string>

#include "guests/together.h"

namespace {

enum class State : short { idle, taken, done };

}  // namespace

int main() {
  reprise::atomic<bool> taken[20] = {};
  reprise::atomic<State> state[20] = {};
  std::string seen[2];
  Together start(2);
  auto work = [&](int who) {
    start.arrive();
    for (int i = 0; i < 20; ++i) {
      seen[who] += taken[i].exchange(true) ? '.' : 'x';
      State expected = State::idle;
      seen[who] += state[i].compare_exchange_strong(expected, State::taken) ? 'T' : '-';
      if (expected == State::taken) state[i].store(State::done);
      if (state[i] == State::done) seen[who] += 'd';
    }
  };
  reprise::thread a(work, 0);
  reprise::thread b(work, 1);
  a.join();
  b.join();
  reprise::out << seen[0] << " | " << seen[1] << '\n';
}
