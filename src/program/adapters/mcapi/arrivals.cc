#include "program/adapters/mcapi/arrivals.h"

#include <algorithm>
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
thread_local bool is_early = false;  // its turn may not have come yet

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

namespace {

// Waits until all retrievals up to `arrival` are done.
void await_arrivals(Node& node, std::uint64_t arrival) {
  Header& header = segment().header();
  Turn& turn = header.turns[arrival % Header::turns_max];
  const auto is_so = [&] {
    if (header.arrivals.load() >= arrival) return true;
    if (is_room_short()) {
      const std::lock_guard lock(node.mutex);
      stash_all(node);  // those who come before may wait for room
    }
    turn.wait_for(arrival);
    return header.arrivals.load() >= arrival;
  };
  if (header.arrivals.load() < arrival) wait_for(node, turn.event, Deadline(forever), is_so);
}

// The retrievals that follow the last one in order, and are done already, are counted, and whose turn that makes it is
// woken.
void count_arrivals(Header& header) {
  std::uint64_t before = header.arrivals.load();
  for (;;) {
    std::uint64_t now = before;
    while (header.early[(now + 1) % Header::early_max].load() == static_cast<std::uint32_t>(now + 1)) ++now;
    if (now == before) return;
    if (!header.arrivals.compare_exchange_strong(before, now)) continue;
    const std::uint64_t some = std::min<std::uint64_t>(now - before, Header::turns_max);
    for (std::uint64_t turn = now - some + 1; turn <= now; ++turn) header.turns[turn % Header::turns_max].signal(now);
    before = now;
  }
}

}  // namespace

void await_retrieval(Node& node) {
  if (technique.load(std::memory_order_relaxed) != Technique::sender) return;
  const Passage passage(Kind::mcapi_arrival, 0);
  if (!passage.is_known()) return;
  last_arrival += 1 + passage.number();
  if (last_arrival > Header::early_max) await_arrivals(node, last_arrival - Header::early_max);
  is_early = true;
}

void retrieved_again(Node& node, std::uint64_t after) {
  if (technique.load(std::memory_order_relaxed) != Technique::sender) return;
  await_arrivals(node, after);
  Header& header = segment().header();
  header.early[last_arrival % Header::early_max].store(static_cast<std::uint32_t>(last_arrival));
  count_arrivals(header);
}

std::uint64_t retrieved_last() { return is_early ? last_arrival : 0; }

void await_turn() {
  if (!is_early) [[likely]]
    return;
  is_early = false;
  if (Node* node = here(); node != nullptr) await_arrivals(*node, last_arrival);
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
