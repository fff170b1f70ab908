#include "recording/sealed.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace reprise::recording {

std::uint64_t chunk_checksum(std::span<const std::uint8_t> bytes, ThreadIndex thread, std::uint64_t sequence) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), std::uint64_t{thread} << 32 | sequence);
}

std::uint64_t table_checksum(std::span<const std::uint8_t> header, std::span<const std::uint8_t> table,
                             std::span<const std::uint8_t> footer) {
  const std::uint64_t first = XXH3_64bits_withSeed(header.data(), header.size(), 0);
  const std::uint64_t second = XXH3_64bits_withSeed(table.data(), table.size(), first);
  return XXH3_64bits_withSeed(footer.data(), footer.size(), second);
}

}  // namespace reprise::recording
