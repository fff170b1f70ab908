// How a benchmark starts: its options, where it lies itself, and the tool that it runs.
//
//   int run(const std::vector<std::string>& words) {
//     const auto start = start_of("gate", words);
//     return start ? (Bench(*start).run() ? 0 : 1) : usage_code;
//   }
//   int main(int argc, char** argv) { return bench::main_of("gate", argc, argv, bench::run); }
#pragma once

#include <cstdio>
#include <exception>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "child.h"

namespace bench {

constexpr int usage_code = 2;

struct Start {
  bool quick{false};
  bool json{false};
  std::string own_path;
};

// Nothing, and a line that says what is wanted, when a word is none of ours.
inline std::optional<Start> start_of(const char* name, const std::vector<std::string>& words) {
  Start start{false, false, std::filesystem::read_symlink("/proc/self/exe").string()};
  for (const std::string& word : words) {
    if (word != "--quick" && word != "--json") {
      std::fprintf(stderr, "%s: usage: %s [--quick] [--json]\n", name, name);
      return std::nullopt;
    }
    (word == "--quick" ? start.quick : start.json) = true;
  }
  return start;
}

// `reprise`, as the environment's REPRISE names it, or ../bin/reprise; its recordings go to `home`.
class Tool {
 public:
  explicit Tool(std::filesystem::path home) : home_(std::move(home)) {
    const char* given = std::getenv("REPRISE");
    const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe");
    path_ = given != nullptr ? given : (own.parent_path().parent_path() / "bin" / "reprise").string();
  }

  Run run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), path_);
    Run run = run_program(arguments, {{"REPRISE_HOME", home_.string()}, {"NO_COLOR", "1"}}, chatter());
    if (run.code != 0) {
      std::ostringstream said;
      said << arguments[1] << " ended with " << run.code << "\n" << run.output << std::ifstream(chatter()).rdbuf();
      failure_ = said.str();
    }
    return run;
  }
  std::filesystem::path chatter() const { return home_ / "chatter"; }
  // What the last run that failed has said.
  const std::string& failure() const { return failure_; }

 private:
  std::filesystem::path home_;
  std::string path_;
  std::string failure_;
};

// What a benchmark's main() does: `run` with its words, a line for what goes wrong.
template <typename Function>
int main_of(const char* name, int argc, char** argv, Function run) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return 1;
  }
}

}  // namespace bench
