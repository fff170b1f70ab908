// Checks a log against every MUST of format/recording.md, also those that reading it does not need.
//
//   auto report = verify("run.reprise/main.log");
//   if (!report) return report.error();                       // there is nothing to check
//   for (const std::string& line : report->findings) show(line);
//
// Trust     Nothing is assumed: a log that Log::open refuses is checked as far as it goes.
// Cost      One pass over all events; eight bytes of memory for each written event that has an order of its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace reprise::recording {

constexpr std::size_t findings_max = 100;

struct VerifyReport {
  bool sealed{false};
  std::uint64_t threads{0};
  std::uint64_t events{0};            // written ones
  std::uint64_t steps{0};             // of all threads, written or not
  std::uint64_t objects{0};           // that some event mentions
  std::vector<std::string> findings;  // one line each, the first findings_max of them
  std::uint64_t more_findings{0};     // beyond those
  std::vector<std::string> notes;     // true, but nothing wrong: where a repaired log was cut

  bool good() const { return findings.empty(); }
};

// Errors: not_found, not_a_recording, version_unsupported, io. Damage is a finding, not an error.
Result<VerifyReport> verify(const std::filesystem::path& path);

}  // namespace reprise::recording
