// What is in a log, in numbers: `reprise info`.
//
//   auto summary = summarise(log);
//   if (!summary) return report(summary.error());
//   for (const ObjectSummary& object : summary->contended) show(object.name, object.changes);
//
// Cost      Two passes over the log.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyse/blocked.h"
#include "analyse/names.h"
#include "recording/log.h"

namespace reprise::analyse {

constexpr std::size_t contended_max = 10;

struct ThreadSummary {
  ThreadIndex index{no_thread};
  std::string path;
  std::uint64_t steps{0};
  std::uint64_t events{0};   // written
  std::uint64_t objects{0};  // named by it
  bool ended{false};
};

struct ObjectSummary {
  ObjectId object{0};
  std::string name;
  Family family{Family::object};
  std::uint64_t passages{0};  // its highest order: a lower bound of all ordered passages, written or not
  std::uint64_t changes{0};   // of the thread that passes: what was written because of others
  std::uint64_t threads{0};   // that passed in order
};

struct Summary {
  recording::LogInfo info;
  std::vector<ThreadSummary> threads;
  std::uint64_t steps{0};
  std::uint64_t events{0};               // written records
  std::uint64_t values{0};               // of them: values from outside
  std::uint64_t objects{0};              // that some event mentions
  std::vector<ObjectSummary> contended;  // met by several threads, most changes first, at most contended_max
  Blocked blocked;
};

// Errors: damaged.
Result<Summary> summarise(const recording::Log& log);

}  // namespace reprise::analyse
