// One order of all events that respects the order of each thread and each object.
//
//   auto order = sequence::linear(execution, {.arrivals_in_send_order = true});
//
// An arrival comes after the events before its send, and holds up nothing of its thread: others at other mailboxes may
// overtake it. With `arrivals_in_send_order` it may not, as in forms that have no numbers.
//
// Of several orders it takes the one that is nearest to the order of `execution`.
//
// Cost      O(events log events).
#pragma once

#include <utility>
#include <vector>

#include "analyse/sequence/event.h"

namespace reprise::analyse::sequence {

struct LinearOptions {
  bool arrivals_in_send_order{false};
  std::vector<std::pair<std::size_t, std::size_t>> before{};  // places in execution.events: the first comes first
};

struct Linear {
  std::vector<std::size_t> order;  // places in execution.events
  std::vector<std::size_t> stuck;  // events that each wait for another: the orders contradict each other
};

Linear linear(const Execution& execution, const LinearOptions& options = {});

// The same by hand: what comes before what, by place.
class Precedence {
 public:
  explicit Precedence(std::size_t size) : after_(size), waits_for_(size) {}
  void before(std::size_t first, std::size_t then) {
    after_[first].push_back(then);
    ++waits_for_[then];
  }
  // Of those that may come, always the first.
  Linear sorted() const;

 private:
  std::vector<std::vector<std::size_t>> after_;
  std::vector<std::size_t> waits_for_;
};

// The execution with its events in that order. REQUIRES nothing is stuck.
Execution reordered(const Execution& execution, const Linear& linear);

}  // namespace reprise::analyse::sequence
