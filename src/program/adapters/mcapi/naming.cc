// How messages are named in a recording.
#include <cstring>
#include <memory>
#include <unordered_map>

#include "program/adapters/mcapi/by_sender.h"
#include "program/adapters/mcapi/messages.h"
#include "program/adapters/mcapi/passage.h"

namespace reprise::mcapi {
namespace {

struct Sender {
  std::uint32_t node;
  std::uint32_t thread;
  std::uint64_t last;  // its last message that this thread got
};

// What a thread has met at an endpoint.
struct Met {
  BySender<Sender> senders;
  std::size_t last{0};
  Pace pace;  // of its own messages there
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

// The same without asking whether it is made.
__attribute__((tls_model("initial-exec"))) __thread Names* near_names = nullptr;

struct OwnNames {
  std::unique_ptr<Names> names;
  ~OwnNames() { near_names = nullptr; }
};
thread_local OwnNames own_names;

[[gnu::noinline]] Names& make_names() {
  own_names.names = std::make_unique<Names>();
  near_names = own_names.names.get();
  return *near_names;
}

[[gnu::always_inline]] inline Met& met_at(Handle endpoint) {
  return (near_names != nullptr ? *near_names : make_names()).at(endpoint);
}

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
  return pack(met_at(endpoint).last, 0);
}

void keep_message(Handle endpoint, const MessageId& id, const Passage& passage) {
  Met& met = met_at(endpoint);
  const std::size_t index = met.senders.find(id);
  const bool is_new = index == met.senders.size();
  passage.keep(pack(index, static_cast<std::int64_t>(id.number - (is_new ? 0 : met.senders[index].last) - 1)));
  if (is_new) {
    met.senders.add({id.node, id.thread, 0});
    const SenderName name{id.node, id.thread};
    gate::current->gate->keep(*gate::current, Kind::mcapi_sender, {}, &name, sizeof name);
  }
  met.senders[index].last = id.number;
  met.last = index;
}

MessageId named_message(Handle endpoint, std::uint64_t number) {
  Met& met = met_at(endpoint);
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
  sender.last += 1 + static_cast<std::uint64_t>(off);
  met.last = index;
  return {sender.node, sender.thread, sender.last};
}

Pace& pace_at(Handle endpoint) { return met_at(endpoint).pace; }

MessageId next_message(std::uint32_t node, Handle endpoint) {
  if (gate::current == nullptr) return {node, 0, 0};
  return {node, gate::current->index, ++met_at(endpoint).pace.sent};
}

}  // namespace reprise::mcapi
