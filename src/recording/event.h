// One written event of one thread, as it stands in that thread's stream.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/ids.h"
#include "recording/kind.h"

namespace reprise::recording {

struct Event {
  std::uint64_t step{0};  // its index in its thread, from 1; for a label: the last step before it
  Kind kind{Kind::none};
  ObjectId object{0};      // classes ordered, release, read, label; failure: 0 when not known
  std::uint64_t order{0};  // classes ordered (the object's order after it) and read (the order seen)
  std::uint64_t number{
      0};  // failure: how many in a row; mark: code; plain: subject; clock: nanoseconds; writing: reads since;
           // choosing: the source
  std::string_view value{};  // class read and value: bytes; label: the name; choosing: eight bytes, the digest of what
                             // came, or nothing. Views point into the stream.
  std::string_view name{};   // class value: what the program called it
  bool checked{false};       // steps were left out before it, and `check` holds their hash
  std::uint8_t check{0};
};

// The check byte of a rolling hash. Every bit of the hash counts: the last step stands in its lowest ones.
constexpr std::uint8_t check_of(std::uint64_t hash) {
  return static_cast<std::uint8_t>((hash * 0x9E3779B97F4A7C15u) >> 56);
}

}  // namespace reprise::recording
