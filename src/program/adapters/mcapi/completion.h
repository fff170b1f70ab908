// How requests come to their end, and how the program learns of it.
//
//   poll(node, request)             looks whether it is done, and helps it along
//   tell(...)                       the program is told: that is what is recorded
//
// Threads   The node's mutex is held, except where said.
#pragma once

#include "program/adapters/mcapi/arrivals.h"
#include "program/adapters/mcapi/naming.h"
#include "program/adapters/mcapi/node.h"
#include "program/adapters/mcapi/passage.h"

namespace reprise::mcapi {

// Does this thread get its outcomes from a recording?
inline bool is_replayed() {
  const gate::Thread* thread = gate::current;
  return thread != nullptr && !thread->counts_alone() && !thread->gate->lives();
}

// How an endpoint ends that its own node ends. On replay another may ask for it later than it did when recorded.
inline Segment::End end_of_own() { return is_replayed() ? Segment::End::known_since : Segment::End::unknown_since; }

bool poll(Node& node, Request& request);

// What the program is expected to be told of this request.
std::uint64_t expected_of(const Request& request);

// The program is told how `request` came out: the gate keeps it.
void tell(Request& request, const Passage& passage);
// The same on replay: completes `request` as recorded, waiting for what it needs. Called without the mutex.
void tell_again(Node& node, Request& request, std::uint64_t number);

// What the technique keeps of a message beside its name.
void tell_more(Handle handle, const void* buffer, const Arrived& arrived);

// The same of a message that was received at once, by a thread with a gate.
[[gnu::always_inline]] inline void tell_message(Met& met, Handle handle, const void* buffer, const Arrived& arrived,
                                                const Passage& passage) {
  keep_message(met, arrived.id, passage);
  const Technique used = technique.load(std::memory_order_relaxed);
  if (used == Technique::receiver) return;
  if (used != Technique::data || arrived.status != Status::success) return tell_more(handle, buffer, arrived);
  gate::Thread* const thread = gate::current;
  thread->gate->keep_contents(*thread, {static_cast<const char*>(buffer), arrived.size});
}

// A blocking receive, of a message or of a packet. Called without the mutex.
Status receive_now(Node& node, Request& request, std::uint32_t timeout_ms, const Passage& passage);

}  // namespace reprise::mcapi
