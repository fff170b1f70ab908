// Recordings of one run, made on several hosts, become one that replays on one host.
//
//   auto merged = merge(home(), "all", {host_a, host_b});
//   for (const std::string& warning : merged->warnings) console.note(warning);
//
// A process that finds a party on another host cannot know which incarnation of it answers; the receiver's log does
// (its sources name the connection). What follows is kept in the file `routes`. Layout: format/recording.md.
//
// Lifetime  The parts stay as they are. What fails leaves nothing behind.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "recording/folder.h"

namespace reprise::drive {

constexpr const char* routes_name = "routes";

struct Merged {
  recording::Folder folder;
  std::vector<std::string> processes;
  std::size_t routes{0};
  std::vector<std::string> warnings;
};

// Makes home/NAME.reprise. Errors: usage (the name is taken; two parts hold a process of the same name; levels differ),
// not_a_recording (a part without a log), those of read_manifest and Log::open, io.
Result<Merged> merge(const std::filesystem::path& home, std::string_view name,
                     const std::vector<recording::Folder>& parts);

}  // namespace reprise::drive
