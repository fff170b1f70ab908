// A thread's slot: what of a thread lies in the recording's file.
#pragma once

#include <cstdint>

namespace reprise::gate {

// The part of a thread that survives kill -9: it lies in the recording's file. Layout: format/recording.md, "slot".
struct Slot {
  std::uint32_t state;
  std::uint32_t index;
  std::uint32_t parent;
  std::uint32_t ordinal;
  std::uint64_t steps;
  std::uint64_t hash;
  std::uint32_t pending_kind;
  std::uint32_t asleep;
  std::uint64_t pending_object;
  std::uint64_t pending_order;
  std::uint64_t written;
  std::uint64_t objects;
  std::uint64_t children;
  std::uint64_t previous_hash;  // replay: the hash one step ago, for recordings whose end is torn
  std::uint8_t reserved[40];
};
static_assert(sizeof(Slot) == 128);

}  // namespace reprise::gate
