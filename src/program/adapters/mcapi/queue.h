// The queue of an endpoint, and the blocks that its messages are in.
//
//   Lock lock = lock_endpoint(endpoint);
//   if (has_room(endpoint, size)) put(endpoint, priority, id, bytes, size);
//   if (Index first = front(endpoint); first != none) take(endpoint, first, buffer, capacity);
//
// Threads   The endpoint's lock is held, except where said.
// Lifetime  A process may die in the middle of each function: repair_queue makes the queue whole again, Segment::sweep
//           finds the blocks that were in its hands.
#pragma once

#include <vector>

#include "program/adapters/mcapi/shared.h"

namespace reprise::mcapi {

void clear_queue(Endpoint& endpoint);   // of a new endpoint, which holds no blocks
void drop_queue(Endpoint& endpoint);    // gives all blocks back to the pool
void repair_queue(Endpoint& endpoint);  // its last holder died
void mark_queue(const Endpoint& endpoint, std::vector<bool>& found);

// Copies a message into blocks. Returns none when the pool has too few.
Index fill(Endpoint& endpoint, const MessageId& id, const void* bytes, std::size_t size);
// The message becomes visible: one store.
void append(Endpoint& endpoint, std::uint32_t priority, Index message);

// The message that is next, and its priority; none when there is none.
Index front(const Endpoint& endpoint, std::uint32_t& priority);
// Copies at most `capacity` bytes out.
void read(Index message, void* buffer, std::size_t capacity);
void remove_front(Endpoint& endpoint, std::uint32_t priority);

}  // namespace reprise::mcapi
