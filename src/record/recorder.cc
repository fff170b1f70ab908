#include "record/recorder.h"

#include <unistd.h>

#include <cstring>
#include <utility>

#include "gate/perturb.h"
#include "record/inputs.h"
#include "record/recorded.h"
#include "recording/outside.h"
#include "recording/searched.h"

namespace reprise::record {

using gate::Object;
using gate::Outcome;
using gate::Thread;
using recording::Class;
using recording::Event;

Thread* Recorder::new_thread(ThreadIndex parent, std::uint32_t ordinal) {
  gate::Slot* slot = live_->add_slot(parent, ordinal);
  if (slot == nullptr) return nullptr;
  auto* thread = new Recorded(*live_, slot);
  thread->gate = this;
  thread->predicts = !options_.full && !options_.perturbed && options_.checkpoints == nullptr;
  thread->keeps_contents = options_.contents;
  thread->has_checkpoints = options_.checkpoints != nullptr;
  thread->is_steered = options_.steer != nullptr;
  const std::lock_guard lock(roll_mutex_);
  thread->place_in_roll = roll_.size();
  roll_.push_back(thread);
  return thread;
}

void Recorder::start_main() {
  if (options_.full) live_->header().flags.fetch_or(recording::live_full);
  if (options_.contents) live_->header().flags.fetch_or(recording::live_contents);
  if (Thread* thread = new_thread(no_thread, 0)) started(*thread);
}

void Recorder::continue_in_child(recording::Live& live, const gate::Slot& forked, Steer* steer) {
  Recorded& self = recorded(*gate::current);
  options_.steer = steer;
  self.steered = {};
  live.number_threads_from(live_->next_index());
  live.header().flags.fetch_or(live_->header().flags.load() & (recording::live_full | recording::live_contents));
  live.header().flags.fetch_or(recording::live_forked);
  live_->abandon();
  live_ = &live;
  self.own_slot = forked;
  self.slot = &self.own_slot;
  roll_.assign(1, &self);
  self.place_in_roll = 0;
  gate::Slot* place = live.add_slot(no_thread, 0, self.own_slot.index);
  if (place == nullptr) return freeze(self);
  place->objects = self.own_slot.objects;
  place->children = self.own_slot.children;
  self.slot = place;
  self.writer.emplace(live, self.index);
  self.writer->names_objects_in_full();
}

// From now on every passage comes through the gate, where stopped() is seen: a frozen thread leaves no trace at the
// objects it passes.
void Recorder::stop_predicting() {
  const std::lock_guard lock(roll_mutex_);
  for (Recorded* thread : roll_) thread->predicts.store(false);
}

// This thread's recording ends here; the program goes on. Whoever depends on what is not written any more comes to the
// gate afterwards, sees stopped() and freezes too: what was recorded is a consistent cut. A frozen thread still comes
// to the gate: an atomic that some change under its bit lock and others natively would lose changes.
void Recorder::freeze(Thread& thread) {
  stop_predicting();
  if (thread.frozen) return;
  Recorded& self = recorded(thread);
  gate::perturb::dismiss(thread);
  if (self.slot != &self.own_slot) {
    self.recorded_slot = self.slot;
    self.own_slot = *self.slot;
  }
  self.slot = &self.own_slot;
  self.frozen = true;
  gate::perturb::enrol(thread);
}

// The child of a frozen thread: nobody learns of it, but it too must come to the gate.
Thread* Recorder::frozen_child() {
  auto* child = new Recorded;
  child->own_slot.state = static_cast<std::uint32_t>(recording::SlotState::running);
  child->gate = this;
  return child;
}

// By reference: a copy of what was just stored in parts waits for all of them, 7 ns.
void Recorder::write(Thread& thread, Event&& event, std::uint64_t hashed) {
  write(thread, event.kind, hashed, [&](recording::StreamWriter& writer, std::uint64_t step, std::uint8_t check) {
    event.step = step;
    event.check = check;
    return writer.append(event);
  });
}

// Gives a new object its name. Returns whether it was new.
bool Recorder::name(Thread& thread, Object& object) {
  if (object.known_id() != 0) return false;
  object.id.store(object_id(thread.index, ++thread.slot->objects), std::memory_order_relaxed);
  return true;
}

void Recorder::write_label(Thread& thread, const Object& object) {
  if (object.name == nullptr || thread.frozen) return;
  recorded(thread).writer->append(
      {.step = thread.slot->steps, .kind = Kind::label, .object = object.known_id(), .value = object.name});
  if (options_.steer != nullptr && object.is_own()) note(thread, recording::note_own);
}

void Recorder::note(Thread& thread, std::string_view text) {
  if (thread.frozen || !options_.full) return;
  recorded(thread).writer->append({.step = thread.slot->steps, .kind = Kind::note, .value = text});
}

void Recorder::ordered(Thread& thread, Object& object, Kind kind) {
  if (stopped()) return freeze(thread);
  const bool first = name(thread, object) || object.order() == 1;
  const bool decided = object.last_thread() != thread.index;
  if (decided && thread.has_checkpoints) look_at_isolation(thread, object, kind);
  object.last.store(thread.index, std::memory_order_relaxed);
  const ObjectId id = object.known_id();
  if (decided || options_.full || recording::info(kind).is_explicit) {
    write(thread, {.kind = kind, .object = id, .order = object.order()}, id);
    if (first) write_label(thread, object);
  } else {
    thread.count(kind, id);
  }
}

Kind Recorder::arrive(Thread& thread, Object& object, Kind kind) {
  if (thread.has_checkpoints && begins(kind) && is_woken(thread)) return thread.gate->arrive(thread, object, kind);
  gate::perturb::before(thread);
  const bool stays_at_condition = options_.steer != nullptr && kind == Kind::relock;
  if (!stays_at_condition) thread.about_to(kind, object);
  if (options_.steer != nullptr) options_.steer->arrive(thread, recorded(thread).steered, object, kind);
  if (stays_at_condition) thread.about_to(Kind::lock, object);
  return kind;
}

void Recorder::pass(Thread& thread, Object& object, Kind kind) {
  thread.done();
  enter(thread);
  if (thread.frozen) return;
  object.raise();
  ordered(thread, object, kind);
  if (options_.steer != nullptr) note_passed(thread, object, kind);
}

void Recorder::note_passed(Thread& thread, Object& object, Kind kind) {
  Steered& self = recorded(thread).steered;
  options_.steer->passed(self, object, kind);
  if (kind != Kind::relock || self.woken_by_order == 0) return;
  note(thread, std::string(recording::note_woken) + std::to_string(self.woken_by_condition) + ' ' +
                   std::to_string(self.woken_by_order));
  self.woken_by_order = 0;
}

void Recorder::leave(Thread& thread, Object& object, Kind kind) {
  exit(thread, kind);
  if (thread.frozen) return;
  const ObjectId id = object.known_id();
  if (options_.full) return write(thread, {.kind = kind, .object = id}, id);
  thread.count(kind, id);
}

void Recorder::arrive_shared(Thread& thread, gate::SharedObject& object) {
  if (thread.has_checkpoints && is_woken(thread)) return thread.gate->arrive_shared(thread, object);
  arrive(thread, object.writes, Kind::lock_shared);
}

// Readers pass together, so the object's name is given under its bit lock.
void Recorder::pass_shared(Thread& thread, gate::SharedObject& object) {
  thread.done();
  enter(thread);
  if (thread.frozen) return;
  if (object.writes.known_id() == 0) {
    object.writes.acquire_bit();
    read(thread, object.writes, Kind::lock_shared, {});
    object.writes.release_bit();
  } else {
    read(thread, object.writes, Kind::lock_shared, {});
  }
  object.count_read(thread.index);
}

void Recorder::arrive_writing(Thread& thread, gate::SharedObject& object) {
  if (thread.has_checkpoints && is_woken(thread)) return thread.gate->arrive_writing(thread, object);
  arrive(thread, object.writes, Kind::write_lock);
}

void Recorder::pass_writing(Thread& thread, gate::SharedObject& object) {
  thread.done();
  enter(thread);
  if (thread.frozen) return;
  if (stopped()) return freeze(thread);
  Object& writes = object.writes;
  const bool first = name(thread, writes);
  const std::uint64_t reads = object.all_reads();
  const bool decided = writes.last_thread() != thread.index || reads != object.reads_before;
  const std::uint64_t since = reads - object.reads_before;
  writes.raise();
  writes.last.store(thread.index, std::memory_order_relaxed);
  object.reads_before = reads;
  const ObjectId id = writes.known_id();
  thread.saw_news = decided || options_.full;
  if (!thread.saw_news) return thread.count(Kind::write_lock, id);
  write(thread, {.kind = Kind::write_lock, .object = id, .order = writes.order(), .number = since}, id);
  if (first) write_label(thread, writes);
}

gate::Choice Recorder::arrive_choosing(Thread& thread, gate::ChoosingObject& object, Kind kind) {
  arrive(thread, object.passages, kind);
  return {};
}

void Recorder::pass_choosing(Thread& thread, gate::ChoosingObject& object, Kind kind, std::uint64_t source,
                             std::uint64_t digest) {
  thread.done();
  enter(thread);
  if (thread.frozen) return;
  if (stopped()) return freeze(thread);
  Object& passages = object.passages;
  const bool first = name(thread, passages);
  const bool decided = passages.last_thread() != thread.index || object.last_source != source;
  passages.raise();
  passages.last.store(thread.index, std::memory_order_relaxed);
  object.last_source = source;
  const ObjectId id = passages.known_id();
  if (!decided && !options_.full) return thread.count(kind, id + digest);
  const std::size_t digest_size = options_.full ? sizeof digest : 0;
  write(thread,
        {.kind = kind,
         .object = id,
         .order = passages.order(),
         .number = source,
         .value = {reinterpret_cast<const char*>(&digest), digest_size}},
        id + digest);
  if (first) write_label(thread, passages);
}

Kind Recorder::begin(Thread& thread, Object& object, Kind kind) {
  if (thread.has_checkpoints && !std::exchange(recorded(thread).has_asked, false) && begins(kind) && is_woken(thread))
    return thread.gate->begin(thread, object, kind);
  gate::perturb::before(thread);
  if (options_.steer != nullptr) await_turn(thread, object, kind);
  object.acquire_bit();
  return kind;
}

void Recorder::await_turn(Thread& thread, Object& object, Kind kind) {
  if (kind == Kind::acquire || kind == Kind::await) return;  // what is taken had its turn before it was
  Steered& self = recorded(thread).steered;
  if (Steer::spins(self, object, kind)) note(thread, recording::note_spins);
  options_.steer->arrive(thread, self, object, kind);
  thread.done();
}

void Recorder::end(Thread& thread, Object& object, Kind kind, const void* value, std::size_t size, bool is_pointer) {
  if (!thread.frozen) {
    if (recording::info(kind).treated == Class::read) {
      // An address means nothing in another run: replay finds the pointer by the order alone.
      read(thread, object, kind,
           is_pointer ? std::string_view{} : std::string_view(static_cast<const char*>(value), size));
    } else {
      object.raise();
      ordered(thread, object, kind);
      if (kind == Kind::wait) thread.about_to(kind, object);
    }
    if (options_.steer != nullptr) note_passed(thread, object, kind);
  }
  object.release_bit();
}

void Recorder::read(Thread& thread, Object& object, Kind kind, std::string_view value) {
  if (stopped()) return freeze(thread);
  const bool first = name(thread, object);
  if (first) {
    object.raise();
    object.last.store(thread.index, std::memory_order_relaxed);
  }
  const ObjectId id = object.known_id();
  gate::Seen::Entry& seen = thread.seen.at(id);
  const std::uint64_t order = object.order();
  const bool news = first || (object.last_thread() != thread.index && !seen.is(id, order << 1));
  if (news && !first && thread.has_checkpoints) look_at_isolation(thread, object, kind);
  thread.saw_news = news || options_.full;
  if (!thread.saw_news) return thread.count(kind, id);
  seen = {id, order << 1};
  write(thread, {.kind = kind, .object = id, .order = order, .value = value}, id);
  if (first) write_label(thread, object);
}

Outcome Recorder::foretell(Thread& thread, Object& object, Kind kind, const void* expected, void* out, std::size_t size,
                           bool is_pointer) {
  if (thread.has_checkpoints && begins(kind) && is_woken(thread))
    return thread.gate->foretell(thread, object, kind, expected, out, size, is_pointer);
  recorded(thread).has_asked = kind == Kind::load || kind == Kind::modify;
  if (options_.steer != nullptr && kind == Kind::try_failed && !object.is_own()) note(thread, gate::unsearched_attempt);
  gate::perturb::before(thread);
  return Outcome::open;
}

void Recorder::fail(Thread& thread, Object& object, Kind kind) {
  thread.done();
  write(thread, {.kind = kind, .object = object.known_id(), .number = 1}, 0);
}

bool Recorder::given(Thread& thread, Kind kind, std::string_view name, Take take, void* context) {
  if (thread.has_checkpoints && is_woken(thread)) return thread.gate->given(thread, kind, name, take, context);
  gate::perturb::before(thread);
  if (options_.inputs == nullptr || !recording::is_from_outside(kind, name)) return false;
  const std::string* value = options_.inputs->next(gate::thread_path(), kind, name);
  if (value == nullptr) return false;
  keep(thread, kind, name, value->data(), value->size());
  take(context, value->data(), value->size());
  return true;
}

void Recorder::keep(Thread& thread, Kind kind, std::string_view name, const void* bytes, std::size_t size) {
  if (kind == Kind::clock) {
    std::uint64_t clock = 0;
    std::memcpy(&clock, bytes, sizeof clock);
    return write(thread, {.kind = kind, .number = clock}, 0);
  }
  const std::string_view value(static_cast<const char*>(bytes), size);
  write(thread, kind, 0, [&](recording::StreamWriter& writer, std::uint64_t step, std::uint8_t check) {
    return writer.append(step, check, kind, name, value);
  });
}

void Recorder::keep_contents(Thread& thread, std::string_view bytes) {
  write(thread, Kind::content, 0, [&](recording::StreamWriter& writer, std::uint64_t step, std::uint8_t check) {
    return writer.append_contents(step, check, bytes);
  });
}

bool Recorder::mailed(Thread& thread, const gate::Mailed& mailed) {
  if (thread.has_checkpoints && is_woken(thread)) return thread.gate->mailed(thread, mailed);
  gate::perturb::before(thread);
  write(thread, Kind::mailbox, 0, [&](recording::StreamWriter& writer, std::uint64_t step, std::uint8_t check) {
    return writer.append(step, check, mailed);
  });
  return true;
}

void Recorder::step(Thread& thread, Kind kind, std::uint64_t subject) {
  gate::perturb::before(thread);
  if (thread.frozen) return;
  if (stopped()) return freeze(thread);  // a join must not be counted whose thread could not record its end
  thread.done();
  if (options_.full || recording::info(kind).is_explicit)
    return write(thread, {.kind = kind, .number = subject}, subject);
  thread.count(kind, subject);
}

void Recorder::wrote(Thread& thread, std::uint64_t& digest, const void* bytes, std::size_t size) {
  if (!thread.frozen) live_->note_output(digest, bytes, size);
}

Thread* Recorder::spawn(Thread& parent) {
  if (parent.has_checkpoints) options_.checkpoints->spoil(parent, {});
  gate::perturb::before(parent);
  if (!parent.frozen && stopped()) freeze(parent);
  if (parent.frozen) return frozen_child();
  Thread* child = new_thread(parent.index, static_cast<std::uint32_t>(parent.slot->children));
  if (child == nullptr) {
    freeze(parent);
    return frozen_child();
  }
  ++parent.slot->children;
  step(parent, Kind::spawn, child->index);
  return child;
}

void Recorder::started(Thread& child) {
  gate::current = &child;
  gate::perturb::enrol(child);
}

// The last one takes the place of the one that goes. A thread that was never recorded stands on no roll.
void Recorder::strike_off(Recorded& self) {
  const std::lock_guard lock(roll_mutex_);
  if (self.place_in_roll >= roll_.size() || roll_[self.place_in_roll] != &self) return;
  roll_.back()->place_in_roll = self.place_in_roll;
  roll_[self.place_in_roll] = roll_.back();
  roll_.pop_back();
}

void Recorder::ended(Thread& child) {
  gate::perturb::before(child);
  write(child, {.kind = Kind::end}, 0);
  gate::perturb::dismiss(child);
  Recorded& self = recorded(child);
  gate::current = nullptr;
  strike_off(self);
  if (!self.frozen)
    __atomic_store_n(&child.slot->state, static_cast<std::uint32_t>(recording::SlotState::ended), __ATOMIC_RELEASE);
  if (self.writer) self.writer->finish();
  if (const gate::Slot* place = self.frozen ? self.recorded_slot : self.slot) live_->retire(place);
  delete &self;
}

void Recorder::joining(Thread& thread, std::uint32_t child) {
  if (thread.has_checkpoints) options_.checkpoints->spoil(thread, {});
  thread.slot->pending_object = child;
  __atomic_store_n(&thread.slot->pending_kind, static_cast<std::uint32_t>(Kind::join), __ATOMIC_RELAXED);
}

void Recorder::joined(Thread& thread, std::uint32_t child) {
  thread.done();
  step(thread, Kind::join, child);
}

void Recorder::mark_end(Thread& thread, recording::EndKind kind, int code) {
  recording::LiveHeader& header = live_->header();
  header.end_code = code;
  header.end_thread = thread.index;
  header.end_kind.store(static_cast<std::uint32_t>(kind), std::memory_order_release);
}

// There is one end, and it belongs to the thread that came first: any other waits for it here.
void Recorder::claim_end(Thread& thread) {
  Thread* first = nullptr;
  if (ender_.compare_exchange_strong(first, &thread)) return;
  for (;;) pause();
}

void Recorder::exiting(Thread& thread, int code) {
  if (thread.frozen) return;
  claim_end(thread);
  write(thread, {.kind = Kind::exit, .number = static_cast<std::uint64_t>(static_cast<std::int64_t>(code))}, 0);
  if (!thread.frozen) mark_end(thread, recording::EndKind::exited, code);
}

// Runs in a signal handler. A thread that was just appending cannot append again: its crash is then known by the header
// alone.
void Recorder::crashing(Thread& thread, int signal) {
  if (thread.frozen) return;
  claim_end(thread);
  if (!thread.inside) write(thread, {.kind = Kind::crash, .number = static_cast<std::uint64_t>(signal)}, 0);
  if (!thread.frozen) mark_end(thread, recording::EndKind::signalled, signal);
}

// The mark comes before exec, since nothing can come after it; an exec that fails leaves both a mark and a failure, in
// that order.
void Recorder::replacing(Thread& thread, bool begins) {
  if (thread.frozen) return;
  if (begins) {
    write(thread, {.kind = Kind::exec}, 0);
    mark_end(thread, recording::EndKind::replaced, 0);
  } else {
    write(thread, {.kind = Kind::try_failed, .number = 1}, 0);
    mark_end(thread, recording::EndKind::running, 0);
  }
}

bool Recorder::other_threads() {
  const std::lock_guard lock(roll_mutex_);
  return roll_.size() > 1;
}

void Recorder::refuse(std::string_view reason) {
  live_->refuse(reason);
  stop_predicting();
}

}  // namespace reprise::record
