#include "program/adapters/mcapi/endpoints.h"

#include <cstring>

#include "program/adapters/mcapi/arrivals.h"
#include "program/adapters/mcapi/completion.h"
#include "program/adapters/mcapi/groups.h"
#include "program/adapters/mcapi/operations.h"
#include "program/adapters/mcapi/passage.h"
#include "program/adapters/mcapi/queue.h"
#include "program/adapters/mcapi/segment.h"

namespace reprise::mcapi {
namespace {

Index scan(Handle handle) {
  Segment& shared = segment();
  Index dead = none;
  for (Index index = 0; index < shared.header().endpoints_used.load(); ++index) {
    const Endpoint& endpoint = shared.endpoint(index);
    if (endpoint.handle.load() != handle) continue;
    if (endpoint.state.load() == State::live) return index;
    if (endpoint.state.load() == State::dead) dead = index;
  }
  return dead;
}

// A slot for a new endpoint. The registry is held.
Index free_slot() {
  Segment& shared = segment();
  Header& header = shared.header();
  Index dead = none;
  for (Index index = 0; index < header.endpoints_used.load(); ++index) {
    const State state = shared.endpoint(index).state.load();
    if (state == State::unused) return index;
    if (state == State::dead) dead = index;
  }
  if (header.endpoints_used.load() < endpoints_max) {
    header.endpoints_used.store(header.endpoints_used.load() + 1);
    return header.endpoints_used.load() - 1;
  }
  return dead;
}

// What others can see is told to the gate before it happens.
void set_up(Index index, Handle handle, Index node, const Passage& passage) {
  Endpoint& endpoint = segment().endpoint(index);
  const Lock lock = lock_endpoint(endpoint);
  drop_queue(endpoint);
  endpoint.handle.store(handle);
  endpoint.node = node;
  endpoint.memory_type = 0;
  endpoint.priority = 0;
  endpoint.timeout = forever;
  endpoint.ahead.store(0);
  endpoint.wanted.store(0);
  endpoint.channel = Channel::none;
  endpoint.direction = Direction::none;
  endpoint.peer = none;
  endpoint.connected = endpoint.opening = endpoint.open = endpoint.closed = endpoint.orphan = false;
  passage.keep(handle & port_max);
  endpoint.state.store(State::live);
}

// The registry is held. `port` becomes the chosen one.
Status create(const Node& node, std::uint32_t& port, const Passage& passage) {
  NodeSlot& slot = segment().node(node.slot);
  const bool any = port == any_port;
  if (any) {
    const std::uint32_t last = slot.next_port;
    for (port = last; scan(handle_of(node.id, port)) != none &&
                      segment().endpoint(scan(handle_of(node.id, port))).state.load() == State::live;) {
      port = port == port_max ? first_any_port : port + 1;
      if (port == last) return Status::port_invalid;
    }
    slot.next_port = port == port_max ? first_any_port : port + 1;
  }
  const Handle handle = handle_of(node.id, port);
  Index index = scan(handle);
  if (index != none && segment().endpoint(index).state.load() == State::live) return Status::endp_exists;
  if (index == none) index = free_slot();
  if (index == none) return Status::port_invalid;
  set_up(index, handle, node.slot, passage);
  return Status::success;
}

Status check_name(std::uint32_t domain, std::uint32_t node, std::uint32_t port) {
  if (domain > domain_max) return Status::domain_invalid;
  if (node > node_max) return Status::node_invalid;
  if (port > port_max) return Status::port_invalid;
  return Status::success;
}

}  // namespace

std::atomic<Index> near_endpoints[near_size];

Index look_up_endpoint(Handle handle) {
  const Lock registry = lock_registry();
  const Index found = scan(handle);
  if (found != none) near_endpoint(handle).store(found, std::memory_order_relaxed);
  return found;
}

Status create_endpoint(std::uint32_t port, Handle& handle) {
  Node* node = here();
  if (node == nullptr) return Status::node_notinit;
  if (port != any_port && port > port_max) return Status::port_invalid;
  forget_retrievals();
  const Passage passage(Kind::mcapi_endpoint, port == any_port ? first_any_port : port);
  const bool was_refused = passage.is_known() && passage.number() > port_max;
  if (was_refused) return static_cast<Status>(passage.number() >> 16);
  if (passage.is_known()) port = static_cast<std::uint32_t>(passage.number());
  Status status = Status::success;
  {
    const Lock registry = lock_registry();
    status = create(*node, port, passage);
    if (status != Status::success) passage.keep(std::uint64_t{static_cast<std::uint32_t>(status)} << 16);
  }
  if (status != Status::success) return status;
  handle = handle_of(node->id, port);
  segment().signal_all_nodes();
  return Status::success;
}

Status get_endpoint(std::uint32_t domain, std::uint32_t node_number, std::uint32_t port, std::uint32_t timeout_ms,
                    Handle& handle) {
  Node* node = here();
  if (node == nullptr) return Status::node_notinit;
  if (const Status bad = check_name(domain, node_number, port); bad != Status::success) return bad;
  handle = handle_of(node_id(domain, node_number), port);
  const Passage passage(Kind::mcapi_wait, number_of(Status::success));
  const bool is_needed = passage.number() == number_of(Status::success) && !is_absent(node_id(domain, node_number));
  if (is_simulated() || (passage.is_known() && !is_needed)) return status_of(passage.number());
  const bool found = wait_for(*node, node->event(), Deadline(passage.is_known() ? forever : timeout_ms), [&] {
    if (passage.is_known()) return was_there(handle);
    const Index index = find_endpoint(handle);
    return index != none && is_live(segment().endpoint(index), handle);
  });
  const Status status = node->ended.load() ? Status::node_notinit : found ? Status::success : Status::timeout;
  passage.keep(number_of(status));
  return status;
}

Status get_endpoint_i(std::uint32_t domain, std::uint32_t node_number, std::uint32_t port, Handle* result,
                      RequestHandle* request, const void* caller) {
  Node* node = here();
  if (node == nullptr) return Status::node_notinit;
  if (result == nullptr || request == nullptr) return Status::parameter;
  if (const Status bad = check_name(domain, node_number, port); bad != Status::success) return bad;
  const std::lock_guard lock(node->mutex);
  Request* made = node->make(Asked::endpoint, *request);
  if (made == nullptr) return Status::request_limit;
  made->handle = handle_of(node_id(domain, node_number), port);
  made->result = result;
  made->caller = caller;
  return pending();
}

Status delete_endpoint(Handle handle) {
  Node* node = here();
  if (node == nullptr) return Status::node_notinit;
  const Index index = find_endpoint(handle);
  if (index == none || !is_live(segment().endpoint(index), handle)) return Status::endp_invalid;
  if (id_of(handle) != node->id) return Status::endp_notowner;
  forget_retrievals();
  const Status status = settle(Kind::mcapi_endpoint, [&] {
    const std::lock_guard lock(node->mutex);
    const Lock registry = lock_registry();
    Endpoint& endpoint = segment().endpoint(index);
    if (!is_live(endpoint, handle)) return Status::endp_invalid;
    if (endpoint.connected) return Status::chan_connected;
    segment().end_endpoint(index, end_of_own());
    return Status::success;
  });
  if (status == Status::success) {
    const std::lock_guard lock(node->mutex);
    if (const auto inbox = node->inboxes.find(index); inbox != node->inboxes.end()) {
      for (Request* request : inbox->second.pending) request->complete(Status::endp_invalid);
      node->forget_inbox(index);
    }
  }
  node->event().signal();
  segment().node(node->slot).room.signal();
  return status;
}

// ---- attributes ----

namespace {

std::uint32_t status_flags(const Endpoint& endpoint) {
  std::uint32_t flags = 0;
  if (endpoint.connected) flags |= 0x01;
  if (endpoint.open) flags |= 0x02;
  if (endpoint.opening) flags |= 0x04;
  if (endpoint.closed) flags |= 0x08;
  if (endpoint.channel == Channel::packet) flags |= 0x10;
  if (endpoint.channel == Channel::scalar) flags |= 0x20;
  if (endpoint.direction == Direction::send) flags |= 0x40;
  if (endpoint.direction == Direction::receive) flags |= 0x80;
  return flags;
}

std::uint32_t attribute_of(const Endpoint& endpoint, Attribute attribute) {
  switch (attribute) {
    case Attribute::max_payload_size:
      return message_bytes_max;
    case Attribute::buffer_type:
      return 0;
    case Attribute::memory_type:
      return endpoint.memory_type;
    case Attribute::num_priorities:
      return priorities;
    case Attribute::priority:
      return endpoint.priority;
    case Attribute::num_send_buffers:
      return queue_max;
    case Attribute::num_recv_buffers:
      return count_of(endpoint) >= queue_max ? 0 : queue_max - count_of(endpoint);
    case Attribute::status:
      return status_flags(endpoint);
    case Attribute::timeout:
      return endpoint.timeout;
  }
  return 0;
}

std::uint32_t attribute_now(Endpoint& endpoint, Attribute attribute) {
  const Lock lock = lock_endpoint(endpoint);
  return attribute_of(endpoint, attribute);
}

}  // namespace

Status get_attribute(Handle handle, std::uint32_t number, void* value, std::size_t size) {
  if (here() == nullptr) return Status::node_notinit;
  if (value == nullptr) return Status::parameter;
  if (number >= attributes) return Status::attr_num;
  if (size != sizeof(std::uint32_t)) return Status::attr_size;
  constexpr std::uint64_t gone = std::uint64_t{1} << 32;
  const auto attribute = static_cast<Attribute>(number);
  const Passage passage(Kind::mcapi_value, attribute == Attribute::num_recv_buffers ? queue_max : 0);
  std::uint64_t found = passage.number();
  if (!passage.is_known()) {
    const Index index = find_endpoint(handle);
    const bool is_there = index != none && is_live(segment().endpoint(index), handle);
    found = is_there ? attribute_now(segment().endpoint(index), attribute) : gone;
    passage.keep(found);
  }
  if (found == gone) return Status::endp_invalid;
  const auto now = static_cast<std::uint32_t>(found);
  std::memcpy(value, &now, sizeof now);
  return Status::success;
}

Status set_attribute(Handle handle, std::uint32_t number, const void* value, std::size_t size) {
  Node* node = here();
  if (node == nullptr) return Status::node_notinit;
  if (value == nullptr) return Status::parameter;
  const Index index = find_endpoint(handle);
  if (index == none || !is_live(segment().endpoint(index), handle)) return Status::endp_invalid;
  if (id_of(handle) != node->id) return Status::endp_remote;
  if (number >= attributes) return Status::attr_num;
  if (size != sizeof(std::uint32_t)) return Status::attr_size;
  std::uint32_t wanted = 0;
  std::memcpy(&wanted, value, sizeof wanted);
  Endpoint& endpoint = segment().endpoint(index);
  const Lock lock = lock_endpoint(endpoint);
  if (endpoint.connected) return Status::chan_connected;
  switch (static_cast<Attribute>(number)) {
    case Attribute::memory_type:
      if (wanted > 2) return Status::attr_value;
      if (wanted == 2) return Status::attr_notsupported;
      endpoint.memory_type = wanted;
      return Status::success;
    case Attribute::priority:
      if (wanted >= priorities) return Status::attr_value;
      endpoint.priority = wanted;
      return Status::success;
    case Attribute::timeout:
      endpoint.timeout = wanted;
      return Status::success;
    default:
      return Status::attr_readonly;
  }
}

Status get_node_attribute(std::uint32_t domain, std::uint32_t node, std::uint32_t number, void* value,
                          std::size_t size) {
  if (here() == nullptr) return Status::node_notinit;
  if (value == nullptr) return Status::parameter;
  if (domain > domain_max) return Status::domain_invalid;
  if (node > node_max) return Status::node_invalid;
  if (number != 0) return number < 64 ? Status::attr_notsupported : Status::attr_num;
  if (size != sizeof(std::uint32_t)) return Status::attr_size;
  const Passage passage(Kind::mcapi_value, 0);
  std::uint64_t found = passage.number();
  if (!passage.is_known()) {
    const Lock registry = lock_registry();
    found = ~std::uint64_t{0};
    for (Index index = 0; index < segment().header().nodes_used.load(); ++index) {
      const NodeSlot& slot = segment().node(index);
      if (slot.state.load() == State::live && slot.id == node_id(domain, node)) found = slot.kind;
    }
    passage.keep(found);
  }
  if (found == ~std::uint64_t{0}) return Status::node_invalid;
  const auto kind = static_cast<std::uint32_t>(found);
  std::memcpy(value, &kind, sizeof kind);
  return Status::success;
}

}  // namespace reprise::mcapi
