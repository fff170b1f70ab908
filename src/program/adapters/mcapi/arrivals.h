// Techniques beyond the order per receiver: the program-wide order of retrievals (sender), and contents (data).
//
// The technique is a property of a recording. It is told to the gate when a node begins, so a replay knows it.
//
// Threads   Any; what is known of the technique is the process's own.
#pragma once

#include "program/adapters/mcapi/node.h"
#include "program/adapters/mcapi/passage.h"

namespace reprise::mcapi {

// groups: as receiver, and the contents of what comes from another group.
enum class Technique : std::uint8_t { receiver, sender, data, groups };
extern std::atomic<Technique> technique;  // of this process

// Node `id` begins: what is recorded from now on ($MCAPI_TECHNIQUE), or on replay what was.
void pass_technique(std::uint32_t id);

// Replay of a recording with contents: messages, packets, scalars and the endpoints of others come from it; nothing is
// sent, and no other node is needed.
bool is_simulated();

// Sender: a message was retrieved, the `ordinal`th of its endpoint. All that are in an endpoint's queue when a thread
// retrieves one are retrieved with it: only the first has a place in the program-wide order. Where notes are taken,
// each has. On replay find_retrieval() comes first, then the message is taken as soon as it is there, and
// retrieve_in_turn() waits until all earlier ones were. Without the node's mutex, except retrieved().
void retrieved(Handle endpoint, std::uint32_t ordinal);
void find_retrieval();
void retrieve_in_turn(Node& node);
// An endpoint begins or ends: its messages are counted anew.
void forget_retrievals();
bool is_in_turns();

// settle(), where in such a replay `pretend` does the part that is the node's own.
template <typename Act, typename Pretend>
Status settle(Kind kind, Act act, Pretend pretend) {
  if (!is_simulated()) return settle(kind, act);
  const Passage passage(kind, number_of(Status::success));
  const Status status = passage.is_known() ? status_of(passage.number()) : act();
  passage.keep(number_of(status));
  if (passage.is_known() && status == Status::success) pretend();
  return status;
}

// The how-manyth retrieval of the program this thread's last one was; where it is not recorded, in this run.
std::uint64_t arrival_to_note();

// Data: what was received is kept, in groups if it came from a node of another one. On replay it is taken from the
// recording; false: it is not there.
void keep_contents(const void* bytes, std::size_t size, std::uint32_t from);
bool give_contents(std::string& bytes);

// Groups: the other end of a channel that was opened.
void keep_peer(Handle peer);
// Groups: on replay what was kept of the last outcome, whether it is needed or not; false: nothing was, so that it
// comes from this group.
bool is_grouped();
bool give_from_outside(std::string& bytes);

}  // namespace reprise::mcapi
