// What disturbs threads on their way to the gate, in every mode: chaos (random yields, for finding failures) and the
// adversary (favours one end of the thread order, for proving that replay does not depend on the scheduler).
//
//   perturb::configure({.chaos_seed = 7});
//   perturb::before(thread);            // at each gate
//
// Threads   before() is called by the thread itself; enrol() once per thread before its first gate.
// Cost      One load when nothing is configured.
#pragma once

#include <reprise/detail/gate.h>

#include <cstdint>
#include <optional>

namespace reprise::gate::perturb {

enum class Favour : std::uint8_t { none, first, last };

struct Options {
  std::optional<std::uint64_t> chaos_seed;
  Favour favour{Favour::none};
  std::int64_t delay_ns{0};  // before each gate: a process that is slower than the others
  bool any() const { return chaos_seed.has_value() || favour != Favour::none || delay_ns > 0; }
};

void configure(const Options& options);
bool active();

// Makes a thread known to the adversary, and unknown again.
void enrol(Thread& thread);
void dismiss(Thread& thread);

// In a copy of the process whose other threads are not there.
void forget();

void before_slow(Thread& thread);
extern bool is_active;

// Yields at random (chaos), or while a favoured thread can run (adversary; bounded, it never sleeps).
inline void before(Thread& thread) {
  if (is_active) before_slow(thread);
}

}  // namespace reprise::gate::perturb
