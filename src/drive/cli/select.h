// The recordings a command is about: those that were named, the latest, or all.
#pragma once

#include <vector>

#include "drive/cli/arguments.h"
#include "recording/folder.h"

namespace reprise::drive::cli {

// Errors: those of find_folder and latest_folder.
inline Result<recording::Folder> select(const Arguments& arguments) {
  if (arguments.names.empty()) return recording::latest_folder(recording::home());
  return recording::find_folder(recording::home(), arguments.names.front());
}

// All of the home, or those that were named; all are looked up before anything is done with one.
// Errors: those of find_folder and list_folders.
inline Result<std::vector<recording::Folder>> select_several(const Arguments& arguments, bool all) {
  if (all) return recording::list_folders(recording::home());
  std::vector<recording::Folder> folders;
  for (const std::string& name : arguments.names) {
    auto folder = recording::find_folder(recording::home(), name);
    if (!folder) return tl::unexpected(folder.error());
    folders.push_back(*std::move(folder));
  }
  return folders;
}

}  // namespace reprise::drive::cli
