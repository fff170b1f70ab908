// Which values came from outside the run, so that another run may take them over.
#pragma once

#include <array>
#include <string_view>

#include "recording/kind.h"

namespace reprise::recording {

// Not what the message layer and processes find, which belongs to each run; nor files, which lie where they lie: one
// that was not opened could not be read on.
inline bool is_from_outside(Kind kind, std::string_view name) {
  if (kind == Kind::clock) return true;
  if (kind != Kind::value) return false;
  constexpr std::array<std::string_view, 5> prefixes{"find ", "party ", "open ", "read_file ", "list_directory "};
  for (const std::string_view prefix : prefixes) {
    if (name.starts_with(prefix)) return false;
  }
  constexpr std::array<std::string_view, 7> names{"care", "waitpid",    "seek",       "size",
                                                  "read", "process_id", "receive_any"};
  for (const std::string_view one : names) {
    if (name == one) return false;
  }
  return true;
}

}  // namespace reprise::recording
