// Makes the checksums of a sealed log right, whatever stands under them.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "recording/sealed.h"

namespace reprise::test {

using Bytes = std::vector<std::uint8_t>;

// The chunks from `at` to `end`, as far as their heads can be followed.
inline void make_chunks_right(Bytes& log, std::size_t at, std::size_t end) {
  std::unordered_map<std::uint64_t, std::uint64_t> sequences;
  while (at < end && end - at > recording::checksum_bytes) {
    const std::size_t start = at + recording::checksum_bytes;
    base::Cursor cursor(log.data() + start, log.data() + end);
    const std::uint64_t thread = cursor.varint();
    cursor.varint();
    const std::uint64_t stored = cursor.varint();
    cursor.u8();
    const std::uint64_t sequence = sequences[thread]++;
    if (sequence == 0) {
      cursor.varint();
      cursor.varint();
    }
    if (!cursor.good() || stored > cursor.left()) return;
    const std::size_t next = static_cast<std::size_t>(cursor.at() - log.data()) + stored;
    const auto covered = std::span<const std::uint8_t>(log).subspan(start, next - start);
    base::put_u64(log.data() + at, recording::chunk_checksum(covered, static_cast<ThreadIndex>(thread), sequence));
    at = next;
  }
}

// False when it is no sealed log.
inline bool make_checksums_right(Bytes& log) {
  if (log.size() < recording::sealed_header_bytes + recording::sealed_footer_bytes) return false;
  if (!std::equal(std::begin(recording::sealed_magic), std::end(recording::sealed_magic), log.begin())) return false;
  const std::size_t footer = log.size() - recording::sealed_footer_bytes;
  base::Cursor cursor(log.data() + footer, log.data() + log.size());
  const std::uint64_t table = cursor.u64();
  if (table < recording::sealed_header_bytes || table > footer) return false;
  make_chunks_right(log, recording::sealed_header_bytes, table);
  base::put_u32(log.data() + footer + 8, static_cast<std::uint32_t>(footer - table));
  const std::span<const std::uint8_t> all(log);
  base::put_u64(log.data() + footer + 16,
                recording::table_checksum(all.first(recording::sealed_header_bytes), all.subspan(table, footer - table),
                                          all.subspan(footer, 16)));
  std::copy(std::begin(recording::sealed_end_magic), std::end(recording::sealed_end_magic), log.end() - 8);
  return true;
}

}  // namespace reprise::test
