#include "program/adapters/mcapi/naming.h"

#include <cstring>
#include <memory>

namespace reprise::mcapi {

__attribute__((tls_model("initial-exec"))) __thread Names* near_names = nullptr;
std::atomic<bool> predicts_by_pairs{false};

namespace {

struct OwnNames {
  std::unique_ptr<Names> names;
  ~OwnNames() { near_names = nullptr; }
};
thread_local OwnNames own_names;

constexpr std::uint64_t zigzag(std::int64_t number) {
  return (static_cast<std::uint64_t>(number) << 1) ^ static_cast<std::uint64_t>(number >> 63);
}
constexpr std::int64_t unzigzag(std::uint64_t number) {
  return static_cast<std::int64_t>(number >> 1) ^ -static_cast<std::int64_t>(number & 1);
}

constexpr std::uint32_t sender_bits = 16;

std::uint64_t pack(std::size_t sender, std::int64_t off) {
  if (off == 0) return std::uint64_t{sender} << 2;
  return (zigzag(off) << sender_bits | sender) << 2 | 2;
}

struct SenderName {
  std::uint32_t node;
  std::uint32_t thread;
};

}  // namespace

Names& make_names() {
  own_names.names = std::make_unique<Names>();
  near_names = own_names.names.get();
  return *near_names;
}

void keep_unexpected(Met& met, const MessageId& id, const Passage& passage) {
  const std::size_t index = met.senders.find(id);
  const bool is_new = index == met.senders.size();
  passage.keep(pack(index, static_cast<std::int64_t>(id.number - (is_new ? 0 : met.senders[index].last) - 1)));
  if (is_new) {
    met.senders.add({id.node, id.thread, 0});
    const SenderName name{id.node, id.thread};
    gate::current->gate->keep(*gate::current, Kind::mcapi_sender, {}, &name, sizeof name);
  }
  met.senders[index].last = id.number;
  met.learn(index);
}

MessageId named_unexpected(Met& met, std::uint64_t number) {
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
    met.senders.add({name.node, name.thread, 0});
  }
  Sender& sender = met.senders[std::min(index, met.senders.size() - 1)];
  const std::int64_t off = is_off ? unzigzag(packed >> sender_bits) : 0;
  const std::uint64_t last = sender.last + 1 + static_cast<std::uint64_t>(off);
  sender.last = last;
  met.learn(index);
  return {sender.node, sender.thread, last};
}

}  // namespace reprise::mcapi
