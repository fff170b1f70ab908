// The bytes of one thread's stream: events in, events out. The grammar is format/recording.md, "stream".
//
//   StreamWriter out(blocks, thread);                 StreamReader in(chunks);
//   out.append(event);                                while (in.next(event)) use(event);
//
// Threads   One thread per writer (the thread whose stream it is) and per reader.
// Trust     A reader bounds every length before it is used; bad bytes end the stream with an error, never with a wrong
// event. Cost      append: a few varints into mapped memory; no system call unless a block is full.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/bytes.h"
#include "base/result.h"
#include "recording/event.h"
#include "recording/mailed.h"

namespace reprise::recording {

constexpr std::uint64_t max_step = std::uint64_t{1} << 62;
constexpr std::uint64_t max_order = std::uint64_t{1} << 62;
constexpr std::size_t max_record_bytes = std::size_t{1} << 30;
constexpr std::uint8_t next_step_bit = 0x80;  // in the tag of a record

// Objects a stream mentioned lately: a mention is then one byte, and its order a difference. Writer and reader keep the
// same one.
class ObjectCache {
 public:
  static constexpr std::size_t size = 16;
  struct Entry {
    ObjectId object{0};
    std::uint64_t order{0};
  };
  static std::size_t slot_of(ObjectId object) { return (object * 0x9E3779B97F4A7C15u) >> 60; }
  Entry& operator[](std::size_t slot) { return entries_[slot]; }

 private:
  Entry entries_[size];
};

class Staging;

// Where a writer gets room. An empty span means that there is none any more.
class BlockSource {
 public:
  virtual std::span<std::uint8_t> allocate(ThreadIndex thread, std::uint32_t sequence, std::uint64_t steps_before,
                                           std::size_t payload_min) = 0;
  // The block with this payload will not be written any more.
  virtual void retire(const void* payload) { static_cast<void>(payload); }
  // What is written there can be read without the blocks before it.
  virtual void mark_fresh(void* payload) { static_cast<void>(payload); }
  // Blocks that are used again, for a stream that has come to `sequence`. Null: not for this one, or not yet.
  virtual std::unique_ptr<Staging> stage(ThreadIndex thread, std::uint32_t sequence);

 protected:
  ~BlockSource() = default;
};

class StreamWriter {
 public:
  StreamWriter(BlockSource& source, ThreadIndex thread);
  ~StreamWriter();
  StreamWriter(StreamWriter&&) noexcept;

  // Appends `event`, whose step must be above the last one's (a label repeats it). A failure that follows its own kind
  // directly raises the count in place. Returns false when there is no room any more (or the event is larger than
  // max_record_bytes, for which there never is): nothing was written.
  bool append(const Event& event);

  // The same for a value with these bytes (not a clock).
  bool append(std::uint64_t step, std::uint8_t check, Kind kind, std::string_view name, std::string_view value);

  // The same for contents that have no name. Inline: each message that is kept comes this way.
  bool append_contents(std::uint64_t step, std::uint8_t check, std::string_view value) {
    constexpr std::size_t short_bytes = 127;  // its length is one byte
    if (value.size() > short_bytes || static_cast<std::size_t>(end_ - at_) < record_bytes_max + value.size())
      return append(step, check, Kind::content, {}, value);
    std::uint8_t* at = put_step(at_ + 1, step, check);
    *at++ = 0;
    *at++ = static_cast<std::uint8_t>(value.size());
    base::copy_short(at, value.data(), value.size());
    finish_step(Kind::content, step, at + value.size());
    return true;
  }

  // The same for a choice.
  bool append(std::uint64_t step, std::uint8_t check, Kind kind, std::uint64_t number);

  // The same for an arrival or a receive in its parts: in short if it can be, else as a `mailbox` with its text.
  bool append(std::uint64_t step, std::uint8_t check, const gate::Mailed& mailed);

  std::uint64_t written() const { return written_; }

  // Nothing more will be appended.
  void finish();

  // What follows goes into a block of its own, and can be read without what was before: that may be dropped. Returns
  // the sequence of that block.
  std::uint32_t begin_anew();

  // This thread named objects before the stream began (it goes on after fork): they and later ones are written out in
  // full.
  void names_objects_in_full() { own_objects_ = max_object_ordinal; }

 private:
  std::uint8_t* put_object(std::uint8_t* at, const Event& event, bool same, ObjectCache::Entry*& entry, bool& is_new);
  std::uint8_t* put_clock(std::uint8_t* at, std::uint64_t clock);
  std::uint8_t* put_body(std::uint8_t* at, const Event& event, Class treated, bool same);
  std::uint8_t* put_difference(std::uint8_t* at, const Event& event, std::uint64_t difference, Class treated,
                               bool same) const;
  bool extend_run(const Event& event);
  bool make_room(std::size_t bytes) { return static_cast<std::size_t>(end_ - at_) >= bytes || change_block(bytes); }
  bool change_block(std::size_t bytes);
  std::span<std::uint8_t> next_block(std::size_t bytes);
  bool leave_staging();

