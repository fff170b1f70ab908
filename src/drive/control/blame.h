// Why did a forced run come to rest before all that is listed had happened? Follows who waits for whom.
//
//   const Blame blame(listed, run);
//   blame.for_thread("server/0.1").threads      those whose past keeps this thread from going on
//
// A thread that waits for its turn at a mailbox waits for whoever has the mailbox's next event; one at a mutex, for who
// holds it; one that joins, for the thread it joins. One that waits to be notified, or is asleep, waits for the threads
// of its own process; at something else, for anybody, and so in a selective wait. Who has deviated or ended does so
// because of its own past. So a run in which all of these pasts are the same comes to rest in the same place.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "drive/control/forced_run.h"
#include "drive/control/plan_text.h"

namespace reprise::drive {

struct Blamed {
  std::set<std::string> threads;  // process/path
  bool is_by_past{true};          // false: that a thread was asleep may be the reason
};

// `sleepers`: threads that were asleep until the end.
// Lifetime  `run` and `sleepers` must outlive it.
class Blame {
 public:
  Blame(const Listed& listed, const ForcedRun& run, const std::set<std::string>& sleepers);

  // Threads that have listed events which did not happen.
  const std::set<std::string>& late() const { return late_; }
  Blamed for_thread(const std::string& thread) const;

 private:
  struct Planned {
    std::uint64_t number;
    std::string thread;
    std::string called;
  };
  void visit(const std::string& thread, Blamed& blamed) const;
  void visit_standing(const std::string& thread, const Standing& standing, Blamed& blamed) const;
  void visit_process_of(const std::string& thread, Blamed& blamed) const;
  void visit_all(Blamed& blamed) const;
  const Planned* next_at(const std::string& mailbox) const;

  const ForcedRun& run_;
  const std::set<std::string>& sleepers_;
  std::map<std::string, std::map<std::uint64_t, Planned>> mailboxes_;  // by order
  std::map<std::string, std::uint64_t> happened_;                      // by mailbox
  std::set<std::string> late_;
};

}  // namespace reprise::drive
