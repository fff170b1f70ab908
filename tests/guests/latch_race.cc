// Trait: threads meet at latches; who found one open with try_wait, and in which order they came, is a race.
// Label: racing
#include <reprise/reprise.h>

#include <mutex>
#include <string>

#include "guests/together.h"

int main() {
  reprise::latch first(3, "first");
  reprise::latch second(4, "second");
  reprise::latch third(1, "third");
  reprise::mutex guard;
  std::string seen;
  std::string polls[3];
  const auto note = [&](char c) {
    const std::lock_guard lock(guard);
    seen += c;
  };
  Together start(3);
  auto work = [&](int who) {
    start.arrive();
    for (int i = 0; i < 5; ++i) polls[who] += first.try_wait() ? 'y' : 'n';
    note(static_cast<char>('a' + who));
    first.arrive_and_wait();
    polls[who] += first.try_wait() ? 'y' : 'n';
    note(static_cast<char>('A' + who));
    second.count_down(who == 0 ? 2 : 1);
    for (int i = 0; i < 5; ++i) polls[who] += second.try_wait() ? 'y' : 'n';
    second.wait();
    note(static_cast<char>('0' + who));
    third.wait();
  };
  {
    reprise::jthread a(work, 0);
    reprise::jthread b(work, 1);
    reprise::jthread c(work, 2);
    second.wait();
    third.count_down();
  }
  reprise::out << seen << ' ' << polls[0] << ' ' << polls[1] << ' ' << polls[2] << '\n';
}
