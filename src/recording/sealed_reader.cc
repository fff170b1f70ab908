// Reads the sealed log: footer, thread table, chunk heads. Layout: format/recording.md, "sealed log".
#include <zstd.h>

#include <cstring>
#include <string>
#include <unordered_map>

#include "base/bytes.h"
#include "recording/log_state.h"

namespace reprise::recording {
namespace {

constexpr std::size_t row_bytes_min = 7;

using Bytes = std::span<const std::uint8_t>;

struct Footer {
  std::uint64_t table_offset{0};
  std::uint32_t stored{0};
  std::uint32_t raw{0};
};

// Where the table stands, or nothing: then the log has lost its end, and there is a problem more.
std::optional<Footer> read_footer(LogState& state) {
  const Bytes file = state.file.bytes();
  const auto bad = [&](std::uint64_t offset, const char* what) {
    state.problem(offset, std::string(what) + "; `reprise verify --repair` keeps what is good");
    return std::nullopt;
  };
  if (file.size() < sealed_header_bytes + sealed_footer_bytes) return bad(file.size(), "the log is cut off");
  const Bytes footer = file.last(sealed_footer_bytes);
  const std::uint64_t footer_offset = file.size() - sealed_footer_bytes;
  if (std::memcmp(footer.data() + 24, sealed_end_magic, sizeof sealed_end_magic) != 0) {
    return bad(footer_offset + 24, "the end mark is missing: the log is cut off");
  }
  base::Cursor cursor(footer.data(), footer.data() + footer.size());
  Footer read;
  read.table_offset = cursor.u64();
  read.stored = cursor.u32();
  read.raw = cursor.u32();
  if (read.table_offset < sealed_header_bytes || read.table_offset > footer_offset ||
      footer_offset - read.table_offset != read.stored) {
    return bad(footer_offset, "the footer does not say where the thread table is");
  }
  const Bytes table = file.subspan(read.table_offset, read.stored);
  if (table_checksum(file.first(sealed_header_bytes), table, footer.first(16)) != cursor.u64()) {
    return bad(read.table_offset, "the checksum of header and thread table is wrong");
  }
  if (read.raw > max_table_bytes || read.raw < read.stored)
    return bad(footer_offset + 12, "the thread table is out of bounds");
  return read;
}

bool read_info(base::Cursor& cursor, LogInfo& info) {
  const std::uint64_t flags = cursor.varint();
  const std::uint64_t end_kind = cursor.varint();
  const std::int64_t end_code = base::unzigzag(cursor.varint());
  const std::uint64_t end_thread = cursor.varint();
  info.output_bytes = cursor.varint();
  info.output_digest = cursor.u64();
  const std::string_view reason = cursor.bytes(cursor.varint());
  const std::string_view torn = cursor.bytes(cursor.varint());
  if (!cursor.good() || end_kind > static_cast<std::uint64_t>(EndKind::replaced)) return false;
  if (end_code < INT32_MIN || end_code > INT32_MAX || end_thread > max_threads) return false;
  if (reason.size() > max_text_bytes || torn.size() > max_text_bytes) return false;
  if (flags > UINT32_MAX || (flags & live_full) != (info.flags & live_full)) return false;
  info.flags = static_cast<std::uint32_t>(flags);
  info.end_kind = static_cast<EndKind>(end_kind);
  info.end_code = static_cast<std::int32_t>(end_code);
  info.end_thread = static_cast<ThreadIndex>(end_thread);
  info.reason = reason;
  info.torn = torn;
  return true;
}

bool read_pending(base::Cursor& cursor, ThreadInfo& info) {
  const std::uint8_t kind = cursor.u8();
  const std::uint64_t thread = cursor.varint();
  const std::uint64_t ordinal = cursor.varint();
  info.pending_order = cursor.varint();
  if (kind >= kind_limit || recording::info(static_cast<Kind>(kind)).treated == Class::none) return false;
  if (thread > well_known || ordinal > max_object_ordinal) return false;
  info.pending_kind = static_cast<Kind>(kind);
  info.pending_object = object_id(static_cast<ThreadIndex>(thread), ordinal);
  return true;
}

struct Row {
  LoadedThread thread;
  std::uint64_t chunks{0};
};

bool read_row(base::Cursor& cursor, std::uint64_t previous, Row& row) {
  ThreadInfo& info = row.thread.info;
  const std::uint64_t raised = cursor.varint();
  const std::uint64_t parent = cursor.varint();
  const std::uint64_t ordinal = cursor.varint();
  info.steps = cursor.varint();
  info.objects = cursor.varint();
  row.chunks = cursor.varint();
  const std::uint64_t bits = cursor.varint();
  if (!cursor.good() || raised == 0 || raised > max_threads - previous || parent > max_threads) return false;
  if (ordinal > UINT32_MAX || info.objects > max_object_ordinal) return false;
  if ((bits & ~(row_ended | row_asleep | row_hash | row_pending)) != 0) return false;
  info.index = static_cast<ThreadIndex>(previous + raised);
  info.parent = static_cast<ThreadIndex>(parent);
  info.ordinal = static_cast<std::uint32_t>(ordinal);
  info.ended = (bits & row_ended) != 0;
  info.asleep = (bits & row_asleep) != 0;
  info.hash_known = (bits & row_hash) != 0;
  if (info.hash_known) info.hash = cursor.u64();
  if ((bits & row_pending) != 0 && !read_pending(cursor, info)) return false;
  return cursor.good();
}

bool read_table(Bytes table, LogState& state, std::vector<Row>& rows) {
  base::Cursor cursor(table.data(), table.data() + table.size());
  if (!read_info(cursor, state.info)) return false;
  const std::uint64_t count = cursor.varint();
  if (!cursor.good() || count > cursor.left() / row_bytes_min) return false;
  std::uint64_t previous = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    Row row;
    if (!read_row(cursor, previous, row)) return false;
    previous = row.thread.info.index;
    rows.push_back(std::move(row));
  }
  return cursor.left() == 0;
}

// Nothing when the table is lost.
std::optional<std::vector<Row>> find_table(LogState& state, std::uint64_t& chunks_end) {
  const auto footer = read_footer(state);
  if (!footer) return std::nullopt;
  chunks_end = footer->table_offset;
  Bytes table = state.file.bytes().subspan(footer->table_offset, footer->stored);
  std::vector<std::uint8_t> unpacked;
  if (footer->raw != footer->stored) {
    if (ZSTD_getFrameContentSize(table.data(), table.size()) == footer->raw) unpacked.resize(footer->raw);
    if (unpacked.empty() ||
        ZSTD_decompress(unpacked.data(), unpacked.size(), table.data(), table.size()) != footer->raw) {
      state.problem(footer->table_offset, "the thread table cannot be decompressed");
      return std::nullopt;
    }
    table = unpacked;
  }
  std::vector<Row> rows;
  if (read_table(table, state, rows)) return rows;
  state.problem(footer->table_offset, "the thread table cannot be read");
  state.info.end_thread = no_thread;
  return std::nullopt;
}

class Chunks {
 public:
  Chunks(LogState& state, std::uint64_t end, bool trusts_heads)
      : state_(state), end_(end), trusts_heads_(trusts_heads) {}

