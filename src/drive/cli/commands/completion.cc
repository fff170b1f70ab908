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
  for (const Command& command : commands()) {
    names += fmt::format("{}{}", names.empty() ? "" : " ", command.name);
    cases += fmt::format("    {}) flags=\"{}\" ;;\n", command.name, flags_of(command));
  }
  console.print(filled(script_head, names) + cases + filled(script_tail, names));
  return done;
}

}  // namespace reprise::drive::cli
