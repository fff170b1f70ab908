// reprise version - the tool's version and the formats it reads.
#include "drive/version.h"

#include <fmt/format.h>

#include "drive/cli/commands.h"
#include "recording/live.h"

namespace reprise::drive::cli {

int run_version(const Arguments& arguments, Console& console) {
  if (arguments.json) {
    console.print_json(Json::object({{"version", version}, {"format", recording::format_version}}));
  } else {
    console.print(fmt::format("reprise {} (recording format {})", version, recording::format_version));
  }
  return done;
}

}  // namespace reprise::drive::cli