  // Reads the heads of all chunks into the threads; stops with a problem where there is none. Without a thread table
  // (`trusts_heads` false) each checksum is checked at once, for the head is then all that says where the next one is.
  void scan() {
    std::uint64_t offset = sealed_header_bytes;
    std::uint64_t kept_from = 0;
    while (offset < end_) {
      StoredPiece piece;
      if (!read(offset, piece)) return state_.problem(offset, "no chunk can be read here");
      offset = piece.offset + piece.stored;
      if (offset - kept_from > kept_bytes) {
        state_.file.forget(kept_from, offset - kept_from);
        kept_from = offset;
      }
    }
    state_.file.forget(kept_from, end_ - kept_from);
  }

  std::unordered_map<ThreadIndex, LoadedThread> threads;

 private:
  bool read(std::uint64_t offset, StoredPiece& piece) {
    const Bytes rest = state_.file.bytes().subspan(offset, end_ - offset);
    base::Cursor cursor(rest.data(), rest.data() + rest.size());
    const std::uint64_t checksum = cursor.u64();
    const std::uint64_t index = cursor.varint();
    piece.raw = cursor.varint();
    piece.stored = cursor.varint();
    const std::uint8_t codec = cursor.u8();
    if (!cursor.good() || index == no_thread || index > max_threads || codec > 1) return false;
    const auto known = threads.find(static_cast<ThreadIndex>(index));
    ThreadInfo identity;
    if (known == threads.end() && !read_identity(cursor, index, identity)) return false;
    if (!cursor.good() || piece.raw == 0 || piece.raw > max_record_bytes || piece.stored > cursor.left()) return false;
    piece.codec = static_cast<Codec>(codec);
    if (piece.codec == Codec::raw ? piece.stored != piece.raw : piece.stored >= piece.raw) return false;
    piece.start = offset + checksum_bytes;
    piece.offset = offset + (rest.size() - cursor.left());
    const std::uint64_t sequence = known == threads.end() ? 0 : known->second.pieces.size();
    if (!trusts_heads_) {
      const Bytes covered = state_.file.bytes().subspan(piece.start, piece.offset + piece.stored - piece.start);
      if (chunk_checksum(covered, static_cast<ThreadIndex>(index), sequence) != checksum) return false;
    }
    LoadedThread& thread = known == threads.end() ? threads[identity.index] : known->second;
    if (known == threads.end()) thread.info = identity;
    thread.pieces.push_back(piece);
    return true;
  }

