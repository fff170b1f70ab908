#include <reprise/detail/gate.h>
#include <sched.h>

#include "gate/pause.h"

namespace reprise::gate {

__thread Thread* current = nullptr;
Gate* installed = nullptr;

// The bit lock is held for a few instructions; only an unlucky preemption makes it long, and then yielding is right.
void Object::wait_for_bit() noexcept {
  for (int spins = 0; word.load(std::memory_order_relaxed) & 1; ++spins) {
    if (spins < 200) {
      pause();
    } else {
      sched_yield();
    }
  }
}

}  // namespace reprise::gate
