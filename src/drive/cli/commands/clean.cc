// reprise clean [NAME...] - ends the processes that stand at checkpoints, and removes what dead runs left behind.
#include <fmt/format.h>

#include "analyse/text.h"
#include "drive/cli/commands.h"
#include "drive/scratch.h"
#include "recording/checkpoint.h"
#include "recording/folder.h"

namespace reprise::drive::cli {
namespace {

// Whoever still makes its copy finds no entry, and does not stand.
std::uint64_t end_all(const recording::Folder& folder) {
  std::uint64_t ended = 0;
  for (const recording::CheckpointEntry& entry : recording::list_checkpoints(folder.path)) {
    if (recording::end_checkpoint(folder.path, entry)) ++ended;
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder.path / recording::checkpoints_folder, ignored);
  return ended;
}

}  // namespace

int run_clean(const Arguments& arguments, Console& console) {
  std::vector<recording::Folder> folders;
  if (arguments.names.empty()) {
    auto all = recording::list_folders(recording::home());
    if (!all) return console.fail(all.error());
    folders = std::move(*all);
  }
  for (const std::string& name : arguments.names) {
    auto folder = recording::find_folder(recording::home(), name);
    if (!folder) return console.fail(folder.error(), "reprise ls");
    folders.push_back(std::move(*folder));
  }
  std::uint64_t ended = 0;
  for (const recording::Folder& folder : folders) ended += end_all(folder);
  const std::uint64_t removed = remove_dead_scratch();
  if (arguments.json) {
    console.print_json(Json::object({{"checkpoints", ended}, {"folders", removed}}));
  } else {
    console.note(fmt::format("ended {}, removed {} of dead runs", analyse::counted(ended, "checkpoint"),
                             analyse::counted(removed, "folder")));
  }
  return done;
}

}  // namespace reprise::drive::cli
