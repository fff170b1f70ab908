// The recording a command is about: the one that was named, or the latest.
#pragma once

#include "drive/cli/arguments.h"
#include "recording/folder.h"

namespace reprise::drive::cli {

// Errors: those of find_folder and latest_folder.
inline Result<recording::Folder> select(const Arguments& arguments) {
  if (arguments.names.empty()) return recording::latest_folder(recording::home());
  return recording::find_folder(recording::home(), arguments.names.front());
}

}  // namespace reprise::drive::cli
