#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>

#include "recording/log.h"
#include "recording/log_for_test.h"
#include "recording/sealed.h"
#include "recording/verify.h"

namespace reprise::recording {
namespace {

using test::Bytes;
using test::create_live;
using test::Owned;
using test::read_all;
using test::read_bytes;
using test::ReadBack;
using test::TemporaryFolder;
using test::TestThread;
using test::trimmed_live;
using test::write_bytes;
using test::write_small_live;

// Fails when the test's memory grew by more than 100 MB: damage must not make the reader allocate.
class MemoryGuard {
 public:
  ~MemoryGuard() {
    if (!test::is_sanitized) {
      EXPECT_LT(peak_kb() - before_kb_, 100'000);
    }
  }

 private:
  static long peak_kb() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  }
  long before_kb_{peak_kb()};
};

class LogDamage : public testing::Test {
 protected:
  LogDamage() {
    write_small_live(folder_ / "a.live");
    live_ = trimmed_live(folder_ / "a.live");
    EXPECT_TRUE(seal(folder_ / "a.live", folder_ / "a.log"));
    sealed_ = read_bytes(folder_ / "a.log");
    auto log = Log::open(folder_ / "a.log");
    EXPECT_TRUE(log);
    for (const ThreadInfo& thread : log->threads()) {
      auto read = read_all(log->stream(thread.index));
      EXPECT_EQ(read.error, "");
      EXPECT_GT(read.events.size(), 3u);
      events_.push_back(std::move(read.events));
    }
  }

  bool is_prefix(ThreadIndex index, const std::vector<Owned>& events) const {
    const auto& whole = events_.at(index - 1);
    return events.size() <= whole.size() && std::equal(events.begin(), events.end(), whole.begin());
  }

  struct Outcome {
    bool noticed{false};   // by opening, reading or verifying
    bool prefixes{true};   // what was read are prefixes of the streams
    std::size_t read{0};   // events
    std::size_t kept{0};   // events after salvage()
    bool salvaged{false};  // to a log that opens and verifies
  };

  // Opens, reads, verifies and salvages `bytes` as a log.
  Outcome put_to_use(const Bytes& bytes) {
    Outcome outcome;
    const auto path = folder_ / "damaged";
    write_bytes(path, bytes);
    if (auto log = Log::open(path)) {
      for (const ThreadInfo& thread : log->threads()) {
        const auto read = read_all(log->stream(thread.index));
        outcome.read += read.events.size();
        outcome.noticed = outcome.noticed || !read.error.empty();
        outcome.prefixes = outcome.prefixes && thread.index <= events_.size() && is_prefix(thread.index, read.events);
      }
    } else {
      outcome.noticed = true;
      EXPECT_EQ(log.error().message.find('\n'), std::string::npos) << "one line";
    }
    const auto report = verify(path);
    outcome.noticed = outcome.noticed || !report || !report->good();
    const auto saved = salvage(path, folder_ / "salvaged");
    if (saved) {
      const auto again = Log::open(folder_ / "salvaged");
      const auto checked = verify(folder_ / "salvaged");
      outcome.salvaged = again && checked && checked->good();
      if (checked) outcome.kept = checked->events;
      EXPECT_TRUE(again) << again.error().message;
      EXPECT_TRUE(outcome.salvaged || !contents_are_checked_) << testing::PrintToString(checked->findings);
    }
    return outcome;
  }

  std::size_t all_events() const { return events_[0].size() + events_[1].size(); }

