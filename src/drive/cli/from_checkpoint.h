// reprise replay --from-checkpoint: the part of the command that goes on from a checkpoint.
#pragma once

#include <optional>

#include "drive/cli/arguments.h"
#include "drive/cli/console.h"
#include "drive/replay_run.h"
#include "recording/folder.h"

namespace reprise::drive::cli {

// The exit code; nothing where no checkpoint was ever made, so that the recording goes from its start.
std::optional<int> run_from_checkpoint(const recording::Folder& folder, const Arguments& arguments,
                                       const ReplayOptions& options, Console& console);

}  // namespace reprise::drive::cli
