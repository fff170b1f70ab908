// What a command was asked to do, as plain data; which flags exist for it stands in the table of commands.cc.
//
//   auto arguments = parse(*find_command("record"), {"-o", "run", "--", "./program"});
//   if (!arguments) return console.fail(arguments.error());
//
// The first `--` separates what is ours from the program's command line; it is cut here, before any library sees it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace reprise::drive::cli {

struct Command;

struct Arguments {
  std::vector<std::string> names;    // recordings; commands for `help`; a shell for `completion`
  std::vector<std::string> program;  // what stands after --
  std::string help;                  // not empty: print it and do nothing else

  bool json{false};
  bool quiet{false};
  bool full{false};
  bool force{false};
  bool trace{false};
  bool image{false};
  bool no_image{false};
  bool gate_off{false};
  bool repair{false};
  bool all{false};
  bool interleaved{false};
  std::string output;
  std::string process;
  std::string level;
  std::string technique;
  std::string mcapi;
  std::string include_folder;
  std::string library;
  std::string grep;
  std::string favour;
  std::string then;
  std::string program_path;
  std::string thread;
  std::string object;
  std::string kind;
  std::string only;
  std::string delay;
  std::string procfile;
  std::string form;
  std::string numbering;
  std::vector<std::string> start_ids;
  std::vector<std::string> sequences;
  std::string files;
  std::string inputs;
  std::optional<std::uint64_t> search;
  std::optional<double> inactivity_s;
  std::string style;
  std::string checkpoint;
  std::string from_checkpoint;
  std::optional<std::uint64_t> keep_checkpoints;
  std::vector<std::string> services;
  std::vector<std::string> groups;
  std::string exceptions;
  std::optional<double> timeout_s;
  std::optional<double> stall_after_s;
  std::optional<std::uint64_t> chaos;
  std::optional<std::uint64_t> until_failure;
  std::optional<std::uint64_t> times;
  std::optional<std::uint64_t> limit;
};

using Destination = std::variant<bool Arguments::*, std::string Arguments::*, std::vector<std::string> Arguments::*,
                                 std::optional<double> Arguments::*, std::optional<std::uint64_t> Arguments::*>;

struct Flag {
  const char* names;  // "-o,--output"
  const char* value;  // how the value is called in the help; empty for a switch
  const char* help;
  Destination target;
  const char* choices{""};     // "first|last": the only values allowed
  double min{0};               // numbers must be above or at it
  bool hidden{false};          // an instrument of the tests
  const char* alone{nullptr};  // its value where none follows it
};

// Splits at the first `--`. `has_separator` tells `record ./program` from `record --`.
struct Split {
  std::vector<std::string> own;
  std::vector<std::string> program;
  bool has_separator{false};
};
Split split_at_separator(std::span<const std::string> words);

// Errors: usage (one line: what is wrong and how it would be right).
Result<Arguments> parse(const Command& command, std::span<const std::string> words);

// The help of one command.
std::string help_text(const Command& command);

}  // namespace reprise::drive::cli
