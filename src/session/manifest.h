// The manifest of a recording that is made without the launcher (REPRISE_RECORD=folder ./program).
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace reprise::session {

// Makes `folder` (mode 0700, must not exist) with a manifest of this process: command, directory, environment.
// Errors: io (what, why, what to do).
Result<void> make_folder(const std::filesystem::path& folder, const std::string& process);

}  // namespace reprise::session
