#include "replay/replayer.h"

#include <algorithm>

#include "gate/perturb.h"
#include "replay/replayed.h"

namespace reprise::replay {

using gate::Object;
using gate::Outcome;
using gate::Thread;
using recording::Class;
using recording::Event;

namespace {

std::uint64_t child_key(ThreadIndex parent, std::uint32_t ordinal) { return std::uint64_t{parent} << 32 | ordinal; }

// May a program that asks for `asked` be answered with `recorded`?
bool fits(Kind asked, Kind recorded) {
  if (asked == recorded) return true;
  if (asked == Kind::relock) return recorded == Kind::relock_timeout;
  if (asked == Kind::wake) return recorded == Kind::wake_timeout;
  if (asked == Kind::modify) return recorded == Kind::compare_failed;
  return false;
}

}  // namespace

Replayer::Replayer(const recording::Log& recorded, recording::Live& scratch, const Options& options)
    : recorded_(recorded), scratch_(&scratch), options_(options), turns_(*this) {
  read_threads();
}

void Replayer::read_threads() {
  std::uint32_t with_steps = 0;
  children_.clear();
  for (const recording::ThreadInfo& thread : recorded_.threads()) {
    children_.emplace(child_key(thread.parent, thread.ordinal), &thread);
    if (thread.steps > 0) ++with_steps;
  }
  remaining_.store(with_steps);
  if (options_.trace) scratch_->header().flags.fetch_or(recording::live_full);
}

Thread* Replayer::new_thread(const recording::ThreadInfo& info) {
  gate::Slot* slot = scratch_->add_slot(info.parent, info.ordinal, info.index);
  if (slot == nullptr) return nullptr;
  auto* thread = new Replayed(recorded_, info, slot);
  thread->gate = this;
  thread->keeps_contents = keeps_contents();
  if (options_.trace) thread->trace.emplace(*scratch_, info.index);
  advance(*thread);
  const std::lock_guard lock(watch_mutex_);
  ++living_;
  return thread;
}

void Replayer::start_main() {
  if (remaining_.load() == 0) all_reached_end();
  const auto main = children_.find(child_key(no_thread, 0));
  if (main == children_.end()) {
    // Killed before its first thread was registered: there is nothing to repeat.
    if (released_.load() == 0) finish_killed();
    return;
  }
  if (Thread* thread = new_thread(*main->second)) started(*thread);
}

void Replayer::continue_in_child(const recording::Log& recorded, recording::Live& scratch, const gate::Slot& forked) {
  Replayed& self = replayed(*gate::current);
  scratch_->abandon();
  recorded_ = recorded;
  scratch_ = &scratch;
  read_threads();
  living_ = 1;
  asleep_ = 0;
  const auto main = children_.find(child_key(no_thread, 0));
  if (main == children_.end()) {
    // Killed before its first step: nothing of it is to be replayed.
    gate::current = nullptr;
    return;
  }
  self.info = main->second;
  self.slot = scratch.add_slot(no_thread, 0, self.info->index);
  if (self.slot == nullptr) diverge(self, Kind::fork, 0, "there is no room for the child's notes", false);
  scratch.header().flags.fetch_or(recording::live_forked);
  self.slot->objects = forked.objects;
  self.slot->children = forked.children;
  self.stream = recorded_.stream(self.info->index);
  self.next.reset();
  self.last_written = 0;
  if (options_.trace) {
    self.trace.emplace(scratch, self.info->index);
    self.trace->names_objects_in_full();
  }
  advance(self);
}

// ---- the thread's own stream ----

void Replayer::advance(Replayed& self) {
  if (self.next) {
    if (self.next->checked) self.doubtful_after = self.last_written;
    self.last_written = self.next->step + std::max<std::uint64_t>(self.run_used, 1) - 1;
  }
  self.run_used = 0;
  self.next.reset();
  for (;;) {
    auto event = self.stream.next();
    if (!event || !*event) break;
    if (!recording::is_step(recording::info((*event)->kind).treated)) continue;
    self.next = **event;
    break;
  }
  // The last step is told to everybody, a traced one is written, a perturbed one disturbed: those come through the
  // gate.
  const std::uint64_t told = self.next ? std::min(self.next->step, self.info->steps) : self.info->steps;
  self.alone_before = options_.trace || gate::perturb::active() ? 0 : told;
}

void Replayer::consume(Replayed& self) {
  if (!is_written(self)) return;
  if (self.next->kind == Kind::try_failed && ++self.run_used < self.next->number) return;
  advance(self);
}

// One more step: consumed, traced, counted.
void Replayer::passed(Replayed& self, const Event& event, std::uint64_t hashed) {
  if (self.trace) {
    Event traced = event;
    traced.step = self.slot->steps + 1;
    self.trace->append(traced);
    self.slot->written = self.trace->written();
  }
  consume(self);
  self.slot->previous_hash = self.slot->hash;
  self.count(event.kind, hashed);
  self.slot->pending_order = 0;
  self.slot->asleep = 0;
  if (self.slot->steps == self.info->steps) reached_end();
}

// The written event must fit what the program does; `fits` says whether its kind does.
void Replayer::expect(Replayed& self, Kind kind, ObjectId object, bool fits) {
  const Event& event = *self.next;
  if (event.checked && self.run_used == 0 && event.check != recording::check_of(self.slot->hash)) {
    diverge(self, kind, object, "steps before this one were not the recorded ones", true);
  }
  if (!fits) diverge(self, kind, object, "another step was recorded here", false);
}

void Replayer::name(Replayed& self, Object& object) {
  if (object.known_id() != 0) return;
  object.id.store(object_id(self.index, ++self.slot->objects), std::memory_order_relaxed);
}

void Replayer::raise(Object& object) {
  const std::uint64_t order = object.order() + 1;
  object.word.store(order << 1, std::memory_order_seq_cst);
  turns_.advanced(&object, order);
}

// Is `object`, as recorded, the next one that this thread names?
bool Replayer::is_new_here(const Replayed& self, ObjectId object) const {
  return object == object_id(self.index, self.slot->objects + 1);
}

void Replayer::await_order(Replayed& self, Object& object, Kind kind, std::uint64_t order) {
  if (is_detached_) return adopt(self, object, kind, order);
  self.slot->pending_order = order + 1;
  if (turns_.wait(self, self.budget, object, order, false) == Woken::overtaken) {
    diverge(self, kind, object.known_id(), "the object has been passed more often than recorded", false);
  }
}

// Waits for this passage's turn and returns its recorded kind.
Kind Replayer::await(Replayed& self, Object& object, Kind kind) {
  const ObjectId id = object.known_id();
  if (!is_written(self)) {
    if (id == 0 || object.last_thread() != self.index) {
      diverge(self, kind, id, "nothing was recorded here, so the object should be the one this thread passed last",
              true);
    }
    return kind;
  }
  const Event& event = *self.next;
  expect(self, kind, id, fits(kind, event.kind));
  if (id != 0 && id != event.object) diverge(self, kind, id, "the recorded step was at another object", false);
  await_order(self, object, kind, event.order - 1);
  const ObjectId now = object.known_id();
  if (now != event.object && !(now == 0 && is_new_here(self, event.object))) {
    diverge(self, kind, now, "the recorded step was at another object", false);
  }
  return event.kind;
}

// ---- objects with a critical section of their own: the order is raised when it ends ----

Kind Replayer::arrive(Thread& thread, Object& object, Kind kind) {
  Replayed& self = replayed(thread);
  gate::perturb::before(thread);
  thread.about_to(kind, object);
  if (at_end(self)) {
    hold(self, kind, object.known_id());
    return thread.gate->arrive(thread, object, kind);
  }
  return await(self, object, kind);
}

void Replayer::pass(Thread& thread, Object& object, Kind kind) {
  Replayed& self = replayed(thread);
  thread.done();
  name(self, object);
  object.last.store(self.index, std::memory_order_relaxed);
  passed(self, {.kind = kind, .object = object.known_id(), .order = object.order() + 1}, object.known_id());
}

void Replayer::leave(Thread& thread, Object& object, Kind kind) {
  Replayed& self = replayed(thread);
  const ObjectId id = object.known_id();
  if (at_end(self)) return hold(self, kind, id);
  if (is_written(self)) {
    expect(self, kind, id, self.next->kind == kind);
    if (self.next->object != id) diverge(self, kind, id, "the recorded step was at another object", false);
  }
  passed(self, {.kind = kind, .object = id}, id);
}

void Replayer::left(Thread&, Object& object) { raise(object); }

// ---- stamped objects: the order is raised when the bit lock is released ----

Kind Replayer::begin(Thread& thread, Object& object, Kind kind) {
  Replayed& self = replayed(thread);
  gate::perturb::before(thread);
  thread.about_to(kind, object);
  if (at_end(self)) {
    hold(self, kind, object.known_id());
    return thread.gate->begin(thread, object, kind);
  }
  const Kind recorded = reads_as_it_stands(self, object, kind) ? kind : await(self, object, kind);
  object.acquire_bit();
  return recorded;
}

void Replayer::end(Thread& thread, Object& object, Kind kind, const void* value, std::size_t size, bool is_pointer) {
  Replayed& self = replayed(thread);
  thread.done();
  if (is_written(self) && self.next->kind != kind)
    diverge(self, kind, object.known_id(), "it came out another way when recorded", false);
  const bool is_read = recording::info(kind).treated == Class::read;
  const bool as_it_stands = is_read && reads_as_it_stands(self, object, kind);
  if (is_read && object.known_id() != 0 && !as_it_stands)
    diverge(self, kind, object.known_id(), "it came out another way when recorded", true);
  name(self, object);
  const ObjectId id = object.known_id();
  const std::uint64_t order = object.order() + (as_it_stands ? 0 : 1);
  if (!as_it_stands) object.last.store(self.index, std::memory_order_relaxed);
  if (value != nullptr) remember(self, id, order, value, size, is_pointer);
  Event event{.kind = kind, .object = id, .order = order};
  if (is_read && !is_pointer) event.value = std::string_view(static_cast<const char*>(value), size);
  passed(self, event, id);
  if (as_it_stands) return object.release_bit();
  raise(object);
}

void Replayer::remember(Replayed& self, ObjectId object, std::uint64_t order, const void* value, std::size_t size,
                        bool is_pointer) {
  self.known[object].set(order, value, size);
  if (!is_pointer) return;
  const std::lock_guard lock(history_mutex_);
  std::vector<const void*>& held = history_[object];
  if (held.size() < order) held.resize(order);
  std::memcpy(&held[order - 1], value, sizeof(void*));
}

// ---- outcomes that are known in advance ----

Outcome Replayer::foretell(Thread& thread, Object& object, Kind kind, const void* expected, void* out, std::size_t size,
                           bool is_pointer) {
  Replayed& self = replayed(thread);
  gate::perturb::before(thread);
  if (kind == Kind::behind) return foretell_behind(self, out);
  if (at_end(self)) {
    thread.about_to(kind == Kind::try_failed ? Kind::lock : kind, object);
    hold(self, kind == Kind::try_failed ? Kind::lock : kind, object.known_id());
    return Outcome::open;
  }
  if (kind == Kind::try_failed) return foretell_try(self);
  if (kind == Kind::guard) {
    const bool wins = is_written(self) && self.next->kind == Kind::guard && self.next->object == object.known_id();
    return wins ? Outcome::act : Outcome::failed;
  }
  return foretell_read(self, object, kind, expected, out, size, is_pointer);
}

// How many other processes wrote before this one does is said only if any did.
Outcome Replayer::foretell_behind(Replayed& self, void* others) {
  if (!is_written(self) || self.next->kind != Kind::behind) return Outcome::act;
  expect(self, Kind::behind, 0, true);
  const std::uint64_t number = self.next->number;
  std::memcpy(others, &number, sizeof number);
  passed(self, {.kind = Kind::behind, .number = number}, number);
  return Outcome::failed;
}

Outcome Replayer::foretell_try(Replayed& self) {
  if (!is_written(self) || self.next->kind != Kind::try_failed) return Outcome::act;
  expect(self, Kind::try_failed, 0, true);
  passed(self, {.kind = Kind::try_failed, .object = self.next->object, .number = 1}, 0);
  return Outcome::failed;
}

Outcome Replayer::foretell_read(Replayed& self, Object& object, Kind kind, const void* expected, void* out,
                                std::size_t size, bool is_pointer) {
  const ObjectId id = object.known_id();
  if (is_written(self)) {
    const Event& event = *self.next;
    if (kind == Kind::modify && event.kind == Kind::modify) return Outcome::act;
    const Kind wanted = kind == Kind::modify ? Kind::compare_failed : kind;
    expect(self, wanted, id, event.kind == wanted);
    if (id != 0 && id != event.object) diverge(self, wanted, id, "the recorded step was at another object", false);
    if (id == 0 && is_new_here(self, event.object)) return Outcome::act;  // the first passage
    self.about_to(wanted, object);
    read_recorded(self, object, out, size, is_pointer);
    self.done();
    return Outcome::failed;
  }
  const auto known = self.known.find(id);
  if (known == self.known.end() && reads_as_it_stands(self, object, kind)) return Outcome::act;
  if (id == 0 || known == self.known.end())
    diverge(self, kind, id, "nothing was recorded here, so the value should be known", true);
  known->second.get(out, size);
  if (kind == Kind::modify) {
    if (std::memcmp(out, expected, size) == 0) return Outcome::act;
    kind = Kind::compare_failed;
  }
  // The object may be further on by now: the order that this thread saw last is the one it sees again.
  Event event{.kind = kind, .object = id, .order = known->second.order};
  if (!is_pointer) event.value = std::string_view(static_cast<const char*>(out), size);
  passed(self, event, id);
  return Outcome::failed;
}

// Writers never wait for reads, so the object may be further on: numbers come from the log, pointers from their history
// in this run.
void Replayer::read_recorded(Replayed& self, Object& object, void* out, std::size_t size, bool is_pointer) {
  Event event = *self.next;
  self.slot->pending_order = event.order;
  if (is_detached_) {
    adopt(self, object, event.kind, event.order);
  } else {
    turns_.wait(self, self.budget, object, event.order, true);
  }
  const ObjectId id = object.known_id();
  if (id != event.object) diverge(self, event.kind, id, "the recorded step was at another object", false);
  if (is_pointer) {
    const std::lock_guard lock(history_mutex_);
    const std::vector<const void*>& held = history_[id];
    if (event.order > held.size()) diverge(self, event.kind, id, "no pointer was stored with that order", false);
    std::memcpy(out, &held[event.order - 1], sizeof(void*));
  } else {
    std::memset(out, 0, size);
    std::memcpy(out, event.value.data(), std::min(size, event.value.size()));
  }
  self.known[id].set(event.order, out, size);
  if (!is_pointer) event.value = std::string_view(static_cast<const char*>(out), size);
  passed(self, event, id);
}

void Replayer::fail(Thread& thread, Object& object, Kind kind) {
  diverge(replayed(thread), kind, object.known_id(), "it failed, where the recording says nothing of it", false);
}

// ---- values and plain steps ----

bool Replayer::given(Thread& thread, Kind kind, std::string_view name, Take take, void* context) {
  Replayed& self = replayed(thread);
  gate::perturb::before(thread);
  if (at_end(self)) {
    hold(self, kind, 0);
    return false;
  }
  if (!is_written(self)) diverge(self, kind, 0, "no value was recorded here", true);
  const Event event = *self.next;
  expect(self, kind, 0, event.kind == kind);
  if (kind == Kind::clock) {
    take(context, &event.number, sizeof event.number);
  } else {
    if (event.name != name) diverge(self, kind, 0, "a value of another name was recorded here", false);
    take(context, event.value.data(), event.value.size());
  }
  passed(self, event, 0);
  return true;
}

void Replayer::keep(Thread&, Kind, std::string_view, const void*, std::size_t) {}

void Replayer::step(Thread& thread, Kind kind, std::uint64_t subject) {
  Replayed& self = replayed(thread);
  gate::perturb::before(thread);
  thread.done();
  if (at_end(self)) return hold(self, kind, 0);
  if (is_written(self)) expect(self, kind, 0, self.next->kind == kind && self.next->number == subject);
  passed(self, {.kind = kind, .number = subject}, subject);
}

void Replayer::wrote(Thread&, std::uint64_t& digest, const void* bytes, std::size_t size) {
  scratch_->note_output(digest, bytes, size);
}

// ---- the life of threads ----

Thread* Replayer::spawn(Thread& parent) {
  Replayed& self = replayed(parent);
  gate::perturb::before(parent);
  if (at_end(self)) {
    hold(self, Kind::spawn, 0);
    return nullptr;
  }
  const auto info = children_.find(child_key(self.index, static_cast<std::uint32_t>(self.slot->children)));
  if (info == children_.end()) {
    if (recorded_.info().torn.empty()) diverge(self, Kind::spawn, 0, "no such thread was recorded", true);
    hold(self, Kind::spawn, 0);  // it was in the part that is lost
    return nullptr;
  }
  Thread* child = new_thread(*info->second);
  if (child == nullptr) diverge(self, Kind::spawn, 0, "there is no room for another thread", false);
  ++self.slot->children;
  step(parent, Kind::spawn, child->index);
  return child;
}

void Replayer::started(Thread& child) {
  gate::current = &child;
  gate::perturb::enrol(child);
}

void Replayer::ended(Thread& child) {
  Replayed& self = replayed(child);
  gate::perturb::before(child);
  if (at_end(self)) {
    hold(self, Kind::end, 0);
    gate::current = nullptr;
    return;
  }
  if (!is_written(self)) diverge(self, Kind::end, 0, "the recorded thread went on", true);
  expect(self, Kind::end, 0, self.next->kind == Kind::end);
  gate::perturb::dismiss(child);
  // Said before the step is counted: the process may end as soon as its last thread has taken its last step.
  __atomic_store_n(&child.slot->state, static_cast<std::uint32_t>(recording::SlotState::ended), __ATOMIC_RELEASE);
  passed(self, {.kind = Kind::end}, 0);
  if (is_detached_) finish_detached();
  gate::current = nullptr;
  const ThreadIndex index = self.index;
  if (self.trace) self.trace->finish();
  scratch_->retire(self.slot);
  delete &self;
  const std::lock_guard lock(watch_mutex_);
  --living_;
  ended_.insert(index);
  if (joined_for_.erase(index) > 0) --asleep_;
  look_for_stall();
}

void Replayer::joining(Thread& thread, std::uint32_t child) {
  thread.slot->pending_object = child;
  __atomic_store_n(&thread.slot->pending_kind, static_cast<std::uint32_t>(Kind::join), __ATOMIC_RELAXED);
  const std::lock_guard lock(watch_mutex_);
  if (ended_.contains(child)) return;
  joined_for_.insert(child);
  ++asleep_;
  look_for_stall();
}

void Replayer::joined(Thread& thread, std::uint32_t child) {
  thread.done();
  step(thread, Kind::join, child);
}

}  // namespace reprise::replay
