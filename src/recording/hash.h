// The rolling hash of (kind, object) over a thread's steps, as format/recording.md gives it. gate.h holds the program's
// copy.
#pragma once

#include <reprise/detail/kind.h>

#include <cstdint>

namespace reprise::recording {

constexpr std::uint64_t hash_factor = 0x9E3779B97F4A7C15u;
constexpr std::uint64_t kind_factor = 0xD6E8FEB86659FD93u;

constexpr std::uint64_t next_hash(std::uint64_t hash, Kind kind, std::uint64_t object) {
  return hash * hash_factor + object + static_cast<std::uint64_t>(kind) * kind_factor;
}

}  // namespace reprise::recording
