// Watches the processes of a replay until something is decided.
//
//   Watch watch(children, scratch, options);
//   switch (watch.run()) { case Watch::Outcome::diverged: ... watch.found()->divergence() ... }
//
// Lifetime  The tool adopts what the program leaves behind, so that kill_all() leaves nothing running.
// Cost      A look at each live log every ten milliseconds; the end of the program is seen at once.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "drive/launch.h"
#include "drive/live_view.h"

namespace reprise::drive {

class Watch {
 public:
  enum class Outcome { ended, diverged, stalled, silent, unsupported, interrupted };

  // `scratch` is where the replaying processes keep their live logs. `gates` false: only the end is waited for.
  Watch(std::vector<Child>& children, std::filesystem::path scratch, double stall_after_s, bool gates);

  Outcome run();

  // The process that diverged, stalled or refused, and its view; null for the other outcomes.
  const std::string& process() const { return process_; }
  LiveView* found() const { return found_; }

  // The bits of LiveFlag of one process; 0 where it left no live log.
  std::uint32_t flags(const std::string& process) const;

  // The signal that was sent to us; 0: none.
  int interrupted() const;

  // SIGKILL to the program and to all it started.
  void kill_all();

 private:
  void pass_time();
  bool have_ended() const;
  bool look();
  std::optional<Outcome> judge();
  bool are_finished() const;
  bool is_released() const;
  bool has_lingered();
  bool is_silent();

  std::vector<Child>& children_;
  std::filesystem::path scratch_;
  std::map<std::string, std::unique_ptr<LiveView>> views_;  // by process
  std::chrono::duration<double> stall_after_;
  bool gates_;
  std::string process_;
  LiveView* found_{nullptr};
  std::uint64_t progress_{0};
  Clock::time_point last_progress_;
  std::optional<Clock::time_point> finished_since_;
};

}  // namespace reprise::drive
