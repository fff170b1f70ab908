#include "program/adapters/mcapi/completion.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "program/adapters/mcapi/arrivals.h"
#include "program/adapters/mcapi/endpoints.h"
#include "program/adapters/mcapi/groups.h"
#include "program/adapters/mcapi/messages.h"
#include "program/adapters/mcapi/one_core.h"
#include "program/adapters/mcapi/queue.h"
#include "program/adapters/mcapi/segment.h"

namespace reprise::mcapi {

bool rest_before_retry(int attempt) {
  constexpr int attempts_max = 5000;
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return attempt < attempts_max;
}

namespace {

bool has_message(const Request& request) {
  return request.asked == Asked::receive &&
         (request.status == Status::success || request.status == Status::msg_truncated);
}

bool poll_receive(Node& node, Request& request) {
  progress(node, request.endpoint);
  if (request.done) return true;
  const Endpoint& endpoint = segment().endpoint(request.endpoint);
  if (request.asked == Asked::packet) {
    const bool open = is_live(endpoint, request.handle) && endpoint.connected && !endpoint.closed && !endpoint.orphan;
    if (open && !segment().endpoint(endpoint.peer).closed) return false;
    if (count_of(endpoint) > 0) return false;  // it came just now
    request.complete(Status::transmission);
  } else if (choices().death_is_error && !segment().has_other_nodes(node.slot)) {
    request.complete(Status::transmission);
  }
  if (request.done) node.withdraw(request);
  return request.done;
}

bool poll_endpoint(Request& request) {
  const Index index = find_endpoint(request.handle);
  if (index == none || (!is_replayed() && !is_live(segment().endpoint(index), request.handle))) return false;
  *request.result = request.handle;
  request.complete(Status::success);
  return true;
}

bool poll_open(Request& request) {
  Endpoint& endpoint = segment().endpoint(request.endpoint);
  const Lock lock = lock_endpoint(endpoint);
  if (!is_live(endpoint, request.handle)) {
    request.complete(Status::endp_deleted);
  } else if (endpoint.open) {
    *request.result = request.handle;
    request.complete(Status::success);
  } else if (endpoint.orphan) {
    request.complete(Status::transmission);
  }
  return request.done;
}

}  // namespace

bool poll(Node& node, Request& request) {
  if (request.done) return true;
  switch (request.asked) {
    case Asked::receive:
    case Asked::packet:
      return poll_receive(node, request);
    case Asked::endpoint:
      return poll_endpoint(request);
    case Asked::open:
      return poll_open(request);
    default:
      return request.done;
  }
}

std::uint64_t expected_of(const Request& request) {
  return request.asked == Asked::receive ? expected_message(met_at(request.handle)) : number_of(Status::success);
}

void tell_more(Handle handle, const void* buffer, const Arrived& arrived) {
  retrieved(handle, arrived.ordinal);
  if (arrived.status == Status::msg_truncated) {
    // One byte more than there was room for says so.
    std::string more(static_cast<const char*>(buffer), arrived.size);
    keep_contents((more + '\0').data(), arrived.size + 1, arrived.id.node);
  } else {
    keep_contents(buffer, arrived.size, arrived.id.node);
  }
}

void tell(Request& request, const Passage& passage) {
  request.told = true;
  if (has_message(request)) {
    const Arrived arrived{request.status, request.size, request.id, request.ordinal};
    if (Met* const met = met_at(request.handle)) tell_message(*met, request.handle, request.buffer, arrived, passage);
    return;
  }
  passage.keep(number_of(request.status));
  if (request.status != Status::success) return;
  if (request.asked == Asked::packet)
    keep_contents(*request.packet, request.size, id_of(peer_of(segment().endpoint(request.endpoint))));
  if (request.asked == Asked::open) keep_peer(peer_of(segment().endpoint(request.endpoint)));
}

namespace {

// What a receive gets from the recording. The node's mutex is held.
Status give_message(Request& request, std::string& bytes) {
  const Status status = bytes.size() > request.capacity ? Status::msg_truncated : Status::success;
  if (status != Status::success) bytes.resize(request.capacity);
  if (!bytes.empty()) std::memcpy(request.buffer, bytes.data(), bytes.size());
  return status;
}

void give_packet(Node& node, const Request& request, const std::string& bytes) {
  void* buffer = std::malloc(bytes.empty() ? 1 : bytes.size());
  if (buffer == nullptr) std::abort();
  std::copy(bytes.begin(), bytes.end(), static_cast<char*>(buffer));
  node.buffers.emplace(buffer, bytes.size());
  *request.packet = buffer;
}

// Completes a request from the recording alone.
void tell_simulated(Node& node, Request& request, std::uint64_t number) {
  std::string bytes;
  Status status = is_status(number) ? status_of(number) : Status::success;
  if (!is_status(number)) request.id = named_message(*met_at(request.handle), number);
  if (!is_status(number) || (request.asked == Asked::packet && status == Status::success)) give_contents(bytes);
  const std::lock_guard lock(node.mutex);
  if (status == Status::success) {
    if (request.asked == Asked::receive) status = give_message(request, bytes);
    if (request.asked == Asked::packet) give_packet(node, request, bytes);
    if (request.result != nullptr) *request.result = request.handle;
  }
  request.complete(status, bytes.size());
}

}  // namespace

namespace {

// In groups. What came from another one is in the recording; true if that is all there is of it.
bool tell_from_outside(Node& node, Request& request, const MessageId& id) {
  std::string bytes;
  if (!give_from_outside(bytes) || !is_absent(id.node)) return false;
  const std::lock_guard lock(node.mutex);
  request.id = id;
  const Status status = give_message(request, bytes);
  request.complete(status, bytes.size());
  return true;
}

// The same for the rest of what waits for others. The other end of a channel was noted when it was opened.
bool tell_from_outside(Node& node, Request& request) {
  std::string bytes;
  if (request.asked == Asked::endpoint) {
    if (!is_absent(id_of(request.handle))) return false;
    *request.result = request.handle;
    request.complete(Status::success);
    return true;
  }
  if (!give_from_outside(bytes)) return false;
  if (request.asked == Asked::packet) {
    if (segment().endpoint(request.endpoint).peer != none) return false;
    const std::lock_guard lock(node.mutex);
    give_packet(node, request, bytes);
    request.complete(Status::success, bytes.size());
    return true;
  }
  Handle peer = 0;
  if (bytes.size() == sizeof peer) std::memcpy(&peer, bytes.data(), sizeof peer);
  if (peer == 0 || !open_again(node, request.endpoint, peer)) return false;
  *request.result = request.handle;
  request.complete(Status::success);
  return true;
}

void await_message(Node& node, Request& request, const MessageId& id) {
  const auto is_there = [&] {
    const std::lock_guard lock(node.mutex);
    return take_named(node, request, id);
  };
  if (is_there()) return;
  // One certain message is waited for: who sends it needs a core. In turns, it may be a long way off.
  const Looks looks{.times = is_in_turns() ? 2 : 12, .rests = false};
  want(request, &id);
  if (!is_in_turns()) share_core(node);
  wait_for(node, node.event(), Deadline(forever), is_there, looks);
  want(request, nullptr);
}

}  // namespace

void tell_again(Node& node, Request& request, std::uint64_t number) {
  request.told = true;
  if (request.done) return;
  if (is_simulated()) return tell_simulated(node, request, number);
  if (!is_status(number)) {
    const MessageId id = named_message(*met_at(request.handle), number);
    if (is_grouped() && tell_from_outside(node, request, id)) return;
    find_retrieval();
    await_message(node, request, id);
    return retrieve_in_turn(node);
  }
  const Status status = status_of(number);
  if (status == Status::success) {
    if (is_grouped() && tell_from_outside(node, request)) return;
    if (request.asked == Asked::packet) {
      const std::lock_guard lock(node.mutex);
      post(node, request);
    }
    wait_for(node, node.event(), Deadline(forever), [&] {
      const std::lock_guard lock(node.mutex);
      return poll(node, request);
    });
  } else {
    const std::lock_guard lock(node.mutex);
    request.complete(status);
  }
}

Status receive_now(Node& node, Request& request, std::uint32_t timeout_ms, const Passage& passage) {
  if (passage.is_known()) {
    tell_again(node, request, passage.number());
    return request.status;
  }
  {
    const std::lock_guard lock(node.mutex);
    post(node, request);
  }
  const bool done = wait_for(node, node.event(), Deadline(timeout_ms), [&] {
    const std::lock_guard lock(node.mutex);
    return poll(node, request);
  });
  const std::lock_guard lock(node.mutex);
  if (!request.done) {
    node.withdraw(request);
    request.complete(done ? Status::node_notinit : Status::timeout);
  }
  tell(request, passage);
  return request.status;
}

}  // namespace reprise::mcapi
