// Trait: arrive now and wait later, arrive for several, and drop out of a barrier.
// Label: racing
#include <reprise/reprise.h>

#include <atomic>
#include <mutex>
#include <string>

#include "guests/together.h"

int main() {
  std::string seen;
  reprise::mutex guard;
  const auto note = [&](char c) {
    const std::lock_guard lock(guard);
    seen += c;
  };
  reprise::barrier<> plain(4, "plain");
  Together start(3);
  auto patient = [&](char who) {
    start.arrive();
    for (int i = 0; i < 6; ++i) {
      auto token = plain.arrive();
      note(who);
      plain.wait(std::move(token));
      note('.');
    }
    plain.arrive_and_drop();
  };
  auto twice = [&](char who) {
    start.arrive();
    for (int i = 0; i < 3; ++i) {
      note(who);
      plain.wait(plain.arrive(2));
    }
    plain.arrive_and_drop();
    note('-');
    for (int i = 3; i < 7; ++i) plain.arrive_and_wait();
  };
  {
    reprise::jthread a(patient, 'a');
    reprise::jthread b(patient, 'b');
    reprise::jthread c(twice, 'c');
  }
  reprise::out << seen << '\n';
}
