// Where checkpoints are made: between two passages of a thread that holds nothing.
#include "gate/checkpoints.h"

#include "record/recorded.h"

namespace reprise::record {

using gate::Thread;

// Is a call of this kind the first of its passage? Then what is recorded and what is replayed have done the same so
// far, and the one can go on as the other. Of a connection the value that found it comes first.
bool Recorder::begins(Kind kind) {
  switch (kind) {
    case Kind::lock:
    case Kind::output:
    case Kind::send:
    case Kind::reply:
    case Kind::try_failed:
    case Kind::load:
    case Kind::store:
    case Kind::modify:
      return true;
    default:
      return false;
  }
}

bool Recorder::is_woken(Thread& thread) {
  if (thread.frozen || recorded(thread).held != 0 || !options_.checkpoints->is_due(thread) || stopped()) return false;
  return options_.checkpoints->take(thread, !other_threads());
}

bool Recorder::perhaps_given(Thread& thread, Kind kind, Take take, void* context) {
  if (!thread.has_checkpoints || kind != Kind::source || !is_woken(thread)) return false;
  return thread.gate->perhaps_given(thread, kind, take, context);
}

void Recorder::enter(Thread& thread) {
  Recorded& self = recorded(thread);
  ++self.held;
  self.has_unlocked = false;
}

// A lock ends when it is left, and then also calls left(), unless it is a shared one or a condition waits; other
// sections end with left() alone.
void Recorder::exit(Thread& thread, Kind kind) {
  Recorded& self = recorded(thread);
  if (self.held > 0) --self.held;
  self.has_unlocked = kind != Kind::unlock_shared;
}

void Recorder::left(Thread& thread, gate::Object&) {
  Recorded& self = recorded(thread);
  if (!self.has_unlocked && self.held > 0) --self.held;
  self.has_unlocked = false;
}

// Another thread was here before. Shared objects, messages and output are in the log; what else they share is not.
void Recorder::look_at_isolation(Thread& thread, const gate::Object& object, Kind kind) {
  const std::uint32_t other = object.last_thread();
  if (other == no_thread || other == thread.index) return;
  switch (kind) {
    case Kind::lock_shared:
    case Kind::output:
    case Kind::send:
    case Kind::reply:
    case Kind::connect:
    case Kind::guard:
      return;
    default:
      break;
  }
  const std::string_view name = object.name != nullptr ? object.name : "an object";
  std::string reason = "it met ";
  reason.append(name).append(" afterwards (").append(recording::name(kind));
  reason += "), where another thread had been: only shared<T> and messages may be shared";
  options_.checkpoints->spoil(thread, reason);
}

std::uint32_t Recorder::begin_anew(Thread& thread) { return recorded(thread).writer->begin_anew(); }

void Recorder::let_go(Thread& thread, const gate::Slot& forked, gate::Gate& relay) {
  Recorded& self = recorded(thread);
  self.own_slot = forked;
  self.slot = &self.own_slot;
  self.gate = &relay;
  self.has_checkpoints = false;
  live_->detach();
}

}  // namespace reprise::record
