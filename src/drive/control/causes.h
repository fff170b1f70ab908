// What came before what in a forced run: threads, mailboxes, monitors, spawns and joins, and the passages that are
// searched.
//
//   auto causes = Causes::of(processes);
//   causes->past_of({"server/0.1"})     the passages that this thread's last step may depend on
//
// REQUIRES the run was recorded in full and steered: each thread notes its mailbox events as it comes to them.
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

// A thread's how-manyth passage of an object that is neither listed nor the library's own.
struct Passage {
  std::string thread;       // process/path
  std::uint64_t number{0};  // from 1
  std::string object;       // as this run names it
  bool is_load{false};
  std::uint64_t id{0};       // the same in every run in which its causal past is the same
  bool is_contested{false};  // another thread came to the object afterwards, or stands before it
  bool is_alone{false};      // its process had no other thread that could have come before
};

// Does it matter which of them comes first?
inline bool depend(const Passage& one, const Passage& other) {
  return one.object == other.object && !(one.is_load && other.is_load);
}

class Causes {
 public:
  static Result<Causes> of(const std::vector<analyse::sequence::Process>& processes);

  // In an order that respects causality.
  std::vector<Passage> past_of(const std::set<std::string>& threads) const;
  std::vector<Passage> all() const;
  // Of one thread, in its order.
  const std::vector<Passage>& of_thread(const std::string& thread) const;

  // The mailbox at which this thread has come to an event that it waits for.
  std::optional<std::string> awaited_by(const std::string& thread) const;

  // Does it run for a mailbox? What it does, it does for others.
  bool is_server(const std::string& thread) const { return servers_.contains(thread); }

  // Who has locked it and not unlocked, if anybody: process and object as in a passage.
  std::optional<std::string> holder_of(const std::string& object) const;
  // Is it the library's own?
  bool is_own(const std::string& object) const { return own_.contains(object); }
  static std::string object_name(const std::string& process, std::uint64_t object);

  // What the search of passages does not see: why no verdict follows when it is exhausted.
  const std::set<std::string>& unsearched() const { return unsearched_; }

  // Events of mailboxes by "mailbox order" get a place in a text. The first, by place, that comes before one of its
  // causes, and the passages it depends on. What mutexes and atomics order does not count, as in an export.
  struct Violation {
    std::size_t place;
    std::vector<Passage> passages;
  };
  std::optional<Violation> against(const std::map<std::string, std::size_t>& places) const;

 private:
  struct Node {
    std::vector<std::size_t> causes;
    std::vector<std::size_t> object_causes;  // at objects that are searched
    std::optional<Passage> passage;
    std::string mailbox;  // "name order" of a mailbox event
    std::uint64_t label{0};
  };
  class Builder;

  std::vector<bool> past(std::vector<std::size_t> nodes) const;
  std::vector<Passage> passages_in(const std::vector<bool>& past) const;

  std::vector<Node> nodes_;
  std::vector<std::size_t> order_;  // causes first
  std::map<std::string, std::size_t> last_of_thread_;
  std::map<std::string, std::vector<Passage>> of_thread_;
  std::map<std::string, std::string> awaited_;  // by thread: a mailbox
  std::set<std::string> servers_;
  std::map<std::string, std::string> holders_;  // by object
  std::set<std::string> own_;
  std::set<std::string> unsearched_;
};

}  // namespace reprise::drive
