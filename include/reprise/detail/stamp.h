// How a thread passes the gate of an object without a critical section of its own: semaphores, latches, conditions.
//
//   detail::stamp(thread, object, Kind::release);   // before what others can see
//   native.release();
//
// What others can see is stamped before it happens, what is taken after it was taken; so a prefix of the stamps is
// always something that could have happened. On replay a stamp waits for its turn, and what is taken is taken after the
// stamp.
#pragma once

#include <reprise/detail/gate.h>

namespace reprise::detail {

// Stamps a passage whose kind may have come out another way when recorded. Returns the recorded kind.
inline Kind stamp_outcome(gate::Thread& thread, gate::Object& object, Kind kind) {
  const Kind recorded = thread.gate->begin(thread, object, kind);
  thread.gate->end(thread, object, recorded, nullptr, 0, false);
  return recorded;
}

// Stamps a passage of a kind that is left out of the log where it can be predicted.
inline void stamp(gate::Thread& thread, gate::Object& object, Kind kind) {
  const std::uint64_t free = object.word.load(std::memory_order_acquire);
  const bool alone = object.last_thread() == thread.index && (free & 1) == 0 && thread.counts_alone();
  if (alone && object.acquire_bit_from(free)) [[likely]] {
    // Asked again inside: the recording may have ended while this thread came here.
    if (thread.counts_alone()) [[likely]] {
      thread.count(kind, object.known_id());
      object.raise_and_release_bit(free);
      return;
    }
    object.release_bit();
  }
  stamp_outcome(thread, object, kind);
}

// Takes something that may have to be waited for: `native` takes it for real.
template <typename Native>
inline void take(gate::Thread& thread, gate::Object& object, Kind kind, Native native) {
  if (thread.counts_alone()) {
    thread.about_to(kind, object);
  } else if (thread.gate->lives()) {
    thread.gate->arrive(thread, object, kind);
  } else {
    stamp_outcome(thread, object, kind);
    native();
    return;
  }
  native();
  thread.done();
  stamp(thread, object, kind);
}

// The same for an attempt, which may fail. `native` waits as long as needed, `attempt` does not.
template <typename Native, typename Attempt>
inline bool try_take(gate::Thread& thread, gate::Object& object, Kind kind, Native native, Attempt attempt) {
  switch (thread.gate->foretell(thread, object, Kind::try_failed, nullptr, nullptr, 0, false)) {
    case gate::Outcome::failed:
      return false;
    case gate::Outcome::act:
      take(thread, object, kind, native);
      return true;
    case gate::Outcome::open:
      break;
  }
  thread.about_to(kind, object);
  if (!attempt()) {
    thread.gate->fail(thread, object, Kind::try_failed);
    return false;
  }
  thread.done();
  stamp(thread, object, kind);
  return true;
}

}  // namespace reprise::detail