  TemporaryFolder folder_;
  Bytes live_;
  Bytes sealed_;
  std::vector<std::vector<Owned>> events_;
  bool contents_are_checked_{true};  // false: another order or object may be as good as the right one
};

// Goal    A sealed log that was cut anywhere says so, and what is left can be salvaged.
// Method  Cut at every byte; an error from open(), never a wrong event; salvage keeps whole chunks.
TEST_F(LogDamage, SealedLogsNoticeEveryCut) {
  const MemoryGuard memory;
  std::size_t kept_most = 0;
  for (std::size_t size = 0; size < sealed_.size(); ++size) {
    const Bytes cut(sealed_.begin(), sealed_.begin() + static_cast<std::ptrdiff_t>(size));
    const Outcome outcome = put_to_use(cut);
    EXPECT_TRUE(outcome.noticed) << "cut at " << size;
    EXPECT_EQ(outcome.read, 0u) << "cut at " << size;
    EXPECT_EQ(outcome.salvaged, size >= sealed_header_bytes) << "cut at " << size;
    kept_most = std::max(kept_most, outcome.kept);
  }
  EXPECT_EQ(kept_most, all_events()) << "without its table a log still has all its events";
}

// Goal    No flipped bit of a sealed log goes unnoticed, and none gives a wrong event.
// Method  Every bit of every byte.
TEST_F(LogDamage, SealedLogsNoticeEveryFlippedBit) {
  const MemoryGuard memory;
  for (std::size_t bit = 0; bit < sealed_.size() * 8; ++bit) {
    Bytes flipped = sealed_;
    flipped[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    const Outcome outcome = put_to_use(flipped);
    EXPECT_TRUE(outcome.noticed) << "bit " << bit;
    EXPECT_TRUE(outcome.prefixes) << "bit " << bit;
  }
}

// Goal    A live log that was cut (a machine crash) gives prefixes of its threads' events.
// Method  Cut at every byte of header, slots and blocks.
TEST_F(LogDamage, LiveLogsGivePrefixesWhenCut) {
  const MemoryGuard memory;
  for (std::size_t size = 0; size < live_.size(); size += size < live_header_bytes ? 61 : 1) {
    const Bytes cut(live_.begin(), live_.begin() + static_cast<std::ptrdiff_t>(size));
    const Outcome outcome = put_to_use(cut);
    EXPECT_TRUE(outcome.noticed) << "cut at " << size;
    EXPECT_TRUE(outcome.prefixes) << "cut at " << size;
  }
}

// Goal    No flipped bit of a live log crashes, hangs or makes anything allocate.
// Method  Every bit of header, slots, extent headers and records; the zeros between are left out.
TEST_F(LogDamage, LiveLogsSurviveEveryFlippedBit) {
  contents_are_checked_ = false;
  const MemoryGuard memory;
  for (std::size_t byte = 0; byte < live_.size(); ++byte) {
    const bool near = std::any_of(live_.begin() + static_cast<std::ptrdiff_t>(byte < 8 ? 0 : byte - 8),
                                  live_.begin() + static_cast<std::ptrdiff_t>(std::min(byte + 8, live_.size())),
                                  [](std::uint8_t value) { return value != 0; });
    for (unsigned bit = 0; near && bit < 8; ++bit) {
      Bytes flipped = live_;
      flipped[byte] ^= static_cast<std::uint8_t>(1u << bit);
      put_to_use(flipped);
    }
  }
}

// Goal    A page of a live log that never reached the disk is noticed, and sealing drops what came after it.
// Method  Zero the rest of a thread's second and of its last block; its slot has counted the records.
TEST_F(LogDamage, LiveLogsNoticeLostPages) {
  Live& live = create_live(folder_ / "b.live");
  TestThread main(live, no_thread, 0);
  TestThread other(live, main_thread, 0);
  for (std::uint64_t n = 0; n < 200; ++n) main.write({.kind = Kind::clock, .number = n * 1'000'000'007});
  other.write({.kind = Kind::clock, .number = 5});
  auto log = Log::open(folder_ / "b.live");
  ASSERT_TRUE(log);
  const Bytes whole = trimmed_live(folder_ / "b.live");
  std::vector<std::size_t> blocks;
  for (std::size_t at = live_header_bytes; at + 32 < whole.size(); at += 64) {
    if (std::memcmp(whole.data() + at, "BLOK", 4) == 0 && whole[at + 4] == main_thread) blocks.push_back(at);
  }
  ASSERT_GE(blocks.size(), 3u);
  for (const std::size_t block : {blocks[1], blocks.back()}) {
    Bytes holed = whole;
    const std::size_t size = base::Cursor(whole.data() + block + 8, whole.data() + block + 16).u64();
    std::fill_n(holed.begin() + static_cast<std::ptrdiff_t>(block + extent_header_bytes + 20),
                size - extent_header_bytes - 20, 0);
    write_bytes(folder_ / "holed", holed);
    EXPECT_FALSE(verify(folder_ / "holed")->good());
    const auto sealed = seal(folder_ / "holed", folder_ / "sealed");
    EXPECT_EQ(sealed.has_value(), block == blocks.back()) << "only a torn tail is dropped without being asked";
    const auto cut = salvage(folder_ / "holed", folder_ / "sealed");
    ASSERT_TRUE(cut);
    EXPECT_EQ(*cut, 1u);
    auto kept = Log::open(folder_ / "sealed");
    ASSERT_TRUE(kept);
    const auto read = read_all(kept->stream(main_thread));
    EXPECT_LT(read.events.size(), 200u);
    EXPECT_GT(read.events.size(), 3u);
    EXPECT_EQ(kept->thread(main_thread)->steps, read.step) << "steps beyond the last event may have been written ones";
    EXPECT_FALSE(kept->thread(main_thread)->hash_known);
    EXPECT_NE(kept->info().flags & live_no_space, 0u);
    EXPECT_NE(kept->info().torn, "");
    EXPECT_EQ(read_all(kept->stream(2)).events.size(), 1u) << "the other thread is whole";
  }
}

// Where the chunks of `sealed` start, and where the table does.
std::vector<std::size_t> chunk_starts(const Bytes& sealed) {
  base::Cursor footer(sealed.data() + sealed.size() - sealed_footer_bytes, sealed.data() + sealed.size());
  const std::uint64_t table = footer.u64();
  std::vector<std::size_t> starts{sealed_header_bytes};
  std::vector<bool> seen(16, false);
  while (starts.back() < table) {
    base::Cursor cursor(sealed.data() + starts.back() + checksum_bytes, sealed.data() + table);
    const auto thread = static_cast<std::size_t>(cursor.varint());
    cursor.varint();
    const std::uint64_t stored = cursor.varint();
    cursor.u8();
    if (!seen.at(thread)) {
      cursor.varint();
      cursor.varint();
    }
    seen.at(thread) = true;
    starts.push_back(static_cast<std::size_t>(cursor.at() - sealed.data()) + stored);
  }
  return starts;
}

// A table and footer for the chunks before them, as a forger would write them.
Bytes with_table(Bytes chunks, const Bytes& table) {
  Bytes footer(16);
  base::put_u64(footer.data(), chunks.size());
  base::put_u32(footer.data() + 8, static_cast<std::uint32_t>(table.size()));
  base::put_u32(footer.data() + 12, static_cast<std::uint32_t>(table.size()));
  const std::uint64_t checksum = table_checksum(std::span(chunks).first(sealed_header_bytes), table, footer);
  footer.resize(24);
  base::put_u64(footer.data() + 16, checksum);
  footer.insert(footer.end(), std::begin(sealed_end_magic), std::end(sealed_end_magic));
  chunks.insert(chunks.end(), table.begin(), table.end());
  chunks.insert(chunks.end(), footer.begin(), footer.end());
  return chunks;
}

class ChunkDamage : public LogDamage {
 protected:
  // Three chunks of one thread, stored raw or packed, and one of another.
  ChunkDamage() {
    Live& live = create_live(folder_ / "long.live");
    TestThread main(live, no_thread, 0);
    TestThread child(live, main_thread, 0);
    for (int i = 0; i < 3; ++i) {
      main.write(
          {.kind = Kind::value, .value = std::string(chunk_bytes - 100, static_cast<char>('a' + i)), .name = "n"});
    }
    child.write({.kind = Kind::value, .value = std::string(chunk_bytes - 100, 'a'), .name = "n"});
    EXPECT_TRUE(seal(folder_ / "long.live", folder_ / "long.log"));
    sealed_ = read_bytes(folder_ / "long.log");
    starts_ = chunk_starts(sealed_);
    events_.clear();
    auto log = Log::open(folder_ / "long.log");
    for (const ThreadInfo& thread : log->threads()) events_.push_back(read_all(log->stream(thread.index)).events);
  }

  Bytes chunk(std::size_t i) const {
    return {sealed_.begin() + static_cast<std::ptrdiff_t>(starts_[i]),
            sealed_.begin() + static_cast<std::ptrdiff_t>(starts_[i + 1])};
  }
  // The log with these chunks in this order; the table is the old one, and its place is right.
  Bytes rebuilt(const std::vector<std::size_t>& order) const {
    Bytes bytes(sealed_.begin(), sealed_.begin() + sealed_header_bytes);
    for (const std::size_t i : order) {
      const Bytes one = chunk(i);
      bytes.insert(bytes.end(), one.begin(), one.end());
    }
    base::Cursor footer(sealed_.data() + sealed_.size() - sealed_footer_bytes, sealed_.data() + sealed_.size());
    const std::uint64_t table = footer.u64();
    const std::uint32_t stored = footer.u32();
    const std::uint32_t raw = footer.u32();
    EXPECT_EQ(stored, raw) << "a small table is stored as it is";
    return with_table(std::move(bytes), Bytes(sealed_.begin() + static_cast<std::ptrdiff_t>(table),
                                              sealed_.begin() + static_cast<std::ptrdiff_t>(table + stored)));
  }

  std::vector<std::size_t> starts_;
};

// Goal    Chunks in another order, twice, missing, or in another thread's place are noticed, whatever the table says.
// Method  Put whole chunks where they do not belong and write a fitting footer; the original order is the control.
TEST_F(ChunkDamage, IsNoticed) {
  ASSERT_EQ(starts_.size(), 5u);
  const Outcome control = put_to_use(rebuilt({0, 1, 2, 3}));
  EXPECT_FALSE(control.noticed);
  EXPECT_EQ(control.read, 4u);
  for (const auto& order : std::vector<std::vector<std::size_t>>{{0, 2, 1, 3},
                                                                 {1, 0, 2, 3},
                                                                 {0, 1, 1, 3},
                                                                 {0, 0, 1, 2, 3},
                                                                 {0, 1, 3},
                                                                 {1, 2, 3},
                                                                 {0, 1, 2},
                                                                 {0, 1, 2, 2, 3}}) {
    const Outcome outcome = put_to_use(rebuilt(order));
    EXPECT_TRUE(outcome.noticed) << testing::PrintToString(order);
    EXPECT_TRUE(outcome.prefixes) << testing::PrintToString(order);
  }
}

// Goal    check() finds what open() leaves to reading.
// Method  One flipped bit in the records of a chunk; the whole log is the control.
TEST_F(ChunkDamage, IsFoundByCheck) {
  auto whole = Log::open(folder_ / "long.log");
  ASSERT_TRUE(whole);
  EXPECT_TRUE(whole->check());
  Bytes bytes = sealed_;
  bytes[starts_[1] - 1] ^= 1;
  write_bytes(folder_ / "flipped", bytes);
  auto flipped = Log::open(folder_ / "flipped");
  ASSERT_TRUE(flipped) << "heads and table are whole";
  EXPECT_EQ(flipped->check().error().code, ErrorCode::damaged);
}

// Goal    A chunk of one thread that is relabelled as another's is noticed.
// Method  Change the thread of a chunk's head; the checksum covers it and is seeded with it.
TEST_F(ChunkDamage, OfAnotherThreadIsNoticed) {
  Bytes bytes = sealed_;
  ASSERT_EQ(bytes[starts_[3] + checksum_bytes], 2);
  bytes[starts_[3] + checksum_bytes] = 1;
  const Outcome outcome = put_to_use(bytes);
  EXPECT_TRUE(outcome.noticed);
  EXPECT_TRUE(outcome.prefixes);
}

void add_varint(Bytes& to, std::uint64_t value) {
  std::uint8_t bytes[base::max_varint_bytes];
  to.insert(to.end(), bytes, base::put_varint(bytes, value));
}

struct Forged {
  const char* what;
  std::uint64_t thread{1}, raw{1}, stored{1};
  std::uint8_t codec{0};
  Bytes content{0x90, 0x00};
};

// Goal    Lengths that lie, under checksums that are right, neither crash nor allocate.
// Method  Chunks that claim a terabyte, more than the file holds, nothing, or another length than their frame's.
TEST_F(LogDamage, OversizedChunksAreRefused) {
  const MemoryGuard memory;
  const Bytes frame_of_nothing{0x28, 0xB5, 0x2F, 0xFD, 0x20, 0x00, 0x01, 0x00, 0x00};
  const Bytes frame_of_a_terabyte{0x28, 0xB5, 0x2F, 0xFD, 0xE0, 0, 0, 0, 0, 0, 1, 0, 0, 0x01, 0x00, 0x00};
  for (const Forged& forged : std::vector<Forged>{
           {.what = "raw beyond the limit", .raw = std::uint64_t{1} << 40, .stored = 2, .codec = 1},
           {.what = "a frame that claims a terabyte",
           .raw = std::uint64_t{1} << 40,
           .stored = 16,
           .codec = 1,
           .content = frame_of_a_terabyte},
           {.what = "stored beyond the file", .raw = 100, .stored = 100},
           {.what = "stored far beyond the file", .raw = 1 << 29, .stored = 1 << 29},
           {.what = "stored beyond all", .raw = ~std::uint64_t{0}, .stored = ~std::uint64_t{0}},
           {.what = "empty", .raw = 0, .stored = 0},
           {.what = "raw and stored differ", .raw = 3, .stored = 2},
           {.what = "a frame of another length", .raw = 1000, .stored = 9, .codec = 1, .content = frame_of_nothing},
           {.what = "no frame", .raw = 1 << 29, .stored = 2, .codec = 1},
           {.what = "an unknown codec", .raw = 2, .stored = 2, .codec = 2},
           {.what = "thread 0", .thread = 0, .raw = 2, .stored = 2},
           {.what = "thread beyond the limit", .thread = 1 << 24, .raw = 2, .stored = 2}}) {
    Bytes covered;
    for (const std::uint64_t number : {forged.thread, forged.raw, forged.stored}) add_varint(covered, number);
    covered.push_back(forged.codec);
    covered.insert(covered.end(), {0, 0});
    covered.insert(covered.end(), forged.content.begin(), forged.content.end());
    Bytes bytes(sealed_.begin(), sealed_.begin() + sealed_header_bytes);
    bytes.resize(bytes.size() + checksum_bytes);
    base::put_u64(bytes.data() + sealed_header_bytes,
                  chunk_checksum(covered, static_cast<ThreadIndex>(forged.thread), 0));
    bytes.insert(bytes.end(), covered.begin(), covered.end());
    // No flags, no end, no output, no texts; one thread: index 1, no parent, ordinal 0, 1 step, no objects, 1 chunk, no
    // bits.
    const Bytes table{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0};
    const Outcome outcome = put_to_use(with_table(bytes, table));
    EXPECT_TRUE(outcome.noticed) << forged.what;
    EXPECT_EQ(outcome.read, 0u) << forged.what;
  }
}

// Goal    A chunk above 256 KiB holds one record.
// Method  Two large records as one chunk under a right checksum; each by itself is the control.
TEST_F(LogDamage, LargeChunksHoldOneRecord) {
  Bytes record{0x8F, 0};  // a value, the next step, without a name
  add_varint(record, chunk_bytes);
  record.resize(record.size() + chunk_bytes, 'v');
  for (const std::size_t count : {1, 2}) {
    Bytes stream;
    for (std::size_t i = 0; i < count; ++i) stream.insert(stream.end(), record.begin(), record.end());
    Bytes covered;
    for (const std::uint64_t number : {std::uint64_t{1}, std::uint64_t{stream.size()}, std::uint64_t{stream.size()}})
      add_varint(covered, number);
    covered.insert(covered.end(), {0, 0, 0});
    covered.insert(covered.end(), stream.begin(), stream.end());
    Bytes bytes(sealed_.begin(), sealed_.begin() + sealed_header_bytes);
    bytes.resize(bytes.size() + checksum_bytes);
    base::put_u64(bytes.data() + sealed_header_bytes, chunk_checksum(covered, 1, 0));
    bytes.insert(bytes.end(), covered.begin(), covered.end());
    const Bytes table{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 2, 0, 1, 0};
    events_.assign(1, std::vector<Owned>());
    EXPECT_EQ(put_to_use(with_table(bytes, table)).noticed, count == 2);
  }
}

// Goal    A thread table that lies is refused, under a checksum that is right.
// Method  The table of a log without threads as control; then rows that break one rule each.
TEST_F(LogDamage, LyingTablesAreRefused) {
  const MemoryGuard memory;
  const Bytes header(sealed_.begin(), sealed_.begin() + sealed_header_bytes);
  const Bytes start{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  const auto table = [&](const Bytes& rest) {
    Bytes bytes = start;
    bytes.insert(bytes.end(), rest.begin(), rest.end());
    return with_table(header, bytes);
  };
  EXPECT_FALSE(put_to_use(table({0})).noticed) << "control";
  EXPECT_FALSE(put_to_use(table({1, 1, 0, 0, 5, 0, 0, 0})).noticed) << "control";
  const std::vector<std::pair<const char*, Bytes>> lies{
      {"more rows than bytes", {0xFF, 0xFF, 0xFF, 0xFF, 0x0F}},
      {"a row more than said", {0, 1, 0, 0, 5, 0, 0, 0}},
      {"a row cut off", {1, 1, 0, 0, 5, 0, 0}},
      {"an index that does not rise", {2, 1, 0, 0, 5, 0, 0, 0, 0, 1, 0, 5, 0, 0, 0}},
      {"a thread that is its own parent", {1, 1, 1, 0, 5, 0, 0, 0}},
      {"a parent that comes later", {2, 1, 2, 0, 5, 0, 0, 0, 1, 0, 0, 5, 0, 0, 0}},
      {"the same child twice", {3, 1, 0, 0, 5, 0, 0, 0, 1, 1, 0, 5, 0, 0, 0, 1, 1, 0, 5, 0, 0, 0}},
      {"an unknown bit", {1, 1, 0, 0, 5, 0, 0, 16}},
      {"an unknown pending kind", {1, 1, 0, 0, 5, 0, 0, 8, 39, 0, 0, 0}},
      {"chunks that are not there", {1, 1, 0, 0, 5, 0, 7, 0}},
      {"steps beyond the limit", {1, 1, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 0, 0, 0}},
  };
  for (const auto& [what, rest] : lies) EXPECT_TRUE(put_to_use(table(rest)).noticed) << what;
  Bytes ended = start;
  ended[3] = 9;  // by a thread that is not there
  ended.push_back(0);
  EXPECT_TRUE(put_to_use(with_table(header, ended)).noticed);
}

// Goal    Salvaging a whole log changes nothing and claims no loss.
// Method  Salvage the undamaged sealed log.
TEST_F(LogDamage, SalvagingAWholeLogChangesNothing) {
  const auto cut = salvage(folder_ / "a.log", folder_ / "again.log");
  ASSERT_TRUE(cut);
  EXPECT_EQ(*cut, 0u);
  EXPECT_EQ(read_bytes(folder_ / "again.log"), sealed_);
}

}  // namespace
}  // namespace reprise::recording
