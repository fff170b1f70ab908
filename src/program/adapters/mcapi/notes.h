// What MCAPI calls were about, said in full logs only, for `reprise show --style mcapi` (src/analyse/mcapi.h reads it).
//
//   const Noting noting(*node);  if (noting) noting.receive(...);
//
// A note is text: what, the node, then numbers; a call that retrieved a message adds who sent it, and after a new line
// its bytes.
//
// Threads   Any thread of the node.
// Cost      Nothing but a look unless every event is written.
#pragma once

#include "program/adapters/mcapi/node.h"

namespace reprise::mcapi {

// Whether every event is written does not change while the process runs.
enum class Notes : std::uint8_t { unknown, none, taken };
extern std::atomic<Notes> notes;
bool asks_for_notes(const gate::Thread& thread);

inline bool takes_notes() {
  const gate::Thread* thread = gate::current;
  if (thread == nullptr || notes.load(std::memory_order_relaxed) == Notes::none || thread->counts_alone()) return false;
  return asks_for_notes(*thread);
}

// A message went out of the endpoint `from`.
void note_send(Node& node, Handle from, Handle to);
// A blocking receive got a message.
void note_receive(Node& node, const Request& request);
// A request came to its end by wait, by wait_any number `order` of the node, or by test.
void note_wait(Node& node, const Request& request);
void note_wait_any(Node& node, std::uint64_t order, std::size_t index, const Request& request);
void note_test(Node& node, const Request& request);
// Tests failed, and then the request came to its end in another way.
void note_failed_tests(Node& node, const Request& request);

}  // namespace reprise::mcapi
