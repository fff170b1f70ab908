// Replays a recording once and says whether it was the same run.
//
//   auto report = replay_once(recording, options, interrupts);
//   if (report && report->verdict == Verdict::identical) ...
//
// Lifetime  The program is gone when this returns, whatever happened; the scratch folder too.
// Errors    are about us and the recording (not_found, damaged, unsupported, io); what the program did is the report.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analyse/compare.h"
#include "analyse/divergence.h"
#include "analyse/stall.h"
#include "base/result.h"
#include "drive/launch.h"
#include "drive/stack.h"
#include "drive/subject.h"

namespace reprise::drive {

struct ReplayOptions {
  bool trace{false};
  bool then_live{false};
  bool gate_off{false};  // an instrument of the tests: only the perturbation, no replay
  bool output_to_error{false};
  bool silent{false};  // the program's output goes nowhere
  double stall_after_s{10};
  std::string favour;
  std::string delay;
  std::optional<bool> simulates_errors{};  // else as the recording says
};

enum class Verdict { identical, different, diverged, stalled, unsupported, interrupted };

struct ReplayReport {
  Verdict verdict{Verdict::different};
  std::string process;                            // diverged, stalled: which
  Ended ended;                                    // of the program now
  int interrupted{0};                             // the signal that stopped us
  bool released{false};                           // --then live: it went on by itself
  std::vector<analyse::Difference> differences;   // different
  std::optional<analyse::Divergence> divergence;  // diverged
  std::vector<Frame> stack;                       // diverged
  std::vector<std::vector<Frame>> outside;        // stalled: the stacks of threads that do not wait at a gate
  std::optional<analyse::Stall> stall;            // stalled
  std::string reason;                             // unsupported
  std::uint64_t traced{0};                        // --trace: events in the trace
};

// REQUIRES a subject of this recording (subject.h).
Result<ReplayReport> replay_once(const Subject& subject, const ReplayOptions& options, Interrupts& interrupts);

}  // namespace reprise::drive
