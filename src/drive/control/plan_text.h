// Turns sequences into the plan that the programs are given (src/program/sequence/plan.h reads it).
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "analyse/sequence/event.h"
#include "base/result.h"

namespace reprise::drive {

// Who enters an unlisted monitor, as far as it is decided.
struct Beginning {
  std::vector<std::string> entries;  // threads, in their order
  std::set<std::string> not_next;    // who does not come then
};

struct Listed {
  std::vector<analyse::sequence::Event> mailboxes;  // in the order of the text
  std::vector<analyse::sequence::Event> monitors;   // all events of each monitor that is listed
  bool lists_mailboxes{false};
  bool has_total_order{false};  // the order of the text means something across objects
  bool is_simple{false};        // types and mailboxes are not known
};

// Reads the files and names threads process/path or process#index. Errors: not_found, io, usage (with file, line,
// column), unsupported (semaphores, elseDelay).
Result<Listed> read_listed(const std::vector<std::string>& files,
                           const std::vector<analyse::sequence::StartId>& start_ids);

std::string plan_text(const Listed& listed, const std::map<std::string, Beginning>& beginnings);

}  // namespace reprise::drive
