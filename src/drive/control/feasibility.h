// Can this sequence happen? Runs the programs with it forced, again and again, until one run yields it or none can.
//
//   auto tested = test_sequence(programs, listed, options, interrupts);
//   tested->verdict == Feasibility::feasible
//
// What is listed is forced. What is not listed but races, the passages of mutexes, atomics and what is made of them, is
// searched: a run that goes wrong says why (the passages that the deviating step depends on), and one of these must go
// another way. When no way is left, it cannot happen.
//
// Errors    those of record_system; damaged.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "drive/control/plan_text.h"
#include "drive/record_run.h"

namespace reprise::drive {

enum class Feasibility : std::uint8_t { feasible, infeasible, undecided };

struct TestOptions {
  std::uint64_t runs_max{1000};
  double inactivity_s{10};  // a run that neither ends nor comes to rest is given up after this time
  std::function<void(std::uint64_t run)> progress{};
  std::string inputs{};  // a recording's folder: values from outside are those of it. Else those of the first run
};

struct Tested {
  Feasibility verdict{Feasibility::undecided};
  std::uint64_t runs{0};
  std::uint64_t left{0};  // undecided: branches that are known and were not tried
  std::size_t listed{0};  // events
  std::optional<std::size_t>
      place;          // in the text, from 0: the first event that cannot happen; `listed`: one more would happen
  std::string event;  // which it is
  analyse::sequence::Place line;     // where it stands; line 0: nowhere
  std::vector<std::string> instead;  // "producer/0: arrival deposit as its number 3"
  std::string reason;
  std::map<std::string, std::uint64_t> values;  // from outside, that were held constant: how many, by name
  bool deviates{false};                         // a thread does what is not listed
  bool timed_out{false};                        // a run neither ended nor came to rest
};

// `kept` receives the recording of the run that proves it, or of the one that came furthest.
Result<Tested> test_sequence(const std::vector<TargetLine>& programs, const Listed& listed,
                             const recording::Folder& kept, const TestOptions& options, Interrupts& interrupts);

}  // namespace reprise::drive
