// How messages come out of an endpoint's queue.
//
// Threads   The node's mutex is held.
#pragma once

#include "program/adapters/mcapi/node.h"

namespace reprise::mcapi {

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
