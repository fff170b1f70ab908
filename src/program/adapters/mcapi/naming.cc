// How messages are named in a recording.
#include <cstring>
#include <unordered_map>
#include <vector>

#include "program/adapters/mcapi/messages.h"
#include "program/adapters/mcapi/passage.h"

namespace reprise::mcapi {
namespace {

struct Sender {
  std::uint32_t node;
  std::uint32_t thread;
  std::uint64_t last;  // its last message that this thread got
};

struct Met {
  std::vector<Sender> senders;
  std::size_t last{0};
};

struct Names {
  std::unordered_map<Handle, Met> met;
  std::unordered_map<Handle, std::uint64_t> sent;
};
thread_local Names names;

constexpr std::uint64_t zigzag(std::int64_t number) {
  return (static_cast<std::uint64_t>(number) << 1) ^ static_cast<std::uint64_t>(number >> 63);
}
constexpr std::int64_t unzigzag(std::uint64_t number) {
  return static_cast<std::int64_t>(number >> 1) ^ -static_cast<std::int64_t>(number & 1);
}

constexpr std::uint32_t sender_bits = 16;

// Even numbers are messages: bit 1 says whether it is another one than the sender's next.
std::uint64_t pack(std::size_t sender, std::int64_t off) {
  if (off == 0) return std::uint64_t{sender} << 2;
  return (zigzag(off) << sender_bits | sender) << 2 | 2;
}

struct SenderName {
  std::uint32_t node;
  std::uint32_t thread;
};

}  // namespace

std::uint64_t expected_message(Handle endpoint) {
  if (gate::current == nullptr) return 0;
  return pack(names.met[endpoint].last, 0);
}

std::uint64_t number_message(Handle endpoint, const MessageId& id) {
  if (gate::current == nullptr) return 0;
  const Met& met = names.met[endpoint];
  std::size_t index = 0;
  while (index < met.senders.size() && (met.senders[index].node != id.node || met.senders[index].thread != id.thread))
    ++index;
  const std::uint64_t last = index < met.senders.size() ? met.senders[index].last : 0;
  return pack(index, static_cast<std::int64_t>(id.number - last - 1));
}

void name_sender(Handle endpoint, std::uint64_t number, const MessageId& id) {
  gate::Thread* thread = gate::current;
  if (thread == nullptr) return;
  Met& met = names.met[endpoint];
  const std::size_t index = (number >> 2) & ((number & 2) != 0 ? (1u << sender_bits) - 1 : ~std::uint64_t{0});
  if (index == met.senders.size()) {
    met.senders.push_back({id.node, id.thread, 0});
    const SenderName name{id.node, id.thread};
    thread->gate->keep(*thread, Kind::mcapi_sender, {}, &name, sizeof name);
  }
  met.senders[index].last = id.number;
  met.last = index;
}

MessageId named_message(Handle endpoint, std::uint64_t number) {
  Met& met = names.met[endpoint];
  const bool is_off = (number & 2) != 0;
  const std::uint64_t packed = number >> 2;
  const std::size_t index = is_off ? packed & ((1u << sender_bits) - 1) : packed;
  if (index >= met.senders.size()) {
    SenderName name{};
    gate::Thread* thread = gate::current;
    const auto take = [](void* context, const void* bytes, std::size_t size) {
      if (size == sizeof(SenderName)) std::memcpy(context, bytes, size);
    };
    thread->gate->given(*thread, Kind::mcapi_sender, {}, take, &name);
    met.senders.push_back({name.node, name.thread, 0});
  }
  Sender& sender = met.senders[std::min(index, met.senders.size() - 1)];
  const std::int64_t off = is_off ? unzigzag(packed >> sender_bits) : 0;
  sender.last += 1 + static_cast<std::uint64_t>(off);
  met.last = index;
  return {sender.node, sender.thread, sender.last};
}

std::uint64_t last_message(Handle endpoint) { return names.sent[endpoint]; }

MessageId next_message(std::uint32_t node, Handle endpoint) {
  if (gate::current == nullptr) return {node, 0, 0};
  return {node, gate::current->index, ++names.sent[endpoint]};
}

}  // namespace reprise::mcapi
