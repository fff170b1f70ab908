// What a node leaves unfinished: said on standard error when it finalizes, or when a call of it waits for too long.
//
// Cost   Nothing until then: where a call was made is read from the stack of the thread that waits.
#pragma once

#include <string>

#include "program/adapters/mcapi/node.h"

namespace reprise::mcapi {

// The node's mutex is held.
void report(const Node& node);

// What the calling thread waits in: "mcapi_msg_recv of program.c:57". Called from inside that call.
std::string call_here();

}  // namespace reprise::mcapi
