// Why a replay does not go on: who waits at which object for which order, and who should have supplied it.
//
//   const Stall stall = explain_stall(recorded, names, replayed, /*proven=*/true, 0);
//   for (const std::string& line : stall.lines()) console.print(line);
//
// The supplier of an order is found in the recording: the thread that passed there with this order, or with the last
// written order below it (the passages after it were predicted, so they were its own).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyse/names.h"
#include "recording/log.h"

namespace reprise::analyse {

struct Supplier {
  ThreadIndex thread{no_thread};
  std::uint64_t step{0};   // of its last written passage at or below the order
  std::uint64_t order{0};  // of that passage
};

// Who brought `object` to `order` in the recording. Nothing: the object had this order from the start, or the log is
// damaged.
std::optional<Supplier> find_supplier(const recording::Log& log, ObjectId object, std::uint64_t order);

struct StalledThread {
  std::string path;
  std::uint64_t steps{0};
  std::uint64_t recorded_steps{0};
  std::string waits_for;  // "lock accounts"; empty: it is not at a gate
  std::uint64_t order{0};
  std::string supplier;  // path; empty: nobody, or not needed
  std::uint64_t supplier_step{0};
  std::string supplier_state;
  bool at_end{false};  // has done all its recorded steps
};

struct Stall {
  bool proven{false};
  double silent_s{0};  // not proven: how long nothing moved
  std::vector<StalledThread> threads;
  std::vector<std::string> unborn;  // recorded threads that the program has not started

  std::vector<std::string> lines() const;
};

Stall explain_stall(const recording::Log& recorded, const Names& names, const recording::Log& replayed, bool proven,
                    double silent_s);

}  // namespace reprise::analyse
