#include "recording/stream.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "base/check.h"
#include "recording/sealed.h"
#include "recording/staging.h"

namespace reprise::recording {
namespace {

constexpr std::uint8_t kind_bits = 0x3F;
constexpr std::uint8_t same_object_bit = 0x40;
constexpr std::uint8_t mailed_tag = 39;  // a `mailbox` in short
constexpr std::uint64_t reference_explicit = 0;
constexpr std::uint64_t reference_new = 1;
constexpr std::uint64_t reference_cached = 2;
constexpr std::size_t run_count_bytes = 4;
constexpr std::size_t digest_bytes = 8;

bool mentions_object(Class treated) { return has_object(treated) || treated == Class::failure; }

// Numbers are stored little-endian without their leading zero bytes; the program knows the full size.
std::size_t trimmed(std::string_view value) {
  std::size_t size = value.size();
  while (size > 0 && value[size - 1] == '\0') --size;
  return size;
}

// What a thread that passes one object again and again would raise its order by, itself and once another, until it is
// written again: `left_out` steps lie between, of which an atomic raises the order with each, a mutex with every
// second.
std::uint64_t expected_difference(Kind kind, std::uint64_t left_out) {
  const bool each = kind == Kind::modify || kind == Kind::store || kind == Kind::send || kind == Kind::reply;
  return (each ? left_out : left_out / 2) + 2;
}

void learn_mailed(std::unique_ptr<MailedCache>& cache, const Event& event) {
  if (!cache) cache = std::make_unique<MailedCache>();
  cache->learn(event.name, event.value);
}

std::uint8_t* put_bytes(std::uint8_t* at, std::string_view bytes) {
  at = base::put_varint(at, bytes.size());
  if (!bytes.empty()) std::memcpy(at, bytes.data(), bytes.size());
  return at + bytes.size();
}

}  // namespace

std::unique_ptr<Staging> BlockSource::stage(ThreadIndex, std::uint32_t) { return nullptr; }

StreamWriter::StreamWriter(BlockSource& source, ThreadIndex thread) : source_(source), thread_(thread) {}
StreamWriter::StreamWriter(StreamWriter&&) noexcept = default;
StreamWriter::~StreamWriter() = default;

bool StreamWriter::change_block(std::size_t bytes) {
  const std::span<std::uint8_t> block = next_block(bytes);
  if (block.empty()) return false;
  ++sequence_;
  if (std::exchange(is_fresh_, false)) source_.mark_fresh(block.data());
  block_ = block.data();
  at_ = block_;
  end_ = at_ + block.size();
  run_ = nullptr;
  return true;
}

// What does not fit into a staged block goes into one of its own, and so does what comes next, as long as there is
// room.
std::span<std::uint8_t> StreamWriter::next_block(std::size_t bytes) {
  if (staging_ == nullptr && may_stage_) staging_ = source_.stage(thread_, sequence_);
  const bool goes_on_staged = staging_ != nullptr && bytes <= staged_payload_bytes;
  if (is_staged_ && goes_on_staged) staging_->leave(at_);
  if (is_staged_ && !goes_on_staged && !leave_staging()) return {};
  const std::span<std::uint8_t> block =
      goes_on_staged ? staging_->next(sequence_, step_) : source_.allocate(thread_, sequence_, step_, bytes);
  if (block.empty()) return {};
  if (block_ != nullptr && !is_staged_) source_.retire(block_);
  is_staged_ = goes_on_staged;
  return block;
}

// What is staged goes to its place, since blocks will follow it there.
bool StreamWriter::leave_staging() {
  staging_->leave(at_);
  if (!staging_->write_out()) return false;
  block_ = at_ = end_ = run_ = nullptr;
  is_staged_ = false;
  return true;
}

std::uint32_t StreamWriter::begin_anew() {
  if (is_staged_) leave_staging();
  finish();
  is_fresh_ = true;
  cache_ = {};
  last_object_ = 0;
  clock_ = 0;
  mailed_.reset();
  names_objects_in_full();
  return sequence_;
}

void StreamWriter::finish() {
  if (block_ != nullptr && !is_staged_) source_.retire(block_);
  if (staging_ != nullptr) source_.retire(staging_->pages());
  staging_.reset();
  is_staged_ = may_stage_ = false;
  block_ = at_ = end_ = run_ = nullptr;
}

bool StreamWriter::extend_run(const Event& event) {
  if (run_ == nullptr || event.step != step_ + 1) return false;
  if (event.kind != run_kind_ || event.object != run_object_) return false;
  base::Cursor stored(run_, run_ + run_count_bytes);
  const std::uint32_t count = stored.u32();
  if (count == 0xFFFFFFFFu) return false;
  std::uint8_t raised[run_count_bytes];
  base::put_u32(raised, count + 1);
  std::memcpy(run_, raised, sizeof raised);  // one store: kill -9 finds the old count or the new one
  step_ = event.step;
  return true;
}

std::uint8_t* StreamWriter::put_object(std::uint8_t* at, const Event& event, bool same, ObjectCache::Entry*& entry,
                                       bool& is_new) {
  const ObjectId object = event.object;
  const bool may_be_new = !has_order(info(event.kind).treated) || event.order == 1;  // which is then not written
  entry = &cache_[ObjectCache::slot_of(object)];
  const bool cached = entry->object == object && object != 0;
  if (!cached) *entry = ObjectCache::Entry{object, 0};
  if (same) return at;
  if (cached) return base::put_varint(at, reference_cached + ObjectCache::slot_of(object));
  const bool is_own = object_thread(object) == thread_ && object_ordinal(object) > own_objects_;
  const bool is_next = is_own && object_ordinal(object) == own_objects_ + 1;
  if (is_own) own_objects_ = object_ordinal(object);
  if (is_next && may_be_new) {
    is_new = true;
    return base::put_varint(at, reference_new);
  }
  at = base::put_varint(at, reference_explicit);
  at = base::put_varint(at, object_thread(object));
  return base::put_varint(at, object_ordinal(object));
}

std::uint8_t* StreamWriter::put_difference(std::uint8_t* at, const Event& event, std::uint64_t difference,
                                           Class treated, bool same) const {
  const std::uint64_t left_out = event.step - step_ - 1;
  if (treated != Class::ordered || !same || left_out == 0) return base::put_varint(at, difference);
  const std::uint64_t surplus = difference - expected_difference(event.kind, left_out);
  return base::put_varint(at, base::zigzag(static_cast<std::int64_t>(surplus)));
}

std::uint8_t* StreamWriter::put_clock(std::uint8_t* at, std::uint64_t clock) {
  const std::uint64_t passed = clock - clock_;
  clock_ = clock;
  return base::put_varint(at, base::zigzag(static_cast<std::int64_t>(passed)));
}

std::uint8_t* StreamWriter::put_body(std::uint8_t* at, const Event& event, Class treated, bool same) {
  ObjectCache::Entry* entry = nullptr;
  bool is_new = false;
  if (mentions_object(treated)) {
    at = put_object(at, event, same, entry, is_new);
    last_object_ = event.object;
  }
  if (has_order(treated)) {
    CHECK(event.order >= entry->order + (raises_order(treated) ? 1 : 0), event.order, entry->order);
    if (!is_new) at = put_difference(at, event, event.order - entry->order, treated, same);
    entry->order = event.order;
  }
  switch (treated) {
    case Class::read:
      return put_bytes(at, event.value.substr(0, trimmed(event.value)));
    case Class::failure:
      run_ = at;
      run_object_ = event.object;
      run_kind_ = event.kind;
      return base::put_u32(at, 1);
    case Class::value:
      return put_clock(at, event.number);
    case Class::mark:
      return base::put_varint(at, base::zigzag(static_cast<std::int64_t>(event.number)));
    case Class::plain:
    case Class::choice:
    case Class::writing:
      return base::put_varint(at, event.number);
    case Class::choosing:
      at = base::put_varint(at, event.number << 1 | (event.value.size() == digest_bytes ? 1 : 0));
      if (event.value.size() == digest_bytes) at = std::copy(event.value.begin(), event.value.end(), at);
      return at;
    case Class::label:
    case Class::note:
      return put_bytes(at, event.value);
    default:
      return at;
  }
}

// Contents of messages come this way, so it is short.
bool StreamWriter::append(std::uint64_t step, std::uint8_t check, Kind kind, std::string_view name,
                          std::string_view value) {
  if (value.size() > max_record_bytes || name.size() > max_record_bytes) return false;
  if (record_bytes_max + value.size() + name.size() > max_record_bytes) return false;
  if (!make_room(record_bytes_max + value.size() + name.size())) return false;
  finish_step(kind, step, put_bytes(put_bytes(put_step(at_ + 1, step, check), name), value));
  if (kind == Kind::mailbox) learn_mailed(mailed_, {.kind = kind, .value = value, .name = name});
  return true;
}

bool StreamWriter::append(std::uint64_t step, std::uint8_t check, Kind kind, std::uint64_t number) {
  if (!make_room(record_bytes_max)) return false;
  finish_step(kind, step, base::put_varint(put_step(at_ + 1, step, check), number));
  return true;
}

bool StreamWriter::append(std::uint64_t step, std::uint8_t check, const gate::Mailed& mailed) {
  if (!make_room(record_bytes_max)) return false;
  std::uint8_t* const at = mailed_ ? mailed_->put(put_step(at_ + 1, step, check), mailed) : nullptr;
  if (at == nullptr) {
    const std::string text = text_of(mailed);
    return append({.step = step, .kind = Kind::mailbox, .value = text, .name = mailed.mailbox, .check = check});
  }
  finish_step(static_cast<Kind>(mailed_tag), step, at);
  return true;
}

void StreamWriter::fail_step(std::uint64_t step) const {
  CHECK(step > step_, step, step_);
  std::abort();
}

bool StreamWriter::append(const Event& event) {
  const Class treated = info(event.kind).treated;
  if (treated == Class::failure && extend_run(event)) return true;
  if (treated == Class::value && event.kind != Kind::clock)
    return append(event.step, event.check, event.kind, event.name, event.value);
  if (event.value.size() > max_record_bytes || event.name.size() > max_record_bytes) return false;
  if (record_bytes_max + event.value.size() + event.name.size() > max_record_bytes) return false;
  if (!make_room(record_bytes_max + event.value.size() + event.name.size())) return false;
  run_ = nullptr;
  const bool next_step = !is_step(treated) || event.step == step_ + 1;
  const bool same = mentions_object(treated) && event.object == last_object_ && event.object != 0;
  std::uint8_t* at = is_step(treated) ? put_step(at_ + 1, event.step, event.check) : at_ + 1;
  at = put_body(at, event, treated, same);
  const auto tag = static_cast<std::uint8_t>(static_cast<std::uint8_t>(event.kind) | (same ? same_object_bit : 0) |
                                             (next_step ? next_step_bit : 0));
  if (is_step(treated)) step_ = event.step;
  finish_record(tag, at);
  return true;
}

StreamReader StreamReader::tail(ThreadIndex thread, const Piece& piece) {
  StreamReader reader(thread, [piece, given = false]() mutable -> Result<std::optional<Piece>> {
    if (std::exchange(given, true)) return std::optional<Piece>{};
    return std::optional<Piece>{piece};
  });
  reader.step_ = piece.steps_before.value_or(0);
  reader.skims_ = true;
  return reader;
}

tl::unexpected<Error> StreamReader::damaged(const char* what) {
  broken_ = Error{ErrorCode::damaged, "stream of thread " + std::to_string(thread_) + ", byte " +
                                          std::to_string(consumed_ + offset_) + " (after step " +
                                          std::to_string(step_) + "): " + what};
  return tl::unexpected(*broken_);
}

Result<bool> StreamReader::refill() {
  while (offset_ >= piece_.bytes.size() || piece_.bytes[offset_] == 0) {
    if (offset_ < piece_.bytes.size() && !piece_.zero_tail) return damaged("a zero where an event should start");
    consumed_ += offset_;
    piece_ = Piece{};
    offset_ = 0;
    auto piece = more_();
    if (!piece) {
      broken_ = piece.error();
      return tl::unexpected(*broken_);
    }
    if (!*piece) return false;
    piece_ = **piece;
    if (piece_.is_fresh) {
      cache_ = {};
      last_object_ = 0;
      clock_ = 0;
      mailed_.reset();
      if (!has_begun_) step_ = piece_.steps_before.value_or(0);
    }
    has_begun_ = true;
    missed_events_ = piece_.steps_before && *piece_.steps_before != step_;
    if (missed_events_) return damaged("events are missing before this block");
  }
  return true;
}

bool StreamReader::parse_object(base::Cursor& cursor, bool same, Event& event, bool& is_new) {
  if (same) {
    event.object = last_object_;
    return event.object != 0 || skims_;
  }
  const std::uint64_t reference = cursor.varint();
  if (reference >= reference_cached) {
    if (reference - reference_cached >= ObjectCache::size) return false;
    event.object = cache_[reference - reference_cached].object;
    return event.object != 0 || skims_;
  }
  if (reference == reference_new) {
    is_new = true;
    if (own_objects_ >= max_object_ordinal) return false;
    event.object = object_id(thread_, ++own_objects_);
    return true;
  }
  const std::uint64_t thread = cursor.varint();
  const std::uint64_t ordinal = cursor.varint();
  if (thread > well_known || ordinal > max_object_ordinal || (thread == 0) != (ordinal == 0)) return false;
  if (thread == thread_ && ordinal > own_objects_) own_objects_ = ordinal;
  event.object = object_id(static_cast<ThreadIndex>(thread), ordinal);
  return true;
}

// Out of range when it is not one that can be.
std::uint64_t StreamReader::parse_difference(base::Cursor& cursor, const Event& event, Class treated, bool same) const {
  const std::uint64_t written = cursor.varint();
  const std::uint64_t left_out = event.step - step_ - 1;
  if (treated != Class::ordered || !same || left_out == 0) return written;
  const std::int64_t surplus = base::unzigzag(written);
  const std::uint64_t expected = expected_difference(event.kind, left_out);
  // Unsigned: neither sum nor difference of what the bytes claim may overflow.
  if (surplus >= 0) return expected + static_cast<std::uint64_t>(surplus);
  const std::uint64_t missing = -static_cast<std::uint64_t>(surplus);
  return missing < expected ? expected - missing : max_order + 1;
}

bool StreamReader::parse_body(base::Cursor& cursor, Class treated, bool same, Event& event) {
  bool is_new = false;
  if (mentions_object(treated)) {
    if (!parse_object(cursor, same, event, is_new)) return false;
    if (event.object == 0 && treated != Class::failure && !skims_) return false;
    last_object_ = event.object;
    ObjectCache::Entry& entry = cache_[ObjectCache::slot_of(event.object)];
    if (entry.object != event.object) entry = ObjectCache::Entry{event.object, 0};
    if (has_order(treated)) {
      const std::uint64_t difference = is_new ? 1 : parse_difference(cursor, event, treated, same);
      if (difference > max_order - entry.order || (difference == 0 && raises_order(treated))) return false;
      event.order = entry.order += difference;
    }
  }
  switch (treated) {
    case Class::read:
    case Class::label:
    case Class::note:
      event.value = cursor.bytes(cursor.varint());
      return cursor.good();
    case Class::failure:
      event.number = cursor.u32();
      return event.number != 0;
    case Class::value:
      if (event.kind == Kind::clock) {
        clock_ += static_cast<std::uint64_t>(base::unzigzag(cursor.varint()));
        event.number = clock_;
      } else {
        event.name = cursor.bytes(cursor.varint());
        event.value = cursor.bytes(cursor.varint());
        if (event.kind == Kind::mailbox && cursor.good()) learn_mailed(mailed_, event);
      }
      return cursor.good();
    case Class::mark:
      event.number = static_cast<std::uint64_t>(base::unzigzag(cursor.varint()));
      return cursor.good();
    case Class::plain:
    case Class::choice:
    case Class::writing:
      event.number = cursor.varint();
      return cursor.good();
    case Class::choosing:
      event.number = cursor.varint();
      if ((event.number & 1) != 0) event.value = cursor.bytes(digest_bytes);
      event.number >>= 1;
      return cursor.good();
    default:
      return cursor.good();
  }
}

bool StreamReader::parse_mailed(base::Cursor& cursor, Event& event) {
  if (!mailed_) mailed_ = std::make_unique<MailedCache>();
  if (!mailed_->take(cursor, skims_)) return false;
  event.name = mailed_->name();
  event.value = mailed_->text();
  return true;
}

bool StreamReader::parse(base::Cursor& cursor, Event& event) {
  const std::uint8_t tag = cursor.u8();
  const bool is_short = (tag & kind_bits) == mailed_tag;
  event.kind = is_short ? Kind::mailbox : static_cast<Kind>(tag & kind_bits);
  const Class treated = info(event.kind).treated;
  if (treated == Class::none || ended_) return false;
  const bool same = (tag & same_object_bit) != 0;
  if (same && !mentions_object(treated)) return false;
  event.step = is_step(treated) ? step_ + 1 : step_;
  if ((tag & next_step_bit) == 0) {
    const std::uint64_t left_out = cursor.varint();
    if (!is_step(treated) || left_out > max_step) return false;
    event.step = step_ + left_out + 2;
    event.checked = true;
    event.check = cursor.u8();
  }
  if (!cursor.good()) return false;
  if (!(is_short ? parse_mailed(cursor, event) : parse_body(cursor, treated, same, event))) return false;
  const std::uint64_t covered = treated == Class::failure ? event.step + event.number - 1 : event.step;
  if (!cursor.good() || covered > max_step) return false;
  step_ = covered;
  ended_ = event.kind == Kind::end;
  return true;
}

Result<std::optional<Event>> StreamReader::next() {
  if (broken_) return tl::unexpected(*broken_);
  auto filled = refill();
  if (!filled) return tl::unexpected(filled.error());
  if (!*filled) return std::optional<Event>{};
  const std::span<const std::uint8_t> rest = piece_.bytes.subspan(offset_);
  base::Cursor cursor(rest.data(), rest.data() + rest.size());
  Event event;
  if (!parse(cursor, event)) return damaged("no event can be read here");
  record_ = rest.first(static_cast<std::size_t>(cursor.at() - rest.data()));
  offset_ += record_.size();
  const bool is_chunk = !piece_.zero_tail;
  if (is_chunk && piece_.bytes.size() > chunk_bytes && record_.size() != piece_.bytes.size())
    return damaged("a chunk of this size holds one record, this one holds more");
  return std::optional<Event>{event};
}

}  // namespace reprise::recording
