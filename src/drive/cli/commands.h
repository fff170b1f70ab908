// The commands of the tool: one row each, one file each (commands/NAME.cc).
//
//   if (const Command* command = find_command("info")) return command->run(arguments, console);
//
// A new command is a file in commands/, a declaration below and a row in commands.cc; help and completion follow from
// the row.
#pragma once

#include <span>
#include <string_view>

#include "drive/cli/arguments.h"
#include "drive/cli/console.h"

namespace reprise::drive::cli {

// Whether a program (or a file of programs) belongs to a command.
enum class Program { none, needed, with_sequence };

struct Command {
  const char* name;
  const char* summary;
  const char* usage;  // what follows the name: "[NAME] [options]"
  const char* example;
  const char* note;  // a paragraph of the help, or empty
  std::span<const Flag> flags;
  const char* names_name;  // how the positional arguments are called
  const char* names_help;
  int names_min;
  int names_max;
  Program program;
  int (*run)(const Arguments& arguments, Console& console);
};

std::span<const Command> commands();
const Command* find_command(std::string_view name);

// The whole tool: `words` without the program's name.
int run(std::span<const std::string> words, Console& console);

int run_record(const Arguments& arguments, Console& console);
int run_replay(const Arguments& arguments, Console& console);
int run_replay_sequence(const Arguments& arguments, Console& console);
int run_info(const Arguments& arguments, Console& console);
int run_show(const Arguments& arguments, Console& console);
int run_sequence(const Arguments& arguments, Console& console);
int run_test(const Arguments& arguments, Console& console);
int run_mcapi_profile(const Arguments& arguments, Console& console);
int run_verify(const Arguments& arguments, Console& console);
int run_ls(const Arguments& arguments, Console& console);
int run_rm(const Arguments& arguments, Console& console);
int run_clean(const Arguments& arguments, Console& console);
int run_diff(const Arguments& arguments, Console& console);
int run_pack(const Arguments& arguments, Console& console);
int run_unpack(const Arguments& arguments, Console& console);
int run_merge(const Arguments& arguments, Console& console);
int run_demo(const Arguments& arguments, Console& console);
int run_completion(const Arguments& arguments, Console& console);
int run_version(const Arguments& arguments, Console& console);
int run_help(const Arguments& arguments, Console& console);

}  // namespace reprise::drive::cli
