// Starts a program and waits for it, for its output and for signals to us, all at once.
//
//   auto child = Child::start({.program = "/usr/bin/true", .arguments = {"true"}, .environment = environment()});
//   while (child && !child->ended()) child->wait_until(deadline);
//
// Threads   One thread. SIGINT and SIGTERM to the tool are caught from start() on; see Interrupts.
// Lifetime  A Child that goes out of scope while its program runs kills it: nothing is left behind.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace reprise::drive {

using Clock = std::chrono::steady_clock;

struct Launch {
  std::filesystem::path program;         // the file to execute
  std::vector<std::string> arguments;    // with argv[0]
  std::vector<std::string> environment;  // NAME=value
  std::filesystem::path folder;          // working folder; empty: ours
  bool fixed_addresses{true};            // no address space randomisation
  bool silent{false};                    // output goes nowhere
  bool output_to_error{false};           // what it writes to stdout goes to stderr
  bool dies_with_us{false};              // a replay that nobody watches any more would stand for ever
  bool captured{false};                  // stdout and stderr come through us; see on_output
};

struct Ended {
  bool signalled{false};
  int code{0};  // exit code or signal

  int exit_code() const { return signalled ? 128 + code : code; }
  friend bool operator==(const Ended&, const Ended&) = default;
};

// SIGINT and SIGTERM to the tool, while this object lives: caught, and told to whom it concerns.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  int file() const { return file_; }
  const sigset_t& before() const { return before_; }  // the signal mask that the tool was started with
  struct Caught {
    int signal;
    bool from_terminal;  // the program has got it too
  };
  std::optional<Caught> next();

 private:
  sigset_t before_{};
  int file_{-1};
};

class Child {
 public:
  // Called with each piece of captured output; `error` tells stderr from stdout.
  using OnOutput = std::function<void(std::string_view bytes, bool error)>;

  // Errors: not_found or io when the program cannot be executed (the message says what the system said).
  static Result<Child> start(const Launch& launch, Interrupts& interrupts, OnOutput on_output = {});

  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;  // a vector of children only grows
  ~Child();

  pid_t pid() const { return pid_; }
  const std::optional<Ended>& ended() const { return ended_; }
  // The last signal that was sent to the tool while it waited, 0 if none.
  int interrupted() const { return interrupted_; }

  // Returns at `deadline`, when the program has ended, or after a signal to us (which is forwarded unless the terminal
  // gave it to the program as well).
  void wait_until(Clock::time_point deadline);
  // SIGKILL, and waits.
  void kill();
  // The same for all that still run, at once.
  static void kill_all(std::vector<Child>& children);

 private:
  Child() = default;
  void reap();
  void await_killed();
  void drain(int& file, bool error);
  void drain_rest();

  pid_t pid_{-1};
  int process_file_{-1};
  int out_{-1};
  int err_{-1};
  int interrupted_{0};
  Interrupts* interrupts_{nullptr};
  OnOutput on_output_;
  std::optional<Ended> ended_;
};

// Our own environment as NAME=value, without REPRISE_... variables that steer a recording.
std::vector<std::string> environment();

// May address randomisation be switched off here?
bool can_fix_addresses();

}  // namespace reprise::drive
