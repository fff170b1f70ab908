// A system of several programs: a Procfile, lines `name: command`, as foreman reads them.
//
//   auto lines = read_procfile("Procfile");
//   for (const Line& line : *lines) start(line.name, line.command);
//
// Trust     The file is the user's; what is wrong is told with its line.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace reprise::drive {

struct Line {
  std::string name;
  std::vector<std::string> command;  // words; by way of /bin/sh where the line needs a shell

  friend bool operator==(const Line&, const Line&) = default;
};

// Errors: not_found, io, usage (which line, and what is wrong).
Result<std::vector<Line>> read_procfile(const std::filesystem::path& path);
Result<std::vector<Line>> parse_procfile(std::string_view text);

}  // namespace reprise::drive
