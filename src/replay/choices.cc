// Numbers that could have been others: the recorded ones are given, and where none was written the expected ones.
#include "gate/perturb.h"
#include "replay/replayed.h"

namespace reprise::replay {

bool Replayer::chosen(gate::Thread& thread, Kind kind, std::uint64_t expected, std::uint64_t& number) {
  Replayed& self = replayed(thread);
  gate::perturb::before(thread);
  thread.slot->pending_object = 0;
  __atomic_store_n(&thread.slot->pending_kind, static_cast<std::uint32_t>(kind), __ATOMIC_RELAXED);
  if (at_end(self)) {
    hold(self, kind, 0);
    return false;
  }
  number = expected;
  if (is_written(self)) {
    expect(self, kind, 0, self.next->kind == kind);
    number = self.next->number;
  }
  passed(self, {.kind = kind, .number = number}, 0);
  return true;
}

void Replayer::note(gate::Thread& thread, std::string_view text) {
  Replayed& self = replayed(thread);
  if (self.trace) self.trace->append({.step = self.slot->steps, .kind = Kind::note, .value = text});
}

void Replayer::choose(gate::Thread& thread, Kind, std::uint64_t, std::uint64_t) { thread.done(); }

}  // namespace reprise::replay
