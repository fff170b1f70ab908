// What lies in the shared segment: processes, nodes, endpoints with their queues, and the blocks that messages are in.
//
//   Lock lock(endpoint.mutex, ...);  Event::prepare, check, sleep;  signal(event);
//
// Threads   Tables are guarded by Header::registry, an endpoint by its own mutex (channel state: by both). The side of
//           its queue that messages are taken from belongs to its node alone: it takes without that mutex, inside a
//           Taking. Lock order: the node's own mutex, registry, endpoints by rising index, pool.
// Lifetime  A process may die between any two instructions. Locks are robust; every change is ordered such that a block
//           is never in two places: what a dead holder had taken out of one list and not put into another is found by
//           sweep().
// Cost      A message that is sent and received takes one shared lock, and wakes nobody who does not sleep. What
//           senders write, what the receiver writes and what both only read lie in cache lines of their own.
#pragma once

#include <linux/futex.h>
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstdint>

#include "program/adapters/mcapi/status.h"

namespace reprise::mcapi {

using Index = std::uint32_t;
constexpr Index none = ~0u;

// A message is known by its sender's node, thread and how-manyth message to this endpoint: the same in every run.
struct MessageId {
  std::uint32_t node{0};
  std::uint32_t thread{0};
  std::uint64_t number{0};
  bool operator==(const MessageId&) const = default;
};

struct Block {
  static constexpr std::size_t size_all = 256;
  static constexpr std::size_t first_payload = size_all - 32;
  static constexpr std::size_t next_payload = size_all - 8;

  std::atomic<Index> next;  // the message after this one; kept until the block is filled again (repair_queue)
  Index more;               // the rest of this message, or the next free block
  std::uint32_t size : 24;
  std::uint32_t kind : 8;  // a Channel
  std::uint32_t ordinal;   // the how-manyth of its endpoint
  MessageId id;
  char payload[first_payload];

