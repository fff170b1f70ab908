// The first difference of two recordings of the same program, aligned by threads and objects.
//
//   auto differences = diff(left, right);
//   if (differences && differences->empty()) ...                  the same run
//
// Threads are aligned by their paths, objects by their names, so that two runs compare although their numbers differ.
// Within a thread the first written event that is not the same is the difference: what comes after it follows from it.
//
// Errors    damaged: one of the two cannot be read.
// Cost      One pass over both logs; nothing is held.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "recording/log.h"

namespace reprise::analyse {

struct ThreadDifference {
  std::string thread;     // path
  std::uint64_t step{0};  // the earlier of the two steps
  std::string left;       // what happened there, or that nothing did
  std::string right;
  std::vector<std::string> before;  // the events both have in common, the last three
};

struct LogDifferences {
  std::vector<ThreadDifference> threads;  // at most one for each thread; by step
  std::string end_left;                   // how they ended, where that differs
  std::string end_right;
  bool output_differs{false};

  bool empty() const { return threads.empty() && end_left == end_right && !output_differs; }
};

Result<LogDifferences> diff(const recording::Log& left, const recording::Log& right);

}  // namespace reprise::analyse
