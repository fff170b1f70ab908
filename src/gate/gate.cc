#include <reprise/detail/gate.h>
#include <sched.h>

#include "gate/output_lock.h"
#include "gate/pause.h"

namespace reprise::gate {

__thread Thread* current = nullptr;
Gate* installed = nullptr;
std::mutex output_mutex;

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

void keep_or_compare(Thread& thread, std::string_view bytes) {
  struct Comparison {
    std::string_view now;
    bool equal{false};
  } comparison{bytes};
  const auto compare = [](void* context, const void* recorded, std::size_t size) {
    auto& self = *static_cast<Comparison*>(context);
    self.equal = self.now == std::string_view(static_cast<const char*>(recorded), size);
  };
  if (!thread.gate->given(thread, Kind::content, {}, compare, &comparison)) {
    thread.gate->keep(thread, Kind::content, {}, bytes.data(), bytes.size());
  } else if (!comparison.equal) {
    thread.gate->differs(thread, Kind::content, "the contents are not the recorded ones");
  }
}

}  // namespace reprise::gate
