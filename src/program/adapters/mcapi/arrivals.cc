#include "program/adapters/mcapi/arrivals.h"

#include <cstdlib>
#include <cstring>

#include "program/adapters/mcapi/completion.h"
#include "program/adapters/mcapi/endpoints.h"
#include "program/adapters/mcapi/groups.h"
#include "program/adapters/mcapi/messages.h"
#include "program/adapters/mcapi/naming.h"
#include "program/adapters/mcapi/notes.h"
#include "program/adapters/mcapi/one_core.h"
#include "program/adapters/mcapi/segment.h"

namespace reprise::mcapi {

std::atomic<Technique> technique{Technique::receiver};

namespace {

thread_local std::uint64_t last_arrival = 0;
std::atomic<std::uint32_t> endpoints_changed{0};

// The messages that a thread retrieved together.
class Together {
 public:
  bool holds(Handle endpoint, std::uint32_t ordinal) const {
    return endpoint == endpoint_ && changed_ == endpoints_changed.load(std::memory_order_relaxed) &&
           static_cast<std::int32_t>(last_ - ordinal) >= 0;
  }
  // All that are there now.
  void begin(Handle endpoint) {
    const Index index = find_endpoint(endpoint);
    endpoint_ = index == none ? 0 : endpoint;
    changed_ = endpoints_changed.load(std::memory_order_relaxed);
    if (index != none) last_ = segment().endpoint(index).sent.load(std::memory_order_acquire);
  }

 private:
  Handle endpoint_{0};
  std::uint32_t changed_{0};
  std::uint32_t last_{0};
};
thread_local Together together;

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
  constexpr std::uint64_t by_pairs = std::uint64_t{1} << 40;
  const Passage passage(Kind::mcapi_node, techniques - 1);  // none: always written
  const Technique asked = asked_technique();
  passage.keep(by_pairs + std::uint64_t{id} * techniques + static_cast<std::uint64_t>(asked));
  predicts_by_pairs.store(!passage.is_known() || (passage.number() & by_pairs) != 0);
  technique.store(passage.is_known() ? static_cast<Technique>(passage.number() % techniques) : asked);
}

bool is_simulated() { return technique.load(std::memory_order_relaxed) == Technique::data && is_replayed(); }

void forget_retrievals() { endpoints_changed.fetch_add(1, std::memory_order_relaxed); }

void retrieved(Handle endpoint, std::uint32_t ordinal) {
  if (gate::current == nullptr || technique.load(std::memory_order_relaxed) != Technique::sender) return;
  const Passage passage(Kind::mcapi_arrival, 0);
  if (together.holds(endpoint, ordinal) && !takes_notes()) return passage.keep(0);
  together.begin(endpoint);  // before the number is drawn: who sent any of these has a lower one
  const std::uint64_t arrival = segment().header().arrivals.fetch_add(1) + 1;
  passage.keep(arrival - last_arrival);
  last_arrival = arrival;
}

namespace {

thread_local bool is_first = false;  // of those that were retrieved together

// Waits until all retrievals up to `arrival` are done.
void await_arrivals(Node& node, std::uint64_t arrival) {
  Header& header = segment().header();
  if (header.arrivals.load() >= arrival) return;
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
  wait_for(node, turn.event, Deadline(forever), is_so, {.times = 1, .rests = false});
}

}  // namespace

bool is_in_turns() { return technique.load(std::memory_order_relaxed) == Technique::sender; }

void find_retrieval() {
  if (technique.load(std::memory_order_relaxed) != Technique::sender) return;
  const Passage passage(Kind::mcapi_arrival, 0);
  is_first = passage.is_known() && passage.number() != 0;
  if (is_first) last_arrival += passage.number();
}

void retrieve_in_turn(Node& node) {
  if (technique.load(std::memory_order_relaxed) != Technique::sender) return;
  share_core(node);
  if (!is_first) return;
  await_arrivals(node, last_arrival - 1);
  Header& header = segment().header();
  header.arrivals.store(last_arrival);
  header.turns[last_arrival % Header::turns_max].signal(last_arrival);
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
  thread->gate->keep_contents(*thread, {static_cast<const char*>(bytes), size});
}

void keep_peer(Handle peer) {
  gate::Thread* thread = gate::current;
  if (thread == nullptr || technique.load(std::memory_order_relaxed) != Technique::groups || is_replayed()) return;
  thread->gate->keep_contents(*thread, {reinterpret_cast<const char*>(&peer), sizeof peer});
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
