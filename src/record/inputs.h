// Values from outside that a run takes from another recording instead of from the world (REPRISE_INPUTS).
//
//   if (const std::string* value = inputs->next("0.1", Kind::clock, {})) use(*value);
//
// The how-manyth value of this kind and name that a thread asks for is the one that it got there; when there are no
// more, the world answers. What the message layer and processes find is no such value: it belongs to each run.
//
// Threads   Any.
// Errors    A process or thread that is not there has no values.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "recording/event.h"

namespace reprise::record {

class Inputs {
 public:
  static std::unique_ptr<Inputs> open(const std::string& folder, const std::string& process);

  // Null: there is none.
  const std::string* next(const char* path, Kind kind, std::string_view name);

 private:
  struct Values {
    std::vector<std::string> list;
    std::size_t next{0};
  };
  std::mutex mutex_;
  std::map<std::string, Values> values_;  // by thread, kind and name
};

}  // namespace reprise::record
