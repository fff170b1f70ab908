// A copy of the process that stands at a checkpoint: what it lets go of, and how it waits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "recording/checkpoint.h"

namespace reprise::session {

// Makes a copy of this process that is nobody's child: not of this process, which may wait for its children, and whose
// signals it would disturb. Returns 0 in the copy, its number here, and -1 when there is none.
int fork_orphan();

// Sockets, pipes and what is written to are closed; their numbers stay taken. What is read from is opened again: its
// position is this process's own.
void let_files_go();

// Stands until it is woken; the copy of the copy that is to go on returns with what it was asked, everything else never
// returns. `folder` is the recording's.
recording::WakeRequest stand(const std::string& folder, std::uint64_t number);

}  // namespace reprise::session
