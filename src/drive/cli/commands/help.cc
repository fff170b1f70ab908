// reprise help [command] - what each command does.
#include <fmt/format.h>

#include "drive/cli/commands.h"

namespace reprise::drive::cli {

int run_help(const Arguments& arguments, Console& console) {
  if (!arguments.names.empty()) {
    const Command* command = find_command(arguments.names.front());
    if (command == nullptr) {
      return console.fail({ErrorCode::usage, fmt::format("there is no command {}", arguments.names.front())},
                          "reprise help");
    }
    console.print(help_text(*command));
    return done;
  }
  std::string text =
      "Record a concurrent program once; run that same execution again as often as you like.\n\nUsage: reprise COMMAND "
      "...\n\n";
  for (const Command& command : commands()) text += fmt::format("  {:<15}{}\n", command.name, command.summary);
  text +=
      "\nA first look:\n"
      "  reprise record -- ./program      reprise replay      reprise info\n\n"
      "Recordings lie in the working folder, or in REPRISE_HOME. Exit codes: 0 done, 1 a finding, 2 usage, 3 "
      "divergence,\n"
      "4 stalled, 5 bad or missing recording, 6 undecided, 7 unsupported, 125 reprise itself failed; record passes the "
      "program's "
      "code through.";
  console.print(text);
  return done;
}

}  // namespace reprise::drive::cli
