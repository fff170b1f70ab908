// The shared segment of one run of an MCAPI program: found or made by its first node, reclaimed when nobody lives.
//
//   if (!segment().join(0)) return Status::node_initfailed;
//   Endpoint& endpoint = segment().endpoint(index);
//   segment().leave();
//
// The segment is the POSIX shared memory object mcapi-UID-RUN, RUN being $MCAPI_RUN or the login session. Each process
// holds a record lock on its own byte of it: who holds none is dead, however it died. Whoever starts when nobody lives
// starts with an empty one.
//
// Threads   join and leave are called under the process's own lock; the rest by any thread of a process that joined.
// Lifetime  One per process. A forked child has left.
// Cost      All room is allocated by the first process: 8 MiB of blocks ($MCAPI_MEMORY, in MiB) and 0.8 MiB of tables.
#pragma once

#include <string>

#include "program/adapters/mcapi/shared.h"

namespace reprise::mcapi {

class Segment {
 public:
  bool join(std::uint32_t memory_mib);
  void leave();
  void forget();  // after fork, in the child
  bool joined() const { return header_ != nullptr; }

  Header& header() { return *header_; }
  NodeSlot& node(Index index) { return header_->nodes[index]; }
  Endpoint& endpoint(Index index) { return header_->endpoints[index]; }
  Block& block(Index index) { return blocks_[index]; }
  Index process() const { return process_; }

  // Is the process of this node gone? Cheap while it lives.
  bool is_dead(const NodeSlot& node) {
    if (node.state.load(std::memory_order_acquire) == State::dead) [[unlikely]]
      return true;
    if (node.process == process_ || !header_->processes[node.process].seems_dead()) [[likely]]
      return false;
    return has_died(node);
  }
  // Buries the nodes of dead processes and collects what they held.
  void reap();
  // Has any other process, or any other node of this one, a node?
  bool has_other_nodes(Index than);

  enum class End : std::uint8_t {
    unknown_since,    // as if it had never been
    known_since,      // who asks for it learns that it was there
    died_with_owner,  // the same, and its queue is in whatever state
  };
  // A node ends: its endpoints go, and their channels' other ends learn of it. The registry is held.
  void bury(Index node, End end);
  // Ends one endpoint. The registry is held.
  void end_endpoint(Index index, End end);
  void signal_all_nodes();

  // Holds the life lock again if its holder has ended.
  void keep_alive() {
    if (!holds_life_.load(std::memory_order_relaxed)) [[unlikely]]
      hold_life();
  }
  void thread_ends();

 private:
  bool has_died(const NodeSlot& node);
  void hold_life();
  bool open_current();
  bool make(std::uint32_t memory_mib);
  bool map(std::size_t bytes);
  bool take_slot();
  bool is_locked(Index process) const;
  bool anybody_else() const;
  void clear_slot(Index process);
  void stop_taking();
  void sweep();
  void remove_stale_ones() const;

  std::string name_;
  int file_{-1};
  Header* header_{nullptr};
  Block* blocks_{nullptr};
  Index process_{none};
  std::atomic<pthread_t> life_holder_{};
  std::atomic<bool> holds_life_{false};
};

extern Segment& the_segment;
inline Segment& segment() { return the_segment; }

Lock lock_registry();
Lock lock_endpoint(Endpoint& endpoint);
Lock try_lock_endpoint(Endpoint& endpoint);  // holds nothing if another does

}  // namespace reprise::mcapi
