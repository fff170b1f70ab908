// Where a command's words go: results to stdout, chatter to stderr.
//
//   console.print("replayed 20 of 20 identical");
//   return console.fail(error, "reprise ls");          // one line, the exit code, and the next command to type
//
// Trust     note() and fail() escape control characters; print() prints as it is, callers escape what comes from a
// recording.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "base/result.h"
#include "drive/json.h"

namespace reprise::drive::cli {

// The exit codes of every command but record, which passes the program's own code through (and `own_failure` for ours).
enum ExitCode : int {
  done = 0,
  finding = 1,
  usage = 2,
  diverged = 3,
  stalled = 4,
  bad_recording = 5,
  undecided = 6,
  unsupported = 7,
  own_failure = 125,
  interrupted = 130,
};

ExitCode exit_code_of(ErrorCode code);

enum class Style { plain, strong, good, bad, dim };

class Console {
 public:
  Console(std::FILE* out, std::FILE* err);

  // A result: one line (or several, joined by newlines) on stdout.
  void print(std::string_view text);
  // JSON to stdout: indented, or one line of a stream of lines.
  void print_json(const Json& json, bool compact = false);

  // Chatter on stderr: "reprise: text".
  void note(std::string_view text);
  // The next command to type.
  void next(std::string_view command);
  // A line of progress, overwritten by the next one; nothing unless stderr is a terminal.
  void progress(std::string_view text);

  // Reports an error in one line and returns its exit code.
  ExitCode fail(const Error& error, std::string_view next_command = {});

  // `text` in colour, if stdout is a terminal that wants it (NO_COLOR, TERM=dumb).
  std::string styled(Style style, std::string_view text) const;

  bool shows_progress() const { return progress_; }

 private:
  void end_progress();

  std::FILE* out_;
  std::FILE* err_;
  bool colour_;
  bool progress_;
  bool progress_shown_{false};
};

}  // namespace reprise::drive::cli
