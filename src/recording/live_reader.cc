// Reads the live log as it stands: extents up to `used`, slots, blocks. Layout: format/recording.md, "live log".
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <map>
#include <string>
#include <unordered_map>

#include "recording/log_state.h"
#include "recording/staging.h"

namespace reprise::recording {
namespace {

static_assert(offsetof(LiveHeader, used) == 16 && offsetof(LiveHeader, flags) == 24 &&
              offsetof(LiveHeader, end_kind) == 28);
static_assert(offsetof(LiveHeader, end_code) == 32 && offsetof(LiveHeader, end_thread) == 36);
static_assert(offsetof(LiveHeader, output_digest) == 40 && offsetof(LiveHeader, output_bytes) == 48);
static_assert(offsetof(LiveHeader, reason) == 64);
static_assert(offsetof(gate::Slot, steps) == 16 && offsetof(gate::Slot, hash) == 24);
static_assert(offsetof(gate::Slot, pending_kind) == 32 && offsetof(gate::Slot, pending_object) == 40);
static_assert(offsetof(gate::Slot, pending_order) == 48 && offsetof(gate::Slot, written) == 56);
static_assert(offsetof(gate::Slot, objects) == 64);

constexpr std::size_t slot_page_bytes = slot_page_head_bytes + slots_per_page * sizeof(gate::Slot);

// Each number is loaded at once: the process may still be running.
template <typename Number>
Number at(const std::uint8_t* from) {
  Number number;
  std::memcpy(&number, from, sizeof number);
  if constexpr (std::endian::native == std::endian::big) {
    auto* bytes = reinterpret_cast<std::uint8_t*>(&number);
    std::reverse(bytes, bytes + sizeof number);
  }
  return number;
}
std::uint32_t u32_at(const std::uint8_t* from) { return at<std::uint32_t>(from); }
std::uint64_t u64_at(const std::uint8_t* from) { return at<std::uint64_t>(from); }

// The same, and what is loaded after it is not older.
template <typename Number>
Number loaded(const std::uint8_t* from) {
  const Number number = __atomic_load_n(reinterpret_cast<const Number*>(from), __ATOMIC_ACQUIRE);
  return at<Number>(reinterpret_cast<const std::uint8_t*>(&number));
}

// From the front to the back: of a record that is just being appended its first byte is there last.
std::vector<std::uint8_t> copied(const std::uint8_t* from, std::size_t size) {
  std::vector<std::uint8_t> bytes(size);
  for (std::size_t i = 0; i < size; i += sizeof(std::uint64_t)) {
    const std::uint64_t word = __atomic_load_n(reinterpret_cast<const std::uint64_t*>(from + i), __ATOMIC_ACQUIRE);
    std::memcpy(bytes.data() + i, &word, sizeof word);
  }
  return bytes;
}

struct Blocks {
  std::vector<StoredPiece> pieces;
  std::uint32_t first{0};  // sequence of the first one
  bool closed{false};      // one is missing, or the staged ones are there: what follows cannot be read, or is too new
  bool cut{false};         // one is missing

  std::uint64_t next() const { return first + pieces.size(); }
};

struct Scan {
  LogState& state;
  std::unordered_map<ThreadIndex, Blocks> blocks{};
  std::map<ThreadIndex, std::vector<std::uint64_t>> staged{};  // where a thread's staged blocks stand, as in the file
  std::uint64_t offset{live_header_bytes};                     // of the first extent that was not looked at yet

