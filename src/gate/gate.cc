#include <reprise/detail/gate.h>
#include <sched.h>

#include "gate/output_lock.h"
#include "gate/pause.h"

namespace reprise::gate {

__thread Thread* current = nullptr;
__thread unsigned in_library = 0;
Gate* installed = nullptr;
const char* process_name = "main";
std::mutex output_mutex;

void rest(unsigned pauses) noexcept {
  for (unsigned i = 0; i < pauses; ++i) pause();
}

// The bit lock is held for a few instructions, and each attempt takes the cache line away from its holder: rest first,
// so that whoever is at work there gets some of it done. Only an unlucky preemption makes the wait long, and then
// yielding is right.
void Object::acquire_contended_bit() noexcept {
  constexpr unsigned pauses_max = 64;
  for (unsigned pauses = 16;; pauses = pauses * 2 < pauses_max ? pauses * 2 : pauses_max) {
    rest(pauses);
    if (pauses == pauses_max) sched_yield();
    const std::uint64_t now = word.load(std::memory_order_relaxed);
    if ((now & 1) == 0 && acquire_bit_from(now)) return;
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
  if (!thread.gate->perhaps_given(thread, Kind::content, compare, &comparison)) {
    thread.gate->keep_contents(thread, bytes);
  } else if (!comparison.equal) {
    thread.gate->differs(thread, Kind::content, "the contents are not the recorded ones");
  }
}

bool take_contents(Thread& thread, std::string& bytes) {
  const auto take = [](void* context, const void* recorded, std::size_t size) {
    static_cast<std::string*>(context)->assign(static_cast<const char*>(recorded), size);
  };
  return thread.gate->perhaps_given(thread, Kind::content, take, &bytes);
}

}  // namespace reprise::gate
