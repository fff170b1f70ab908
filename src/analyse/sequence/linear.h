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

#include <vector>

#include "analyse/sequence/event.h"

namespace reprise::analyse::sequence {

struct LinearOptions {
  bool arrivals_in_send_order{false};
  bool arrivals_in_receive_order{false};  // what a thread receives from several mailboxes also came in that order
};

struct Linear {
  std::vector<std::size_t> order;  // places in execution.events
  std::vector<std::size_t> stuck;  // events that each wait for another: the orders contradict each other
};

Linear linear(const Execution& execution, const LinearOptions& options = {});

// The execution with its events in that order. REQUIRES nothing is stuck.
Execution reordered(const Execution& execution, const Linear& linear);

}  // namespace reprise::analyse::sequence
