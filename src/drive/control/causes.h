// What came before what in a forced run: threads, mailboxes, monitors, spawns and joins.
//
//   auto causes = Causes::of(processes);
//   causes->past_of({"server/0.1"})     the entries of monitors that this thread's last step may depend on
//
// REQUIRES the run was recorded in full and forced: each thread notes its mailbox events as it comes to them.
// Errors    damaged.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analyse/sequence/extract.h"
#include "base/result.h"

namespace reprise::drive {

// The how-manyth entry of a monitor went to this thread.
struct Entry {
  std::string monitor;  // process/name
  std::size_t position;
  std::string thread;  // process/path
  friend auto operator<=>(const Entry&, const Entry&) = default;
};

class Causes {
 public:
  static Result<Causes> of(const std::vector<analyse::sequence::Process>& processes);

  // In an order that respects causality.
  std::vector<Entry> past_of(const std::set<std::string>& threads) const;
  std::vector<Entry> all() const;

  // The mailbox at which this thread has come to an event that it waits for.
  std::optional<std::string> awaited_by(const std::string& thread) const;

  // Has this thread done anything of its own? A mailbox's thread has not: what it does, it does for others.
  bool acts(const std::string& thread) const { return last_of_thread_.contains(thread); }

  // Is this one of a monitor's own objects? Who waits there waits for threads of its own process only.
  bool is_of_monitor(const std::string& process, std::uint64_t object) const;

  // Objects of the program's own, neither mailboxes nor monitors, at which threads met: "process/name".
  const std::set<std::string>& races() const { return races_; }

  // Events of mailboxes by "mailbox order" get a place in a text. The first, by place, that comes before one of its
  // causes, and the entries it depends on.
  struct Violation {
    std::size_t place;
    std::vector<Entry> entries;
  };
  std::optional<Violation> against(const std::map<std::string, std::size_t>& places) const;

 private:
  struct Node {
    std::vector<std::size_t> causes;
    std::optional<Entry> entry;
    std::string mailbox;  // "name order" of a mailbox event
  };
  class Builder;

  std::vector<bool> past(std::vector<std::size_t> nodes) const;
  std::vector<Entry> entries_in(const std::vector<bool>& past) const;

  std::vector<Node> nodes_;
  std::vector<std::size_t> order_;  // causes first
  std::map<std::string, std::size_t> last_of_thread_;
  std::map<std::string, std::string> awaited_;  // by thread: a mailbox
  std::set<std::pair<std::string, std::uint64_t>> of_monitors_;
  std::set<std::string> races_;
};

}  // namespace reprise::drive
