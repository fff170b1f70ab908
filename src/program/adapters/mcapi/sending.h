// How a message, a packet or a scalar gets into an endpoint's queue.
#pragma once

#include "program/adapters/mcapi/node.h"

namespace reprise::mcapi {

struct Parcel {
  Handle to;
  const void* bytes;
  std::size_t size;
  std::uint32_t priority;
  Channel channel;  // none: a message
  Index from;       // the sending end of the channel
};

// Blocks while there is no room; `late` is the status when the time is over.
Status deliver(Node& node, const Parcel& parcel, const Deadline& deadline, Status late);
// Does not block: mem_limit when there is no room. The request is complete at once.
Status deliver_i(Node& node, const Parcel& parcel, std::uint32_t* request, const void* caller);

}  // namespace reprise::mcapi
