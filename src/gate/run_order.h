// The order in which the processes of one run write to the same place: a counter per place, in a file of the run's
// folder that all of them map.
//
// Recording, a process holds the file's lock while it writes and so knows how many others wrote since it did;
// replaying, it waits until they have. Only what a launcher started has a run: elsewhere nothing is ordered and nothing
// costs.
#pragma once

#include <reprise/detail/place.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace reprise::gate::run_order {

// Maps the run's file in `folder`. Called at start, and again in a forked child, whose lock must be its own. Without a
// folder, or when it cannot be made, nothing is ordered. Not `waits`: the others are not there; what was recorded of
// them is passed over.
void join(const std::string& folder, bool waits = true);
bool is_joined() noexcept;

// The place of a file that is appended to. Not shared when there are too many or this process has it already.
Place place_of(std::string_view path);

// This process is done with it.
void give_back(Place& place);

// Recording: takes the lock of all places, and returns how many wrote here since this process did.
std::uint64_t enter(const Place& place);
// Replaying: waits until `others` have written here since this process did.
void await(const Place& place, std::uint64_t others);
// It is written: the next may come. `locked` after enter().
void leave(Place& place, bool locked);

}  // namespace reprise::gate::run_order
