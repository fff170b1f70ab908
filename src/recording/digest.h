// The digest of ordered output: FNV-1a over 64 bits, so that it can be continued write by write.
#pragma once

#include <cstddef>
#include <cstdint>

namespace reprise::recording {

inline std::uint64_t digest(std::uint64_t so_far, const void* bytes, std::size_t size) {
  std::uint64_t hash = so_far == 0 ? 0xCBF29CE484222325u : so_far;
  const auto* at = static_cast<const std::uint8_t*>(bytes);
  for (std::size_t i = 0; i < size; ++i) hash = (hash ^ at[i]) * 0x100000001B3u;
  return hash;
}

}  // namespace reprise::recording
