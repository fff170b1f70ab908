#include "drive/launch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "drive/descendants.h"

extern char** environ;

namespace reprise::drive {
namespace {

constexpr unsigned long current_personality = 0xFFFFFFFFul;

struct Pipe {
  int read{-1};
  int write{-1};

  static Pipe make() {
    std::array<int, 2> ends{-1, -1};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return {};
    return {ends[0], ends[1]};
  }
};

void close_file(int& file) {
  if (file >= 0) close(file);
  file = -1;
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> result;
  result.reserve(words.size() + 1);
  for (const std::string& word : words) result.push_back(const_cast<char*>(word.c_str()));
  result.push_back(nullptr);
  return result;
}

struct Plumbing {
  Pipe failure;  // the child's errno, when it cannot execute
  Pipe out;
  Pipe err;
  sigset_t mask;  // the one the tool was started with
};

// In the child, between fork and exec: system calls only.
[[noreturn]] void become(const Launch& launch, char* const* arguments, char* const* environment,
                         const Plumbing& plumbing) {
  const auto give_up = [&] {
    const int error = errno;
    (void)!write(plumbing.failure.write, &error, sizeof error);
    _exit(127);
  };
  sigprocmask(SIG_SETMASK, &plumbing.mask, nullptr);
  if (launch.dies_with_us) prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (launch.silent) {
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere < 0 || dup2(nowhere, 1) < 0 || dup2(nowhere, 2) < 0) give_up();
  }
  if (launch.output_to_error && dup2(2, 1) < 0) give_up();
  if (launch.captured && (dup2(plumbing.out.write, 1) < 0 || dup2(plumbing.err.write, 2) < 0)) give_up();
  if (!launch.folder.empty() && chdir(launch.folder.c_str()) != 0) give_up();
  if (launch.fixed_addresses) {
    const int now = personality(current_personality);
    if (now >= 0) personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE);
  }
  execve(launch.program.c_str(), arguments, environment);
  give_up();
  _exit(127);
}

Ended ended_of(const siginfo_t& info) { return {info.si_code != CLD_EXITED, info.si_status}; }

// Marks of a failed exec: what the child could not do.
Error start_error(const Launch& launch, int error) {
  const ErrorCode code = error == ENOENT ? ErrorCode::not_found : ErrorCode::io;
  std::error_code ignored;
  if (!launch.folder.empty() && !std::filesystem::is_directory(launch.folder, ignored)) {
    return {code, fmt::format("cannot enter the folder {}: {}", launch.folder.string(), std::strerror(error))};
  }
  return {code, fmt::format("cannot run {}: {}", launch.program.string(), std::strerror(error))};
}

}  // namespace

Interrupts::Interrupts() {
  sigset_t caught;
  sigemptyset(&caught);
  sigaddset(&caught, SIGINT);
  sigaddset(&caught, SIGTERM);
  sigprocmask(SIG_BLOCK, &caught, &before_);
  file_ = signalfd(-1, &caught, SFD_CLOEXEC | SFD_NONBLOCK);
}

Interrupts::~Interrupts() {
  close_file(file_);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

std::optional<Interrupts::Caught> Interrupts::next() {
  signalfd_siginfo info{};
  if (read(file_, &info, sizeof info) != static_cast<ssize_t>(sizeof info)) return std::nullopt;
  return Caught{static_cast<int>(info.ssi_signo), info.ssi_code == SI_KERNEL};
}

Result<Child> Child::start(const Launch& launch, Interrupts& interrupts, OnOutput on_output) {
  Plumbing plumbing{Pipe::make(), {}, {}, interrupts.before()};
  if (launch.captured) {
    plumbing.out = Pipe::make();
    plumbing.err = Pipe::make();
  }
  const auto arguments = pointers(launch.arguments);
  const auto environment = pointers(launch.environment);
  const pid_t pid = fork();
  if (pid == 0) become(launch, arguments.data(), environment.data(), plumbing);
  const int fork_error = errno;
  close_file(plumbing.failure.write);
  close_file(plumbing.out.write);
  close_file(plumbing.err.write);
  Child child;
  child.out_ = plumbing.out.read;
  child.err_ = plumbing.err.read;
  child.pid_ = pid;
  child.interrupts_ = &interrupts;
  child.on_output_ = std::move(on_output);
  int error = 0;
  const bool failed =
      pid < 0 || read(plumbing.failure.read, &error, sizeof error) == static_cast<ssize_t>(sizeof error);
  close_file(plumbing.failure.read);
  if (pid < 0) return fail(ErrorCode::io, fmt::format("cannot start a process: {}", std::strerror(fork_error)));
  if (failed) {
    child.kill();
    return tl::unexpected(start_error(launch, error));
  }
  child.process_file_ = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  return child;
}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      process_file_(std::exchange(other.process_file_, -1)),
      out_(std::exchange(other.out_, -1)),
      err_(std::exchange(other.err_, -1)),
      interrupted_(other.interrupted_),
      interrupts_(other.interrupts_),
      on_output_(std::move(other.on_output_)),
      ended_(other.ended_) {}

Child::~Child() {
  if (pid_ > 0 && !ended_) kill();
  close_file(process_file_);
  close_file(out_);
  close_file(err_);
}

void Child::kill() {
  if (pid_ <= 0 || ended_) return;
  kill_with_descendants({pid_});
  await_killed();
}

void Child::kill_all(std::vector<Child>& children) {
  std::vector<pid_t> running;
  for (const Child& child : children) {
    if (child.pid_ > 0 && !child.ended_) running.push_back(child.pid_);
  }
  if (running.empty()) return;
  kill_with_descendants(running);
  for (Child& child : children) {
    if (child.pid_ > 0 && !child.ended_) child.await_killed();
  }
}

// The kernel lets go of what /proc showed of a process while its last thread ends and again while it is reaped. Who
// reaps too early spins there, for as long as that thread does not get a processor: so it is given a moment.
void Child::await_killed() {
  if (process_file_ >= 0) {
    pollfd gone{process_file_, POLLIN, 0};
    while (poll(&gone, 1, 1000) < 0 && errno == EINTR) {
    }
    usleep(200);
  }
  siginfo_t info{};
  while (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED) != 0 && errno == EINTR) {
  }
  ended_ = ended_of(info);
  drain_rest();
}

