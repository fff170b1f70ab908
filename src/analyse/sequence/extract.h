// The events of a recording's mailboxes, monitors and semaphores, as a sequence.
//
//   auto execution = sequence::extract(processes, {});
//   auto text = sequence::print(*execution, {.form = Form::node});
//
// Threads are named process/path, or by number where start ids are given: threads and mailboxes of a process count from
// its start id on, in the order in which they were made (a mailbox has a thread of its own).
//
// Trust     What is noted in a recording is parsed as any input.
// Errors    damaged (a note that is none, with process and thread), usage (no start id for a process).
// Cost      One pass over each log, and a sort.
#pragma once

#include <string>
#include <vector>

#include "analyse/sequence/event.h"
#include "base/result.h"
#include "recording/log.h"

namespace reprise::analyse::sequence {

struct Process {
  std::string name;
  recording::Log log;
};

// The events stand in an order that respects causality: mailboxes first, then monitors, then semaphores.
Result<Execution> extract(const std::vector<Process>& processes, const std::vector<StartId>& start_ids = {});

// The name that thread `path` of `process` has in a sequence. Errors: usage.
class ThreadNames {
 public:
  ThreadNames(const std::vector<Process>& processes, std::vector<StartId> start_ids)
      : processes_(processes), start_ids_(std::move(start_ids)) {}
  Result<std::string> name(const std::string& process, const std::string& path) const;

 private:
  const std::vector<Process>& processes_;
  std::vector<StartId> start_ids_;
};

}  // namespace reprise::analyse::sequence
