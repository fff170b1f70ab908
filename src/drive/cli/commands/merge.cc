// reprise merge NAME PART... - recordings of one run on several hosts become one.
#include "drive/merge.h"

#include <fmt/format.h>

#include "analyse/text.h"
#include "drive/cli/commands.h"
#include "recording/folder.h"

namespace reprise::drive::cli {

int run_merge(const Arguments& arguments, Console& console) {
  std::vector<recording::Folder> parts;
  for (std::size_t i = 1; i < arguments.names.size(); ++i) {
    auto part = recording::find_folder(recording::home(), arguments.names[i]);
    if (!part) return console.fail(part.error(), "reprise ls");
    parts.push_back(std::move(*part));
  }
  auto merged = merge(recording::home(), arguments.names.front(), parts);
  if (!merged) return console.fail(merged.error());
  for (const std::string& warning : merged->warnings) console.note(analyse::escape(warning));
  if (arguments.json) {
    Json processes = Json::array();
    for (const std::string& process : merged->processes) processes.push(process);
    console.print_json(Json::object({{"name", merged->folder.name()},
                                     {"folder", merged->folder.path.string()},
                                     {"processes", processes},
                                     {"routes", std::uint64_t{merged->routes}}}));
  } else {
    console.note(fmt::format("merged {} into {} ({}, {})", analyse::counted(parts.size(), "recording"),
                             merged->folder.name(), analyse::counted(merged->processes.size(), "process"),
                             analyse::counted(merged->routes, "connection")));
    console.next(fmt::format("reprise replay {}", merged->folder.name()));
  }
  return done;
}

}  // namespace reprise::drive::cli
