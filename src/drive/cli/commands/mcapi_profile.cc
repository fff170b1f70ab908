// reprise mcapi-profile --include DIR --lib FILE - prepares the recording of programs with another MCAPI library.
#include <fmt/format.h>

#include "drive/cli/commands.h"
#include "drive/profile.h"

namespace reprise::drive::cli {

int run_mcapi_profile(const Arguments& arguments, Console& console) {
  if (arguments.include_folder.empty() || arguments.library.empty())
    return console.fail({ErrorCode::usage, "mcapi-profile needs --include DIR and --lib FILE"});
  const std::string output = arguments.output.empty() ? "mcapi-profile.so" : arguments.output;
  auto made = make_profile(arguments.include_folder, arguments.library, output);
  if (!made) return console.fail(made.error());
  if (arguments.json) {
    console.print_json(Json::object({{"file", output}}));
  } else {
    console.note(fmt::format("made {}", output));
    console.next(fmt::format("reprise record --mcapi {} -- PROGRAM", output));
  }
  return done;
}

}  // namespace reprise::drive::cli
