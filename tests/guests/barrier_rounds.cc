// Trait: threads meet at a barrier, round after round; who comes last and runs the completion is a race.
// Label: racing
#include <reprise/reprise.h>

#include <mutex>
#include <string>

#include "guests/together.h"

namespace {

thread_local char own_name = '?';

}  // namespace

int main() {
  std::string seen;
  std::string last;
  reprise::mutex guard;
  reprise::barrier round(3, "round", [&]() noexcept {
    last += own_name;
    seen += '|';
  });
  Together start(3);
  auto work = [&](char who) {
    own_name = who;
    start.arrive();
    for (int i = 0; i < 15; ++i) {
      {
        const std::lock_guard lock(guard);
        seen += who;
      }
      round.arrive_and_wait();
    }
  };
  {
    reprise::jthread a(work, 'a');
    reprise::jthread b(work, 'b');
    reprise::jthread c(work, 'c');
  }
  reprise::out << seen << ' ' << last << '\n';
}
