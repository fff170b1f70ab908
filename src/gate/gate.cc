#include <reprise/detail/gate.h>
#include <sched.h>

#include "gate/pause.h"

namespace reprise::gate {

__thread Thread* current = nullptr;
Gate* installed = nullptr;

void rest(unsigned pauses) noexcept {
  for (unsigned i = 0; i < pauses; ++i) pause();
}

// The bit lock is held for a few instructions, and each attempt takes the cache line away from its holder: rest first, so that whoever is
// at work there gets some of it done. Only an unlucky preemption makes the wait long, and then yielding is right.
void Object::acquire_contended_bit() noexcept {
  constexpr unsigned pauses_max = 64;
  for (unsigned pauses = 4;; pauses = pauses * 2 < pauses_max ? pauses * 2 : pauses_max) {
    rest(pauses);
    if (pauses == pauses_max) sched_yield();
    const std::uint64_t now = word.load(std::memory_order_relaxed);
    if ((now & 1) == 0 && acquire_bit_from(now)) return;
  }
}

}  // namespace reprise::gate
