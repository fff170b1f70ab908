// Trait: timed acquires of a semaphore that expire and that do not, by each clock.
#include <reprise/reprise.h>

#include <chrono>
#include <string>

int main() {
  using namespace std::chrono_literals;
  reprise::counting_semaphore<3> slots(0, "slots");
  std::string seen;
  const auto note = [&](bool yes) { seen += yes ? 'y' : 'n'; };
  note(slots.try_acquire_for(1ms));
  note(slots.try_acquire_for(-1s));
  note(slots.try_acquire_until(reprise::steady_clock::now() + 1ms));
  note(slots.try_acquire_until(reprise::system_clock::now() + 1ms));
  note(slots.try_acquire_until(std::chrono::system_clock::now() - 1s));
  note(slots.try_acquire_until(std::chrono::steady_clock::time_point::min()));
  reprise::thread giver([&] { slots.release(3); });
  note(slots.try_acquire_for(20s));
  note(slots.try_acquire_until(reprise::steady_clock::now() + 20s));
  note(slots.try_acquire_until(reprise::system_clock::now() + 20s));
  note(slots.try_acquire());
  giver.join();
  reprise::out << seen << '\n';
}
