// Which files are meant by --sequence: a file, or a folder of those that `reprise sequence --files` writes.
//
//   auto found = find_sequences({"run-files"}, Purpose::test);       // *_channel-test.txt, *_monitor-test.txt, ...
//   auto listed = read_listed(found->files, start_ids, found->threads);
//
// NAME_ThreadID.txt says which thread has which number; given, or found in a folder, it holds before --start-id.
//
// Errors    not_found, usage (with file, line and column).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace reprise::drive {

enum class Purpose : std::uint8_t { replay, test };

using ThreadIds = std::map<std::uint64_t, std::string>;  // process/path by number

struct SequenceFiles {
  std::vector<std::string> files;
  ThreadIds threads;
};

Result<SequenceFiles> find_sequences(const std::vector<std::string>& paths, Purpose purpose);

// Of at most 1 GiB. Errors: not_found.
Result<std::string> read_text(const std::string& path);

}  // namespace reprise::drive
