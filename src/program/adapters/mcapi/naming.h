// How messages are named in a recording.
//
//   Met* met = met_at(endpoint);                        null without a gate
//   Passage passage(kind, expected_message(met));
//   keep_message(*met, id, passage);
//
// A receive is recorded as a number: which of the senders that this thread has met at this endpoint, and by how much
// the message is off the one after that sender's last. Who came after the same two senders before is expected, with its
// next message, and costs nothing: two thirds of all where ten nodes send to each other, nearly all where two do. A
// sender that is new to the thread is named once, by a value after the number.
//
// Threads   What a thread has met is its own.
// Cost      What is expected is found and kept without a call.
#pragma once

#include <atomic>
#include <unordered_map>

#include "program/adapters/mcapi/by_sender.h"
#include "program/adapters/mcapi/passage.h"

namespace reprise::mcapi {

struct Sender {
  std::uint32_t node;
  std::uint32_t thread;
  std::uint64_t last;  // its last message that this thread got
};

// This thread's messages to an endpoint.
struct Pace {
  std::uint64_t sent{0};        // the number of the last one
  std::uint64_t free_until{0};  // replay: so many may be sent before anybody looks how far ahead they are
  std::uint32_t allowance{0};   // replay: what it may be ahead; 0: as all
};

// Recordings without it expect the last sender again (format/recording.md, mcapi_node).
extern std::atomic<bool> predicts_by_pairs;

// What a thread has met at an endpoint.
struct Met {
  BySender<Sender> senders;
  std::size_t last{0};        // who sent the last message
  Pace pace;                  // of its own messages there
  std::uint8_t pair{0};       // the last two senders, folded
  std::uint8_t after[256]{};  // a pair: who came then; bit 7: and has done so again since another did

  std::size_t expected() const {
    return predicts_by_pairs.load(std::memory_order_relaxed) ? after[pair] & sender_bits : last;
  }
  void learn(std::size_t sender) {
    std::uint8_t& then = after[pair];
    if ((then & sender_bits) == sender) {
      then |= again_bit;
    } else if ((then & again_bit) != 0) {
      then &= sender_bits;
    } else if (sender <= sender_bits) {
      then = static_cast<std::uint8_t>(sender);
    }
    pair = static_cast<std::uint8_t>(last * 13 + sender);
    last = sender;
  }

 private:
  static constexpr std::uint8_t sender_bits = 0x7F;
  static constexpr std::uint8_t again_bit = 0x80;
};

// By endpoint. One place for each of the first that come to it; the others are looked for.
class Names {
 public:
  [[gnu::always_inline]] Met& at(Handle endpoint) {
    Place& place = places_[(endpoint * 0x9E3779B1u) >> (32 - place_bits)];
    if (place.met == nullptr || place.endpoint != endpoint) [[unlikely]]
      look_for(place, endpoint);
    return *place.met;
  }

 private:
  struct Place;
  [[gnu::noinline]] void look_for(Place& place, Handle endpoint) { place = {endpoint, &met_[endpoint]}; }
  static constexpr unsigned place_bits = 6;
  struct Place {
    Handle endpoint{0};
    Met* met{nullptr};
  };
  Place places_[1u << place_bits];
  std::unordered_map<Handle, Met> met_;
};

// This thread's names, once they are made.
extern __attribute__((tls_model("initial-exec"))) __thread Names* near_names;
Names& make_names();

[[gnu::always_inline]] inline Met* met_at(Handle endpoint) {
  if (gate::current == nullptr) return nullptr;
  return &(near_names != nullptr ? *near_names : make_names()).at(endpoint);
}

// The number that the next receive of this thread there is expected to have. Even numbers are messages: bit 1 says
// whether it is another one than the sender's next.
[[gnu::always_inline]] inline std::uint64_t expected_message(const Met* met) {
  return met == nullptr ? 0 : std::uint64_t{met->expected()} << 2;
}

// This message was received: its number is kept, and its sender is named if it is new.
void keep_unexpected(Met& met, const MessageId& id, const Passage& passage);
[[gnu::always_inline]] inline void keep_message(Met& met, const MessageId& id, const Passage& passage) {
  const std::size_t expected = met.expected();
  if (expected < met.senders.size()) {
    Sender& sender = met.senders[expected];
    if (sender.node == id.node && sender.thread == id.thread && sender.last + 1 == id.number) {
      sender.last = id.number;
      passage.keep(std::uint64_t{expected} << 2);
      return met.learn(expected);
    }
  }
  keep_unexpected(met, id, passage);
}

// The message that a recorded number means; reads a new sender's name.
MessageId named_unexpected(Met& met, std::uint64_t number);
[[gnu::always_inline]] inline MessageId named_message(Met& met, std::uint64_t number) {
  const std::uint64_t index = number >> 2;
  if ((number & 2) != 0 || index >= met.senders.size()) return named_unexpected(met, number);
  Sender& sender = met.senders[index];
  const std::uint64_t last = sender.last + 1;
  sender.last = last;
  met.learn(index);
  return {sender.node, sender.thread, last};  // not what was just stored: a wide load would wait for that
}

// The next message of this thread to `endpoint`.
[[gnu::always_inline]] inline MessageId next_message(std::uint32_t node, Handle endpoint) {
  Met* const met = met_at(endpoint);
  if (met == nullptr) return {node, 0, 0};
  return {node, gate::current->index, ++met->pace.sent};
}

}  // namespace reprise::mcapi
