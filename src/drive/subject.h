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
#include <vector>

#include "base/result.h"
#include "drive/manifest.h"
#include "drive/scratch.h"
#include "recording/folder.h"
#include "recording/log.h"

namespace reprise::drive {

struct Subject {
  recording::Log log;                   // what was recorded
  std::optional<recording::Log> trace;  // the same run with every event, if it was traced
  recording::Folder folder;
  std::string process;
  Manifest manifest;
  std::filesystem::path program;
  std::vector<std::string> arguments;
  std::vector<std::string> environment;
  std::filesystem::path working_folder;
  bool fixed_addresses{true};
  bool is_other_build{false};
  std::vector<std::string> warnings;        // one line each
  std::shared_ptr<ScratchFolder> unpacked;  // holds the kept image while it is used

  const recording::Log& best_log() const { return trace ? *trace : log; }
};

struct SubjectOptions {
  std::string program;  // run this one instead
  bool image{false};    // run the kept copy
};

// Opens the log of the recording's process. Errors: not_a_recording (no gate was met), those of Log::open.
struct OpenedLog {
  std::string process;
  recording::Log log;
};
Result<OpenedLog> open_log(const recording::Folder& folder, bool prefer_trace = false);

// Errors: those of open_log; unsupported (the recording was refused when it was made, and why); not_found (no program
// any more).
Result<Subject> prepare(const recording::Folder& folder, const SubjectOptions& options);

}  // namespace reprise::drive
