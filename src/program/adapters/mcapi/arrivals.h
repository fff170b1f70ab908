// Techniques beyond the order per receiver: the program-wide order of retrievals (sender), and contents (data).
//
// The technique is a property of a recording. It is told to the gate when a node begins, so a replay knows it.
//
// Threads   Any; what is known of the technique is the process's own.
#pragma once

#include "program/adapters/mcapi/node.h"

namespace reprise::mcapi {

enum class Technique : std::uint8_t { receiver, sender, data };

// A node begins: what is recorded from now on ($MCAPI_TECHNIQUE), or on replay what was.
void pass_technique();

// Replay of a recording with contents: messages and the endpoints of others come from it, and no other node is needed.
// Channels are used for real all the same.
bool is_simulated();

// Sender: a message was retrieved. On replay await_retrieval() waits until it is this one's turn, and
// retrieved_again() says that it was taken. Without the node's mutex, except retrieved().
void retrieved();
void await_retrieval(Node& node);
void retrieved_again();

// Data: what was received is kept. On replay it is taken from the recording; false: it is not there.
void keep_contents(const void* bytes, std::size_t size);
bool give_contents(std::string& bytes);

}  // namespace reprise::mcapi
