// The sealed log: constants and checksums of format/recording.md, "sealed log", shared by its reader and its writer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/ids.h"

namespace reprise::recording {

constexpr std::uint8_t sealed_magic[8] = {'R', 'E', 'P', 'R', 'I', 'S', 'E', 0x1A};
constexpr std::uint8_t sealed_end_magic[8] = {'e', 's', 'i', 'r', 'p', 'e', 'r', 0x1A};
constexpr std::size_t sealed_header_bytes = 16;
constexpr std::size_t sealed_footer_bytes = 32;
constexpr std::size_t checksum_bytes = 8;
constexpr std::size_t chunk_bytes = std::size_t{256}
                                    << 10;  // of the stream; only a single larger record makes a larger chunk
constexpr std::size_t max_table_bytes = std::size_t{1} << 30;
constexpr std::size_t max_text_bytes = 4096;  // reason, torn

enum class Codec : std::uint8_t { raw = 0, zstd = 1 };

// Bits of a row of the thread table.
constexpr std::uint64_t row_ended = 1;
constexpr std::uint64_t row_asleep = 2;
constexpr std::uint64_t row_hash = 4;
constexpr std::uint64_t row_pending = 8;

// Over a chunk from the byte after its checksum to its end. The seed makes a chunk in another's place a damaged one.
std::uint64_t chunk_checksum(std::span<const std::uint8_t> bytes, ThreadIndex thread, std::uint64_t sequence);

// Over the header, the stored table and the footer up to its checksum.
std::uint64_t table_checksum(std::span<const std::uint8_t> header, std::span<const std::uint8_t> table,
                             std::span<const std::uint8_t> footer);

}  // namespace reprise::recording
