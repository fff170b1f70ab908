// What `test` and `replay --sequence` share: what is to happen, in which programs, and where the recording goes.
#pragma once

#include <string>
#include <vector>

#include "drive/cli/arguments.h"
#include "drive/cli/console.h"
#include "drive/control/feasibility.h"
#include "drive/control/sequence_files.h"
#include "recording/folder.h"

namespace reprise::drive::cli {

struct Forcing {
  Listed listed;
  std::vector<TargetLine> programs;
  std::string kept;  // the recording's name
  recording::Folder folder;
  TestOptions options;
  std::string inputs;  // --inputs, as it was given
};

// Errors: usage, not_found, those of the sequences (with file, line and column).
Result<Forcing> forcing_of(const Arguments& arguments, Purpose purpose, const char* default_name, Console& console);

// Tests it. Of a test that could not be brought to its end only what came furthest is left. Errors: as test_sequence.
Result<Tested> test_forced(const Forcing& forcing);

// Where a run stopped: the event, why, and what each thread was about to do.
std::vector<std::string> stop_lines(const Tested& tested, const Listed& listed);
// Which values from outside were held constant; empty: there are none.
std::string held_line(const Tested& tested, const std::string& inputs);
// The facts of a run, after its verdict.
Json facts_of(const std::string& verdict, const Tested& tested, const std::string& kept);

}  // namespace reprise::drive::cli
