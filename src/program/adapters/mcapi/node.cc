#include "program/adapters/mcapi/node.h"

#include <dlfcn.h>
#include <reprise/detail/gate.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

#include "program/adapters/mcapi/arrivals.h"
#include "program/adapters/mcapi/completion.h"
#include "program/adapters/mcapi/groups.h"
#include "program/adapters/mcapi/one_core.h"
#include "program/adapters/mcapi/report.h"
#include "program/adapters/mcapi/segment.h"

namespace reprise::mcapi {
namespace {

// Which node a thread is, and who created it.
struct Place {
  std::atomic<Node*> node{nullptr};
  std::atomic<bool> is_own{false};  // it called initialize: it is no longer its creator's
  std::shared_ptr<Place> creator;
};

struct Here {
  std::shared_ptr<Place> place;
  ~Here() {
    if (place != nullptr && place->node.load() != nullptr) segment().thread_ends();
  }
};
thread_local Here this_thread;

Place& place_here() {
  if (this_thread.place == nullptr) this_thread.place = std::make_shared<Place>();
  return *this_thread.place;
}

constinit std::mutex process_mutex;
std::uint32_t live_nodes = 0;  // of this process; guarded by process_mutex

// A forked child is no node, and has no segment.
void become_child() {
  leave_core();
  new (&process_mutex) std::mutex;
  live_nodes = 0;
  segment().forget();
  near_node = nullptr;
  this_thread.place = std::make_shared<Place>();
}

bool is_set(const char* name, const char* value) {
  const char* given = std::getenv(name);
  return given != nullptr && std::strcmp(given, value) == 0;
}

// The process mutex is held.
Status enter(std::uint32_t id, std::uint32_t kind, Index& slot) {
  Header& header = segment().header();
  const Lock registry = lock_registry();
  slot = none;
  for (Index index = 0; index < nodes_max; ++index) {
    NodeSlot& node = header.nodes[index];
    const bool is_live = node.state.load() == State::live;
    if (is_live && node.id == id) return Status::node_initialized;
    if (!is_live && slot == none) slot = index;
    if (index >= header.nodes_used.load() && slot != none) break;
  }
  if (slot == none) return Status::node_initfailed;
  NodeSlot& node = header.nodes[slot];
  node.id = id;
  node.process = segment().process();
  node.kind = kind;
  node.next_port = first_any_port;
  node.group = group_of(id, slot, live_nodes == 0);
  node.taking.store(0);  // who had the slot before may have died while it took a message
  if (slot >= header.nodes_used.load()) header.nodes_used.store(slot + 1);
  node.state.store(State::live);
  return Status::success;
}

}  // namespace

namespace {

Choices the_choices;

std::uint32_t number_of_environment(const char* name) {
  const char* given = std::getenv(name);
  return given == nullptr ? 0 : static_cast<std::uint32_t>(std::strtoul(given, nullptr, 10));
}

Choices choices_of_environment() {
  return {.pending_is_success = is_set("MCAPI_PENDING", "success"),
          .test_releases = is_set("MCAPI_TEST", "release"),
          .keep_truncated = is_set("MCAPI_TRUNCATED", "keep"),
          .death_is_error = is_set("MCAPI_PEER_DEATH", "error"),
          .reports = !is_set("MCAPI_REPORT", "off"),
          .stall_s = number_of_environment("MCAPI_STALL")};
}

[[gnu::constructor]] void follow_forks() { pthread_atfork(nullptr, nullptr, become_child); }

}  // namespace

const Choices& choices() { return the_choices; }

__thread Node* near_node = nullptr;

Node* find_here() {
  near_node = nullptr;
  Place* place = this_thread.place.get();
  if (place == nullptr) return nullptr;
  if (Node* node = place->node.load(std::memory_order_acquire)) {
    near_node = node;
    segment().keep_alive();
    return node;
  }
  while (place != nullptr && !place->is_own.load(std::memory_order_acquire)) {
    place = place->creator.get();
    if (place == nullptr) return nullptr;
    if (Node* node = place->node.load(std::memory_order_acquire)) return node;
  }
  return nullptr;
}

Status initialize(std::uint32_t domain, std::uint32_t node, std::uint32_t kind, std::uint32_t memory_mib) {
  if (domain > domain_max) return Status::domain_invalid;
  if (node > node_max) return Status::node_invalid;
  Place& place = place_here();
  const std::lock_guard lock(process_mutex);
  if (place.node.load() != nullptr) return Status::node_initialized;
  if (live_nodes == 0) the_choices = choices_of_environment();
  if (!segment().join(memory_mib)) return Status::node_initfailed;
  segment().reap();
  const std::uint32_t id = node_id(domain, node);
  Index slot = none;
  const Status status = enter(id, kind, slot);
  if (status != Status::success) {
    if (live_nodes == 0) segment().leave();
    return status;
  }
  ++live_nodes;
  place.is_own.store(true);
  pass_technique(id);
  place.node.store(new Node(slot, id), std::memory_order_release);
  return Status::success;
}

Status finalize() {
  Node* node = here();
  if (node == nullptr || node->ended.exchange(true)) return Status::node_notinit;
  leave_core();
  while (node->busy.load() != 0) {
    node->event().signal();
    segment().header().room.signal();
    segment().signal_all_nodes();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  {
    const std::lock_guard lock(node->mutex);
    if (choices().reports) report(*node);
    for (const auto& [buffer, size] : node->buffers) std::free(buffer);
    node->buffers.clear();
  }
  const std::lock_guard lock(process_mutex);
  for (Place* place = &place_here(); place != nullptr; place = place->creator.get()) {
    if (place->node.load() == node) place->node.store(nullptr);
  }
  {
    const std::lock_guard own(node->mutex);
    const Lock registry = lock_registry();
    segment().bury(node->slot, end_of_own());
  }
  segment().node(node->slot).event.signal();
  segment().signal_all_nodes();
  segment().header().room.signal();
  if (--live_nodes == 0) segment().leave();
  return Status::success;
}

Event& Node::event() const { return segment().node(slot).event; }

// ---- requests ----

Request* Node::find(std::uint32_t handle) {
  const std::uint32_t index = handle & 0xFFFF;
  if (index >= requests.size()) return nullptr;
  Request& request = requests[index];
  return request.used && request.generation == handle >> 16 ? &request : nullptr;
}

Request* Node::make(Asked asked, std::uint32_t& handle) {
  std::uint32_t index = 0;
  if (!free_requests.empty()) {
    index = free_requests.back();
    free_requests.pop_back();
  } else {
    if (requests.size() >= requests_max) return nullptr;
    index = static_cast<std::uint32_t>(requests.size());
    requests.emplace_back();
  }
  Request& request = requests[index];
  const auto generation = static_cast<std::uint16_t>(request.generation == 0xFFFF ? 1 : request.generation + 1);
  request = Request{.asked = asked, .used = true, .generation = generation, .index = index, .order = ++requests_made};
  handle = std::uint32_t{generation} << 16 | index;
  return &request;
}

void Node::release(Request& request) {
  withdraw(request);
  request.used = false;
  free_requests.push_back(request.index);
}

void Node::withdraw(Request& request) {
  const auto inbox = inboxes.find(request.endpoint);
  if (inbox != inboxes.end()) std::erase(inbox->second.pending, &request);
}

// ---- time ----

Deadline::Deadline(std::uint32_t timeout_ms) : never_(timeout_ms == forever) {
  if (!never_) at_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
}

bool Deadline::is_over() const { return !never_ && std::chrono::steady_clock::now() >= at_; }

std::chrono::nanoseconds Deadline::left(std::chrono::nanoseconds at_most) const {
  if (never_) return at_most;
  const std::chrono::nanoseconds rest = at_ - std::chrono::steady_clock::now();
  return rest < at_most ? std::max(rest, std::chrono::nanoseconds(0)) : at_most;
}

namespace {

// About a microsecond is 3000. The clock itself may be recorded, and is slow then.
std::uint64_t ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return 3 *
         static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
#endif
}

}  // namespace

bool yield_in_vain() {
  constexpr std::uint64_t another_ran = 3000;
  const std::uint64_t before = ticks();
  sched_yield();
  return ticks() - before < another_ran;
}

void wake_who_waits_for_room(const Node& node, const Event& own) {
  for (Event* room : {&segment().node(node.slot).room, &segment().header().room}) {
    if (room != &own) room->signal();
  }
}

void look_around() { segment().reap(); }

void look_at_time(const Node& node, std::chrono::steady_clock::time_point since, bool& has_told) {
  const std::uint32_t limit_s = choices().stall_s;
  if (limit_s == 0 || has_told || std::chrono::steady_clock::now() - since < std::chrono::seconds(limit_s)) return;
  has_told = true;
  const std::string call = call_here();
  const std::lock_guard lock(const_cast<Node&>(node).mutex);
  std::fprintf(stderr, "mcapi: node %u/%u: %s has waited for %u s\n", node.id >> 12, node.id & 0xFFF, call.c_str(),
               limit_s);
  report(node);
}

void end_waiting(const Node& node) {
  if (!choices().reports) return;
  std::fprintf(stderr, "mcapi: node %u/%u: %s was still waiting\n", node.id >> 12, node.id & 0xFFF,
               call_here().c_str());
}

}  // namespace reprise::mcapi

// ---- which thread was created by which ----

namespace {

struct Start {
  void* (*routine)(void*);
  void* argument;
  std::shared_ptr<reprise::mcapi::Place> creator;
};

void* start_thread(void* context) {
  const std::unique_ptr<Start> start(static_cast<Start*>(context));
  auto place = std::make_shared<reprise::mcapi::Place>();
  place->creator = std::move(start->creator);
  reprise::mcapi::this_thread.place = std::move(place);
  return start->routine(start->argument);
}

}  // namespace

extern "C" REPRISE_API int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*routine)(void*),
                                          void* argument) noexcept {
  using Function = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  auto* const next = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, "pthread_create"));
  reprise::mcapi::leave_core();
  reprise::mcapi::place_here();
  auto* start = new Start{routine, argument, reprise::mcapi::this_thread.place};
  const int result = next(thread, attributes, start_thread, start);
  if (result != 0) delete start;
  return result;
}
