// The queue of an endpoint, and the blocks that its messages are in.
//
//   { Lock lock = lock_endpoint(endpoint);                        // who sends
//     Index message = fill(endpoint, kind, bytes, size);
//     append(endpoint, priority, message); }
//   { Taking taking(node);                                        // the node that it belongs to
//     if (Index first = front(endpoint, priority); first != none) { read(first, ...); remove_front(endpoint, priority);
//     } }
//
// Threads   Senders hold the endpoint's lock. The receiver holds its node's own mutex and a Taking, and no shared lock.
//           What touches both sides (clear, drop, mark) is done with the registry, the endpoint's lock, and no
//           receiver.
// Lifetime  A process may die in the middle of each function: repair_queue makes the senders' side whole again, the
//           receiver's side ends with it, and Segment::sweep finds the blocks that were in their hands.
#pragma once

#include <vector>

#include "program/adapters/mcapi/shared.h"

namespace reprise::mcapi {

void clear_queue(Endpoint& endpoint);   // forgets all blocks; what it had is found by a sweep
void drop_queue(Endpoint& endpoint);    // gives all blocks back to the pool
void repair_queue(Endpoint& endpoint);  // the last holder of its lock died
void mark_queue(const Endpoint& endpoint, std::vector<bool>& found);

// How many messages are in it. May be asked by anybody.
std::uint32_t count_of(const Endpoint& endpoint);

// May one more be sent? Who sends.
bool has_room(Endpoint& endpoint);
// Copies a message into blocks. Returns none when the pool has too few.
Index fill(Endpoint& endpoint, Channel kind, const void* bytes, std::size_t size);
// The message becomes visible: one store.
void append(Endpoint& endpoint, std::uint32_t priority, Index message);

// The node takes something out of its queues. Never blocks while somebody sends.
class Taking {
 public:
  explicit Taking(NodeSlot& node);
  Taking(const Taking&) = delete;
  Taking& operator=(const Taking&) = delete;
  ~Taking() { node_.taking.store(0, std::memory_order_release); }

 private:
  NodeSlot& node_;
};

// The message that is next, and its priority; none when there is none. Messages that came before the endpoint became
// a channel's are dropped.
Index front(Endpoint& endpoint, std::uint32_t& priority);
// Copies at most `capacity` bytes out.
void read(Index message, void* buffer, std::size_t capacity);
void remove_front(Endpoint& endpoint, std::uint32_t priority);

}  // namespace reprise::mcapi
