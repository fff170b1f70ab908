#include "program/adapters/mcapi/sending.h"

#include "program/adapters/mcapi/arrivals.h"
#include "program/adapters/mcapi/completion.h"
#include "program/adapters/mcapi/endpoints.h"
#include "program/adapters/mcapi/groups.h"
#include "program/adapters/mcapi/messages.h"
#include "program/adapters/mcapi/naming.h"
#include "program/adapters/mcapi/passage.h"
#include "program/adapters/mcapi/queue.h"
#include "program/adapters/mcapi/segment.h"

namespace reprise::mcapi {
namespace {

// Replay of a group alone: nobody is there to get it.
bool goes_outside(const Parcel& parcel) {
  return is_grouped() && ((parcel.channel != Channel::none && parcel.to == 0) || is_absent(id_of(parcel.to)));
}

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

constexpr Status no_room = Status::mem_limit;

// One attempt. `passage` is told before the message can be seen. With no_room, `room` is to be waited for.
Status attempt(const Node& node, const Parcel& parcel, const Passage& passage, Event*& room) {
  const Index index = find_endpoint(parcel.to);
  if (index == none) return parcel.channel == Channel::none ? Status::endp_invalid : Status::transmission;
  Endpoint& endpoint = segment().endpoint(index);
  if (endpoint.state.load() == State::live && segment().is_dead(segment().node(endpoint.node)))
    return Status::transmission;
  {
    const Lock lock = lock_endpoint(endpoint);
    if (const Status bad = check_target(endpoint, parcel); bad != Status::success) return bad;
    room = &segment().node(endpoint.node).room;
    if (!has_room(endpoint) && !passage.is_known()) return no_room;
    room = &segment().header().room;
    const Index message = fill(endpoint, parcel.channel, parcel.bytes, parcel.size);
    if (message == none) return no_room;
    if (parcel.channel == Channel::none) segment().block(message).id = next_message(node.id, parcel.to);
    passage.keep(number_of(Status::success));
    append(endpoint, parcel.priority, message);
  }
  fence_after_lock();
  Event& event = segment().node(endpoint.node).event;
  // A replay waits for one message; the others wake nobody.
  if (event.is_awaited() && (!passage.is_known() || parcel.channel != Channel::none || is_awaited(node, endpoint)))
    event.wake();
  return Status::success;
}

// Replay of a send that was recorded as done. Whoever is gone by now does not need the message.
Status deliver_again(Node& node, const Parcel& parcel, const Passage& passage) {
  if (parcel.channel == Channel::none) hold_back(node, parcel.to);
  std::uint32_t seen = 0;
  for (bool waits = false;; waits = true) {
    if (waits) seen = segment().header().room.prepare();  // whoever takes a message wakes who waits: only if need be
    Event* room = nullptr;
    const Status status = attempt(node, parcel, passage, room);
    if (status != no_room) {
      if (status != Status::success && parcel.channel == Channel::none) next_message(node.id, parcel.to);
      return Status::success;
    }
    {
      // Those that send to this node may wait for room as well.
      const std::lock_guard lock(node.mutex);
      stash_all(node);
    }
    ask_for_room();
    if (waits) segment().header().room.sleep(seen, std::chrono::milliseconds(2));
  }
}

Status pass(Node& node, const Parcel& parcel, const Deadline& deadline, Status late) {
  Passage passage(Kind::mcapi_send, number_of(Status::success), Passage::Waits::seldom);
  if (passage.is_known()) {
    const Status recorded = status_of(passage.number());
    if (is_simulated() || goes_outside(parcel)) return recorded;
    return recorded == Status::success ? deliver_again(node, parcel, passage) : recorded;
  }
  Event* room = nullptr;
  Status status = attempt(node, parcel, passage, room);
  if (status == Status::success) return status;
  passage.about_to_wait();
  while (status == no_room && !node.ended.load()) {
    Event* const awaited = room;
    const bool over = !wait_for(node, *awaited, deadline, [&] {
      status = attempt(node, parcel, passage, room);
      return status != no_room || room != awaited;
    });
    if (over) break;
  }
  const Status result = status != no_room ? status : node.ended.load() ? Status::node_notinit : late;
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
