// Records one run of a program: the manifest first, then the run, then the sealed log.
//
//   auto run = record_once(folder, {.command = {"./bank", "100"}}, interrupts);
//   return run ? run->ended.exit_code() : own_failure;
//
// Lifetime  If the tool dies on the way, the folder still opens: the manifest is there and the log is live.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "drive/launch.h"
#include "drive/manifest.h"
#include "drive/procfile.h"
#include "drive/program.h"
#include "recording/folder.h"

namespace reprise::drive {

struct RecordOptions {
  std::vector<std::string> command{};
  std::string process{};       // empty: the program's name, made valid
  std::string level{"order"};  // or "data"
  std::string checkpoint{};    // REPRISE_CHECKPOINT; empty: none
  std::string technique{};     // of MCAPI programs: receiver, sender or data; empty: receiver
  bool full{false};
  bool keeps_image{true};       // a copy of the program and its own libraries
  bool output_to_error{false};  // stdout is ours
  bool only_failures{false};    // a run that does not fail will be forgotten: do not finish its recording
  bool captured{false};         // hold the output back in RecordedRun::output
  std::optional<double> timeout_s{};
  std::optional<std::uint64_t> chaos{};
  std::string favour{};
  std::string delay{};                   // NAME:US
  std::vector<std::string> services{};   // lines of a system that are stopped at its end
  std::vector<std::string> groups{};     // names separated by commas; across groups, contents are recorded
  bool simulates_errors{true};           // on replay, unless it is asked otherwise there
  std::vector<std::string> variables{};  // NAME=value, for the programs
  bool silent{false};                    // a system's output is not shown
  std::function<bool(const std::vector<pid_t>&)>
      is_over{};       // of a system: true kills what still runs; asked again and again
  std::string grep{};  // look for it in the output (which is then captured)
};

struct Piece {
  std::string bytes;
  bool error{false};
};

struct RecordedRun {
  Ended ended;
  ManifestEnd how{ManifestEnd::unknown};
  bool found_text{false};
  bool gates_met{false};
  std::string unsupported;  // why this cannot be replayed; empty: it can
  std::string unfinished;   // why the recording could not be sealed, counted or described; empty: it was
  std::string incomplete;   // why the log ends before the program; empty: it does not
  bool is_dropped{false};   // only what came after the oldest checkpoint is kept
  std::uint64_t threads{0};
  std::uint64_t steps{0};
  std::uint64_t written{0};
  std::uint64_t bytes{0};
  std::vector<Piece> output;  // captured; at most output_bytes_max of it
  bool output_cut{false};

  bool failed() const { return ended.signalled || ended.code != 0 || how == ManifestEnd::time_limit || found_text; }
};

constexpr std::size_t output_bytes_max = std::size_t{16} << 20;

// The program of `options` must be found first; it is the same for all runs.
struct Target {
  std::filesystem::path path;
  ProgramFacts facts;
  Libraries libraries;
};
// Errors: not_found, io.
Result<Target> find_target(const std::vector<std::string>& command);

// `folder` holds nothing but perhaps an image. Errors: io, usage, not_found (the program cannot be executed). Once the
// program has run there is no error any more: what could not be finished says RecordedRun::unfinished.
Result<RecordedRun> record_once(const recording::Folder& folder, const Target& target, const RecordOptions& options,
                                Interrupts& interrupts);

// A system of several programs, all at once. It ends when all lines that are no service have ended; services then get
// SIGTERM. RecordedRun::ended is the first failure among the lines, or success. Errors: as of record_once.
struct TargetLine {
  Line line;
  Target target;
};
Result<RecordedRun> record_system(const recording::Folder& folder, const std::vector<TargetLine>& lines,
                                  const RecordOptions& options, Interrupts& interrupts);

// Empties `folder` for the next run, but keeps its image.
void forget_run(const recording::Folder& folder);

// `text` as a valid name: letters that may not stand there become '_'.
std::string valid_name(std::string_view text);

}  // namespace reprise::drive
