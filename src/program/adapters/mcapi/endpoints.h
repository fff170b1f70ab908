// Finding endpoints by name.
//
// Threads   Any.
// Cost      Names that were found before: a few loads, no lock.
#pragma once

#include "program/adapters/mcapi/node.h"
#include "program/adapters/mcapi/segment.h"

namespace reprise::mcapi {

inline bool is_live(const Endpoint& endpoint, Handle handle) {
  return endpoint.state.load(std::memory_order_acquire) == State::live &&
         endpoint.handle.load(std::memory_order_relaxed) == handle;
}

// Where names were found last; an entry that is no longer true is looked up anew.
constexpr std::size_t near_size = 1024;
extern std::atomic<Index> near_endpoints[near_size];
inline std::atomic<Index>& near_endpoint(Handle handle) { return near_endpoints[(handle * 0x9E3779B1u) >> 22]; }

Index look_up_endpoint(Handle handle);

// The endpoint of that name; none if there is none. It may be dead.
inline Index find_endpoint(Handle handle) {
  const Index index = near_endpoint(handle).load(std::memory_order_relaxed);
  if (index < endpoints_max && is_live(segment().endpoint(index), handle)) [[likely]]
    return index;
  return look_up_endpoint(handle);
}

// Is an endpoint of that name there, or was it, where that is remembered?
inline bool was_there(Handle handle) { return find_endpoint(handle) != none; }

// The same of an endpoint of this node, which lives.
inline Index find_own(const Node& node, Handle handle) {
  if (id_of(handle) != node.id) return none;
  const Index index = find_endpoint(handle);
  return index != none && is_live(segment().endpoint(index), handle) ? index : none;
}

// The other end of a channel, by name; 0: none.
inline Handle peer_of(const Endpoint& endpoint) {
  const Index peer = endpoint.peer;
  return peer == none ? 0 : segment().endpoint(peer).handle.load();
}

// Replay in groups: the open of a channel whose other end was `peer`. Whoever connected the two may not run: then it is
// done here. True if the other end does not run, and this one is open. Called without the mutex (channels.cc).
bool open_again(Node& node, Index index, Handle peer);

}  // namespace reprise::mcapi
