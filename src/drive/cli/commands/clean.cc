// reprise clean [NAME...] - ends the processes that stand at checkpoints, and removes what dead runs left behind.
#include <fmt/format.h>

#include "analyse/text.h"
#include "drive/cli/commands.h"
#include "drive/cli/select.h"
#include "drive/scratch.h"
#include "recording/checkpoint.h"

namespace reprise::drive::cli {
int run_clean(const Arguments& arguments, Console& console) {
  const auto folders = select_several(arguments, arguments.names.empty());
  if (!folders) return console.fail(folders.error(), "reprise ls");
  std::uint64_t ended = 0;
  for (const recording::Folder& folder : *folders) ended += recording::end_checkpoints(folder.path);
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
