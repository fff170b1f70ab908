// Makes checkpoints of this process: copies that stand still until `reprise replay --from-checkpoint` wakes them.
//
//   checkpoints = Maker::start(settings);                // null: none are wanted
//   new Recorder(live, {.checkpoints = checkpoints});
//
// A copy is nobody's child, has no sockets, pipes or files to write to, and does not touch the log. It stands as long
// as its entry in the recording's folder names it, so that who removes the entry ends it.
//
// Threads   Any; one checkpoint is made at a time.
// Lifetime  Never destroyed.
// Cost      A fork, and a file of some hundred bytes.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "gate/checkpoints.h"
#include "replay/replayer.h"
#include "session/session.h"

namespace reprise::session {

class Maker final : public gate::Checkpoints {
 public:
  // Reads `N:K` or `Ns:K`: one every N events of a thread, or N seconds; K are kept of each. With `:drop` behind it the
  // log of a thread is kept from its oldest checkpoint on.
  static Maker* start(const std::string& wanted);

  bool is_due(gate::Thread& thread) override;
  bool take(gate::Thread& thread, bool alone) override;
  void spoil(const gate::Thread& thread, std::string_view reason) override;

  // In a forked child: the parent's checkpoints are the parent's.
  void forget();

 private:
  struct Made {
    std::uint64_t number{0};
    int process{-1};  // a file of it
    bool is_whole{false};
    std::uint32_t block{0};  // what was written after it begins there
  };
  void refuse(std::string_view reason);  // of the calling thread
  void keep(const gate::Thread& thread, const replay::Standing& standing, const Made& made, int pid);
  static void end(const Made& made);
  std::uint64_t next_time(const gate::Thread& thread) const;

  std::uint64_t every_{0};
  bool in_seconds_{false};
  std::size_t kept_{1};
  bool drops_{false};                     // what was written before the oldest one
  std::atomic<bool> is_declared_{false};  // some thread has said that it may leave checkpoints
  std::mutex mutex_;                      // guards what follows
  std::map<ThreadIndex, std::vector<Made>> made_;
  std::set<std::string> refused_;  // reasons that were told
};

}  // namespace reprise::session
