#include "program/adapters/mcapi/arrivals.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "program/adapters/mcapi/completion.h"
#include "program/adapters/mcapi/groups.h"
#include "program/adapters/mcapi/messages.h"
#include "program/adapters/mcapi/notes.h"
#include "program/adapters/mcapi/queue.h"
#include "program/adapters/mcapi/segment.h"

namespace reprise::mcapi {
namespace {

std::atomic<Technique> technique{Technique::receiver};

// Messages that are there when one is retrieved are retrieved with it, by this thread at this endpoint: they pass the
// program-wide order as one, however many they are.
struct Group {
  static constexpr unsigned size_bits = 6;
  static constexpr std::uint64_t size_max = 1u << size_bits;

  Handle endpoint;
  std::uint32_t left;     // how many more are of this group
  std::uint32_t until;    // recording: the last one that was there
  std::uint64_t arrival;  // of the message that was retrieved last
  std::uint64_t end;      // of the last one of the group

  bool is_open(Handle at) const { return left > 0 && endpoint == at; }
};
__attribute__((tls_model("initial-exec"))) __thread Group group = {};

// How a retrieval is written: it is of the group; or it begins one of so many, so far after the thread's last group.
constexpr std::uint64_t of_group = 1;
constexpr std::uint64_t pack(std::uint64_t off, std::uint64_t size) {
  return (off << Group::size_bits | (size - 1)) << 1;
}
constexpr std::uint64_t off_of(std::uint64_t number) { return number >> (Group::size_bits + 1); }
constexpr std::uint64_t size_of(std::uint64_t number) { return (number >> 1) % Group::size_max + 1; }

std::uint64_t expected_at(Handle endpoint) { return group.is_open(endpoint) ? of_group : pack(0, 1); }

void go_on() {
  --group.left;
  ++group.arrival;
}

void begin_group(Handle endpoint, std::uint64_t first, std::uint64_t size) {
  group.endpoint = endpoint;
  group.left = static_cast<std::uint32_t>(size - 1);
  group.arrival = first;
  group.end = first + size - 1;
}

Technique asked_technique() {
  const char* given = std::getenv("MCAPI_TECHNIQUE");
  if (gate::current != nullptr && gate::current->gate->keeps_contents()) return Technique::data;
  if (has_groups()) return Technique::groups;
  return given != nullptr && std::strcmp(given, "sender") == 0 ? Technique::sender : Technique::receiver;
}

}  // namespace

void pass_technique(std::uint32_t id) {
  if (gate::current == nullptr) return;
  constexpr std::uint64_t techniques = 4;
  const Passage passage(Kind::mcapi_node, techniques - 1);  // none: always written
  const Technique asked = asked_technique();
  passage.keep(std::uint64_t{id} * techniques + static_cast<std::uint64_t>(asked));
  technique.store(passage.is_known() ? static_cast<Technique>(passage.number() % techniques) : asked);
}

bool is_simulated() { return technique.load(std::memory_order_relaxed) == Technique::data && is_replayed(); }

void retrieved(Handle handle, Index index, std::uint32_t ordinal) {
  if (gate::current == nullptr || technique.load(std::memory_order_relaxed) != Technique::sender) return;
  const Passage passage(Kind::mcapi_arrival, expected_at(handle));
  if (group.is_open(handle) && static_cast<std::int32_t>(group.until - ordinal) >= 0) {
    go_on();
    return passage.keep(of_group);
  }
  const Endpoint& endpoint = segment().endpoint(index);
  const std::uint64_t size = takes_notes() ? 1 : std::min<std::uint64_t>(count_of(endpoint) + 1, Group::size_max);
  group.until = endpoint.sent.load();
  const std::uint64_t first = segment().header().arrivals.fetch_add(size) + 1;
  passage.keep(pack(first - group.end - 1, size));
  begin_group(handle, first, size);
}

bool await_retrieval(Node& node, Handle handle) {
  if (technique.load(std::memory_order_relaxed) != Technique::sender) return false;
  const Passage passage(Kind::mcapi_arrival, expected_at(handle));
  if (!passage.is_known()) return false;
  if (passage.number() == of_group) {
    go_on();
    return false;
  }
  const std::uint64_t first = group.end + 1 + off_of(passage.number());
  begin_group(handle, first, size_of(passage.number()));
  Header& header = segment().header();
  const auto is_turn = [&] {
    if (header.arrivals.load() + 1 >= first) return true;
    if (!is_room_short()) return false;
    const std::lock_guard lock(node.mutex);
    stash_all(node);  // those who come before may wait for room
    return header.arrivals.load() + 1 >= first;
  };
  if (is_turn()) return true;
  wait_for(node, header.turns[first % Header::turns_max], Deadline(forever), is_turn, 0);
  return true;
}

void retrieved_again() {
  Header& header = segment().header();
  header.arrivals.store(group.end);
  header.turns[(group.end + 1) % Header::turns_max].signal();
}

std::uint64_t arrival_to_note() {
  if (technique.load(std::memory_order_relaxed) == Technique::sender) return group.arrival;
  return segment().header().arrivals.fetch_add(1) + 1;
}

void keep_contents(const void* bytes, std::size_t size, std::uint32_t from) {
  gate::Thread* thread = gate::current;
  if (thread == nullptr) return;
  const Technique used = technique.load(std::memory_order_relaxed);
  if (used != Technique::data && (used != Technique::groups || is_replayed() || !comes_from_outside(from))) return;
  thread->gate->keep(*thread, Kind::content, {}, bytes, size);
}

void keep_peer(Handle peer) {
  gate::Thread* thread = gate::current;
  if (thread == nullptr || technique.load(std::memory_order_relaxed) != Technique::groups || is_replayed()) return;
  thread->gate->keep(*thread, Kind::content, {}, &peer, sizeof peer);
}

namespace {

void take_text(void* context, const void* recorded, std::size_t size) {
  static_cast<std::string*>(context)->assign(static_cast<const char*>(recorded), size);
}

}  // namespace

bool give_contents(std::string& bytes) {
  if (!is_simulated()) return false;
  gate::Thread* thread = gate::current;
  return thread->gate->given(*thread, Kind::content, {}, take_text, &bytes);
}

bool is_grouped() { return technique.load(std::memory_order_relaxed) == Technique::groups && is_replayed(); }

bool give_from_outside(std::string& bytes) {
  gate::Thread* thread = gate::current;
  return is_grouped() && thread->gate->perhaps_given(*thread, Kind::content, take_text, &bytes);
}

}  // namespace reprise::mcapi
