// How messages are named in a recording, and how they come out of an endpoint's queue.
//
// A receive is recorded as a number: which of the senders that this thread has met at this endpoint, and by how much
// the message is off the one after that sender's last. The message after the last one of the last sender is expected,
// and costs nothing. A sender that is new to the thread is named once, by a value after the number.
//
// Threads   What a thread has met is its own. The rest: the node's mutex is held.
#pragma once

#include "program/adapters/mcapi/node.h"

namespace reprise::mcapi {

// The number that the next receive of this thread at `endpoint` is expected to have.
std::uint64_t expected_message(Handle endpoint);
// The number of this message. `keep` is called with it, and the sender is named if it is new.
std::uint64_t number_message(Handle endpoint, const MessageId& id);
void name_sender(Handle endpoint, std::uint64_t number, const MessageId& id);
// The message that a recorded number means; reads a new sender's name.
MessageId named_message(Handle endpoint, std::uint64_t number);

// The next message of this thread to `endpoint`.
MessageId next_message(std::uint32_t node, Handle endpoint);

// Completes receives with messages that have arrived, in the order they were posted.
void progress(Node& node, Index index);
// A receive that nobody stands before, of a message that is there. False: it must be posted.
bool take_now(Node& node, Request& request);

// Posts a receive at the end of the endpoint's line.
void post(Node& node, Request& request);

enum class Sent : std::uint8_t { done, full, failed };

}  // namespace reprise::mcapi
