// A process that stays, is told what to do by lines and answers each with a line: one side of a pair.
//
//   Worker sink({own_path, "sink"}, {}, 1);
//   const double took_ns = driver.ask("oneway 4000\n");
#pragma once

#include <sched.h>
#include <signal.h>

#include <cstdio>
#include <string>

#include "child.h"
#include "hosts.h"

namespace bench {

// Where the scheduler happens to put two processes makes a factor of two: each side has the same places.
inline void pin(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  sched_setaffinity(0, sizeof set, &set);  // on a machine with one, nothing happens
}

// A process with pipes to its standard input and from its output; killed when it goes out of scope.
class Worker {
 public:
  // On a host of its own when there are `hosts`.
  Worker(const std::vector<std::string>& command, const Variables& variables, int processor,
         const Hosts* hosts = nullptr) {
    int to[2];
    int from[2];
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    pid_ = fork();
    if (pid_ == 0) {
      pin(processor);
      if (hosts != nullptr && !hosts->enter(processor)) _exit(126);
      dup2(to[0], STDIN_FILENO);
      dup2(from[1], STDOUT_FILENO);
      become(command, variables);
    }
    close(to[0]);
    close(from[1]);
    in_ = to[1];
    out_ = fdopen(from[0], "r");
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    close(in_);
    std::fclose(out_);
  }
  double ask(const std::string& line) { return std::strtod(ask_text(line).c_str(), nullptr); }
  std::string ask_text(const std::string& line) {
    char answer[128];
    if (write(in_, line.data(), line.size()) < 0 || std::fgets(answer, sizeof answer, out_) == nullptr)
      throw std::runtime_error("a worker is gone");
    return answer;
  }

 private:
  pid_t pid_;
  int in_;
  std::FILE* out_;
};

}  // namespace bench
