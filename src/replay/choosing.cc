// Objects where several sources meet: a passage waits for its turn and says which source was recorded.
#include "gate/perturb.h"
#include "replay/replayed.h"
#include "replay/replayer.h"

namespace reprise::replay {

using gate::Choice;
using gate::ChoosingObject;
using gate::Thread;
using recording::Event;

Choice Replayer::arrive_choosing(Thread& thread, ChoosingObject& object, Kind kind) {
  Replayed& self = replayed(thread);
  gate::perturb::before(thread);
  thread.about_to(kind, object.passages);
  if (at_end(self)) {
    hold(self, kind, object.passages.known_id());
    return thread.gate->arrive_choosing(thread, object, kind);
  }
  const bool is_new_choice = is_written(self);
  const std::uint64_t source = is_new_choice ? self.next->number : object.last_source;
  await(self, object.passages, kind);
  return {true, is_new_choice ? source : object.last_source};
}

void Replayer::pass_choosing(Thread& thread, ChoosingObject& object, Kind kind, std::uint64_t source,
                             std::uint64_t digest) {
  Replayed& self = replayed(thread);
  thread.done();
  gate::Object& passages = object.passages;
  name(self, passages);
  passages.last.store(self.index, std::memory_order_relaxed);
  object.last_source = source;
  const ObjectId id = passages.known_id();
  const std::string_view bytes(reinterpret_cast<const char*>(&digest), sizeof digest);
  const bool says_digest = is_written(self) && !self.next->value.empty();
  if (says_digest && self.next->value != bytes) diverge(self, kind, id, "the message is not the recorded one", false);
  passed(self, {.kind = kind, .object = id, .order = passages.order() + 1, .number = source, .value = bytes},
         id + digest);
}

void Replayer::awaiting(Thread& thread, Kind kind, const gate::Object& object) {
  Replayed& self = replayed(thread);
  thread.about_to(kind, object);
  if (at_end(self)) hold(self, kind, object.known_id());
}

bool Replayer::perhaps_given(Thread& thread, Kind kind, Take take, void* context) {
  Replayed& self = replayed(thread);
  if (at_end(self) || !is_written(self) || self.next->kind != kind) return false;
  expect(self, kind, 0, true);
  const Event event = *self.next;
  take(context, event.value.data(), event.value.size());
  passed(self, event, 0);
  return true;
}

}  // namespace reprise::replay
