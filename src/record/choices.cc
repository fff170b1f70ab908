// Numbers that could have been others: written when they are not the expected ones.
#include "gate/perturb.h"
#include "record/recorded.h"

namespace reprise::record {

bool Recorder::chosen(gate::Thread& thread, Kind kind, std::uint64_t, std::uint64_t&) {
  gate::perturb::before(thread);
  thread.slot->pending_object = 0;
  __atomic_store_n(&thread.slot->pending_kind, static_cast<std::uint32_t>(kind), __ATOMIC_RELAXED);
  return false;
}

void Recorder::choose(gate::Thread& thread, Kind kind, std::uint64_t expected, std::uint64_t number) {
  thread.done();
  if (thread.frozen) return;
  if (stopped()) return freeze(thread);
  if (number == expected && !options_.full) return thread.count(kind, 0);
  write(thread, kind, 0, [&](recording::StreamWriter& writer, std::uint64_t step, std::uint8_t check) {
    return writer.append(step, check, kind, number);
  });
}

}  // namespace reprise::record
