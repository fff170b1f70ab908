#include "recording/log.h"

#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <unordered_map>

#include "base/bytes.h"
#include "recording/log_state.h"

namespace reprise::recording {
namespace {

constexpr std::size_t path_bytes_max = 200;

bool starts_with(std::span<const std::uint8_t> bytes, const void* magic, std::size_t size) {
  return bytes.size() >= size && std::memcmp(bytes.data(), magic, size) == 0;
}

bool is_live(std::span<const std::uint8_t> bytes) { return starts_with(bytes, live_magic, sizeof live_magic); }

// Deep below main a path is given from the parent's index, so that a chain of threads costs no square of memory.
std::string path_of(const ThreadInfo* parent, std::uint32_t ordinal) {
  if (parent == nullptr) return std::to_string(ordinal);
  const bool deep = parent->path.size() > path_bytes_max;
  return (deep ? "#" + std::to_string(parent->index) : parent->path) + "." + std::to_string(ordinal);
}

// Parents come before their children (so there are no cycles), and no two threads are the same child.
void check_threads(LogState& state) {
  std::stable_sort(state.loaded.begin(), state.loaded.end(),
                   [](const LoadedThread& a, const LoadedThread& b) { return a.info.index < b.info.index; });
  std::unordered_map<ThreadIndex, ThreadInfo*> known;
  std::set<std::pair<ThreadIndex, std::uint32_t>> children;
  std::vector<LoadedThread> good;
  good.reserve(state.loaded.size());
  for (LoadedThread& thread : state.loaded) {
    ThreadInfo& info = thread.info;
    const auto parent = known.find(info.parent);
    const bool has_parent = info.parent == no_thread || parent != known.end();
    const bool in_range = info.index != no_thread && info.index <= max_threads && info.steps <= max_step;
    if (!in_range || !has_parent || known.contains(info.index) || !children.emplace(info.parent, info.ordinal).second) {
      state.problems.push_back(state.path.string() + ": thread " + std::to_string(info.index) + " (child " +
                               std::to_string(info.ordinal) + " of thread " + std::to_string(info.parent) +
                               ") has no parent, stands twice or is out of range");
      ++state.lost_threads;
      continue;
    }
    info.path = path_of(info.parent == no_thread ? nullptr : parent->second, info.ordinal);
    good.push_back(std::move(thread));
    known.emplace(info.index, &good.back().info);
  }
  state.loaded = std::move(good);
}

void check_end(LogState& state) {
  if (state.info.end_thread != no_thread && state.find(state.info.end_thread) == nullptr) {
    state.problems.push_back(state.path.string() + ": the thread that ended the process (" +
                             std::to_string(state.info.end_thread) + ") is not there");
    state.info.end_thread = no_thread;
  }
}

// A process that still runs may have made its log longer than it was when it was mapped.
Result<base::MappedFile> map_log(const std::filesystem::path& path) {
  auto file = base::MappedFile::open(path);
  for (std::size_t size = 0; file && file->bytes().size() > size && is_live(file->bytes());) {
    size = file->bytes().size();
    if (size < live_header_bytes || live_used(file->bytes()) <= size) break;
    file = base::MappedFile::open(path);
  }
  return file;
}

}  // namespace

void LogState::problem(std::uint64_t offset, const std::string& what) {
  problems.push_back(path.string() + ", byte " + std::to_string(offset) + ": " + what);
}

const LoadedThread* LogState::find(ThreadIndex index) const {
  const auto at =
      std::lower_bound(loaded.begin(), loaded.end(), index,
                       [](const LoadedThread& thread, ThreadIndex wanted) { return thread.info.index < wanted; });
  return at != loaded.end() && at->info.index == index ? &*at : nullptr;
}

Result<std::shared_ptr<LogState>> load(const std::filesystem::path& path) {
  auto file = map_log(path);
  if (!file) return tl::unexpected(file.error());
  auto state = std::make_shared<LogState>();
  state->path = path;
  state->file = std::move(*file);
  const std::span<const std::uint8_t> bytes = state->file.bytes();
  if (!is_live(bytes) && !starts_with(bytes, sealed_magic, sizeof sealed_magic)) {
    return fail(ErrorCode::not_a_recording, path.string() + " is not a log of reprise (its first bytes say so)");
  }
  base::Cursor cursor(bytes.data() + sizeof sealed_magic, bytes.data() + bytes.size());
  state->info.version = cursor.u32();
  if (!cursor.good()) return fail(ErrorCode::damaged, path.string() + " is cut off within its first 12 bytes");
  if (state->info.version != format_version) {
    return fail(ErrorCode::version_unsupported, path.string() + " has format version " +
                                                    std::to_string(state->info.version) +
                                                    "; this reprise reads version " + std::to_string(format_version) +
                                                    ": use the reprise that recorded it");
  }
  auto loaded = is_live(bytes) ? load_live(*state) : load_sealed(*state);
  if (!loaded) return tl::unexpected(loaded.error());
  check_threads(*state);
  check_end(*state);
  for (const LoadedThread& thread : state->loaded) state->threads.push_back(thread.info);
  return state;
}

void PieceSource::forget_up_to(std::uint64_t offset, bool all) {
  if (!all && offset < kept_from_ + kept_bytes) return;
  state_->file.forget(kept_from_, offset - kept_from_);
  kept_from_ = offset;
}

Result<std::optional<Piece>> PieceSource::next() {
  if (exhausted()) return std::optional<Piece>{};
  const std::uint64_t sequence = next_++;
  const StoredPiece& piece = thread_->pieces[sequence];
  if (state_->info.sealed) return unpack(piece, sequence);
  forget_up_to(piece.offset);
  return std::optional<Piece>{Piece{state_->payload(piece), true, piece.steps_before, piece.is_fresh}};
}

tl::unexpected<Error> PieceSource::damaged(const StoredPiece& piece, std::uint64_t sequence, const char* what) const {
  return fail(ErrorCode::damaged, state_->path.string() + ", byte " + std::to_string(piece.offset) + " (chunk " +
                                      std::to_string(sequence) + " of thread " + std::to_string(thread_->info.index) +
                                      "): " + what);
}

Result<void> PieceSource::check_sum(const StoredPiece& piece, std::uint64_t sequence) const {
  const std::span<const std::uint8_t> file = state_->file.bytes();
  base::Cursor stored_checksum(file.data() + piece.start - checksum_bytes, file.data() + piece.start);
  const auto covered = file.subspan(piece.start, piece.offset + piece.stored - piece.start);
  if (chunk_checksum(covered, thread_->info.index, sequence) == stored_checksum.u64()) return {};
  return damaged(piece, sequence, "the checksum is wrong");
}

Result<void> PieceSource::check() {
  const std::uint64_t sequence = next_++;
  if (!state_->info.sealed) return {};
  const StoredPiece& piece = thread_->pieces[sequence];
  Result<void> checked = check_sum(piece, sequence);
  forget_up_to(piece.offset + piece.stored, exhausted());
  return checked;
}

Result<std::optional<Piece>> PieceSource::unpack(const StoredPiece& piece, std::uint64_t sequence) {
  if (auto checked = check_sum(piece, sequence); !checked) return tl::unexpected(checked.error());
  const std::span<const std::uint8_t> stored = state_->file.bytes().subspan(piece.offset, piece.stored);
  if (piece.codec == Codec::raw) {
    buffer_.assign(stored.begin(), stored.end());
    forget_up_to(piece.offset + piece.stored);
    return std::optional<Piece>{Piece{buffer_, false, std::nullopt}};
  }
  if (ZSTD_getFrameContentSize(stored.data(), stored.size()) != piece.raw)
    return damaged(piece, sequence, "its length is not the one declared");
  buffer_.resize(piece.raw);
  if (ZSTD_decompress(buffer_.data(), buffer_.size(), stored.data(), stored.size()) != piece.raw) {
    return damaged(piece, sequence, "it cannot be decompressed");
  }
  // To map it again costs as much as a hundred events: what is packed well holds far more.
  const bool lasts_long = piece.stored * 4 < piece.raw * 3;
  forget_up_to(piece.offset + piece.stored, lasts_long);
  return std::optional<Piece>{Piece{buffer_, false, std::nullopt}};
}

Result<Log> Log::open(const std::filesystem::path& path) {
  auto state = load(path);
  if (!state) return tl::unexpected(state.error());
  if (!(*state)->problems.empty()) return fail(ErrorCode::damaged, (*state)->problems.front());
  return Log(std::move(*state));
}

const LogInfo& Log::info() const { return state_->info; }

const std::vector<ThreadInfo>& Log::threads() const { return state_->threads; }

const ThreadInfo* Log::thread(ThreadIndex index) const {
  const LoadedThread* found = state_->find(index);
  return found == nullptr ? nullptr : &state_->threads[static_cast<std::size_t>(found - state_->loaded.data())];
}

Result<void> Log::check() const {
  for (const LoadedThread& thread : state_->loaded) {
    PieceSource source(state_, &thread);
    while (!source.exhausted()) {
      if (auto checked = source.check(); !checked) return checked;
    }
  }
  return {};
}

StreamReader Log::stream(ThreadIndex index) const {
  auto source = std::make_shared<PieceSource>(state_, state_->find(index));
  return StreamReader(index, [source] { return source->next(); });
}

}  // namespace reprise::recording
