// The only file that includes CLI11: it costs eleven seconds of compilation.
#include "drive/cli/arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "drive/cli/commands.h"

namespace reprise::drive::cli {
namespace {

CLI::Validator one_of(const std::string& choices) {
  return CLI::Validator(
      [choices](std::string& text) {
        const std::string fenced = "|" + choices + "|";
        const bool known = !text.empty() && fenced.find("|" + text + "|") != std::string::npos;
        return known ? std::string() : "must be " + choices + ", not " + text;
      },
      "");
}

CLI::Validator at_least(double min) {
  return CLI::Validator(
      [min](std::string& text) {
        char* end = nullptr;
        const double number = std::strtod(text.c_str(), &end);
        if (end == text.c_str() || !(number >= min))
          return fmt::format("must be a number of at least {}, not {}", min, text);
        return std::string();
      },
      "");
}

CLI::Option* add_flag(CLI::App& app, const Flag& flag, Arguments& arguments) {
  return std::visit(
      [&](auto member) -> CLI::Option* {
        using Value = std::remove_reference_t<decltype(arguments.*member)>;
        if constexpr (std::is_same_v<Value, bool>) {
          return app.add_flag(flag.names, arguments.*member, flag.help);
        } else {
          CLI::Option* option = app.add_option(flag.names, arguments.*member, flag.help);
          option->type_name(flag.value);
          if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
            option->expected(1)->take_all();
          } else if constexpr (!std::is_same_v<Value, std::string>) {
            option->check(at_least(flag.min));
          }
          return option;
        }
      },
      flag.target);
}

void describe(CLI::App& app, const Command& command, Arguments& arguments) {
  app.name(fmt::format("reprise {}", command.name));
  app.set_help_flag("-h,--help", "Print this help");
  app.footer(fmt::format("{}Example:\n  {}", *command.note != '\0' ? std::string(command.note) + "\n\n" : "",
                         command.example));
  for (const Flag& flag : command.flags) {
    CLI::Option* option = add_flag(app, flag, arguments);
    if (*flag.choices != '\0') option->check(one_of(flag.choices));
    if (flag.hidden) option->group("");
  }
  if (command.names_max > 0) {
    app.add_option(command.names_name, arguments.names, command.names_help)
        ->type_name("")
        ->expected(0, command.names_max);
  }
}

// May `word`, which follows a flag that may stand alone, be its value? A recording's name is none where a number is.
bool is_value_of(const Flag& flag, const std::string& word) {
  if (word.starts_with('-')) return false;
  const bool wants_number = std::string_view(flag.value).starts_with("K|");
  return !wants_number || word == flag.alone || word.find_first_not_of("0123456789") == std::string::npos;
}

// A flag that may stand alone gets its value where none follows.
std::vector<std::string> with_values(const Command& command, const std::vector<std::string>& words) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < words.size(); ++i) {
    result.push_back(words[i]);
    for (const Flag& flag : command.flags) {
      if (flag.alone == nullptr || words[i] != flag.names) continue;
      if (i + 1 == words.size() || !is_value_of(flag, words[i + 1])) result.emplace_back(flag.alone);
    }
  }
  return result;
}

std::string usage_line(const Command& command) {
  return fmt::format("usage: reprise {}{}{}", command.name, *command.usage != '\0' ? " " : "", command.usage);
}

std::string first_line(std::string text) {
  text = text.substr(0, text.find('\n'));
  while (!text.empty() && (text.back() == '.' || text.back() == ' ')) text.pop_back();
  return text;
}

Result<Arguments> checked(const Command& command, const Split& split, Arguments arguments) {
  const auto wrong = [&](std::string what) {
    return fail(ErrorCode::usage, fmt::format("{}: {}; {}", command.name, what, usage_line(command)));
  };
  const bool takes_program = command.program == Program::needed || !arguments.sequences.empty();
  if (takes_program) {
    const bool is_mixed = command.program == Program::with_sequence && !arguments.names.empty();
    if (is_mixed) return wrong(fmt::format("give a recording ({}) or --sequence, not both", arguments.names.front()));
    if (!arguments.names.empty()) return wrong(fmt::format("put -- before the program ({})", arguments.names.front()));
    if (split.program.empty() && arguments.procfile.empty()) return wrong("no program was given after --");
    if (!split.program.empty() && !arguments.procfile.empty()) return wrong("give a program or -f FILE, not both");
    arguments.program = split.program;
  } else if (split.has_separator) {
    return wrong("nothing may follow --");
  } else if (command.program == Program::with_sequence && !arguments.procfile.empty()) {
    return wrong("-f FILE needs --sequence");
  }
  const auto names = static_cast<int>(arguments.names.size());
  if (names < command.names_min && !arguments.all) return wrong("an argument is missing");
  if (!takes_program && names > command.names_max) return wrong("too many arguments");
  return arguments;
}

}  // namespace

Split split_at_separator(std::span<const std::string> words) {
  Split split;
  const auto separator = std::find(words.begin(), words.end(), "--");
  split.own.assign(words.begin(), separator);
  split.has_separator = separator != words.end();
  if (split.has_separator) split.program.assign(separator + 1, words.end());
  return split;
}

Result<Arguments> parse(const Command& command, std::span<const std::string> words) {
  Split split = split_at_separator(words);
  Arguments arguments;
  CLI::App app(command.summary);
  describe(app, command, arguments);
  if (command.program == Program::needed) app.add_option("program", arguments.names)->group("");
  try {
    split.own = with_values(command, split.own);
    std::reverse(split.own.begin(), split.own.end());  // as the library wants them
    app.parse(split.own);
  } catch (const CLI::CallForHelp&) {
    arguments.help = help_text(command);
    return arguments;
  } catch (const CLI::ParseError& error) {
    return fail(ErrorCode::usage,
                fmt::format("{}: {}; {}", command.name, first_line(error.what()), usage_line(command)));
  }
  return checked(command, split, std::move(arguments));
}

std::string help_text(const Command& command) {
  Arguments unused;
  CLI::App app(command.summary);
  describe(app, command, unused);
  std::string text = app.help();
  const std::size_t start = text.find("Usage: ");
  if (start != std::string::npos) {
    const std::size_t end = text.find('\n', start);
    text.replace(start, end - start, "U" + usage_line(command).substr(1));
  }
  return text;
}

}  // namespace reprise::drive::cli
