// Replay: messages by name. What has arrived before it is needed is kept in the node's own room.
//
//   take_named(node, request, id)      completes the receive with that very message, if it has arrived
//   hold_back(node, to)                a sender that is far ahead of what the receiver needs rests a little
//
// No queue is ever full for the message that is needed: what stands before it is moved into the stash. Who runs ahead
// is held back as long as anybody retrieves messages; if nobody does, it may be what all wait for.
//
// Threads   The node's mutex is held, except where said.
#pragma once

#include <deque>
#include <memory>

#include "program/adapters/mcapi/by_sender.h"

namespace reprise::mcapi {

struct Node;
struct Request;

// Messages of one endpoint, each sender's in the order they came.
class Stash {
 public:
  // The bytes of a message. Most are short, and then need no room of their own.
  class Bytes {
   public:
    explicit Bytes(std::size_t size) : size_(size), own_(size > sizeof near_ ? new char[size] : nullptr) {}
    std::size_t size() const { return size_; }
    char* data() { return own_ != nullptr ? own_.get() : near_; }
    const char* data() const { return own_ != nullptr ? own_.get() : near_; }

   private:
    std::size_t size_;
    std::unique_ptr<char[]> own_;
    char near_[64];
  };

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  // Room for a message of `size` bytes.
  char* put(const MessageId& id, std::size_t size);
  // Null when it is not there.
  const Bytes* find(const MessageId& id);
  // Of the message that find() found last.
  void remove_found();
  // The one that came first. REQUIRES not empty.
  MessageId first() const;

 private:
  struct Kept {
    Kept(std::uint64_t its_number, std::uint64_t its_place, std::size_t size)
        : number(its_number), came(its_place), bytes(size) {}
    std::uint64_t number;
    std::uint64_t came;
    Bytes bytes;
  };
  struct Line {
    explicit Line(const MessageId& id) : node(id.node), thread(id.thread) {}
    Line(Line&&) noexcept = default;  // as vectors want it; a deque does not say so
    std::uint32_t node;
    std::uint32_t thread;
    std::deque<Kept> kept{};
  };

  BySender<Line> lines_;
  std::size_t size_{0};
  std::uint64_t came_{0};
  std::size_t found_line_{0};
  std::size_t found_{0};
};

// Takes all that has arrived at the node's endpoints into its own room.
void stash_all(Node& node);
// Completes `request` with that very message, if it has arrived.
bool take_named(Node& node, Request& request, const MessageId& id);
// The same if it is in the stash.
bool complete_with(Node& node, Request& request, const MessageId& id);
// Which sender this node waits for; whoever it is is not held back.
void want(const Request& request, const MessageId* id);

// Is a message of this thread to `endpoint` a reason to wake its node? After it was sent.
bool is_awaited(const Node& node, const Endpoint& endpoint);

// There is no block left: whoever waits takes what has arrived into its own room. Without the node's mutex.
void ask_for_room();
bool is_room_short();

// Before a recorded send is done again. Without the node's mutex.
void hold_back(const Node& node, Handle to);

}  // namespace reprise::mcapi