  void torn(std::uint64_t place, const std::string& what) {
    if (state.info.torn.empty()) state.info.torn = "byte " + std::to_string(place) + ": " + what;
  }
  void missing(std::uint64_t place, ThreadIndex thread);
  void slots(std::uint64_t place);
  void slot(std::uint64_t place);
  void block(std::uint64_t place, std::uint64_t size);
  bool staging(std::uint64_t place, std::uint64_t size);
  void extents();
  void take_staged(ThreadIndex thread, const std::vector<std::uint64_t>& places);
  void attach();
};

void Scan::missing(std::uint64_t place, ThreadIndex thread) {
  Blocks& of_thread = blocks[thread];
  of_thread.closed = of_thread.cut = true;
  torn(place,
       "block " + std::to_string(of_thread.pieces.size()) + " of thread " + std::to_string(thread) + " is missing");
}

void Scan::slots(std::uint64_t place) {
  for (std::uint32_t i = 0; i < slots_per_page; ++i) slot(place + slot_page_head_bytes + i * sizeof(gate::Slot));
}

void Scan::slot(std::uint64_t place) {
  const std::uint8_t* from = state.file.bytes().data() + place;
  const std::uint32_t slot_state = u32_at(from);
  if (slot_state == static_cast<std::uint32_t>(SlotState::none)) return;
  const std::uint32_t kind = u32_at(from + 32);
  const std::uint64_t objects = u64_at(from + 64);
  if (objects > max_object_ordinal || slot_state > static_cast<std::uint32_t>(SlotState::ended) ||
      (kind != 0 && (kind >= kind_limit || info(static_cast<Kind>(kind)).treated == Class::none))) {
    state.problem(place, "a slot with an unknown state or kind, or too many objects");
    ++state.lost_threads;
    return;
  }
  LoadedThread thread;
  thread.info.index = u32_at(from + 4);
  thread.info.parent = u32_at(from + 8);
  thread.info.ordinal = u32_at(from + 12);
  thread.info.steps = u64_at(from + 16);
  thread.info.hash = u64_at(from + 24);
  thread.info.ended = slot_state == static_cast<std::uint32_t>(SlotState::ended);
  thread.info.pending_kind = static_cast<Kind>(kind);
  thread.info.asleep = u32_at(from + 36) != 0;
  thread.info.pending_object = kind != 0 ? u64_at(from + 40) : 0;
  thread.info.pending_order = kind != 0 ? u64_at(from + 48) : 0;
  thread.written = u64_at(from + 56);
  thread.info.objects = objects;
  state.loaded.push_back(std::move(thread));
}

void Scan::block(std::uint64_t place, std::uint64_t size) {
  const std::uint8_t* from = state.file.bytes().data() + place;
  Blocks& of_thread = blocks[u32_at(from + 4)];
  if (of_thread.closed) return;
  const bool is_fresh = (u32_at(from + 20) & fresh_block) != 0;
  if (of_thread.pieces.empty() && is_fresh) of_thread.first = u32_at(from + 16);
  if (u32_at(from + 16) != of_thread.next()) return missing(place, u32_at(from + 4));
  StoredPiece piece;
  piece.offset = place + extent_header_bytes;
  piece.stored = piece.raw = size - extent_header_bytes;
  piece.steps_before = u64_at(from + 24);
  piece.is_fresh = is_fresh;
  if (is_fresh) state.info.is_pieced = true;
  of_thread.pieces.push_back(piece);
}

bool Scan::staging(std::uint64_t place, std::uint64_t size) {
  if (size < staging_head_bytes || (size - staging_head_bytes) % staged_bytes != 0) return false;
  std::vector<std::uint64_t>& places = staged[u32_at(state.file.bytes().data() + place + 4)];
  for (std::uint64_t page = place + staging_head_bytes; page < place + size; page += staged_bytes)
    places.push_back(page);
  return true;
}

// All that `used` covers by now and that was not looked at yet. A process that still runs may have made its log longer
// than it was when it was mapped.
void Scan::extents() {
  const std::uint64_t used = live_used(state.file.bytes());
  if (used > state.file.bytes().size()) {
    if (auto longer = base::MappedFile::open(state.path); longer && longer->bytes().size() > state.file.bytes().size())
      state.file = std::move(*longer);
  }
  const std::uint64_t size_known = state.file.bytes().size();
  if (used > size_known) torn(size_known, "the file is cut off: " + std::to_string(used) + " bytes were in use");
  const std::uint64_t limit = std::min<std::uint64_t>(used, size_known);
  std::uint64_t kept_from = offset;
  while (offset < limit) {
    if (limit - offset < extent_header_bytes) return torn(offset, "the file is cut off within an extent");
    const std::uint8_t* from = state.file.bytes().data() + offset;
    const auto kind = static_cast<ExtentKind>(u32_at(from));
    const std::uint64_t size = u64_at(from + 8);
    const bool known = kind == ExtentKind::slots || kind == ExtentKind::block || kind == ExtentKind::staging ||
                       kind == ExtentKind::padding;
    if (!known || size < extent_unit || size % extent_unit != 0) return torn(offset, "no extent starts here");
    if (size > limit - offset) return torn(offset, "an extent is cut off");
    if (kind == ExtentKind::slots) {
      if (size != slot_page_bytes) return torn(offset, "a slot page of the wrong size");
      slots(offset);
    }
    if (kind == ExtentKind::block) block(offset, size);
    if (kind == ExtentKind::staging && !staging(offset, size))
      return torn(offset, "blocks to be used again, of the wrong size");
    offset += size;
    if (offset - kept_from > kept_bytes) {
      state.file.forget(kept_from, offset - kept_from);
      kept_from = offset;
    }
  }
}

// The process may still run, and write these blocks out and use them again while they are looked at. It fills them in
// the order in which they stand, so they are taken from the last to the first: whoever finds one finds those before it
// whole. And it makes them count elsewhere before it clears them, so `used` is asked after they were taken: those that
// stand there, too, were perhaps not whole, and are not needed.
void Scan::take_staged(ThreadIndex thread, const std::vector<std::uint64_t>& places) {
  std::map<std::uint32_t, StoredPiece> taken;  // by sequence
  for (auto place = places.rbegin(); place != places.rend(); ++place) {
    const std::uint8_t* from = state.file.bytes().data() + *place;
    const auto sequence = loaded<std::uint32_t>(from + 16);
    if (u32_at(from) != static_cast<std::uint32_t>(ExtentKind::block) || sequence < blocks[thread].next()) continue;
    StoredPiece piece;
    piece.offset = *place + extent_header_bytes;
    piece.stored = piece.raw = staged_payload_bytes;
    piece.steps_before = loaded<std::uint64_t>(from + 24);
    state.copies.push_back(copied(from + extent_header_bytes, staged_payload_bytes));
    piece.copy = state.copies.back().data();
    taken[sequence] = piece;
  }
  extents();
  Blocks& of_thread = blocks[thread];
  for (const auto& [sequence, piece] : taken) {
    if (sequence < of_thread.next()) continue;
    if (sequence > of_thread.next()) return missing(piece.offset, thread);
    of_thread.pieces.push_back(piece);
  }
  of_thread.closed = true;
}

// Steps that are written but not yet counted in the slot: kill -9 may fall between the two.
void read_tail(LoadedThread& thread, const LogState& state) {
  const std::uint64_t counted = thread.info.steps;
  std::uint64_t covered = 0;
  for (auto piece = thread.pieces.rbegin(); piece != thread.pieces.rend(); ++piece) {
    const std::span<const std::uint8_t> payload = state.payload(*piece);
    if (payload.front() == 0) continue;
    const Piece last{payload, true, piece->steps_before};
    StreamReader reader = StreamReader::tail(thread.info.index, last);
    while (auto event = reader.next()) {
      if (!*event) break;
      if ((*event)->kind == Kind::end) thread.info.ended = true;
    }
    covered = reader.step();
    break;
  }
  thread.info.steps = std::max(counted, covered);
  thread.info.hash_known = covered <= counted;
  if (!thread.info.hash_known) thread.info.hash = 0;
}

void Scan::attach() {
  for (LoadedThread& thread : state.loaded) {
    const auto found = blocks.find(thread.info.index);
    if (found == blocks.end()) {
      thread.info.hash_known = true;
      continue;
    }
    thread.pieces = std::move(found->second.pieces);
    thread.cut = found->second.cut;
    if (found->second.first > 0) thread.dropped = thread.pieces.front().steps_before;
    if (found->second.first > 0) state.info.is_dropped = true;
    blocks.erase(found);
    read_tail(thread, state);
  }
  for (const auto& [index, of_thread] : blocks) {
    if (of_thread.pieces.empty()) continue;
    state.problem(of_thread.pieces.front().offset,
                  "a block of thread " + std::to_string(index) + ", which has no slot");
  }
}

}  // namespace

std::uint64_t live_used(std::span<const std::uint8_t> file) {
  return loaded<std::uint64_t>(file.data() + offsetof(LiveHeader, used));
}

Result<void> load_live(LogState& state) {
  const std::span<const std::uint8_t> file = state.file.bytes();
  if (file.size() < live_header_bytes)
    return fail(ErrorCode::damaged, state.path.string() + " is cut off within its header");
  const std::uint8_t* header = file.data();
  state.info.flags = u32_at(header + 24);
  state.info.full = (state.info.flags & live_full) != 0;
  const std::uint32_t end_kind = u32_at(header + 28);
  if (end_kind > static_cast<std::uint32_t>(EndKind::replaced)) {
    state.problem(28, "an unknown kind of end");
  } else {
    state.info.end_kind = static_cast<EndKind>(end_kind);
  }
  state.info.end_code = static_cast<std::int32_t>(u32_at(header + 32));
  state.info.end_thread = u32_at(header + 36);
  state.info.output_digest = u64_at(header + 40);
  state.info.output_bytes = u64_at(header + 48);
  const char* reason = reinterpret_cast<const char*>(header + offsetof(LiveHeader, reason));
  state.info.reason.assign(reason, strnlen(reason, sizeof(LiveHeader::reason)));
  Scan scan{state};
  scan.extents();
  for (const auto& [thread, places] : scan.staged) scan.take_staged(thread, places);
  scan.attach();
  return {};
}

}  // namespace reprise::recording
