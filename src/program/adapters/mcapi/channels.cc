// Packet and scalar channels: connect, open, use, close.
//
// A channel's packets and scalars lie in the queue of its receiving endpoint, with priority 0. A handle is the name of
// the endpoint that was opened.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "program/adapters/mcapi/arrivals.h"
#include "program/adapters/mcapi/completion.h"
#include "program/adapters/mcapi/endpoints.h"
#include "program/adapters/mcapi/groups.h"
#include "program/adapters/mcapi/messages.h"
#include "program/adapters/mcapi/operations.h"
#include "program/adapters/mcapi/queue.h"
#include "program/adapters/mcapi/segment.h"
#include "program/adapters/mcapi/sending.h"

namespace reprise::mcapi {
namespace {

// Holds two endpoints, the lower index first.
class BothLocks {
 public:
  BothLocks(Index one, Index other)
      : first_(lock_endpoint(segment().endpoint(std::min(one, other)))),
        second_(lock_endpoint(segment().endpoint(std::max(one, other)))) {}

 private:
  Lock first_;
  Lock second_;
};

bool may_join(const Endpoint& endpoint, Channel channel, Direction direction) {
  return endpoint.channel == Channel::none || (endpoint.channel == channel && endpoint.direction == direction);
}

// Both ends are open as soon as both have asked for it.
void open_both(Endpoint& one, Endpoint& other) {
  if (!one.opening || !other.opening) return;
  one.opening = other.opening = false;
  one.open = other.open = true;
}

// The registry is held.
Status connect(Channel channel, Index from, Index to) {
  const BothLocks locks(from, to);
  Endpoint& sender = segment().endpoint(from);
  Endpoint& receiver = segment().endpoint(to);
  if (sender.closed || receiver.closed) return Status::chan_closepending;
  if (is_grouped() && sender.connected && sender.peer == to) return Status::success;  // open_again() did it
  if (sender.connected || receiver.connected) return Status::chan_connected;
  if (sender.memory_type != receiver.memory_type || sender.priority != receiver.priority)
    return Status::attr_incompatible;
  if (!may_join(sender, channel, Direction::send) || !may_join(receiver, channel, Direction::receive))
    return Status::general;
  sender.channel = receiver.channel = channel;
  sender.direction = Direction::send;
  receiver.direction = Direction::receive;
  sender.peer = to;
  receiver.peer = from;
  sender.connected = receiver.connected = true;
  open_both(sender, receiver);
  return Status::success;
}

// A request that is complete when the call returns.
Status make_complete(Node& node, Asked asked, RequestHandle* request, const void* caller) {
  const std::lock_guard lock(node.mutex);
  Request* made = node.make(asked, *request);
  if (made == nullptr) return Status::request_limit;
  made->caller = caller;
  made->complete(Status::success);
  made->told = true;
  return Status::success;
}

void drop_request(Node& node, RequestHandle handle) {
  const std::lock_guard lock(node.mutex);
  if (Request* request = node.find(handle)) node.release(*request);
}

}  // namespace

Status connect_i(Channel channel, Handle from, Handle to, RequestHandle* request, const void* caller) {
  Node* node = here();
  if (node == nullptr) return Status::node_notinit;
  if (request == nullptr) return Status::parameter;
  if (from == to) return Status::endp_invalid;
  if (const Status bad = make_complete(*node, Asked::connect, request, caller); bad != Status::success) return bad;
  const auto act = [&] {
    const Index sender = find_endpoint(from);
    const Index receiver = find_endpoint(to);
    if (sender == none || receiver == none) return Status::endp_invalid;
    const Lock registry = lock_registry();
    const bool live = is_live(segment().endpoint(sender), from) && is_live(segment().endpoint(receiver), to);
    return live ? connect(channel, sender, receiver) : Status::endp_invalid;
  };
  const auto act_if_present = [&] {
    if (is_grouped() && (is_absent(id_of(from)) || is_absent(id_of(to)))) return Status::success;
    return act();
  };
  const Status status = settle(Kind::mcapi_channel, act_if_present, [] {});
  if (status != Status::success) drop_request(*node, *request);
  if (status == Status::success) segment().signal_all_nodes();
  return status;
}

namespace {

// Without the other end: it is open at once.
void pretend_open(Channel channel, Direction direction, Index index) {
  Endpoint& endpoint = segment().endpoint(index);
  const Lock registry = lock_registry();
  const Lock lock = lock_endpoint(endpoint);
  endpoint.channel = channel;
  endpoint.direction = direction;
  endpoint.connected = endpoint.open = true;
}

// The registry is held.
Status open(Channel channel, Direction direction, Index index) {
  Endpoint& endpoint = segment().endpoint(index);
  if (endpoint.channel != Channel::none && endpoint.channel != channel) return Status::chan_type;
  if (endpoint.direction != Direction::none && endpoint.direction != direction) return Status::chan_direction;
  if (endpoint.open) return Status::chan_open;
  if (endpoint.opening) return Status::chan_openpending;
  if (endpoint.closed) return Status::chan_closepending;
  if (endpoint.orphan) return Status::transmission;
  if (endpoint.connected) {
    const BothLocks locks(index, endpoint.peer);
    endpoint.opening = true;
    open_both(endpoint, segment().endpoint(endpoint.peer));
    return Status::success;
  }
  const Lock lock = lock_endpoint(endpoint);
  endpoint.channel = channel;
  endpoint.direction = direction;
  endpoint.opening = true;
  return Status::success;
}

}  // namespace

Status open_i(Channel channel, Direction direction, Handle* result, Handle handle, RequestHandle* request,
              const void* caller) {
  Node* node = here();
  if (node == nullptr) return Status::node_notinit;
  if (request == nullptr || result == nullptr) return Status::parameter;
  const Index index = find_own(*node, handle);
  if (index == none) return Status::endp_invalid;
  {
    const std::lock_guard lock(node->mutex);
    Request* made = node->make(Asked::open, *request);
    if (made == nullptr) return Status::request_limit;
    made->endpoint = index;
    made->handle = handle;
    made->result = result;
    made->caller = caller;
  }
  const auto act = [&] {
    const Lock registry = lock_registry();
    return is_live(segment().endpoint(index), handle) ? open(channel, direction, index) : Status::endp_invalid;
  };
  const Status status = settle(Kind::mcapi_channel, act, [&] { pretend_open(channel, direction, index); });
  if (status != Status::success) {
    drop_request(*node, *request);
    return status;
  }
  segment().signal_all_nodes();
  return pending();
}

namespace {

void disconnect(Endpoint& endpoint) {
  endpoint.channel = Channel::none;
  endpoint.direction = Direction::none;
  endpoint.peer = none;
  endpoint.connected = endpoint.opening = endpoint.open = endpoint.closed = endpoint.orphan = false;
}

// The registry is held.
Status close(Index index) {
  Endpoint& endpoint = segment().endpoint(index);
  if (!endpoint.open) return Status::chan_notopen;
  if (endpoint.peer == none) {  // replay in groups: the other end does not run
    const Lock lock = lock_endpoint(endpoint);
    disconnect(endpoint);
    return Status::success;
  }
  const BothLocks locks(index, endpoint.peer);
  Endpoint& peer = segment().endpoint(endpoint.peer);
  if (endpoint.direction == Direction::receive) drop_queue(endpoint);
  if (endpoint.orphan || peer.closed) {
    if (!endpoint.orphan) disconnect(peer);
    disconnect(endpoint);
  } else {
    endpoint.open = false;
    endpoint.closed = true;
  }
  return Status::success;
}

// The end of a channel that this handle means.
Status find_end(const Node& node, Channel channel, Direction direction, Handle handle, Index& index) {
  index = find_own(node, handle);
  if (index == none) return Status::chan_invalid;
  const Endpoint& endpoint = segment().endpoint(index);
  if (endpoint.channel == Channel::none) return Status::chan_invalid;
  if (endpoint.channel != channel) return Status::chan_type;
  if (endpoint.direction != direction) return Status::chan_direction;
  return Status::success;
}

// The same for sending and receiving, which know one status only.
Status find_open_end(const Node& node, Channel channel, Direction direction, Handle handle, Index& index) {
  const Status status = find_end(node, channel, direction, handle, index);
  return status == Status::success && segment().endpoint(index).open ? Status::success : Status::chan_invalid;
}

}  // namespace

Status close_i(Channel channel, Direction direction, Handle handle, RequestHandle* request, const void* caller) {
  Node* node = here();
  if (node == nullptr) return Status::node_notinit;
  if (request == nullptr) return Status::parameter;
  Index index = none;
  if (const Status bad = find_end(*node, channel, direction, handle, index); bad != Status::success) return bad;
  if (const Status bad = make_complete(*node, Asked::close, request, caller); bad != Status::success) return bad;
  const auto act = [&] {
    const std::lock_guard lock(node->mutex);
    const Lock registry = lock_registry();
    return close(index);
  };
  const Status status = settle(Kind::mcapi_channel, act, [&] {
    const Lock registry = lock_registry();
    const Lock lock = lock_endpoint(segment().endpoint(index));
    disconnect(segment().endpoint(index));
  });
  if (status != Status::success) drop_request(*node, *request);
  segment().signal_all_nodes();
  return status;
}

bool open_again(Node& node, Index index, Handle peer) {
  Endpoint& endpoint = segment().endpoint(index);
  const Channel channel = endpoint.channel;
  const Direction direction = endpoint.direction;
  if (is_absent(id_of(peer))) {
    pretend_open(channel, direction, index);
    return true;
  }
  wait_for(node, node.event(), Deadline(forever), [&] { return endpoint.connected || find_endpoint(peer) != none; });
  const Index other = find_endpoint(peer);
  {
    const Lock registry = lock_registry();
    if (!endpoint.connected && other != none && is_live(segment().endpoint(other), peer))
      connect(channel, direction == Direction::send ? index : other, direction == Direction::send ? other : index);
  }
  segment().signal_all_nodes();
  return false;
}

// ---- sending ----

namespace {

Status find_way(const Node& node, Channel channel, Handle handle, Parcel& parcel, std::uint32_t& timeout_ms) {
  Index index = none;
  const Status status = find_open_end(node, channel, Direction::send, handle, index);
  if (status != Status::success) return status;
  const Endpoint& endpoint = segment().endpoint(index);
  timeout_ms = endpoint.timeout;
  parcel.from = index;
  parcel.channel = channel;
  const Index peer = endpoint.peer;
  parcel.to = peer == none ? 0 : segment().endpoint(peer).handle.load();
  return Status::success;
}

}  // namespace

Status send_packet(Handle handle, const void* bytes, std::size_t size) {
  Node* node = here();
  if (node == nullptr) return Status::node_notinit;
  if (bytes == nullptr && size > 0) return Status::parameter;
  if (size > message_bytes_max) return Status::pkt_size;
  Parcel parcel{0, bytes, size, 0, Channel::packet, none};
  std::uint32_t timeout_ms = forever;
  if (const Status bad = find_way(*node, Channel::packet, handle, parcel, timeout_ms); bad != Status::success)
    return bad;
  return deliver(*node, parcel, Deadline(timeout_ms), Status::timeout);
}

Status send_packet_i(Handle handle, const void* bytes, std::size_t size, RequestHandle* request, const void* caller) {
  Node* node = here();
  if (node == nullptr) return Status::node_notinit;
  if (request == nullptr || (bytes == nullptr && size > 0)) return Status::parameter;
  if (size > message_bytes_max) return Status::pkt_size;
  Parcel parcel{0, bytes, size, 0, Channel::packet, none};
  std::uint32_t timeout_ms = forever;
  if (const Status bad = find_way(*node, Channel::packet, handle, parcel, timeout_ms); bad != Status::success)
    return bad;
  return deliver_i(*node, parcel, request, caller);
}

Status send_scalar(Handle handle, std::uint64_t value, std::size_t width) {
  Node* node = here();
  if (node == nullptr) return Status::node_notinit;
  Parcel parcel{0, &value, width, 0, Channel::scalar, none};
  std::uint32_t timeout_ms = forever;
  if (const Status bad = find_way(*node, Channel::scalar, handle, parcel, timeout_ms); bad != Status::success)
    return bad;
  return deliver(*node, parcel, Deadline(timeout_ms), Status::timeout);
}

// ---- receiving ----

Status receive_packet(Handle handle, void** buffer, std::size_t* received) {
  Node* node = here();
  if (node == nullptr) return Status::node_notinit;
  if (buffer == nullptr || received == nullptr) return Status::parameter;
  Index index = none;
  if (const Status bad = find_open_end(*node, Channel::packet, Direction::receive, handle, index);
      bad != Status::success)
    return bad;
  Request request{.asked = Asked::packet, .used = true, .endpoint = index, .handle = handle, .packet = buffer};
  const Passage passage(Kind::mcapi_recv, expected_of(request));
  const Status status = receive_now(*node, request, segment().endpoint(index).timeout, passage);
  *received = request.size;
  return status;
}

Status receive_packet_i(Handle handle, void** buffer, RequestHandle* request, const void* caller) {
  Node* node = here();
  if (node == nullptr) return Status::node_notinit;
  if (buffer == nullptr || request == nullptr) return Status::parameter;
  Index index = none;
  if (const Status bad = find_open_end(*node, Channel::packet, Direction::receive, handle, index);
      bad != Status::success)
    return bad;
  const std::lock_guard lock(node->mutex);
  Request* made = node->make(Asked::packet, *request);
  if (made == nullptr) return Status::request_limit;
  made->endpoint = index;
  made->handle = handle;
  made->packet = buffer;
  made->caller = caller;
  if (!is_replayed()) post(*node, *made);
  return pending();
}

Status channel_available(Channel channel, Handle handle, std::uint32_t& count) {
  Node* node = here();
  if (node == nullptr) return Status::node_notinit;
  Index index = none;
  if (const Status bad = find_open_end(*node, channel, Direction::receive, handle, index); bad != Status::success)
    return bad;
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

Status release_packet(void* buffer) {
  Node* node = here();
  if (node == nullptr) return Status::node_notinit;
  const std::lock_guard lock(node->mutex);
  if (node->buffers.erase(buffer) == 0) return Status::buf_invalid;
  std::free(buffer);
  return Status::success;
}

bool is_released(const void* buffer, Status& status) {
  Node* node = here();
  status = node == nullptr ? Status::node_notinit : Status::parameter;
  if (node == nullptr || buffer == nullptr) return false;
  const std::lock_guard lock(node->mutex);
  const bool released = !node->buffers.contains(const_cast<void*>(buffer));
  status = released ? Status::success : Status::pending;
  return released;
}

namespace {

// One attempt to take a scalar; nothing when there is none yet.
bool take_scalar(Node& node, Index index, Handle handle, std::uint64_t& value, std::size_t width, Status& status) {
  Endpoint& endpoint = segment().endpoint(index);
  const bool peer_closed = endpoint.peer != none && segment().endpoint(endpoint.peer).closed;
  const std::lock_guard lock(node.mutex);
  {
    const Taking taking(segment().node(node.slot));
    std::uint32_t priority = 0;
    const Index message = is_live(endpoint, handle) ? front(endpoint, priority) : none;
    if (message == none) {
      status = Status::transmission;
      return !is_live(endpoint, handle) || !endpoint.open || endpoint.orphan || peer_closed;
    }
    status = segment().block(message).size == width ? Status::success : Status::general;
    if (status != Status::success) return true;  // it stays, to be received with its own width
    value = 0;
    read(message, &value, width);
    remove_front(endpoint, priority);
  }
  make_room_known(node, index);
  return true;
}

}  // namespace

Status receive_scalar(Handle handle, std::uint64_t& value, std::size_t width) {
  Node* node = here();
  if (node == nullptr) return Status::node_notinit;
  Index index = none;
  if (const Status bad = find_open_end(*node, Channel::scalar, Direction::receive, handle, index);
      bad != Status::success)
    return bad;
  const std::uint32_t timeout_ms = segment().endpoint(index).timeout;
  const Passage passage(Kind::mcapi_recv, number_of(Status::success));
  if (passage.is_known() && passage.number() != number_of(Status::success)) return status_of(passage.number());
  std::string bytes;
  const bool is_from_outside = is_grouped() && give_from_outside(bytes) && segment().endpoint(index).peer == none;
  if (is_from_outside || give_contents(bytes)) {
    value = 0;
    std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof value));
    return Status::success;
  }
  Status status = Status::timeout;
  const bool done = wait_for(*node, node->event(), Deadline(passage.is_known() ? forever : timeout_ms),
                             [&] { return take_scalar(*node, index, handle, value, width, status); });
  if (!done) status = Status::timeout;
  if (node->ended.load()) status = Status::node_notinit;
  passage.keep(number_of(status));
  if (status == Status::success) keep_contents(&value, width, id_of(peer_of(segment().endpoint(index))));
  return status;
}

}  // namespace reprise::mcapi
