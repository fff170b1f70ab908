// Turns sequences into the plan that the programs are given (src/program/sequence/plan.h reads it).
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analyse/sequence/event.h"
#include "base/result.h"
#include "drive/control/sequence_files.h"

namespace reprise::drive {

// The how-manyth event of a mailbox, from 1.
struct AtMailbox {
  std::string mailbox;
  std::uint64_t number{0};
  friend auto operator<=>(const AtMailbox&, const AtMailbox&) = default;
};
// What the text does not say, but a selective wait needs: in which order messages come to two mailboxes.
struct Before {
  AtMailbox first;
  AtMailbox then;
  friend auto operator<=>(const Before&, const Before&) = default;
};

struct Listed {
  std::vector<analyse::sequence::Event> mailboxes;   // in the order of the text
  std::vector<analyse::sequence::Event> monitors;    // all events of each monitor that is listed
  std::vector<analyse::sequence::Event> entries;     // all entries and reentries of a process: who, not where
  std::vector<analyse::sequence::Event> semaphores;  // all events of each semaphore that is listed
  std::vector<std::string> files;                    // where they stand
  std::vector<analyse::sequence::StartId> start_ids;
  bool lists_mailboxes{false};
  bool has_total_order{false};  // the order of the text means something across objects
  bool is_simple{false};        // types and mailboxes are not known
  bool has_owner_order{false};  // the order of the text means something across the mailboxes of one receiver
  std::set<Before> before;      // where it does not: what was learnt

  // All of them, one after the other.
  std::size_t size() const { return mailboxes.size() + monitors.size() + entries.size() + semaphores.size(); }
  const analyse::sequence::Event& at(std::size_t place) const;
};

// Reads the files and names threads process/path or process#index. Errors: not_found, io, usage (with file, line,
// column).
Result<Listed> read_listed(const std::vector<std::string>& files,
                           const std::vector<analyse::sequence::StartId>& start_ids, const ThreadIds& threads = {});

std::string plan_text(const Listed& listed);

// Where it stands among `mailboxes`.
std::optional<std::size_t> listed_at(const Listed& listed, const AtMailbox& event);
// Is there no order of all mailbox events that keeps those of threads and mailboxes, and `before`?
bool contradicts_itself(const Listed& listed);

}  // namespace reprise::drive
