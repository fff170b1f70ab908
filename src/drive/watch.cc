#include "drive/watch.h"

#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <thread>
#include <utility>
#include <vector>

#include "recording/folder.h"
#include "recording/live.h"

namespace reprise::drive {
namespace {

constexpr auto poll_interval = std::chrono::milliseconds(10);
constexpr auto linger = std::chrono::seconds(1);

// Our children, adopted ones included.
std::vector<pid_t> children() {
  std::vector<pid_t> result;
  std::ifstream list("/proc/thread-self/children");
  for (pid_t pid = 0; list >> pid;) result.push_back(pid);
  return result;
}

}  // namespace

Watch::Watch(std::vector<Child>& launched, std::filesystem::path scratch, double stall_after_s, bool gates)
    : children_(launched), scratch_(std::move(scratch)), stall_after_(stall_after_s), gates_(gates) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

bool Watch::look() {
  const recording::Folder folder{scratch_};
  for (const std::string& process : folder.processes()) {
    auto& view = views_[process];
    if (!view) view = std::make_unique<LiveView>(folder.live(process));
  }
  std::uint64_t progress = 0;
  bool any = false;
  for (const auto& [process, view] : views_) {
    any = view->look() || any;
    progress += view->progress() + 1;
  }
  if (progress != progress_) {
    progress_ = progress;
    last_progress_ = Clock::now();
  }
  return any;
}

std::optional<Watch::Outcome> Watch::judge() {
  constexpr std::pair<std::uint32_t, Outcome> decisive[] = {{recording::live_diverged, Outcome::diverged},
                                                            {recording::live_stalled, Outcome::stalled},
                                                            {recording::live_unsupported, Outcome::unsupported}};
  for (const auto& [flag, outcome] : decisive) {
    for (const auto& [process, view] : views_) {
      if (!(view->flags() & flag)) continue;
      process_ = process;
      found_ = view.get();
      return outcome;
    }
  }
  return std::nullopt;
}

bool Watch::are_finished() const {
  for (const auto& [process, view] : views_) {
    if (!view->is_finished()) return false;
  }
  return true;
}

bool Watch::is_released() const {
  for (const auto& [process, view] : views_) {
    if (view->flags() & recording::live_released) return true;
  }
  return false;
}

// All stand at their recorded end, but one that computes or waits outside the gates keeps the program from ending.
bool Watch::has_lingered() {
  if (!finished_since_) finished_since_ = Clock::now();
  std::chrono::duration<double> patience = linger;
  for (const auto& [process, view] : views_) {
    if (view->is_ending()) patience = std::max<std::chrono::duration<double>>(patience, stall_after_);
  }
  return Clock::now() - *finished_since_ > patience;
}

bool Watch::is_silent() { return Clock::now() - last_progress_ > stall_after_; }

int Watch::interrupted() const {
  for (const Child& child : children_) {
    if (child.interrupted() != 0) return child.interrupted();
  }
  return 0;
}

bool Watch::have_ended() const {
  return std::all_of(children_.begin(), children_.end(), [](const Child& child) { return child.ended().has_value(); });
}

void Watch::pass_time() {
  // Only what the programs started is still there.
  if (have_ended()) return std::this_thread::sleep_for(poll_interval);
  const auto moment = poll_interval / static_cast<int>(children_.size());
  for (Child& child : children_) {
    if (!child.ended()) child.wait_until(Clock::now() + moment);
  }
}

Watch::Outcome Watch::run() {
  last_progress_ = Clock::now();
  while (true) {
    pass_time();
    const bool seen = look();
    if (gates_ && seen) {
      if (const auto outcome = judge()) return *outcome;
    }
    if (interrupted() != 0) return Outcome::interrupted;
    if (have_ended() && (!gates_ || are_finished())) return Outcome::ended;
    if (!gates_ || is_released()) continue;
    if (seen && views_.size() >= children_.size() && are_finished()) {
      if (has_lingered()) return Outcome::ended;
    } else {
      finished_since_.reset();
      if (is_silent()) return Outcome::silent;
    }
  }
}

std::uint32_t Watch::flags(const std::string& process) const {
  const auto view = views_.find(process);
  return view == views_.end() ? 0 : view->second->flags();
}

void Watch::kill_all() {
  for (Child& child : children_) child.kill();
  // Whoever is killed may leave children of its own to us.
  for (std::vector<pid_t> left = children(); !left.empty(); left = children()) {
    for (const pid_t pid : left) ::kill(pid, SIGKILL);
    for (const pid_t pid : left) waitpid(pid, nullptr, 0);
  }
  look();
}

}  // namespace reprise::drive
