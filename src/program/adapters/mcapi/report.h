// What a node leaves unfinished: said on standard error when it finalizes.
#pragma once

#include "program/adapters/mcapi/node.h"

namespace reprise::mcapi {

// The node's mutex is held.
void report(const Node& node);

}  // namespace reprise::mcapi
