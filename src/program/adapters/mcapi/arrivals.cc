#include "program/adapters/mcapi/arrivals.h"

#include <cstdlib>
#include <cstring>

#include "program/adapters/mcapi/completion.h"
#include "program/adapters/mcapi/groups.h"
#include "program/adapters/mcapi/messages.h"
#include "program/adapters/mcapi/segment.h"

namespace reprise::mcapi {
namespace {

std::atomic<Technique> technique{Technique::receiver};
thread_local std::uint64_t last_arrival = 0;

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

void retrieved() {
  if (gate::current == nullptr || technique.load(std::memory_order_relaxed) != Technique::sender) return;
  const Passage passage(Kind::mcapi_arrival, 0);
  const std::uint64_t arrival = segment().header().arrivals.fetch_add(1) + 1;
  passage.keep(arrival - last_arrival - 1);
  last_arrival = arrival;
}

void await_retrieval(Node& node) {
  if (technique.load(std::memory_order_relaxed) != Technique::sender) return;
  const Passage passage(Kind::mcapi_arrival, 0);
  if (!passage.is_known()) return;
  last_arrival += 1 + passage.number();
  Header& header = segment().header();
  const auto is_turn = [&] {
    if (header.arrivals.load() + 1 >= last_arrival) return true;
    if (!is_room_short()) return false;
    const std::lock_guard lock(node.mutex);
    stash_all(node);  // those who come before may wait for room
    return header.arrivals.load() + 1 >= last_arrival;
  };
  if (is_turn()) return;
  wait_for(node, header.turns[last_arrival % Header::turns_max], Deadline(forever), is_turn);
}

void retrieved_again() {
  if (technique.load(std::memory_order_relaxed) != Technique::sender) return;
  Header& header = segment().header();
  header.arrivals.store(last_arrival);
  header.turns[(last_arrival + 1) % Header::turns_max].signal();
}

std::uint64_t arrival_to_note() {
  if (technique.load(std::memory_order_relaxed) == Technique::sender) return last_arrival;
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
