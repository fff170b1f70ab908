// The tree that is searched for a run that yields a sequence (docs/design/sequences.md).
//
//   Branch whole;                                       // nothing is decided
//   run(whole.steer_text()) ... failed because of `reason`, a set of passages with all that they depend on
//   Grown grown = grow(whole, run, reason);             // all executions of `whole` that do not have this reason
//
// A branch stands for the executions that begin with its passages, and in which none of the threads that are asleep
// passes before another has passed its object.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "drive/control/forced_run.h"

namespace reprise::drive {

struct Branch {
  std::vector<Passage> beginning;      // in an order that respects causality
  std::map<std::string, bool> asleep;  // threads; true: what each would do is a load

  // What record/steer.h reads.
  std::string steer_text() const;
  // Did the run begin so? Else the program depends on something that is not ordered.
  bool is_beginning_of(const ForcedRun& run) const;
  // Who of them never passed.
  std::set<std::string> sleepers_in(const ForcedRun& run) const;
  // Was a thread held to the end, asleep or before a turn that was another's? Then it could have gone on.
  bool held_somebody_in(const ForcedRun& run) const;
  // Of these, those that are not in the beginning.
  std::vector<Passage> fresh(const std::vector<Passage>& passages) const;
  // Has it all of these, with the same pasts?
  bool has(const std::vector<Passage>& passages) const;
};

struct Grown {
  std::vector<Branch> contested;  // somebody was seen to come to the object where it goes another way
  std::vector<Branch> others;
  Branch fixed;  // with the whole reason
};
Grown grow(const Branch& from, const ForcedRun& run, const std::vector<Passage>& reason);

}  // namespace reprise::drive
