// Objects that many may read at once: a reader waits for the order it saw, a writer for its turn and for the readers
// before it.
#include "gate/perturb.h"
#include "replay/replayed.h"
#include "replay/replayer.h"

namespace reprise::replay {

using gate::SharedObject;
using gate::Thread;
using recording::Event;

void Replayer::arrive_shared(Thread& thread, SharedObject& object) {
  Replayed& self = replayed(thread);
  gate::perturb::before(thread);
  thread.about_to(Kind::lock_shared, object.writes);
  const ObjectId id = object.writes.known_id();
  if (at_end(self)) {
    hold(self, Kind::lock_shared, id);
    return thread.gate->arrive_shared(thread, object);
  }
  if (!is_written(self)) {
    // It saw this order before; the next writer waits for this read, so the order is still that one.
    if (id == 0) diverge(self, Kind::lock_shared, id, "nothing was recorded here, so the object should be known", true);
    return;
  }
  const Event& event = *self.next;
  expect(self, Kind::lock_shared, id, event.kind == Kind::lock_shared);
  if (id != 0 && id != event.object)
    diverge(self, Kind::lock_shared, id, "the recorded step was at another object", false);
  const bool is_new = id == 0 && is_new_here(self, event.object);
  await_order(self, object.writes, Kind::lock_shared, is_new ? 0 : event.order);
  const ObjectId now = object.writes.known_id();
  if (now != event.object && !(now == 0 && is_new)) {
    diverge(self, Kind::lock_shared, now, "the recorded step was at another object", false);
  }
}

// A recorder counts the reads of one thread apart: they are added up once, by whoever comes first.
void Replayer::count_reads(SharedObject& object) {
  if (!is_adopted_ || object.reads.known_id() == 0) return;
  const std::uint64_t own = object.reads.id.exchange(0, std::memory_order_acq_rel);
  object.reads.word.fetch_add(2 * own, std::memory_order_seq_cst);
}

void Replayer::pass_shared(Thread& thread, SharedObject& object) {
  Replayed& self = replayed(thread);
  count_reads(object);
  thread.done();
  thread.saw_news = true;
  const bool is_new = object.writes.known_id() == 0;
  const std::uint64_t order = is_new ? 1 : object.writes.order();
  if (is_new) {
    name(self, object.writes);
    object.writes.last.store(self.index, std::memory_order_relaxed);
  }
  passed(self, {.kind = Kind::lock_shared, .object = object.writes.known_id(), .order = order},
         object.writes.known_id());
  if (is_new) raise(object.writes);
  const std::uint64_t reads = (object.reads.word.fetch_add(2, std::memory_order_seq_cst) >> 1) + 1;
  turns_.advanced(&object.reads, reads);
}

void Replayer::arrive_writing(Thread& thread, SharedObject& object) {
  Replayed& self = replayed(thread);
  gate::perturb::before(thread);
  thread.about_to(Kind::write_lock, object.writes);
  if (at_end(self)) {
    hold(self, Kind::write_lock, object.writes.known_id());
    return thread.gate->arrive_writing(thread, object);
  }
  const std::uint64_t reads = is_written(self) ? self.next->number : 0;
  await(self, object.writes, Kind::write_lock);
  if (is_detached_) return;
  count_reads(object);
  await_order(self, object.reads, Kind::write_lock, object.reads_before + reads);
}

void Replayer::pass_writing(Thread& thread, SharedObject& object) {
  Replayed& self = replayed(thread);
  thread.done();
  thread.saw_news = true;
  name(self, object.writes);
  object.writes.last.store(self.index, std::memory_order_relaxed);
  const std::uint64_t since = object.reads.order() - object.reads_before;
  object.reads_before = object.reads.order();
  const ObjectId id = object.writes.known_id();
  passed(self, {.kind = Kind::write_lock, .object = id, .order = object.writes.order() + 1, .number = since}, id);
}

}  // namespace reprise::replay