  // What comes between the tag and the body of a step.
  std::uint8_t* put_step(std::uint8_t* at, std::uint64_t step, std::uint8_t check) const {
    if (step == step_ + 1) return at;
    if (step <= step_) [[unlikely]]
      fail_step(step);
    at = base::put_varint(at, step - step_ - 2);
    *at++ = check;
    return at;
  }

  [[noreturn, gnu::cold]] void fail_step(std::uint64_t step) const;

  // The first byte goes last: until it is there, the record is not.
  void finish_record(std::uint8_t tag, std::uint8_t* at) {
    std::atomic_ref<std::uint8_t>(*at_).store(tag, std::memory_order_release);
    at_ = at;
    ++written_;
  }

  // A step that mentions no object and is no failure.
  void finish_step(Kind kind, std::uint64_t step, std::uint8_t* at) {
    const auto tag =
        static_cast<std::uint8_t>(static_cast<std::uint8_t>(kind) | (step == step_ + 1 ? next_step_bit : 0));
    run_ = nullptr;
    step_ = step;
    finish_record(tag, at);
  }

  static constexpr std::size_t record_bytes_max = 80;  // all but value and name

  BlockSource& source_;
  ThreadIndex thread_;
  std::uint8_t* block_{nullptr};
  std::uint8_t* at_{nullptr};
  std::uint8_t* end_{nullptr};
  std::uint8_t* run_{nullptr};  // the count of the last record, if that is a failure
  std::uint32_t sequence_{0};
  std::unique_ptr<Staging> staging_;
  bool is_staged_{false};  // block_ is of staging_
  bool may_stage_{true};   // a staged block is the last of its thread, never one before a fresh one
  bool is_fresh_{false};   // the next block begins anew
  std::uint64_t step_{0};  // last step covered
  std::uint64_t written_{0};
  std::uint64_t own_objects_{0};
  ObjectId last_object_{0};
  ObjectId run_object_{0};
  Kind run_kind_{Kind::none};
  std::uint64_t clock_{0};
  ObjectCache cache_;
  std::unique_ptr<MailedCache> mailed_;  // from the first `mailbox` on
};

// A part of a stream that ends where a record ends: the payload of a live block or of a sealed chunk.
struct Piece {
  std::span<const std::uint8_t> bytes{};
  bool zero_tail{false};  // zeros after the last record are room that was not used (live), not damage (sealed)
  std::optional<std::uint64_t> steps_before{};  // when known: the steps that earlier pieces must have covered
  bool is_fresh{false};                         // nothing of earlier pieces is needed to read it
};

class StreamReader {
 public:
  // Yields the next piece of the stream, or nothing at its end (again and again). The piece stays valid until the next
  // call.
  using More = std::function<Result<std::optional<Piece>>()>;

  StreamReader(ThreadIndex thread, More more) : thread_(thread), more_(std::move(more)) {}
  StreamReader(StreamReader&&) = default;
  StreamReader& operator=(StreamReader&&) = default;
  StreamReader(const StreamReader&) = delete;  // two readers of one source would each get half of it
  StreamReader& operator=(const StreamReader&) = delete;

  // Reads one piece without what stood before it, to learn which steps it covers: steps, kinds and numbers of its
  // events are right, objects and orders may not be.
  static StreamReader tail(ThreadIndex thread, const Piece& piece);

  // The next event, or nothing at the end of the stream. Views in the event are valid until the next call.
  // Errors: damaged (which thread, which byte, what was wrong); from then on every call returns that error.
  Result<std::optional<Event>> next();

  // After an error: did it lie between two pieces, so that what follows was written later than what is missing?
  bool missed_events() const { return missed_events_; }

  // Steps covered by the events read so far.
  std::uint64_t step() const { return step_; }

  // The highest ordinal of this thread's own objects that was mentioned so far.
  std::uint64_t own_objects() const { return own_objects_; }

  // The bytes of the event that next() returned last.
  std::span<const std::uint8_t> record() const { return record_; }

 private:
  Result<bool> refill();
  bool parse(base::Cursor& cursor, Event& event);
  bool parse_object(base::Cursor& cursor, bool same, Event& event, bool& is_new);
  bool parse_body(base::Cursor& cursor, Class treated, bool same, Event& event);
  bool parse_mailed(base::Cursor& cursor, Event& event);
  std::uint64_t parse_difference(base::Cursor& cursor, const Event& event, Class treated, bool same) const;
  tl::unexpected<Error> damaged(const char* what);

  ThreadIndex thread_;
  More more_;
  Piece piece_{};
  std::span<const std::uint8_t> record_{};
  std::optional<Error> broken_{};
  bool skims_{false};  // see tail()
  bool missed_events_{false};
  bool has_begun_{false};
  bool ended_{false};  // the end mark was read: nothing may follow
  std::size_t offset_{0};
  std::uint64_t consumed_{0};
  std::uint64_t step_{0};
  std::uint64_t own_objects_{0};
  ObjectId last_object_{0};
  std::uint64_t clock_{0};
  ObjectCache cache_;
  std::unique_ptr<MailedCache> mailed_;
};

}  // namespace reprise::recording
