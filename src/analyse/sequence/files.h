// The files of the paper: a recording's sequences, to trace, to replay and to test.
//
//   auto files = sequence::files_of(processes, sequence::counted_ids(processes), Numbering::carc);
//   for (const File& file : files->files) write(file.name, file.text);
//
//   Node1_channel-replay.txt     simple sequence of the mailboxes
//   Node1_channel-test.txt       node-based sequence (thread2 where there is an elseDelay)
//   Node1_channel-trace.txt      the same with senders and vector timestamps, in comments
//   P_monitor-replay.txt         simple M-sequence of process P       P_monitor-test.txt    its M-sequence
//   P_monitorID.txt              its monitors                         P_ThreadID.txt        its threads and mailboxes
//   P_semaphore-replay.txt, P_semaphore-test.txt                      its P and V
//
// Files that would hold nothing are left out. All are read back by sequence::read, the IDs excepted.
//
// Errors    those of extract(). What a form cannot say stands in `refused`.
#pragma once

#include <string>
#include <vector>

#include "analyse/sequence/extract.h"
#include "base/result.h"

namespace reprise::analyse::sequence {

struct File {
  std::string name;
  std::string text;
};

struct Files {
  std::vector<File> files;
  std::vector<std::string> refused;  // "Node1_channel-replay.txt: why"
};

// Threads and mailboxes of the first process from 1 on, those of the next after them, and so on.
std::vector<StartId> counted_ids(const std::vector<Process>& processes);

Result<Files> files_of(const std::vector<Process>& processes, const std::vector<StartId>& start_ids,
                       Numbering numbering);

}  // namespace reprise::analyse::sequence
