// What a process knows of its own nodes: which thread is which, their requests, and what they receive into.
//
//   Node* node = here();                    // the caller's node, or null
//   std::lock_guard lock(node->mutex);
//   Request* request = node->find(handle);
//
// A thread that called initialize is that node; any other belongs to the node of its creator.
//
// Threads   Everything in a Node is guarded by its mutex. Shared locks are taken inside it, never the other way round.
// Lifetime  A Node is never destroyed: a thread may still be in a call when another finalizes it (`ended`).
#pragma once

#include <reprise/detail/gate.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "program/adapters/mcapi/segment.h"
#include "program/adapters/mcapi/stash.h"

namespace reprise::mcapi {

enum class Asked : std::uint8_t { send, receive, packet, endpoint, connect, open, close };

// What a receive of a message came to.
struct Arrived {
  Status status{Status::success};
  std::size_t size{0};
  MessageId id{};
  std::uint32_t ordinal{0};  // the how-manyth of its endpoint
};

struct Request {
  Asked asked{Asked::send};
  bool used{false};
  bool done{false};
  bool told{false};       // the program knows how it came out
  bool waited{false};     // a thread waits for it
  bool cancelled{false};  // while a thread waits for it
  Status status{Status::success};
  std::size_t size{0};
  Index endpoint{none};
  Handle handle{0};
  void* buffer{nullptr};
  std::size_t capacity{0};
  void** packet{nullptr};
  Handle* result{nullptr};
  MessageId id{};
  std::uint32_t ordinal{0};  // of that message
  std::uint16_t generation{0};
  std::uint32_t index{0};
  std::uint64_t order{0};  // the how-manyth request of its node
  std::uint32_t failed_tests{0};
  const void* caller{nullptr};

  void complete(Status with, std::size_t bytes = 0) {
    status = with;
    size = bytes;
    done = true;
  }
};

// What the node's own side of an endpoint holds.
struct Inbox {
  std::deque<Request*> pending;  // receives in the order they were posted
  Stash stash;
  std::uint64_t receives_noted{0};
};

struct Node {
  Node(Index place, std::uint32_t name) : slot(place), id(name) {}

  const Index slot;
  const std::uint32_t id;
  std::atomic<bool> ended{false};
  std::atomic<std::uint32_t> busy{0};  // calls that wait
  std::mutex mutex;
  std::unordered_map<Index, Inbox> inboxes;        // by endpoint
  std::unordered_map<void*, std::size_t> buffers;  // packets that the program holds, and their size

  Event& event() const;
  Inbox& inbox(Index endpoint) {
    if (near_endpoint != endpoint) [[unlikely]] {
      near_inbox = &inboxes[endpoint];
      near_endpoint = endpoint;
    }
    return *near_inbox;
  }
  void forget_inbox(Index endpoint) {
    inboxes.erase(endpoint);
    near_endpoint = none;
  }
  Request* find(std::uint32_t handle);
  // A new request and its handle; null when there are too many.
  Request* make(Asked asked, std::uint32_t& handle);
  void release(Request& request);
  // Takes it out of the receives that wait for a message.
  void withdraw(Request& request);

  Index near_endpoint{none};  // whose inbox was asked for last
  Inbox* near_inbox{nullptr};
  std::uint64_t requests_made{0};
  // Counted when notes are taken (notes.h).
  std::atomic<std::uint64_t> sends_noted{0};
  std::atomic<std::uint64_t> wait_anys_noted{0};
  std::uint64_t receives_noted{0};
  std::deque<Request> requests;
  std::vector<std::uint32_t> free_requests;
};

// The node that this thread initialized, if it was asked before.
extern __attribute__((tls_model("initial-exec"))) __thread Node* near_node;
Node* find_here();

inline Node* here() {
  Node* const node = near_node;
  if (node == nullptr || node->ended.load(std::memory_order_relaxed)) [[unlikely]]
    return find_here();
  segment().keep_alive();
  return node;
}
Status initialize(std::uint32_t domain, std::uint32_t node, std::uint32_t kind, std::uint32_t memory_mib);
Status finalize();

// What the specification leaves open, as the environment has it (docs/guide/mcapi.md).
struct Choices {
  bool pending_is_success{false};  // MCAPI_PENDING=success
  bool test_releases{false};       // MCAPI_TEST=release
  bool keep_truncated{false};      // MCAPI_TRUNCATED=keep
  bool death_is_error{false};      // MCAPI_PEER_DEATH=error
  bool reports{true};              // MCAPI_REPORT=off
  std::uint32_t stall_s{0};        // MCAPI_STALL=seconds: who has waited so long says what it waits for
};
const Choices& choices();

inline Status pending() { return choices().pending_is_success ? Status::success : Status::pending; }

// Something that is over at a given time, or never.
class Deadline {
 public:
  explicit Deadline(std::uint32_t timeout_ms);
  bool is_over() const;
  std::chrono::nanoseconds left(std::chrono::nanoseconds at_most) const;

 private:
  bool never_;
  std::chrono::steady_clock::time_point at_{};
};

// Before this thread sleeps: there may be room by now, below what would be told at once.
void wake_who_waits_for_room(const Node& node, const Event& own);

// Looks who has died; called by whoever has waited for a while.
void look_around();
// Says once what the node waits for, if this call has waited for too long.
void look_at_time(const Node& node, std::chrono::steady_clock::time_point since, bool& has_told);

// The node is finalized by another thread while this one waits in a call.
void end_waiting(const Node& node);

// A call that waits. finalize() lets it leave before the segment goes.
class Busy {
 public:
  explicit Busy(Node& node) : node_(node) { node_.busy.fetch_add(1); }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
  ~Busy() { node_.busy.fetch_sub(1); }

 private:
  Node& node_;
};

// What is awaited often comes soon, and then neither side needs to be woken. So whoever waits looks a few times before
// it sleeps. To rest before each look lets several come: to take each alone would cost both sides a cache miss or two.
// The yield is for one who waits for this core. If nobody does, it goes on looking for as long as it would take to
// sleep and be woken, 20 us of two cores.
struct Looks {
  int times{2};
  int times_alone{16};
  bool rests{true};
};

// Gives this core to whoever waits for it. True if nobody did.
bool yield_in_vain();

// Waits for `event` until `is_so()`, or until the node ends; every now and then it looks who has died. False when the
// time is over.
template <typename Condition>
bool wait_for(Node& node, Event& event, const Deadline& deadline, Condition is_so, Looks looks = {}) {
  constexpr std::chrono::milliseconds slice(50);
  const Busy busy(node);
  bool is_alone = looks.rests;
  unsigned pauses = 16;
  for (int i = 0; i < (is_alone ? looks.times_alone : looks.times) && !node.ended.load(); ++i) {
    if (looks.rests) gate::rest(pauses);
    pauses = std::min(pauses * 2, 64u);
    if (is_alone) {
      is_alone = yield_in_vain();
    } else {
      sched_yield();
    }
    if (is_so()) return true;
  }
  const auto since = std::chrono::steady_clock::now();
  bool has_told = false;
  for (;;) {
    if (node.ended.load()) {
      end_waiting(node);
      return true;
    }
    const std::uint32_t seen = event.prepare();
    if (is_so()) return true;
    if (deadline.is_over()) return false;
    const auto begin = std::chrono::steady_clock::now();
    wake_who_waits_for_room(node, event);
    event.sleep(seen, deadline.left(slice));
    if (std::chrono::steady_clock::now() - begin >= slice) {
      look_around();
      look_at_time(node, since, has_told);
    }
  }
}

}  // namespace reprise::mcapi
