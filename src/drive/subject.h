// What a replay runs: a recording opened, and its program found, with arguments, environment and working folder
// restored.
//
//   auto subject = prepare(folder, {.program = "", .image = false});
//   if (!subject) return console.fail(subject.error());
//   for (const std::string& warning : subject->warnings) console.note(warning);
//
// Trust     Only the program that the manifest names (or the user gives) is ever executed.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "drive/manifest.h"
#include "drive/scratch.h"
#include "recording/folder.h"
#include "recording/log.h"

namespace reprise::drive {

struct SubjectProcess {
  std::string name;
  recording::Log log;                   // what was recorded
  std::optional<recording::Log> trace;  // the same run with every event, if it was traced

  const recording::Log& best_log() const { return trace ? *trace : log; }
};

// A program to launch.
struct SubjectLine {
  std::string process;
  std::filesystem::path program;
  std::vector<std::string> arguments;
  std::vector<std::string> environment;
  std::filesystem::path working_folder;
  std::uint32_t part{0};  // of a merged recording
  ManifestEnd end{ManifestEnd::unknown};
  std::int32_t end_code{0};
};

struct Subject {
  std::vector<SubjectProcess> processes;  // those to replay: the one that was launched first; those it started after it
  std::vector<SubjectLine> lines;         // what is launched: one, or all or some lines of a system
  std::string only;                       // names of the processes that are replayed, separated by commas; empty: all
  std::string alone;                      // of what is launched, only these processes and those that they descend from
  std::string nodes;                      // the MCAPI nodes that are replayed, of a recording in groups; empty: all
  recording::Folder folder;
  Manifest manifest;
  bool fixed_addresses{true};
  bool is_other_build{false};
  std::vector<std::string> warnings;                     // one line each
  std::vector<std::shared_ptr<ScratchFolder>> unpacked;  // hold kept images while they are used

  const SubjectProcess* find(std::string_view name) const;
};

struct SubjectOptions {
  std::string program;  // run this one instead
  bool image{false};    // run the kept copy
  std::string only;     // this process, or the one of this party or MCAPI node, without the others
};

// The processes that left a log, the launched one first.
std::vector<std::string> processes_of(const recording::Folder& folder);

// Opens the log of `process`, or of the launched one. Errors: not_a_recording (no gate was met), usage (no such
// process), those of Log::open.
struct OpenedLog {
  std::string process;
  recording::Log log;
};
Result<OpenedLog> open_log(const recording::Folder& folder, std::string_view process = {}, bool prefer_trace = false);

// Errors: those of open_log; unsupported (the recording was refused when it was made, and why; or the rest of it is
// elsewhere); not_found (no program any more).
Result<Subject> prepare(const recording::Folder& folder, const SubjectOptions& options);

}  // namespace reprise::drive
