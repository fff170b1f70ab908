// Who met whom at the objects of a forced run that are searched: the orders of passages, and what each depended on
// there.
//
//   Meetings meetings;
//   meetings.note_own(...);                       // first: which objects are the library's
//   meetings.pass(object, event, thread, node);   // then each passage, and each unlock
//   for (const auto& [from, to] : meetings.links()) ...
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "recording/event.h"

namespace reprise::drive {

class Meetings {
 public:
  using Nodes = std::vector<std::pair<std::size_t, std::size_t>>;  // cause, effect

  void note_own(const std::string& object) { own_.insert(object); }
  bool is_own(const std::string& object) const { return own_.contains(object); }
  const std::set<std::string>& own() const { return own_; }

  void pass(const std::string& object, const recording::Event& event, const std::string& thread, std::size_t node);
  void unlock(const std::string& object, const std::string& thread, std::size_t node);
  // The passage `node` was let through by that notification.
  void woken(std::size_t node, const std::string& condition, std::uint64_t order);
  // A thread stands before it.
  void stands(const std::string& object, const std::string& thread) { standing_[object].insert(thread); }

  Nodes links() const;
  // Did a thread come to the object after this passage, or stand before it, such that it matters?
  bool is_contested(const std::string& object, std::size_t node) const;
  std::map<std::string, std::string> holders() const;

 private:
  struct One {
    std::uint64_t order;
    bool is_load;
    std::string thread;
    std::size_t node;
    std::optional<std::size_t> release;  // the unlock that ended it
    bool locks;
  };
  struct Woken {
    std::size_t node;
    std::string condition;
    std::uint64_t order;
  };

  std::set<std::string> own_;
  std::map<std::string, std::vector<One>> objects_;
  std::vector<Woken> woken_;
  std::map<std::string, std::set<std::string>> standing_;
};

}  // namespace reprise::drive