  static bool read_identity(base::Cursor& cursor, std::uint64_t index, ThreadInfo& identity) {
    const std::uint64_t parent = cursor.varint();
    const std::uint64_t ordinal = cursor.varint();
    if (!cursor.good() || parent > max_threads || ordinal > UINT32_MAX) return false;
    identity.index = static_cast<ThreadIndex>(index);
    identity.parent = static_cast<ThreadIndex>(parent);
    identity.ordinal = static_cast<std::uint32_t>(ordinal);
    return true;
  }

  LogState& state_;
  std::uint64_t end_;
  bool trusts_heads_;
};

// Without the table: how far a thread went is only known from its events.
void take_chunks_alone(LogState& state, Chunks& chunks) {
  for (auto& [index, thread] : chunks.threads) {
    thread.cut = true;
    state.loaded.push_back(std::move(thread));
  }
  if (state.info.torn.empty()) state.info.torn = "the thread table was lost";
}

void join_rows(LogState& state, std::vector<Row>& rows, Chunks& chunks) {
  for (Row& row : rows) {
    const ThreadInfo& info = row.thread.info;
    const auto found = chunks.threads.find(info.index);
    if (found != chunks.threads.end()) {
      const ThreadInfo& said = found->second.info;
      if (said.parent != info.parent || said.ordinal != info.ordinal) {
        state.problem(found->second.pieces.front().start, "a chunk of another thread than the table says");
      } else {
        row.thread.pieces = std::move(found->second.pieces);
      }
      chunks.threads.erase(found);
    }
    if (row.thread.pieces.size() != row.chunks) {
      state.problems.push_back(state.path.string() + ": thread " + std::to_string(info.index) + " has " +
                               std::to_string(row.thread.pieces.size()) + " chunks, but its table says " +
                               std::to_string(row.chunks));
      row.thread.cut = true;
    }
    state.loaded.push_back(std::move(row.thread));
  }
  for (const auto& [index, thread] : chunks.threads) {
    state.problem(thread.pieces.front().start,
                  "a chunk of thread " + std::to_string(index) + ", which is not in the table");
  }
}

}  // namespace

Result<void> load_sealed(LogState& state) {
  const Bytes file = state.file.bytes();
  if (file.size() < sealed_header_bytes)
    return fail(ErrorCode::damaged, state.path.string() + " is cut off within its header");
  base::Cursor cursor(file.data() + 12, file.data() + sealed_header_bytes);
  state.info.sealed = true;
  state.info.flags = cursor.u32();
  if ((state.info.flags & ~std::uint32_t{live_full}) != 0) state.problem(12, "an unknown flag");
  state.info.full = (state.info.flags & live_full) != 0;
  std::uint64_t chunks_end = file.size();
  auto rows = find_table(state, chunks_end);
  Chunks chunks(state, chunks_end, rows.has_value());
  chunks.scan();
  if (rows) {
    join_rows(state, *rows, chunks);
  } else {
    take_chunks_alone(state, chunks);
  }
  return {};
}

}  // namespace reprise::recording
