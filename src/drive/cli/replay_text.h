// A replay's report in words and as JSON.
#pragma once

#include <string>
#include <vector>

#include "drive/json.h"
#include "drive/replay_run.h"
#include "drive/subject.h"

namespace reprise::drive::cli {

// "exit code 3", "SIGSEGV"
std::string ended_text(const Ended& ended);

// As DESIGN's table of exit codes has it.
int exit_code_of(const ReplayReport& report);

// For a replay that was not identical: what was expected and what happened.
std::vector<std::string> report_lines(const ReplayReport& report);

Json report_json(const Subject& subject, const ReplayReport& report, std::uint64_t identical, std::uint64_t times);

}  // namespace reprise::drive::cli
