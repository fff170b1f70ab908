// reprise completion bash - a completion script, made from the table of commands.
#include <fmt/format.h>

#include <string>

#include "drive/cli/commands.h"

namespace reprise::drive::cli {
namespace {

// "-o,--output" -> "-o --output"
std::string words_of(const Flag& flag) {
  std::string words = flag.names;
  for (char& letter : words) {
    if (letter == ',') letter = ' ';
  }
  return words;
}

std::string flags_of(const Command& command) {
  std::string words = "--help";
  for (const Flag& flag : command.flags) {
    if (!flag.hidden) words += " " + words_of(flag);
  }
  return words;
}

// What may follow a flag: its choices, or files.
std::string values_of(const Command& command) {
  std::string cases;
  for (const Flag& flag : command.flags) {
    const std::string value = flag.value;
    std::string made;
    if (*flag.choices != '\0') made = fmt::format("-W \"{}\"", flag.choices);
    if (value == "FILE" || value == "PROCFILE" || value == "PATH" || value == "DIR") made = "-f";
    if (flag.hidden || made.empty()) continue;
    std::string patterns = fmt::format("{}:{}", command.name, flag.names);
    if (const std::size_t comma = patterns.find(','); comma != std::string::npos)
      patterns.replace(comma, 1, fmt::format("|{}:", command.name));
    for (char& letter : made) {
      if (letter == '|') letter = ' ';
    }
    cases += fmt::format("    {}) COMPREPLY=($(compgen {} -- \"$word\")); return ;;\n", patterns, made);
  }
  return cases;
}

constexpr const char* script_head = R"(# bash completion for reprise: source <(reprise completion bash)
_reprise() {
  local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} i
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "@COMMANDS@" -- "$word"))
    return
  fi
  for ((i = 2; i < COMP_CWORD; i++)); do
    if [[ ${COMP_WORDS[i]} == -- ]]; then
      if ((COMP_CWORD == i + 1)); then COMPREPLY=($(compgen -c -f -- "$word")); else COMPREPLY=($(compgen -f -- "$word")); fi
      return
    fi
  done
  case $command:${COMP_WORDS[COMP_CWORD-1]} in
@VALUES@  esac
  local flags=
  case $command in
)";

constexpr const char* script_tail = R"(  esac
  case $command in
    help) COMPREPLY=($(compgen -W "@COMMANDS@" -- "$word")); return ;;
    completion) COMPREPLY=($(compgen -W "bash" -- "$word")); return ;;
  esac
  if [[ $word == -* || $command == record || $command == ls || $command == demo || $command == version ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$word"))
  else
    local home=${REPRISE_HOME:-.} names= folder
    for folder in "$home"/*.reprise; do
      [[ -d $folder ]] || continue
      folder=${folder##*/}
      names+=" ${folder%.reprise}"
    done
    COMPREPLY=($(compgen -W "$names" -- "$word"))
  fi
}
complete -F _reprise reprise ./reprise
)";

std::string filled(std::string text, const std::string& commands) {
  constexpr std::string_view mark = "@COMMANDS@";
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark))
    text.replace(at, mark.size(), commands);
  return text;
}

}  // namespace

int run_completion(const Arguments& arguments, Console& console) {
  if (arguments.names.front() != "bash") {
    return console.fail({ErrorCode::usage,
                         fmt::format("there is no completion for {}; there is one for bash", arguments.names.front())},
                        "reprise completion bash");
  }
  std::string names;
  std::string cases;
  std::string values;
  for (const Command& command : commands()) {
    values += values_of(command);
    names += fmt::format("{}{}", names.empty() ? "" : " ", command.name);
    cases += fmt::format("    {}) flags=\"{}\" ;;\n", command.name, flags_of(command));
  }
  std::string head = filled(script_head, names);
  constexpr std::string_view mark = "@VALUES@";
  head.replace(head.find(mark), mark.size(), values);
  console.print(head + cases + filled(script_tail, names));
  return done;
}

}  // namespace reprise::drive::cli
