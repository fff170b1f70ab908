// Where a command that makes a recording puts it: the name that was given, or the next free one.
#pragma once

#include <string>

#include "drive/cli/arguments.h"
#include "recording/folder.h"

namespace reprise::drive::cli {

// An empty folder, named as `-o` says or else BASE-1, BASE-2, ... One that is there is replaced with --force only.
// Errors: usage, io.
Result<recording::Folder> new_recording(const Arguments& arguments, const std::string& base);

}  // namespace reprise::drive::cli
