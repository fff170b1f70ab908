#include "program/adapters/mcapi/messages.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "program/adapters/mcapi/completion.h"
#include "program/adapters/mcapi/endpoints.h"
#include "program/adapters/mcapi/operations.h"
#include "program/adapters/mcapi/passage.h"
#include "program/adapters/mcapi/queue.h"
#include "program/adapters/mcapi/segment.h"
#include "program/adapters/mcapi/sending.h"

namespace reprise::mcapi {
namespace {

// Takes the next message out of the queue into `request`.
bool take_next(Node& node, Endpoint& endpoint, Request& request) {
  const Lock lock = lock_endpoint(endpoint);
  if (!is_live(endpoint, request.handle)) {
    request.complete(Status::endp_invalid);
    return true;
  }
  std::uint32_t priority = 0;
  const Index message = front(endpoint, priority);
  if (message == none) return false;
  const std::size_t size = segment().block(message).size;
  request.id = segment().block(message).id;
  if (request.asked == Asked::packet) {
    void* buffer = std::malloc(size == 0 ? 1 : size);
    if (buffer == nullptr) return false;
    read(message, buffer, size);
    node.buffers.emplace(buffer, size);
    *request.packet = buffer;
    request.complete(Status::success, size);
  } else {
    read(message, request.buffer, request.capacity);
    const bool fits = size <= request.capacity;
    request.complete(fits ? Status::success : Status::msg_truncated, std::min(size, request.capacity));
    if (!fits && choices().keep_truncated) return true;
  }
  remove_front(endpoint, priority);
  return true;
}

// Those who wait for room are woken when half of the queue is free: waking them for each message that is taken would
// cost two switches each. Whoever goes to sleep itself wakes them too (wait_for), so nobody waits for somebody who
// waits.
void make_room_known(Index index) {
  if (segment().endpoint(index).count <= queue_max / 2) segment().header().room.signal();
}

}  // namespace

void progress(Node& node, Index index) {
  const auto inbox = node.inboxes.find(index);
  if (inbox == node.inboxes.end()) return;
  std::deque<Request*>& pending = inbox->second.pending;
  bool took = false;
  // What a replay has left when the program goes on by itself.
  while (!pending.empty() && !inbox->second.stash.empty()) {
    complete_with(node, *pending.front(), inbox->second.stash.first());
    pending.pop_front();
  }
  while (!pending.empty() && take_next(node, segment().endpoint(index), *pending.front())) {
    pending.pop_front();
    took = true;
  }
  if (took) make_room_known(index);
}

bool take_now(Node& node, Request& request) {
  const auto inbox = node.inboxes.find(request.endpoint);
  if (inbox != node.inboxes.end() && !(inbox->second.pending.empty() && inbox->second.stash.empty())) return false;
  if (!take_next(node, segment().endpoint(request.endpoint), request)) return false;
  make_room_known(request.endpoint);
  return true;
}

void post(Node& node, Request& request) { node.inboxes[request.endpoint].pending.push_back(&request); }

// ---- the operations ----

namespace {

Status check_send(const Node& node, Handle from, const void* bytes, std::size_t size, std::uint32_t priority) {
  if (bytes == nullptr && size > 0) return Status::parameter;
  if (size > message_bytes_max) return Status::msg_size;
  if (priority >= priorities) return Status::priority;
  return find_own(node, from) == none ? Status::endp_invalid : Status::success;
}

std::uint32_t timeout_of(const Node& node, Handle handle) {
  const Index index = find_own(node, handle);
  return index == none ? forever : segment().endpoint(index).timeout;
}

Status check_receive(const Node& node, Handle handle, const void* buffer, std::size_t capacity, Index& index) {
  if (buffer == nullptr && capacity > 0) return Status::parameter;
  index = find_own(node, handle);
  if (index == none) return Status::endp_invalid;
  return segment().endpoint(index).channel == Channel::none ? Status::success : Status::general;
}

}  // namespace

Status send(Handle from, Handle to, const void* bytes, std::size_t size, std::uint32_t priority) {
  Node* node = here();
  if (node == nullptr) return Status::node_notinit;
  if (const Status bad = check_send(*node, from, bytes, size, priority); bad != Status::success) return bad;
  const Parcel parcel{to, bytes, size, priority, Channel::none, none};
  return deliver(*node, parcel, Deadline(timeout_of(*node, from)), Status::timeout);
}

Status send_i(Handle from, Handle to, const void* bytes, std::size_t size, std::uint32_t priority,
              RequestHandle* request, const void* caller) {
  Node* node = here();
  if (node == nullptr) return Status::node_notinit;
  if (request == nullptr) return Status::parameter;
  if (const Status bad = check_send(*node, from, bytes, size, priority); bad != Status::success) return bad;
  const Parcel parcel{to, bytes, size, priority, Channel::none, none};
  return deliver_i(*node, parcel, request, caller);
}

Status receive(Handle handle, void* buffer, std::size_t capacity, std::size_t* received) {
  Node* node = here();
  if (node == nullptr) return Status::node_notinit;
  if (received == nullptr) return Status::parameter;
  Index index = none;
  if (const Status bad = check_receive(*node, handle, buffer, capacity, index); bad != Status::success) return bad;
  Request request{.asked = Asked::receive,
                  .used = true,
                  .endpoint = index,
                  .handle = handle,
                  .buffer = buffer,
                  .capacity = capacity};
  const Status status = receive_now(*node, request, segment().endpoint(index).timeout);
  *received = request.size;
  return status;
}

Status receive_i(Handle handle, void* buffer, std::size_t capacity, RequestHandle* request, const void* caller) {
  Node* node = here();
  if (node == nullptr) return Status::node_notinit;
  if (request == nullptr) return Status::parameter;
  Index index = none;
  if (const Status bad = check_receive(*node, handle, buffer, capacity, index); bad != Status::success) return bad;
  const std::lock_guard lock(node->mutex);
  Request* made = node->make(Asked::receive, *request);
  if (made == nullptr) return Status::request_limit;
  made->endpoint = index;
  made->handle = handle;
  made->buffer = buffer;
  made->capacity = capacity;
  made->caller = caller;
  if (!is_replayed()) post(*node, *made);
  return pending();
}

Status available(Handle handle, std::uint32_t& count) {
  Node* node = here();
  if (node == nullptr) return Status::node_notinit;
  const Index index = find_own(*node, handle);
  if (index == none) return Status::endp_invalid;
  const Passage passage(Kind::mcapi_value, 0);
  if (passage.is_known()) {
    count = static_cast<std::uint32_t>(passage.number());
    return Status::success;
  }
  const std::lock_guard lock(node->mutex);
  progress(*node, index);
  count = segment().endpoint(index).count;
  passage.keep(count);
  return Status::success;
}

}  // namespace reprise::mcapi
