// How messages are named in a recording, and how they come out of an endpoint's queue.
//
// A receive is recorded as a number: which of the senders that this thread has met at this endpoint, and by how much
// the message is off the one after that sender's last. The message after the last one of the last sender is expected,
// and costs nothing. A sender that is new to the thread is named once, by a value after the number.
//
// Threads   What a thread has met is its own. The rest: the node's mutex is held.
#pragma once

#include "program/adapters/mcapi/node.h"
#include "program/adapters/mcapi/passage.h"

namespace reprise::mcapi {

// The number that the next receive of this thread at `endpoint` is expected to have.
std::uint64_t expected_message(Handle endpoint);
// This message was received: its number is kept, and its sender is named if it is new. REQUIRES a gate.
void keep_message(Handle endpoint, const MessageId& id, const Passage& passage);
// The message that a recorded number means; reads a new sender's name.
MessageId named_message(Handle endpoint, std::uint64_t number);

// This thread's messages to an endpoint.
struct Pace {
  std::uint64_t sent{0};        // the number of the last one
  std::uint64_t free_until{0};  // replay: so many may be sent before anybody looks how far ahead they are
  std::uint32_t allowance{0};   // replay: what it may be ahead; 0: as all
};
Pace& pace_at(Handle endpoint);
// The next message of this thread to `endpoint`.
MessageId next_message(std::uint32_t node, Handle endpoint);

// Completes receives with messages that have arrived, in the order they were posted.
void progress(Node& node, Index index);
// Takes a message that is there, if no receive that was posted before waits for it.
bool take_now(Node& node, Index index, Handle handle, void* buffer, std::size_t capacity, Arrived& arrived);

// Something was taken out of this endpoint's queue. Those who wait for room are woken when most of it is free:
// waking them for each message that is taken would cost two switches each. Whoever goes to sleep itself wakes them too
// (wait_for), so nobody waits for somebody who waits.
void make_room_known(const Node& node, Index index);
// How many receives would not block.
std::uint32_t count_now(const Node& node, Index index);

// Posts a receive at the end of the endpoint's line.
void post(Node& node, Request& request);

}  // namespace reprise::mcapi
