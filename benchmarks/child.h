// Runs a program and gives what it wrote to standard output; a folder for what it leaves, removed at the end.
//
//   const Run run = run_program({"/bin/echo", "hello"}, {{"NAME", "value"}}, folder / "chatter");
//   if (run.code != 0) ...                        // 128+N for a signal; what it said on standard error is in the file
#pragma once

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace bench {

struct Run {
  int code{0};
  std::string output;
};

using Variables = std::vector<std::pair<std::string, std::string>>;

// Replaces this process by a program.
[[noreturn]] inline void become(const std::vector<std::string>& command, const Variables& variables) {
  for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execv(arguments[0], arguments.data());
  std::_Exit(127);
}

inline Run run_program(const std::vector<std::string>& command, const Variables& variables,
                       const std::filesystem::path& chatter) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    const int file = open(chatter.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file >= 0) dup2(file, STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    become(command, variables);
  }
  close(ends[1]);
  Run run;
  char piece[4096];
  for (ssize_t size = 0; (size = read(ends[0], piece, sizeof piece)) > 0;) run.output.append(piece, piece + size);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  run.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return run;
}

// The number after `key` in `text`, or -1.
inline double number_after(const std::string& text, const std::string& key) {
  const std::size_t at = text.find(key);
  return at == std::string::npos ? -1 : std::strtod(text.c_str() + at + key.size(), nullptr);
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    const char* base = std::getenv("TMPDIR");
    std::string name = std::string(base != nullptr && *base != '\0' ? base : "/tmp") + "/reprise-bench-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace bench
