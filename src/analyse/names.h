// The names of threads and objects as people see them, the same in every run of a recording.
//
//   const Names names(log);
//   names.thread(3)      ->  0.2
//   names.object(id)     ->  accounts, or mutex@0.2#5 where the user gave no name
//
// Trust     Labels come from a recording: what object() returns is escaped and may go to a terminal.
// Cost      One pass over the log, then a lookup each.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "recording/log.h"

namespace reprise::analyse {

// What kind of thing an object is, as far as its events tell.
enum class Family : std::uint8_t { object, condition, mutex, atomic, output, guard, semaphore, latch };

std::string_view name(Family family);

// The family whose events have this kind. An atomic is also waited at and notified: see Names::family.
Family family_of(Kind kind);

class Names {
 public:
  // A damaged stream is read as far as it goes: the names found until then stand.
  explicit Names(const recording::Log& log);

  // The thread's path, or ?7 for an index that is not there.
  std::string thread(ThreadIndex index) const;

  // The user's name, with @thread#ordinal where several objects share it; else family@thread#ordinal.
  std::string object(ObjectId object) const;

  // Also for an object that no event mentions: then `object`.
  Family family(ObjectId object) const;

  // The objects of which object() returns `shown`, or whose label it is.
  std::vector<ObjectId> find(std::string_view shown) const;

 private:
  struct Known {
    Family family{Family::object};
    std::string label;  // escaped
  };

  std::string place(ObjectId object) const;

  std::unordered_map<ThreadIndex, std::string> paths_;
  std::map<ObjectId, Known> objects_;
  std::unordered_map<std::string, std::size_t> label_uses_;
};

}  // namespace reprise::analyse
