// Vector timestamps of mailbox events: one entry per thread and per mailbox.
//
//   const Stamps stamps(execution, {"1", "2", "4"}, {{"deposit", "4"}});
//   stamps.of(i)                                 [2, 1, 3]: by the events of threads 1 and 2 and of mailbox deposit
//
// The entry of a thread is its order number, that of a mailbox the number of its events: what the event's past holds of
// each. A thread's arrival at a mailbox does not come back to it; a receive brings what the mailbox has met. What
// monitors, starts and ends of threads add is not in it.
//
// REQUIRES events in an order that respects causality (linear.h), with their numbers.
// Cost      O(events x entries).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analyse/sequence/event.h"

namespace reprise::analyse::sequence {

class Stamps {
 public:
  using Stamp = std::vector<std::uint64_t>;

  // `entries`: names of threads, and of mailboxes as `mailboxes` calls them.
  Stamps(const Execution& execution, const std::vector<std::string>& entries,
         const std::map<std::string, std::string>& mailboxes);

  // Empty: the event is none of a mailbox.
  const Stamp& of(std::size_t event) const { return stamps_[event]; }

 private:
  std::vector<Stamp> stamps_;
};

}  // namespace reprise::analyse::sequence
