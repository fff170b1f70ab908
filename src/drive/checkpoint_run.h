// Replays the rest of a recording from a checkpoint: wakes the process that stands there, watches it, compares.
//
//   auto chosen = choose_checkpoint(folder, "last", "");
//   if (chosen) auto report = replay_from(folder, *chosen, options, interrupts);
//
// Lifetime  The process that stands there stays: each replay is a copy of it. The copy is gone when this returns.
#pragma once

#include <string_view>

#include "drive/replay_run.h"
#include "recording/checkpoint.h"
#include "recording/folder.h"

namespace reprise::drive {

// `which`: a number, or `last`; `process`: of this one only, unless empty. Nothing: none was ever made, and the
// recording is replayed from its start. Errors: unsupported (refused, with the reason), not_found (it is gone; which
// there are).
Result<std::optional<recording::CheckpointEntry>> choose_checkpoint(const recording::Folder& folder,
                                                                    std::string_view which, std::string_view process);

// Errors: not_found (it ended meanwhile), io, those of Log::open.
Result<ReplayReport> replay_from(const recording::Folder& folder, const recording::CheckpointEntry& entry,
                                 const ReplayOptions& options, Interrupts& interrupts);

}  // namespace reprise::drive
