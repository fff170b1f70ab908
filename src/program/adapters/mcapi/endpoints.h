// Finding endpoints by name.
#pragma once

#include "program/adapters/mcapi/node.h"

namespace reprise::mcapi {

// The index of the endpoint with this name, live or dead; none if there is none.
Index find_endpoint(Handle handle);

// The same for one that the node itself owns and that lives.
Index find_own(const Node& node, Handle handle);

bool is_live(const Endpoint& endpoint, Handle handle);

}  // namespace reprise::mcapi
