// What no program can do, by the numbers and the order of the text alone.
//
//   if (const auto against = impossible(listed)) ...  // in no run
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "drive/control/plan_text.h"

namespace reprise::drive {

struct Impossible {
  std::size_t place;
  std::string reason;
  bool is_gap{false};  // an event of its thread is missing, unless it is a send that never arrived
};

// The first such event.
std::optional<Impossible> impossible(const Listed& listed);

}  // namespace reprise::drive
