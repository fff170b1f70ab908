// One order of all noted events of a run that respects causality: threads, objects, selective waits, starts and ends of
// threads.
//
//   CausalOrder order;
//   const std::size_t node = order.add();                                    // an event
//   order.in_thread("server/0.1", {.node = node, .all = 3, .holds_up = true});
//   order.at_object("deposit", 2, node);
//   Linear linear = order.sorted();
//
// A thread's events stand in the order of its own numbers (`all`: mailbox events and monitor calls), other notes after
// the number they were made at, in the order of their places. An arrival holds up nothing of its thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analyse/sequence/linear.h"

namespace reprise::analyse::sequence {

class CausalOrder {
 public:
  struct Link {
    std::size_t node;
    std::uint64_t all{0};
    std::uint64_t place{0};
    bool holds_up{true};
  };
  static constexpr std::uint64_t last = ~std::uint64_t{0};

  std::size_t add() { return size_++; }
  void in_thread(const std::string& thread, const Link& link) { threads_[thread].push_back(link); }
  void at_object(const std::string& object, std::uint64_t order, std::size_t node) { objects_[object][order] = node; }

  // Arrivals in the order of their sends, if that is possible.
  Linear sorted();

 private:
  Linear sorted(bool in_send_order);

  std::size_t size_{0};
  std::map<std::string, std::vector<Link>> threads_;
  std::map<std::string, std::map<std::uint64_t, std::size_t>> objects_;
};

}  // namespace reprise::analyse::sequence
