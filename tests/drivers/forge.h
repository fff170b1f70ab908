// A sealed log taken to pieces, and put together again with checksums that are right whatever the pieces say.
//
//   auto forgery = Forgery::of(sealed_bytes);
//   forgery->chunks[0].raw[3] ^= 1;
//   write(forgery->bytes());
//
// Trust     of() is given whole logs only.
#pragma once

#include <zstd.h>

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "recording/sealed.h"

namespace reprise::test {

using Bytes = std::vector<std::uint8_t>;

inline void add_varint(Bytes& to, std::uint64_t value) {
  std::uint8_t bytes[base::max_varint_bytes];
  to.insert(to.end(), bytes, base::put_varint(bytes, value));
}
inline void add_u32(Bytes& to, std::uint32_t value) {
  std::uint8_t bytes[4];
  to.insert(to.end(), bytes, base::put_u32(bytes, value));
}
inline void add_u64(Bytes& to, std::uint64_t value) {
  std::uint8_t bytes[8];
  to.insert(to.end(), bytes, base::put_u64(bytes, value));
}
inline void add(Bytes& to, std::span<const std::uint8_t> bytes) { to.insert(to.end(), bytes.begin(), bytes.end()); }

struct ForgedChunk {
  std::uint64_t thread{0}, parent{0}, ordinal{0};
  Bytes raw;                              // of the thread's stream
  std::optional<std::uint64_t> said_raw;  // lengths that the head claims, where they are not the right ones
  std::optional<std::uint64_t> said_stored;
};

struct Forgery {
  Bytes header;
  std::vector<ForgedChunk> chunks;
  Bytes table;
  std::optional<std::uint32_t> said_table;  // a length that the footer claims
  bool packs{true};                         // chunks that become smaller are stored compressed

  static std::optional<Forgery> of(const Bytes& log);
  Bytes bytes() const;

 private:
  static std::optional<Bytes> unpacked(std::span<const std::uint8_t> stored, std::uint64_t raw, bool packed) {
    if (!packed) return Bytes(stored.begin(), stored.end());
    Bytes result(raw);
    if (ZSTD_decompress(result.data(), raw, stored.data(), stored.size()) != raw) return std::nullopt;
    return result;
  }
  static Bytes packed(const Bytes& raw) {
    Bytes result(ZSTD_compressBound(raw.size()));
    result.resize(ZSTD_compress(result.data(), result.size(), raw.data(), raw.size(), 3));
    return result;
  }
  static void add_chunk(Bytes& to, const ForgedChunk& chunk, std::uint64_t sequence, bool packs);
};

inline std::optional<Forgery> Forgery::of(const Bytes& log) {
  Forgery forgery;
  forgery.header.assign(log.begin(), log.begin() + recording::sealed_header_bytes);
  base::Cursor footer(log.data() + log.size() - recording::sealed_footer_bytes, log.data() + log.size());
  const std::uint64_t table = footer.u64();
  const std::uint32_t stored_table = footer.u32();
  const std::uint32_t raw_table = footer.u32();
  auto rows = unpacked(std::span(log).subspan(table, stored_table), raw_table, raw_table != stored_table);
  if (!rows) return std::nullopt;
  forgery.table = std::move(*rows);
  std::set<std::uint64_t> known;
  base::Cursor cursor(log.data() + recording::sealed_header_bytes, log.data() + table);
  while (cursor.left() > 0) {
    cursor.u64();
    ForgedChunk chunk;
    chunk.thread = cursor.varint();
    const std::uint64_t raw = cursor.varint();
    const std::uint64_t stored = cursor.varint();
    const bool is_packed = cursor.u8() == static_cast<std::uint8_t>(recording::Codec::zstd);
    if (known.insert(chunk.thread).second) {
      chunk.parent = cursor.varint();
      chunk.ordinal = cursor.varint();
    }
    const std::string_view bytes = cursor.bytes(stored);
    auto stream = unpacked({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, raw, is_packed);
    if (!cursor.good() || !stream) return std::nullopt;
    chunk.raw = std::move(*stream);
    forgery.chunks.push_back(std::move(chunk));
  }
  return forgery;
}

inline void Forgery::add_chunk(Bytes& to, const ForgedChunk& chunk, std::uint64_t sequence, bool packs) {
  Bytes stored = packs ? packed(chunk.raw) : chunk.raw;
  const bool smaller = packs && stored.size() < chunk.raw.size();
  if (!smaller) stored = chunk.raw;
  Bytes covered;
  add_varint(covered, chunk.thread);
  add_varint(covered, chunk.said_raw.value_or(chunk.raw.size()));
  add_varint(covered, chunk.said_stored.value_or(stored.size()));
  covered.push_back(static_cast<std::uint8_t>(smaller ? recording::Codec::zstd : recording::Codec::raw));
  if (sequence == 0) {
    add_varint(covered, chunk.parent);
    add_varint(covered, chunk.ordinal);
  }
  add(covered, stored);
  add_u64(to, recording::chunk_checksum(covered, static_cast<ThreadIndex>(chunk.thread), sequence));
  add(to, covered);
}

inline Bytes Forgery::bytes() const {
  Bytes log = header;
  std::unordered_map<std::uint64_t, std::uint64_t> sequences;
  for (const ForgedChunk& chunk : chunks) add_chunk(log, chunk, sequences[chunk.thread]++, packs);
  Bytes stored = packed(table);
  if (stored.size() >= table.size()) stored = table;
  Bytes footer;
  add_u64(footer, log.size());
  add_u32(footer, static_cast<std::uint32_t>(stored.size()));
  add_u32(footer, said_table.value_or(static_cast<std::uint32_t>(table.size())));
  add_u64(footer, recording::table_checksum(header, stored, footer));
  add(footer, recording::sealed_end_magic);
  add(log, stored);
  add(log, footer);
  return log;
}

}  // namespace reprise::test
