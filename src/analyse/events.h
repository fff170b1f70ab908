// Events in words, one line each.
//
//   "0.1  17  locked accounts order 9"
//
// Trust     Names and values come from a recording and are escaped here.
#pragma once

#include <string>
#include <vector>

#include "analyse/names.h"
#include "recording/log.h"

namespace reprise::analyse {

// "locked accounts order 9": what happened, without who and when.
std::string event_text(const Names& names, const recording::Event& event);

// "lock accounts": what a thread is about to do, or waits to do.
std::string intent_text(const Names& names, Kind kind, ObjectId object);
std::string intent_text(Kind kind, const std::string& name);

// The last `count` events that `thread` wrote at or before `step`, as "step 17: locked accounts order 9".
std::vector<std::string> context_before(const recording::Log& log, const Names& names, ThreadIndex thread,
                                        std::uint64_t step, std::size_t count);

}  // namespace reprise::analyse
