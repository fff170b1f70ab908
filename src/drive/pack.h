// A recording as one movable file, and back. Layout: format/recording.md, "packed recording".
//
//   pack(folder, "run.reprise-pack");            auto folder = unpack("run.reprise-pack", home(), "run");
//
// Trust     A pack is input: names are checked before they become paths, lengths before they are used, every file's
// checksum before the
//           recording gets its name. What is not whole leaves nothing behind.
// Cost      One file at a time is mapped.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.h"
#include "recording/folder.h"

namespace reprise::drive {

// Errors: io, damaged (a file in the folder that no recording has).
Result<void> pack(const recording::Folder& folder, const std::filesystem::path& to);

// Makes home/NAME.reprise; an empty `name` takes the packed one. Errors: not_found, not_a_recording,
// version_unsupported, damaged, usage (the name is taken), io.
Result<recording::Folder> unpack(const std::filesystem::path& from, const std::filesystem::path& home,
                                 std::string_view name);

}  // namespace reprise::drive
