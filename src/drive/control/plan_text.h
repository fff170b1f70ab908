// Turns sequences into the plan that the programs are given (src/program/sequence/plan.h reads it).
#pragma once

#include <string>
#include <vector>

#include "analyse/sequence/event.h"
#include "base/result.h"
#include "drive/control/sequence_files.h"

namespace reprise::drive {

struct Listed {
  std::vector<analyse::sequence::Event> mailboxes;   // in the order of the text
  std::vector<analyse::sequence::Event> monitors;    // all events of each monitor that is listed
  std::vector<analyse::sequence::Event> entries;     // all entries and reentries of a process: who, not where
  std::vector<analyse::sequence::Event> semaphores;  // all events of each semaphore that is listed
  std::vector<std::string> files;                    // where they stand
  std::vector<analyse::sequence::StartId> start_ids;
  bool lists_mailboxes{false};
  bool has_total_order{false};     // the order of the text means something across objects
  bool is_simple{false};           // types and mailboxes are not known
  bool has_owner_order{false};     // the order of the text means something across the mailboxes of one receiver
  std::vector<std::size_t> ranks;  // of `mailboxes`, where the text has no such order: one that there may be

  // All of them, one after the other.
  std::size_t size() const { return mailboxes.size() + monitors.size() + entries.size() + semaphores.size(); }
  const analyse::sequence::Event& at(std::size_t place) const;
};

// Reads the files and names threads process/path or process#index. Errors: not_found, io, usage (with file, line,
// column).
Result<Listed> read_listed(const std::vector<std::string>& files,
                           const std::vector<analyse::sequence::StartId>& start_ids, const ThreadIds& threads = {});

std::string plan_text(const Listed& listed);

}  // namespace reprise::drive
