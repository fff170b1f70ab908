#include "program/adapters/mcapi/messages.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "program/adapters/mcapi/completion.h"
#include "program/adapters/mcapi/endpoints.h"
#include "program/adapters/mcapi/naming.h"
#include "program/adapters/mcapi/notes.h"
#include "program/adapters/mcapi/operations.h"
#include "program/adapters/mcapi/passage.h"
#include "program/adapters/mcapi/queue.h"
#include "program/adapters/mcapi/segment.h"
#include "program/adapters/mcapi/sending.h"

namespace reprise::mcapi {
namespace {

// Copies the message that is next out, and takes it.
void take_front(Endpoint& endpoint, Index message, std::uint32_t priority, void* buffer, std::size_t capacity,
                Arrived& arrived) {
  const Block& block = segment().block(message);
  const std::size_t size = block.size;
  arrived.id = block.id;
  arrived.ordinal = block.ordinal;
  arrived.size = std::min(size, capacity);
  read(message, buffer, capacity);
  arrived.status = size <= capacity ? Status::success : Status::msg_truncated;
  if (size <= capacity || !choices().keep_truncated) remove_front(endpoint, priority);
}

// Takes the next message out of the queue into `request`.
bool take_next(Node& node, Endpoint& endpoint, Request& request) {
  if (node.ended.load(std::memory_order_relaxed)) {
    request.complete(Status::node_notinit);
    return true;
  }
  const Taking taking(segment().node(node.slot));
  if (!is_live(endpoint, request.handle)) {
    request.complete(Status::endp_invalid);
    return true;
  }
  std::uint32_t priority = 0;
  const Index message = front(endpoint, priority);
  if (message == none) return false;
  if (request.asked == Asked::packet) {
    const std::size_t size = segment().block(message).size;
    void* buffer = std::malloc(size == 0 ? 1 : size);
    if (buffer == nullptr) return false;
    read(message, buffer, size);
    node.buffers.emplace(buffer, size);
    *request.packet = buffer;
    request.complete(Status::success, size);
    remove_front(endpoint, priority);
  } else {
    Arrived arrived;
    take_front(endpoint, message, priority, request.buffer, request.capacity, arrived);
    request.id = arrived.id;
    request.ordinal = arrived.ordinal;
    request.complete(arrived.status, arrived.size);
  }
  return true;
}

}  // namespace

void make_room_known(const Node& node, Index index) {
  Event& room = segment().node(node.slot).room;
  if (room.is_awaited() && count_of(segment().endpoint(index)) <= queue_max / 8) room.signal();
  if (segment().header().room.is_awaited()) segment().header().room.signal();
}

std::uint32_t count_now(const Node& node, Index index) {
  Endpoint& endpoint = segment().endpoint(index);
  const Taking taking(segment().node(node.slot));
  std::uint32_t priority = 0;
  return front(endpoint, priority) == none ? 0 : count_of(endpoint);
}

void progress(Node& node, Index index) {
  Inbox& inbox = node.inbox(index);
  std::deque<Request*>& pending = inbox.pending;
  bool took = false;
  // What a replay has left when the program goes on by itself.
  while (!pending.empty() && !inbox.stash.empty()) {
    complete_with(node, *pending.front(), inbox.stash.first());
    pending.pop_front();
  }
  while (!pending.empty() && take_next(node, segment().endpoint(index), *pending.front())) {
    pending.pop_front();
    took = true;
  }
  if (took) make_room_known(node, index);
}

bool take_now(Node& node, Index index, Handle handle, void* buffer, std::size_t capacity, Arrived& arrived) {
  const Inbox& inbox = node.inbox(index);
  if (!inbox.pending.empty() || !inbox.stash.empty() || node.ended.load(std::memory_order_relaxed)) return false;
  Endpoint& endpoint = segment().endpoint(index);
  {
    const Taking taking(segment().node(node.slot));
    std::uint32_t priority = 0;
    const Index message = is_live(endpoint, handle) ? front(endpoint, priority) : none;
    if (message == none) return false;
    take_front(endpoint, message, priority, buffer, capacity, arrived);
  }
  make_room_known(node, index);
  return true;
}

void post(Node& node, Request& request) { node.inbox(request.endpoint).pending.push_back(&request); }

// ---- the operations ----

namespace {

Status check_send(const Node& node, Handle from, const void* bytes, std::size_t size, std::uint32_t priority,
                  std::uint32_t& timeout_ms) {
  if (bytes == nullptr && size > 0) return Status::parameter;
  if (size > message_bytes_max) return Status::msg_size;
  if (priority >= priorities) return Status::priority;
  const Index index = find_own(node, from);
  if (index == none) return Status::endp_invalid;
  timeout_ms = segment().endpoint(index).timeout;
  return Status::success;
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
  std::uint32_t timeout_ms = forever;
  if (const Status bad = check_send(*node, from, bytes, size, priority, timeout_ms); bad != Status::success) return bad;
  const Parcel parcel{to, bytes, size, priority, Channel::none, none};
  const Status status = deliver(*node, parcel, Deadline(timeout_ms), Status::timeout);
  if (status == Status::success && takes_notes()) [[unlikely]]
    note_send(*node, from, to);
  return status;
}

Status send_i(Handle from, Handle to, const void* bytes, std::size_t size, std::uint32_t priority,
              RequestHandle* request, const void* caller) {
  Node* node = here();
  if (node == nullptr) return Status::node_notinit;
  if (request == nullptr) return Status::parameter;
  std::uint32_t timeout_ms = forever;
  if (const Status bad = check_send(*node, from, bytes, size, priority, timeout_ms); bad != Status::success) return bad;
  const Parcel parcel{to, bytes, size, priority, Channel::none, none};
  const Status status = deliver_i(*node, parcel, request, caller);
  if (status == Status::success && takes_notes()) [[unlikely]]
    note_send(*node, from, to);
  return status;
}

Status receive(Handle handle, void* buffer, std::size_t capacity, std::size_t* received) {
  Node* node = here();
  if (node == nullptr) return Status::node_notinit;
  if (received == nullptr) return Status::parameter;
  Index index = none;
  if (const Status bad = check_receive(*node, handle, buffer, capacity, index); bad != Status::success) return bad;
  Met* const met = met_at(handle);
  Passage passage(Kind::mcapi_recv, expected_message(met), Passage::Waits::seldom);
  if (!passage.is_known() && !takes_notes()) {
    const std::lock_guard lock(node->mutex);
    Arrived arrived;
    if (take_now(*node, index, handle, buffer, capacity, arrived)) {
      if (met != nullptr) tell_message(*met, handle, buffer, arrived, passage);
      *received = arrived.size;
      return arrived.status;
    }
  }
  passage.about_to_wait();
  Request request{.asked = Asked::receive,
                  .used = true,
                  .endpoint = index,
                  .handle = handle,
                  .buffer = buffer,
                  .capacity = capacity};
  const Status status = receive_now(*node, request, segment().endpoint(index).timeout, passage);
  *received = request.size;
  if (takes_notes()) [[unlikely]]
    note_receive(*node, request);
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
  count = count_now(*node, index);
  passage.keep(count);
  return Status::success;
}

}  // namespace reprise::mcapi
