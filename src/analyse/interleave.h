// All threads' events in one order that respects causality: a linear extension, computed from the orders at objects.
//
//   auto order = Interleaving::of(log);
//   while (auto placed = order->next(); placed && *placed) use((*placed)->thread, (*placed)->event);
//
// It is one of many possible orders: events that nothing relates may have happened the other way round. Where spawns
// and joins are not written, a thread that left steps out goes on after its children, and the end of the process comes
// last: that is how most programs are made, and no order that is written speaks against it.
//
// Lifetime  Views in an event are valid until the next call.
// Cost      Two passes over the log; eight bytes per event that has an order.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "recording/log.h"

namespace reprise::analyse {

class Interleaving {
 public:
  struct Placed {
    ThreadIndex thread;
    recording::Event event;
  };

  // Errors: damaged.
  static Result<Interleaving> of(const recording::Log& log);

  // The next event, or nothing at the end. Errors: damaged.
  Result<std::optional<Placed>> next();

  // Events that had to be placed against the orders: more than none only where a log contradicts itself.
  std::uint64_t forced() const { return forced_; }

 private:
  // The orders at which one stream meets objects. A release takes the order of the passage it ends.
  class Keys {
   public:
    std::optional<std::uint64_t> key_of(const recording::Event& event);

   private:
    std::unordered_map<ObjectId, std::uint64_t> last_;
  };
  struct Stream {
    ThreadIndex thread;
    recording::StreamReader reader;
    Keys keys;
    std::optional<recording::Event> head;
    std::optional<std::uint64_t> key;
    bool has_gap{false};      // steps were left out before the head
    std::uint64_t living{0};  // children that have, or whose children have, events still to come
    std::size_t parent{0};    // place in streams_; its own for main
  };
  struct Meetings {
    std::vector<std::uint64_t> keys;  // of all events at the object, ascending
    std::size_t next{0};
  };

  Result<void> collect(const recording::Log& log);
  Result<void> advance(Stream& stream);
  bool is_ready(const Stream& stream) const;
  bool is_deferred(const Stream& stream) const;
  void ended(std::size_t at);
  std::size_t choose();

  std::vector<Stream> streams_;
  std::unordered_map<ObjectId, Meetings> meetings_;
  std::set<ThreadIndex> unborn_;  // threads whose spawn event is still to come
  std::set<ThreadIndex> alive_;   // threads with events still to come
  std::size_t current_{0};
  bool consumed_{true};  // the current stream's head was handed out
  std::uint64_t forced_{0};
};

}  // namespace reprise::analyse
