#include "program/adapters/mcapi/sending.h"

#include <optional>

#include "program/adapters/mcapi/arrivals.h"
#include "program/adapters/mcapi/completion.h"
#include "program/adapters/mcapi/endpoints.h"
#include "program/adapters/mcapi/messages.h"
#include "program/adapters/mcapi/passage.h"
#include "program/adapters/mcapi/queue.h"
#include "program/adapters/mcapi/segment.h"

namespace reprise::mcapi {
namespace {

// May this parcel go to this endpoint? Its lock is held.
Status check_target(const Endpoint& endpoint, const Parcel& parcel) {
  if (endpoint.handle.load() != parcel.to || endpoint.state.load() == State::unused)
    return parcel.channel == Channel::none ? Status::endp_invalid : Status::transmission;
  if (endpoint.state.load() == State::dead) return Status::transmission;
  if (parcel.channel == Channel::none)
    return endpoint.connected || endpoint.opening ? Status::general : Status::success;
  const bool is_ours = endpoint.connected && endpoint.peer == parcel.from && endpoint.channel == parcel.channel;
  return is_ours && !endpoint.closed ? Status::success : Status::transmission;
}

// One attempt. `passage` is told before the message can be seen. Nothing: there is no room.
std::optional<Status> attempt(const Node& node, const Parcel& parcel, const Passage& passage) {
  const Index index = find_endpoint(parcel.to);
  if (index == none) return parcel.channel == Channel::none ? Status::endp_invalid : Status::transmission;
  Endpoint& endpoint = segment().endpoint(index);
  if (endpoint.state.load() == State::live && segment().is_dead(segment().node(endpoint.node)))
    return Status::transmission;
  {
    const Lock lock = lock_endpoint(endpoint);
    if (const Status bad = check_target(endpoint, parcel); bad != Status::success) return bad;
    if (endpoint.count >= queue_max && !passage.is_known()) return std::nullopt;
    const Index message = fill(endpoint, {}, parcel.bytes, parcel.size);
    if (message == none) return std::nullopt;
    if (parcel.channel == Channel::none) segment().block(message).id = next_message(node.id, parcel.to);
    passage.keep(number_of(Status::success));
    append(endpoint, parcel.priority, message);
  }
  segment().node(endpoint.node).event.signal();
  return Status::success;
}

// Replay of a send that was recorded as done. Whoever is gone by now does not need the message.
Status deliver_again(Node& node, const Parcel& parcel, const Passage& passage) {
  if (parcel.channel == Channel::none) hold_back(node, parcel.to);
  for (;;) {
    const std::uint32_t seen = segment().header().room.prepare();
    const std::optional<Status> status = attempt(node, parcel, passage);
    if (status) {
      if (*status != Status::success && parcel.channel == Channel::none) next_message(node.id, parcel.to);
      return Status::success;
    }
    {
      // Those that send to this node may wait for room as well.
      const std::lock_guard lock(node.mutex);
      stash_all(node);
    }
    ask_for_room();
    segment().header().room.sleep(seen, std::chrono::milliseconds(2));
  }
}

Status pass(Node& node, const Parcel& parcel, const Deadline& deadline, Status late) {
  const Passage passage(Kind::mcapi_send, number_of(Status::success));
  if (passage.is_known()) {
    const Status recorded = status_of(passage.number());
    if (is_simulated()) return recorded;
    return recorded == Status::success ? deliver_again(node, parcel, passage) : recorded;
  }
  std::optional<Status> status = attempt(node, parcel, passage);
  if (!status) {
    wait_for(node, segment().header().room, deadline, [&] {
      status = attempt(node, parcel, passage);
      return status.has_value();
    });
  }
  const Status result = status.value_or(node.ended.load() ? Status::node_notinit : late);
  if (result != Status::success) passage.keep(number_of(result));
  return result;
}

}  // namespace

Status deliver(Node& node, const Parcel& parcel, const Deadline& deadline, Status late) {
  return pass(node, parcel, deadline, late);
}

Status deliver_i(Node& node, const Parcel& parcel, std::uint32_t* request, const void* caller) {
  Request* made = nullptr;
  {
    const std::lock_guard lock(node.mutex);
    made = node.make(Asked::send, *request);
    if (made == nullptr) return Status::request_limit;
    made->caller = caller;
  }
  const Status status = pass(node, parcel, Deadline(0), Status::mem_limit);
  const std::lock_guard lock(node.mutex);
  if (status != Status::success) {
    node.release(*made);
    return status;
  }
  made->complete(Status::success, parcel.size);
  made->told = true;
  return Status::success;
}

}  // namespace reprise::mcapi
