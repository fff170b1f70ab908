// Are two logs the same run? Step counts, hashes, ends and the digest of the ordered output decide (DESIGN: identical).
//
//   auto differences = compare(recorded, replayed);
//   if (differences.empty()) ...                       // identical
//
// Threads of one log are matched with those of the other by their paths.
#pragma once

#include <string>
#include <vector>

#include "recording/log.h"

namespace reprise::analyse {

struct Difference {
  std::string thread;  // path; empty: the process as a whole
  std::string what;    // "steps", "hash", "ended", "missing", "output", "end"
  std::string recorded;
  std::string replayed;
  std::string process{};  // where there are several

  std::string text() const;
};

// The torn-end rule: a thread that was stopped from outside may have counted its last step and not yet hashed it. Then
// the recorded hash must be the one before the last step, whatever that step was.
bool same_hash(const recording::ThreadInfo& recorded, const recording::ThreadInfo& replayed, const recording::Log& log);

// How the process ended is compared only where both logs know it. Of a torn log, which lost a part, the replay must be
// a beginning: no thread may have gone further.
std::vector<Difference> compare(const recording::Log& recorded, const recording::Log& replayed);

// The same for a replay that went on from a checkpoint: what was before is not in it. Of several threads only the one
// that made the checkpoint is.
struct Tail {
  ThreadIndex thread{0};
  ThreadIndex next_index{0};  // threads from here on came later
  bool is_whole{false};
};
std::vector<Difference> compare_tail(const recording::Log& recorded, const recording::Log& replayed, const Tail& tail);

// "exit code 3", "SIGSEGV", "stopped from outside"
std::string end_text(recording::EndKind kind, std::int32_t code);

}  // namespace reprise::analyse
