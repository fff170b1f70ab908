// Writes the sealed log: chunks of each thread's stream, the thread table, the footer. Layout: format/recording.md.
#include <zstd.h>

#include <algorithm>
#include <memory>

#include "base/bytes.h"
#include "base/check.h"
#include "recording/log_state.h"

namespace reprise::recording {
namespace {

// A replay holds one chunk of each thread in memory, however long the recording is; larger ones hardly get smaller.
constexpr std::size_t sealed_chunk_bytes = std::size_t{16} << 10;
static_assert(sealed_chunk_bytes <= chunk_bytes);

constexpr int zstd_level = 3;  // 6 takes twice the time for 4 % less

using Buffer = std::vector<std::uint8_t>;

void add_varint(Buffer& to, std::uint64_t value) {
  std::uint8_t bytes[base::max_varint_bytes];
  to.insert(to.end(), bytes, base::put_varint(bytes, value));
}
void add_u32(Buffer& to, std::uint32_t value) {
  std::uint8_t bytes[4];
  to.insert(to.end(), bytes, base::put_u32(bytes, value));
}
void add_u64(Buffer& to, std::uint64_t value) {
  std::uint8_t bytes[8];
  to.insert(to.end(), bytes, base::put_u64(bytes, value));
}
void add_text(Buffer& to, const std::string& text) {
  const std::size_t size = std::min(text.size(), max_text_bytes);
  add_varint(to, size);
  to.insert(to.end(), text.begin(), text.begin() + static_cast<std::ptrdiff_t>(size));
}

struct Row {
  ThreadInfo info;
  std::uint64_t chunks{0};
};

class SealedWriter {
 public:
  SealedWriter(base::AtomicFile& file, bool full) : file_(file), context_(ZSTD_createCCtx(), ZSTD_freeCCtx) {
    CHECK(context_ != nullptr);
    header_.assign(std::begin(sealed_magic), std::end(sealed_magic));
    add_u32(header_, format_version);
    add_u32(header_, full ? std::uint32_t{live_full} : 0);
    file_.write(header_);
  }

  void chunk(const Row& row, const Buffer& stream) {
    const bool packed = pack(stream);
    const Buffer& stored = packed ? packed_ : stream;
    Buffer covered;
    add_varint(covered, row.info.index);
    add_varint(covered, stream.size());
    add_varint(covered, stored.size());
    covered.push_back(static_cast<std::uint8_t>(packed ? Codec::zstd : Codec::raw));
    if (row.chunks == 0) {
      add_varint(covered, row.info.parent);
      add_varint(covered, row.info.ordinal);
    }
    covered.insert(covered.end(), stored.begin(), stored.end());
    Buffer checksum;
    add_u64(checksum, chunk_checksum(covered, row.info.index, row.chunks));
    file_.write(checksum);
    file_.write(covered);
  }

  void finish(const LogInfo& info, const std::vector<Row>& rows) {
    const Buffer table = table_of(info, rows);
    const bool packed = pack(table);
    const Buffer& stored = packed ? packed_ : table;
    Buffer footer;
    add_u64(footer, file_.size());
    add_u32(footer, static_cast<std::uint32_t>(stored.size()));
    add_u32(footer, static_cast<std::uint32_t>(table.size()));
    add_u64(footer, table_checksum(header_, stored, footer));
    footer.insert(footer.end(), std::begin(sealed_end_magic), std::end(sealed_end_magic));
    file_.write(stored);
    file_.write(footer);
  }

 private:
  // Into packed_; false when it would not be smaller.
  bool pack(const Buffer& bytes) {
    packed_.resize(ZSTD_compressBound(bytes.size()));
    const std::size_t size =
        ZSTD_compressCCtx(context_.get(), packed_.data(), packed_.size(), bytes.data(), bytes.size(), zstd_level);
    if (ZSTD_isError(size) || size >= bytes.size()) return false;
    packed_.resize(size);
    return true;
  }

  static void add_row(Buffer& table, const Row& row, ThreadIndex previous) {
    const ThreadInfo& info = row.info;
    const bool pending = info.pending_kind != Kind::none;
    add_varint(table, info.index - previous);
    add_varint(table, info.parent);
    add_varint(table, info.ordinal);
    add_varint(table, info.steps);
    add_varint(table, info.objects);
    add_varint(table, row.chunks);
    add_varint(table, (info.ended ? row_ended : 0) | (info.asleep ? row_asleep : 0) | (info.hash_known ? row_hash : 0) |
                          (pending ? row_pending : 0));
    if (info.hash_known) add_u64(table, info.hash);
    if (!pending) return;
    table.push_back(static_cast<std::uint8_t>(info.pending_kind));
    add_varint(table, object_thread(info.pending_object));
    add_varint(table, object_ordinal(info.pending_object));
    add_varint(table, info.pending_order);
  }

  static Buffer table_of(const LogInfo& info, const std::vector<Row>& rows) {
    Buffer table;
    add_varint(table, info.flags);
    add_varint(table, static_cast<std::uint64_t>(info.end_kind));
    add_varint(table, base::zigzag(info.end_code));
    add_varint(table, info.end_thread);
    add_varint(table, info.output_bytes);
    add_u64(table, info.output_digest);
    add_text(table, info.reason);
    add_text(table, info.torn);
    add_varint(table, rows.size());
    ThreadIndex previous = 0;
    for (const Row& row : rows) {
      add_row(table, row, previous);
      previous = row.info.index;
    }
    return table;
  }

