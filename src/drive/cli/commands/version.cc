// reprise version - the tool's version and the formats it reads.
#include <fmt/format.h>

#include "drive/cli/commands.h"
#include "recording/live.h"

namespace reprise::drive::cli {

#ifndef REPRISE_VERSION
#define REPRISE_VERSION "0.1.0"
#endif

int run_version(const Arguments& arguments, Console& console) {
  if (arguments.json) {
    console.print(Json::object({{"version", REPRISE_VERSION}, {"format", recording::format_version}}));
  } else {
    console.print(fmt::format("reprise {} (recording format {})", REPRISE_VERSION, recording::format_version));
  }
  return done;
}

}  // namespace reprise::drive::cli