  char* rest() { return reinterpret_cast<char*>(&more + 1); }  // where the payload of a continuation begins
};
static_assert(sizeof(Block) == Block::size_all);

// What was stored under a lock that was released just now is seen by whoever stores first what is loaded after this.
inline void fence_after_lock() noexcept {
#if defined(__x86_64__)
  std::atomic_signal_fence(std::memory_order_seq_cst);  // to release a lock is a fence already
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

// Something to wait for. prepare() comes first, then the condition is looked at, then sleep(): a signal in between is
// seen.
struct Event {
  std::atomic<std::uint32_t> word;
  std::atomic<std::uint32_t> sleeping;

  std::uint32_t prepare() noexcept {
    sleeping.store(1, std::memory_order_seq_cst);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return word.load(std::memory_order_seq_cst);
  }
  void sleep(std::uint32_t seen, std::chrono::nanoseconds at_most) noexcept;
  bool is_awaited() const noexcept { return sleeping.load(std::memory_order_seq_cst) != 0; }
  // What was stored before is seen by whoever sleeps, or is about to.
  void signal() noexcept {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (is_awaited()) wake();
  }
  // Somebody sleeps, or is about to.
  void wake() noexcept;
};

enum class State : std::uint32_t { unused, live, dead };
enum class Channel : std::uint32_t { none, packet, scalar };
enum class Direction : std::uint32_t { none, send, receive };

struct ProcessSlot {
  pthread_mutex_t life;  // held by a thread of the process: the kernel marks it when that thread dies
  std::atomic<std::uint32_t> used;
  std::uint32_t pid;

  // The holder has died. Only a hint: the thread may have ended, not the process.
  bool seems_dead() const noexcept {
    return (__atomic_load_n(&life.__data.__lock, __ATOMIC_RELAXED) & FUTEX_OWNER_DIED) != 0;
  }
};

struct alignas(64) NodeSlot {
  std::atomic<State> state;
  std::uint32_t id;
  std::uint32_t process;
  std::uint32_t kind;  // the node's one attribute
  std::uint32_t next_port;
  std::uint32_t group;  // recording in groups
  Event event;
  Event room;  // somebody waits for room in a queue of this node
  // The node takes something out of one of its queues: no sweep meanwhile. See Taking.
  alignas(64) std::atomic<std::uint32_t> taking;
  std::atomic<std::uint32_t> retrieved;  // replay: how many messages, whoever is held back looks whether it rises
};

// An endpoint. Its queue has, for each priority, a chain of messages from the last one that was taken to the last one
// that was put. The one that was taken stays until the next is, so that senders and receiver never write the same link.
struct alignas(64) Endpoint {
  // Read by all.
  std::atomic<State> state;
  std::atomic<Handle> handle;
  Index node;
  std::uint32_t memory_type;
  std::uint32_t priority;
  std::uint32_t timeout;
  // A channel's end.
  Channel channel;
  Direction direction;
  Index peer;
  bool connected;
  bool opening;
  bool open;
  bool closed;                        // and the other end is not
  bool orphan;                        // the other end is dead
  std::atomic<std::uint32_t> levels;  // bit p: something was sent with priority p
  std::atomic<Index> first[priorities];
  // Senders: under the mutex.
  alignas(64) pthread_mutex_t mutex;
  Index spare;                      // free blocks kept here, so that a send takes one lock
  std::atomic<std::uint32_t> sent;  // how many, ever
  std::uint32_t taken_seen;         // `taken` when a sender looked last
  Index tails[priorities];
  // The receiver.
  alignas(64) std::atomic<std::uint32_t> taken;
  Index heads[priorities];  // the last one that was taken
  Index freed;              // blocks on their way back, not yet shown
  Index freed_last;
  std::uint32_t freed_count;
  std::atomic<Index> returned;  // blocks for the next sender; any sender takes them all
  // Replay: what the receiver has taken out and does not need yet, and whose message it waits for (Stash).
  alignas(64) std::atomic<std::uint32_t> ahead;
  std::atomic<std::uint64_t> wanted;
  std::atomic<std::uint64_t> wanted_number;  // stored before `wanted`
  Event needed;                              // somebody is held back
};

// Replay by sender: somebody waits until retrieval number `awaited` is done; 0: nobody.
struct Turn {
  std::atomic<std::uint64_t> awaited;
  Event event;

  // In between prepare() and sleep().
  void wait_for(std::uint64_t number) noexcept {
    std::uint64_t before = awaited.load();
    while ((before == 0 || before > number) && !awaited.compare_exchange_weak(before, number)) {
    }
  }
  // Who waits for a later one is woken as well, and says so again.
  void signal(std::uint64_t done) noexcept {
    const std::uint64_t number = awaited.load();
    if (number == 0 || number > done) return;
    awaited.store(0);
    event.signal();
  }
};

struct Header {
  std::uint64_t magic;
  std::uint64_t bytes;
  std::uint32_t block_count;
  pthread_mutex_t registry;
  pthread_mutex_t pool;
  Index free_block;
  std::atomic<std::uint32_t> free_blocks;
  std::atomic<std::uint32_t> needs_sweep;
  std::atomic<std::uint32_t> sweeping;    // guarded by the registry: nodes take nothing out of their queues
  std::atomic<std::uint32_t> nodes_used;  // one more than the highest slot ever used
  std::atomic<std::uint32_t> endpoints_used;
  Event room;  // somebody waits for blocks
  // On a line of its own: by sender it changes with each message, and what stands above is read with each.
  alignas(64) std::atomic<std::uint64_t> arrivals;  // messages retrieved so far, by whoever
  static constexpr std::size_t turns_max = 256;
  alignas(64) Turn turns[turns_max];  // replay: whoever waits for the turn of retrieval n sleeps at n modulo this
  ProcessSlot processes[processes_max];
  NodeSlot nodes[nodes_max];
  Endpoint endpoints[endpoints_max];
};

void make_robust(pthread_mutex_t& mutex);

// Holds a robust mutex. A dead holder's leavings are put in order by `repair` first.
class Lock {
 public:
  enum class Try : std::uint8_t { long_enough, once };
  explicit Lock(pthread_mutex_t& mutex, void (*repair)(void*) = nullptr, void* context = nullptr,
                Try attempts = Try::long_enough);
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() { release(); }
  explicit operator bool() const { return mutex_ != nullptr; }
  void release() {
    if (mutex_ != nullptr) pthread_mutex_unlock(mutex_);
    mutex_ = nullptr;
  }

 private:
  pthread_mutex_t* mutex_;
};

}  // namespace reprise::mcapi