  base::AtomicFile& file_;
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context_;
  Buffer header_;
  Buffer packed_;
};

enum class Keep { all_but_torn_tails, what_is_good };

class Sealing {
 public:
  Sealing(std::shared_ptr<const LogState> state, Keep keep)
      : state_(std::move(state)), keep_(keep), info_(state_->info) {}

  Result<std::size_t> write(const std::filesystem::path& to) {
    auto file = base::AtomicFile::create(to);
    if (!file) return tl::unexpected(file.error());
    cut_ = state_->lost_threads;
    if (!state_->problems.empty() || !info_.torn.empty()) info_.flags |= live_no_space;
    if (keep_ == Keep::what_is_good && info_.full && !is_full()) {
      info_.full = false;
      info_.flags &= ~std::uint32_t{live_full};
    }
    SealedWriter writer(*file, info_.full);
    std::vector<Row> rows;
    for (const LoadedThread& thread : state_->loaded) {
      auto row = write_thread(writer, thread);
      if (!row) return tl::unexpected(row.error());
      rows.push_back(std::move(*row));
    }
    writer.finish(info_, rows);
    if (auto done = file->commit(); !done) return tl::unexpected(done.error());
    return cut_;
  }

 private:
  Result<Row> write_thread(SealedWriter& writer, const LoadedThread& thread);
  void end_at_last_event(Row& row, std::uint64_t step, const std::string& why);
  bool lost_events(const LoadedThread& thread, std::uint64_t records) const;
  bool is_full() const;

  std::shared_ptr<const LogState> state_;
  Keep keep_;
  LogInfo info_;
  std::size_t cut_{0};
};

// After a machine crash whole pages of a live log may be missing, which look like unused room. The slot counts records
// after they are written, and labels with the record after them.
bool Sealing::lost_events(const LoadedThread& thread, std::uint64_t records) const {
  if (thread.cut) return true;
  if (info_.sealed) return false;
  return records < thread.written || (!state_->info.torn.empty() && records > thread.written + 2);
}

// A damaged log may say that every event is written when that is not so.
bool Sealing::is_full() const {
  for (const LoadedThread& thread : state_->loaded) {
    PieceSource source(state_, &thread);
    StreamReader reader(thread.info.index, [&source] { return source.next(); });
    auto event = reader.next();
    for (; event && *event; event = reader.next()) {
      if ((*event)->checked) return false;
    }
    if (event && reader.step() < thread.info.steps) return false;
  }
  return true;
}

void Sealing::end_at_last_event(Row& row, std::uint64_t step, const std::string& why) {
  row.info.steps = step;
  row.info.hash = 0;
  row.info.hash_known = row.info.ended = row.info.asleep = false;
  row.info.pending_kind = Kind::none;
  info_.flags |= live_no_space;
  if (info_.torn.empty()) info_.torn = why;
  ++cut_;
}

Result<Row> Sealing::write_thread(SealedWriter& writer, const LoadedThread& thread) {
  auto source = std::make_shared<PieceSource>(state_, &thread);
  StreamReader reader(thread.info.index, [source] { return source->next(); });
  Row row{thread.info, 0};
  Buffer chunk;
  std::uint64_t records = 0;
  bool has_end_mark = false;
  const auto flush = [&] {
    if (chunk.empty()) return;
    writer.chunk(row, chunk);
    ++row.chunks;
    chunk.clear();
  };
  std::string why = "events of thread " + thread.info.path + " were lost";
  bool cut = false;
  for (;;) {
    auto event = reader.next();
    if (!event) {
      const bool is_tail = !info_.sealed && source->exhausted() && !reader.missed_events();
      if (keep_ != Keep::what_is_good && !is_tail) return tl::unexpected(event.error());
      why = event.error().message;
      cut = true;
    }
    if (!event || !*event) break;
    const std::span<const std::uint8_t> record = reader.record();
    if (chunk.size() + record.size() > sealed_chunk_bytes) flush();
    chunk.insert(chunk.end(), record.begin(), record.end());
    has_end_mark = (*event)->kind == Kind::end;
    if ((*event)->kind == Kind::content) info_.flags |= live_contents;  // the table that said so may be lost
    ++records;
  }
  flush();
  row.info.objects = std::max(row.info.objects, reader.own_objects());
  if (cut || lost_events(thread, records)) {
    end_at_last_event(row, reader.step(), why);
    row.info.ended = has_end_mark;
  }
  row.info.steps = std::max(row.info.steps, reader.step());
  return row;
}

Result<std::size_t> write_sealed(const std::filesystem::path& from, const std::filesystem::path& to, Keep keep) {
  auto state = load(from);
  if (!state) return tl::unexpected(state.error());
  if (keep != Keep::what_is_good && !(*state)->problems.empty()) {
    return fail(ErrorCode::damaged, (*state)->problems.front());
  }
  if ((*state)->info.is_pieced)
    return fail(ErrorCode::unsupported, from.string() + " begins anew at checkpoints, and stays live");
  return Sealing(std::move(*state), keep).write(to);
}

}  // namespace

Result<void> seal(const std::filesystem::path& from, const std::filesystem::path& to) {
  auto done = write_sealed(from, to, Keep::all_but_torn_tails);
  if (!done) return tl::unexpected(done.error());
  return {};
}

Result<std::size_t> salvage(const std::filesystem::path& from, const std::filesystem::path& to) {
  return write_sealed(from, to, Keep::what_is_good);
}

}  // namespace reprise::recording
