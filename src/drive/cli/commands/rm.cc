// reprise rm NAME... - removes recordings, and nothing that is not one.
#include <fmt/format.h>

#include "analyse/text.h"
#include "drive/cli/commands.h"
#include "recording/checkpoint.h"
#include "recording/folder.h"

namespace reprise::drive::cli {

int run_rm(const Arguments& arguments, Console& console) {
  if (arguments.all && !arguments.names.empty()) {
    return console.fail(
        {ErrorCode::usage, "rm: names and --all do not go together; usage: reprise rm NAME... | --all"});
  }
  std::vector<recording::Folder> folders;
  if (arguments.all) {
    auto all = recording::list_folders(recording::home());
    if (!all) return console.fail(all.error());
    folders = std::move(*all);
  }
  // All are looked up before any is removed: a slip of the pen removes nothing.
  for (const std::string& name : arguments.names) {
    auto folder = recording::find_folder(recording::home(), name);
    if (!folder) return console.fail(folder.error(), "reprise ls");
    folders.push_back(std::move(*folder));
  }
  for (const recording::Folder& folder : folders) {
    for (const recording::CheckpointEntry& entry : recording::list_checkpoints(folder.path))
      recording::end_checkpoint(folder.path, entry);
    if (auto removed = recording::remove_folder(folder); !removed) return console.fail(removed.error());
  }
  console.note(fmt::format("removed {}", analyse::counted(folders.size(), "recording")));
  return done;
}

}  // namespace reprise::drive::cli
