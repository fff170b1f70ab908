// The first step at which the program is not the recorded one, told with its context.
//
//   const Divergence divergence = describe_divergence(live_divergence, recorded, &replayed);
//
// Trust     Everything from the process and from the recording is escaped here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyse/names.h"
#include "recording/live.h"
#include "recording/log.h"

namespace reprise::analyse {

struct Divergence {
  std::string thread;     // path
  bool bracketed{false};  // somewhere after step_after, at `step` at the latest
  std::uint64_t step_after{0};
  std::uint64_t step{0};
  std::string expected;  // "lock accounts order 9", or "a step that was not written"
  std::string actual;
  std::string detail;                         // what the runtime has to add, one line
  std::vector<std::string> recorded_context;  // events before it, in the recording
  std::vector<std::string> program_context;   // events before it, in the program; empty: not kept
};

// `names` are those of the recorded log, also where `recorded` is its trace: a trace holds no labels. `replayed` may be
// null when the process left no log.
Divergence describe_divergence(const recording::LiveDivergence& live, const recording::Log& recorded,
                               const Names& names, const recording::Log* replayed);

}  // namespace reprise::analyse
