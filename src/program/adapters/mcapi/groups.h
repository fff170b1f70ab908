// Groups of nodes (`record --group`): inside a group the order of messages is recorded, across groups their contents
// too, so that a group replays without the others.
//
//   if (comes_from_outside(sender)) keep(contents);           // recording
//   if (is_absent(id_of(handle))) return what_was_recorded;   // replay: that node does not run
//
// A group is named by nodes (0/4) or by processes. The nodes of a process go together. Whoever is in no group is one of
// its own.
//
// Threads   Any.
// Cost      Without groups: a load.
#pragma once

#include "program/adapters/mcapi/node.h"

namespace reprise::mcapi {

// Recording: are there groups ($REPRISE_GROUPS)?
bool has_groups();
// Recording: the group of a new node in this slot. The first node of a process decides for all.
std::uint32_t group_of(std::uint32_t id, Index slot, bool is_first_of_process);
// Recording in groups: is this node of another one?
bool comes_from_outside(std::uint32_t id);

// Replay of a group alone ($REPRISE_NODES): is this node none of those that run?
bool is_absent(std::uint32_t id);

}  // namespace reprise::mcapi
