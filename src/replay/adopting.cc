// How a replay goes on from a checkpoint: in a copy of the recorded process, where objects are as they were left.
#include "gate/perturb.h"
#include "recording/kind.h"
#include "replay/replayed.h"
#include "replay/replayer.h"

namespace reprise::replay {

using gate::Object;
using recording::Class;
using recording::ThreadInfo;

namespace {

// Slots of a thread's ancestors: a log in which its parent is missing could not be read.
void add_ancestors(const recording::Log& log, recording::Live& scratch, ThreadIndex index) {
  const ThreadInfo* info = log.thread(index);
  if (info == nullptr) return;
  add_ancestors(log, scratch, info->parent);
  scratch.add_slot(info->parent, info->ordinal, index);
}

}  // namespace

void Replayer::go_on_from(const Standing& standing, const gate::Thread& before) {
  is_adopted_ = true;
  is_detached_ = !standing.alone;
  const ThreadInfo& info = *recorded_.thread(standing.slot.index);
  std::uint32_t to_come = 0;
  for (const ThreadInfo& thread : recorded_.threads())
    if (standing.alone && thread.index >= standing.next_index && thread.steps > 0) ++to_come;
  const bool is_over = standing.slot.steps >= info.steps;
  remaining_.store(to_come + (is_over ? 0 : 1));
  if (!standing.alone) add_ancestors(recorded_, *scratch_, info.parent);
  recording::LiveHeader& header = scratch_->header();
  header.output_digest = standing.output_digest;
  header.output_bytes = standing.output_bytes;
  gate::Thread* thread = new_thread(info);
  if (thread == nullptr) return;
  Replayed& self = replayed(*thread);
  self.slot->steps = standing.slot.steps;
  self.slot->hash = self.slot->previous_hash = standing.slot.hash;
  self.slot->objects = standing.slot.objects;
  self.slot->children = standing.slot.children;
  self.is_isolated = before.is_isolated;
  self.is_detached = is_detached_;
  self.in_handler = before.in_handler;
  skip_to(self, standing.slot.steps);
  started(self);
  if (remaining_.load() == 0) all_reached_end();
}

// To the first written event after `step`, which may lie in a run of failures.
void Replayer::skip_to(Replayed& self, std::uint64_t step) {
  while (self.next) {
    const bool is_run = self.next->kind == Kind::try_failed;
    const std::uint64_t last = self.next->step + (is_run ? std::max<std::uint64_t>(self.next->number, 1) - 1 : 0);
    if (last > step) {
      if (self.next->step <= step) self.run_used = step - self.next->step + 1;
      return;
    }
    advance(self);
  }
}

// Nobody else passes here: the object is taken to be where the recording says that it was, whoever brought it there.
void Replayer::adopt(const Replayed& self, Object& object, Kind, std::uint64_t order) {
  object.word.store(order << 1, std::memory_order_seq_cst);
  if (object.known_id() == 0 && self.next && !is_new_here(self, self.next->object))
    object.id.store(self.next->object, std::memory_order_relaxed);
}

// A value that was seen before the checkpoint, and is not written again: it is still there.
bool Replayer::reads_as_it_stands(const Replayed& self, const Object& object, Kind kind) const {
  const bool reads = recording::info(kind).treated == Class::read || kind == Kind::modify;
  return is_adopted_ && reads && object.known_id() != 0 && !is_written(self);
}

}  // namespace reprise::replay
