// reprise rm NAME... - removes recordings, and nothing that is not one.
#include <fmt/format.h>

#include "analyse/text.h"
#include "drive/cli/commands.h"
#include "drive/cli/select.h"
#include "recording/checkpoint.h"

namespace reprise::drive::cli {

int run_rm(const Arguments& arguments, Console& console) {
  if (arguments.all && !arguments.names.empty()) {
    return console.fail(
        {ErrorCode::usage, "rm: names and --all do not go together; usage: reprise rm NAME... | --all"});
  }
  const auto folders = select_several(arguments, arguments.all);
  if (!folders) return console.fail(folders.error(), "reprise ls");
  for (const recording::Folder& folder : *folders) {
    recording::end_checkpoints(folder.path);
    if (auto removed = recording::remove_folder(folder); !removed) return console.fail(removed.error());
  }
  console.note(fmt::format("removed {}", analyse::counted(folders->size(), "recording")));
  return done;
}

}  // namespace reprise::drive::cli
