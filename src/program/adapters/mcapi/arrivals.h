// Techniques beyond the order per receiver: the program-wide order of retrievals (sender), and contents (data).
//
// Threads   Any.
#pragma once

#include "program/adapters/mcapi/node.h"

namespace reprise::mcapi {

// Sender: a message was retrieved. On replay, waits until it is this one's turn, and says when it was taken.
void retrieved();
void await_retrieval();
void retrieved_again();

// Data: what was received is kept, and on replay taken from the recording.
void keep_contents(const Request& request);
bool give_contents(Request& request);

}  // namespace reprise::mcapi
