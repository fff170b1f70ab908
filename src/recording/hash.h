// The rolling hash of (kind, object) over a thread's steps, as format/recording.md gives it. gate.h holds the program's copy.
#pragma once

#include <reprise/detail/kind.h>

#include <cstdint>

namespace reprise::recording {

constexpr std::uint64_t next_hash(std::uint64_t hash, Kind kind, std::uint64_t object) {
  return hash * 0x9E3779B97F4A7C15u + object + static_cast<std::uint64_t>(kind) * 0xD6E8FEB86659FD93u;
}

}  // namespace reprise::recording
