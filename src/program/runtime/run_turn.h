// One write to a place that other processes of the run write to as well: in the recorded order.
//
//   const RunTurn turn(place);      // inside what orders the place among the threads of this process
//   write(...);
#pragma once

#include <reprise/detail/gate.h>

#include "gate/run_order.h"

namespace reprise::runtime {

class RunTurn {
 public:
  explicit RunTurn(gate::run_order::Place& place) : place_(place) {
    gate::Thread* const thread = gate::current;
    if (thread == nullptr || !place.is_shared) return;
    std::uint64_t others = 0;
    const auto outcome = thread->gate->foretell(*thread, asked, Kind::behind, nullptr, &others, sizeof others, false);
    if (!gate::run_order::is_joined()) return;  // recorded or not, the others are not there
    is_taken_ = true;
    is_locked_ = outcome == gate::Outcome::open;
    if (is_locked_) {
      others = gate::run_order::enter(place);
      if (others > 0) thread->gate->step(*thread, Kind::behind, others);
    } else {
      gate::run_order::await(place, others);
    }
  }
  RunTurn(const RunTurn&) = delete;
  RunTurn& operator=(const RunTurn&) = delete;
  ~RunTurn() {
    if (is_taken_) gate::run_order::leave(place_, is_locked_);
  }

 private:
  static inline gate::Object asked;  // only to ask with: the event has no object

  gate::run_order::Place& place_;
  bool is_taken_{false};
  bool is_locked_{false};
};

}  // namespace reprise::runtime