void Child::reap() {
  siginfo_t info{};
  if (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG) != 0 || info.si_pid == 0) return;
  ended_ = ended_of(info);
  drain_rest();
}

void Child::drain(int& file, bool error) {
  std::array<char, 16384> buffer;
  const ssize_t size = read(file, buffer.data(), buffer.size());
  if (size > 0) {
    if (on_output_) on_output_({buffer.data(), static_cast<std::size_t>(size)}, error);
  } else if (size == 0 || errno != EINTR) {
    close_file(file);
  }
}

// What the program left in the pipes. A grandchild may hold them open: what is there now is all we wait for.
void Child::drain_rest() {
  for (const bool error : {false, true}) {
    int& file = error ? err_ : out_;
    if (file < 0) continue;
    fcntl(file, F_SETFL, O_NONBLOCK);
    while (file >= 0) drain(file, error);
  }
}

void Child::wait_until(Clock::time_point deadline) {
  while (!ended_) {
    std::array<pollfd, 4> files{pollfd{process_file_, POLLIN, 0}, pollfd{interrupts_->file(), POLLIN, 0},
                                pollfd{out_, POLLIN, 0}, pollfd{err_, POLLIN, 0}};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    const int timeout = static_cast<int>(std::clamp<std::int64_t>(left, 0, process_file_ < 0 ? 5 : 60'000));
    const int ready = poll(files.data(), files.size(), timeout);
    if (ready < 0 && errno != EINTR) return;
    if (files[2].revents != 0) drain(out_, false);
    if (files[3].revents != 0) drain(err_, true);
    if (files[0].revents != 0 || process_file_ < 0) reap();
    if (const auto caught = interrupts_->next()) {
      interrupted_ = caught->signal;
      if (!ended_ && !caught->from_terminal) ::kill(pid_, caught->signal);
      return;
    }
    if (Clock::now() >= deadline) return;
  }
}

std::vector<std::string> environment() {
  constexpr std::array ours{
      "REPRISE_RECORD=",  "REPRISE_PROCESS=",    "REPRISE_LEVEL=",  "REPRISE_CHAOS=", "REPRISE_FAVOUR=",
      "REPRISE_REPLAY=",  "REPRISE_SCRATCH=",    "REPRISE_TRACE=",  "REPRISE_THEN=",  "REPRISE_LAUNCHED=",
      "REPRISE_RUN=",     "REPRISE_ONLY=",       "REPRISE_GROUPS=", "REPRISE_DELAY=", "REPRISE_ROUTES=",
      "REPRISE_OUTPUTS=", "REPRISE_CHECKPOINT=", "REPRISE_ALONE=",  "REPRISE_NODES=", "REPRISE_EXCEPTIONS="};
  std::vector<std::string> result;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const bool is_ours =
        std::any_of(ours.begin(), ours.end(), [&](const char* name) { return text.starts_with(name); });
    if (!is_ours) result.emplace_back(text);
  }
  return result;
}

bool can_fix_addresses() {
  const int now = personality(current_personality);
  if (now < 0) return false;
  if (personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE) < 0) return false;
  personality(static_cast<unsigned long>(now));
  return true;
}

}  // namespace reprise::drive
