// One run of the programs with a plan forced upon them, and what became of it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "drive/control/causes.h"
#include "drive/control/plan_text.h"
#include "drive/record_run.h"

namespace reprise::drive {

// Where a thread was when the run ended.
struct Standing {
  Kind kind{Kind::none};
  std::string object;  // as in a passage; empty: of no name
  std::string child;   // join: whom it waits for
};

// A selective wait took a message that came later than another which it could have taken.
struct Overtaking {
  std::string thread;
  AtMailbox receive;
  Before needed;          // what was taken, and what it overtook
  bool is_shared{false};  // another thread may have received that in time: then nothing is needed
};

struct ForcedRun {
  analyse::sequence::Execution happened;         // threads named process/path
  std::map<std::string, std::string> deviating;  // thread: what it was about to do, which the plan does not have
  std::map<std::string, std::string> waiting;    // thread: what it waited to do
  std::map<std::string, std::string> paths;      // process#index: process/path
  std::map<std::string, bool> ended;             // by process/path
  std::map<std::string, std::uint64_t> values;   // from outside: how many, by name
  std::map<std::string, Standing> standing;      // thread: before what it stands, if it has not ended
  std::map<std::string, std::string> cut_off;    // thread that went on when its process ended: who ended it
  bool has_sent_in_vain{false};                  // a message that never arrives: its mailbox was closed
  bool close_races_with_select{false};           // a thread might have met a closed mailbox, and did not
  bool close_races{false};                       // the same, or the other way round, in any operation
  std::vector<Overtaking> overtakings;           // where the plan does not say what came first
  Causes causes;
  bool came_to_rest{false};  // or ended; else time was over

  // A thread of a listed event by its path.
  std::string path_of(const std::string& thread) const;
};

struct ForcedOptions {
  std::optional<std::uint64_t> chaos{};  // yields at random, by that seed
  std::string inputs{};                  // a recording's folder whose values from outside come again; empty: none
  std::string steer{};                   // who passes first, for record/steer.h
};

// Records into `folder`. An empty `plan` forces nothing. Errors: those of record_system; damaged.
Result<ForcedRun> run_forced(const std::vector<TargetLine>& programs, const std::string& plan,
                             const recording::Folder& folder, double inactivity_s, Interrupts& interrupts,
                             const ForcedOptions& how = {});

}  // namespace reprise::drive
