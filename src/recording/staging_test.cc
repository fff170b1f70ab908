#include "recording/staging.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <functional>
#include <random>
#include <thread>

#include "base/file.h"
#include "recording/log_for_test.h"
#include "recording/verify.h"

namespace reprise::recording {
namespace {

using test::Bytes;
using test::create_live;
using test::FileSizeLimit;
using test::Owned;
using test::read_all;
using test::TemporaryFolder;
using test::TestThread;
using test::write_bytes;

// The n-th value of every thread here: no two are the same.
std::string value_of(std::uint64_t n, std::size_t size = 50) {
  std::string value(size, static_cast<char>('a' + n % 26));
  const std::string number = std::to_string(n);
  std::copy_n(number.begin(), std::min(size, number.size()), value.begin());
  return value;
}

bool write_value(TestThread& thread, std::uint64_t n, std::size_t size = 50) {
  return thread.write({.kind = Kind::content, .value = value_of(n, size)});
}

// Whether `path` holds the first values, one after the other; returns how many.
std::uint64_t count_values(const std::filesystem::path& path, ThreadIndex thread = main_thread) {
  auto log = Log::open(path);
  EXPECT_TRUE(log) << log.error().message;
  if (!log) return 0;
  EXPECT_EQ(log->info().torn, "");
  const auto read = read_all(log->stream(thread));
  EXPECT_EQ(read.error, "");
  std::uint64_t count = 0;
  for (const Owned& event : read.events) {
    if (event.value != value_of(count, event.value.size())) break;
    ++count;
  }
  EXPECT_EQ(count, read.events.size()) << "an event that was not written, or not there";
  return count;
}

// How many values are written when the blocks are written out for the `flush`-th time, less one.
std::uint64_t values_before_flush(int flush) {
  const TemporaryFolder folder;
  Live& live = create_live(folder / "a.live");
  TestThread main(live, no_thread, 0);
  for (std::uint64_t n = 0;; ++n) {
    const std::uint64_t used = live.header().used.load();
    write_value(main, n);
    const bool is_flush = n > 1000 && live.header().used.load() - used >= staged_blocks * staged_bytes * 7 / 8;
    if (is_flush && --flush == 0) return n;
  }
}

// A log that holds so many values.
struct Written {
  explicit Written(std::uint64_t count) {
    for (std::uint64_t n = 0; n < count; ++n) EXPECT_TRUE(write_value(main, n));
  }
  const TemporaryFolder folder{};
  const std::filesystem::path path{folder / "a.live"};
  Live& live{create_live(path)};
  TestThread main{live, no_thread, 0};
};

struct Page {
  std::size_t offset{0};
  std::uint32_t sequence{0};
};

// The staged blocks of the one thread that has some, and the ordinary ones.
std::pair<std::vector<Page>, std::vector<Page>> blocks_of(const Bytes& log) {
  std::pair<std::vector<Page>, std::vector<Page>> found;
  ExtentHeader header{};
  for (std::size_t at = live_header_bytes; at + sizeof header <= log.size(); at += header.size) {
    std::memcpy(&header, log.data() + at, sizeof header);
    if (header.size == 0) break;
    if (header.kind == static_cast<std::uint32_t>(ExtentKind::block)) found.second.push_back({at, header.sequence});
    if (header.kind != static_cast<std::uint32_t>(ExtentKind::staging)) continue;
    for (std::size_t page = at + staging_head_bytes; page < at + header.size; page += staged_bytes) {
      ExtentHeader of_page{};
      std::memcpy(&of_page, log.data() + page, sizeof of_page);
      found.first.push_back({page, of_page.sequence});
    }
  }
  return found;
}

// Goal    What is written through staged blocks reads back as it was written, live, sealed, and whatever its size.
// Method  Records of random sizes, few larger than a page or than a block, over many flushes, beside a second thread.
TEST(Staging, KeepsRecordsOfAllSizes) {
  for (const unsigned seed : {1u, 2u, 3u, 4u}) {
    const TemporaryFolder folder;
    Live& live = create_live(folder / "a.live");
    TestThread main(live, no_thread, 0);
    TestThread other(live, main_thread, 0);
    std::mt19937 chance(seed);
    std::uint64_t count = 0;
    for (std::size_t bytes = 0; bytes < std::size_t{3} << 20; ++count) {
      const unsigned among = chance() % 1000;
      const unsigned size_max = among < 3 ? 200'000 : among < 20 ? 9000 : among < 100 * seed ? 3900 : 120;
      const std::size_t size = 8 + chance() % size_max;
      ASSERT_TRUE(write_value(main, count, size));
      ASSERT_TRUE(write_value(other, count));
      bytes += size;
    }
    if (seed == 2) main.end();
    if (seed == 3) main.writer.finish();
    const auto report = verify(folder / "a.live");
    ASSERT_TRUE(report);
    EXPECT_TRUE(report->good()) << testing::PrintToString(report->findings);
    if (seed != 2) {
      EXPECT_EQ(count_values(folder / "a.live"), count);
    }
    EXPECT_EQ(count_values(folder / "a.live", 2), count);
    ASSERT_TRUE(seal(folder / "a.live", folder / "a.log"));
    auto live_log = Log::open(folder / "a.live");
    auto sealed_log = Log::open(folder / "a.log");
    ASSERT_TRUE(live_log && sealed_log);
    EXPECT_TRUE(read_all(live_log->stream(main_thread)).events == read_all(sealed_log->stream(main_thread)).events);
  }
}

// Goal    The blocks are used again: a thread that writes much keeps no more of its log in memory than they hold.
// Method  Write 8 MiB; of the file's pages few are mapped here.
TEST(Staging, KeepsFewPagesInMemory) {
  const Written written((std::uint64_t{8} << 20) / 50);
  std::ifstream maps("/proc/self/smaps");
  std::size_t resident_kib = 0;
  bool is_log = false;
  for (std::string line; std::getline(maps, line);) {
    if (line.find(" kB") == std::string::npos && line.find('-') < 20)
      is_log = line.find(written.path.string()) != std::string::npos;
    if (is_log && line.starts_with("Rss:")) resident_kib += std::stoul(line.substr(4));
  }
  EXPECT_GE(resident_kib, 8u);
  EXPECT_LE(resident_kib, 140u);
}

// One process of two that steps through what the other one does to the log.
class Stepping {
 public:
  explicit Stepping(const std::function<void()>& act) : child_(fork()) {
    if (child_ != 0) {
      waitpid(child_, &status_, 0);
      return;
    }
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(1);
    raise(SIGSTOP);
    act();
    raise(SIGSTOP);
    _exit(0);
  }
  ~Stepping() {
    kill(child_, SIGKILL);
    if (WIFSTOPPED(status_)) waitpid(child_, &status_, 0);
  }
  Stepping(const Stepping&) = delete;
  Stepping& operator=(const Stepping&) = delete;

  bool is_traced() const { return WIFSTOPPED(status_); }
  // Executes one instruction. False: it has done what it had to do.
  bool step() {
    ptrace(PTRACE_SINGLESTEP, child_, nullptr, nullptr);
    waitpid(child_, &status_, 0);
    return WIFSTOPPED(status_) && WSTOPSIG(status_) == SIGTRAP;
  }
  // Where it stands; the same again and again while one instruction is repeated.
  std::uint64_t place() const {
#if defined(__x86_64__)
    user_regs_struct registers{};
    ptrace(PTRACE_GETREGS, child_, nullptr, &registers);
    return registers.rip;
#else
    static std::uint64_t count = 0;
    return ++count;
#endif
  }

 private:
  pid_t child_;
  int status_{0};
};

// Goal    kill -9 between any two instructions of a flush leaves a log with each record that was written, and no other.
// Method  A process that stands just before a flush is stepped through it. After each instruction that has changed the
//         log, the log is read; within an instruction that stores one byte after the other, after every 97th.
TEST(Staging, IsWholeBetweenAnyTwoInstructions) {
  for (const int flush : {1, 3}) {
    const std::uint64_t before = values_before_flush(flush);
    Written written(before - 1);
    const auto& path = written.path;
    auto file = base::MappedFile::open(path);
    ASSERT_TRUE(file);
    Bytes last(file->bytes().begin(), file->bytes().end());
    Stepping stepping([&] {
      for (std::uint64_t n = before - 1; n < before + 3; ++n) write_value(written.main, n);
    });
    ASSERT_TRUE(stepping.is_traced()) << "no process may be traced here; gdb could not work either";
    std::uint64_t count = before - 1;
    std::size_t looks = 0;
    std::uint64_t last_place = 0;
    std::uint64_t repeated = 0;
    while (stepping.step()) {
      const std::uint64_t place = stepping.place();
      repeated = place == last_place ? repeated + 1 : 0;
      last_place = place;
      if (repeated % 97 != 0 || std::memcmp(last.data(), file->bytes().data(), last.size()) == 0) continue;
      std::copy(file->bytes().begin(), file->bytes().end(), last.begin());
      ++looks;
      const std::uint64_t now = count_values(path);
      ASSERT_TRUE(now == count || now == count + 1) << now << " after " << count << ", look " << looks;
      count = now;
      const auto report = verify(path);
      ASSERT_TRUE(report && report->good()) << testing::PrintToString(report->findings);
    }
    EXPECT_EQ(count, before + 3);
    EXPECT_GT(looks, 100u);
  }
}

// Goal    The order of the stores is what makes a flush safe: the states that it passes through are these.
// Method  The log before a flush and after it; what is in between is made of both, with junk in the blocks that stand
//         elsewhere already. The control: the same junk in a block that stands nowhere else is damage.
TEST(Staging, CountsWhatStandsElsewhereNoMore) {
  const std::uint64_t before = values_before_flush(2);
  Written written(before);
  const TemporaryFolder& folder = written.folder;
  const Bytes full = test::read_bytes(folder / "a.live");
  ASSERT_TRUE(write_value(written.main, before));
  const Bytes flushed = test::read_bytes(folder / "a.live");
  const auto [staged, placed] = blocks_of(full);
  const auto [staged_after, placed_after] = blocks_of(flushed);
  ASSERT_EQ(staged.size(), staged_blocks);
  ASSERT_EQ(placed_after.size(), placed.size() + staged_blocks);
  EXPECT_EQ(staged.front().sequence, placed.back().sequence + 1);
  EXPECT_EQ(staged_after.front().sequence, placed_after.back().sequence + 1);
  EXPECT_EQ(staged_after.back().sequence, placed_after.back().sequence);
  const auto path = folder / "b.live";
  const auto holds = [&](const Bytes& log) {
    write_bytes(path, log);
    return count_values(path);
  };
  EXPECT_EQ(holds(full), before);
  EXPECT_EQ(holds(flushed), before + 1);

  Bytes uncovered = flushed;  // the copies are there, and `used` does not cover them yet
  const std::size_t area = staged.front().offset;
  const auto put_back = [&](Bytes& log, std::size_t from, std::size_t size) {
    std::copy_n(full.begin() + static_cast<std::ptrdiff_t>(from), size,
                log.begin() + static_cast<std::ptrdiff_t>(from));
  };
  put_back(uncovered, area, staged_blocks * staged_bytes);
  put_back(uncovered, offsetof(LiveHeader, used), sizeof(std::uint64_t));
  EXPECT_EQ(holds(uncovered), before);

  Bytes twice = flushed;  // and now it does
  put_back(twice, area, staged_blocks * staged_bytes);
  EXPECT_EQ(holds(twice), before);

  Bytes cleared = twice;
  for (const Page& page : staged) {
    std::fill_n(cleared.begin() + static_cast<std::ptrdiff_t>(page.offset + extent_header_bytes), staged_payload_bytes,
                std::uint8_t{0});
    EXPECT_EQ(holds(cleared), before);
  }
  for (const Page& page : staged) {
    std::fill_n(twice.begin() + static_cast<std::ptrdiff_t>(page.offset + 24), staged_bytes - 24, std::uint8_t{0xFF});
    EXPECT_EQ(holds(twice), before) << "its steps and its records count no more";
  }
  Bytes junk = full;
  std::fill_n(junk.begin() + static_cast<std::ptrdiff_t>(area + 24), staged_bytes - 24, std::uint8_t{0xFF});
  write_bytes(path, junk);
  EXPECT_FALSE(verify(path)->good());
}

// Goal    A staged block without those before it (a machine crash) is not taken for the thread's next one.
// Method  The first staged block that counts gets another sequence, or is lost.
TEST(Staging, NoticesAMissingBlock) {
  const std::uint64_t before = values_before_flush(2);
  Written written(before);
  const TemporaryFolder& folder = written.folder;
  const Bytes whole = test::read_bytes(folder / "a.live");
  const auto [staged, placed] = blocks_of(whole);
  for (const std::uint32_t sequence : {0u, 7u, staged.front().sequence + 100, 0xFFFFFFFFu}) {
    Bytes holed = whole;
    std::memcpy(holed.data() + staged.front().offset + 16, &sequence, sizeof sequence);
    if (sequence == 7) std::fill_n(holed.begin() + static_cast<std::ptrdiff_t>(staged.front().offset), staged_bytes, 0);
    write_bytes(folder / "b.live", holed);
    EXPECT_FALSE(verify(folder / "b.live")->good());
    auto log = Log::open(folder / "b.live");
    ASSERT_TRUE(log);
    EXPECT_NE(log->info().torn, "");
    const auto read = read_all(log->stream(main_thread));
    EXPECT_EQ(read.error, "");
    ASSERT_LT(read.events.size(), before);
    ASSERT_GT(read.events.size(), before / 3);
    for (std::size_t n = 0; n < read.events.size(); ++n) ASSERT_EQ(read.events[n].value, value_of(n));
    ASSERT_TRUE(seal(folder / "b.live", folder / "b.log"));
    EXPECT_EQ(read_all(Log::open(folder / "b.log")->stream(main_thread)).events.size(), read.events.size());
  }
}

// Goal    No flipped bit in what a staging extent adds crashes or hangs a reader, or gives events that were not there.
// Method  Every bit of its head and of the first and last blocks' headers.
TEST(Staging, SurvivesFlippedBits) {
  const std::uint64_t count = values_before_flush(1) + 100;
  Written written(count);
  const TemporaryFolder& folder = written.folder;
  const Bytes whole = test::read_bytes(folder / "a.live");
  const auto [staged, placed] = blocks_of(whole);
  std::size_t noticed = 0;
  for (const std::size_t place :
       {staged.front().offset - staging_head_bytes, staged.front().offset, staged.back().offset}) {
    for (std::size_t bit = 0; bit < extent_header_bytes * 8; ++bit) {
      Bytes flipped = whole;
      flipped[place + bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
      write_bytes(folder / "b.live", flipped);
      const auto report = verify(folder / "b.live");
      ASSERT_TRUE(report);
      noticed += report->good() ? 0 : 1;
      auto log = Log::open(folder / "b.live");
      if (!log) continue;
      const auto read = read_all(log->stream(main_thread));
      ASSERT_LE(read.events.size(), count);
      for (std::size_t n = 0; n < read.events.size(); ++n) ASSERT_EQ(read.events[n].value, value_of(n)) << bit;
    }
  }
  EXPECT_GT(noticed, 100u);
}

// Goal    A disk that is full when the blocks are written out ends the recording there, and nothing is lost.
// Method  Limits on the size of the file: below what it has already, before there are staged blocks and with some, and
//         so that the next chunk is not given. Where contents are kept, there are staged blocks at once.
TEST(Staging, EndsWithAMarkWhenThereIsNoRoom) {
  for (const std::uint32_t kept : {0u, live_contents + 0u}) {
    for (const rlim_t limit_kib : {rlim_t{4}, rlim_t{64}, rlim_t{130}, rlim_t{300}, rlim_t{1000}}) {
      const TemporaryFolder folder;
      Live& live = create_live(folder / "a.live");
      live.header().flags |= kept;
      TestThread main(live, no_thread, 0);
      std::uint64_t written = 0;
      const std::uint64_t written_before = limit_kib == 64 ? values_before_flush(1) : limit_kib == 4 ? 100 : 0;
      while (written < written_before) write_value(main, written++);
      {
        const FileSizeLimit limit(limit_kib << 10);
        errno = EDOM;
        while (write_value(main, written)) ++written;
        EXPECT_EQ(errno, EDOM);
        EXPECT_FALSE(write_value(main, written));
        EXPECT_FALSE(main.write({.kind = Kind::value, .value = std::string(10'000, 'x')}));
      }
      EXPECT_FALSE(main.write({.kind = Kind::value, .value = std::string(10'000, 'x')}));
      EXPECT_TRUE(live.full());
      EXPECT_EQ(count_values(folder / "a.live"), written);
    }
  }
}

// Goal    What is left of the disk is used before a recording ends: no chunk is asked for that is larger than need be,
//         and who cannot have staged blocks goes on with ordinary ones.
// Method  Files that may have 1000 KiB, all but 100 of which are used; or 100, with no room for staged blocks.
TEST(Staging, UsesTheRoomThatIsLeft) {
  for (const std::uint32_t kept : {0u, live_contents + 0u}) {
    for (const auto& [limit_kib, used_kib] : {std::pair{1000u, 900u}, std::pair{100u, 30u}}) {
      const TemporaryFolder folder;
      Live& live = create_live(folder / "a.live");
      live.header().flags |= kept;
      std::uint64_t written = 0;
      {
        const FileSizeLimit limit(limit_kib << 10);
        TestThread main(live, no_thread, 0);
        while (write_value(main, written)) ++written;
      }
      EXPECT_GT(live.header().used.load(), used_kib << 10);
      EXPECT_GT(written * 56, (used_kib << 10) * 5 / 6);
      EXPECT_EQ(count_values(folder / "a.live"), written);
    }
  }
}

// Goal    What is written out stands where the kernel keeps 64 KiB in one piece, from the first time on: elsewhere it
// costs
//         half as much again.
// Method  Blocks that fill their pages, written out five times.
TEST(Staging, IsWrittenInPlaceOfWholePieces) {
  for (const std::uint32_t kept : {0u, live_contents + 0u}) {
    const TemporaryFolder folder;
    Live& live = create_live(folder / "a.live");
    live.header().flags |= kept;
    TestThread main(live, no_thread, 0);
    std::uint64_t used = 0;
    int times = 0;
    for (std::uint64_t n = 0; times < 5; ++n) {
      ASSERT_TRUE(write_value(main, n));
      const std::uint64_t now = live.header().used.load();
      if (now - std::exchange(used, now) != staged_blocks * staged_bytes) continue;
      EXPECT_EQ(now % (staged_blocks * staged_bytes), 0u) << "time " << times;
      ++times;
    }
  }
}

// Goal    A process that let go of the log (the child of a fork) writes nothing into its parent's.
// Method  Let go just before a flush.
TEST(Staging, WritesNothingOnceTheLogIsAbandoned) {
  const std::uint64_t before = values_before_flush(1);
  Written written(before);
  written.live.abandon();
  EXPECT_FALSE(write_value(written.main, before));
  EXPECT_FALSE(written.live.full()) << "for the parent it goes on";
  EXPECT_EQ(count_values(written.path), before);
}

// Goal    A stream that begins anew after it was staged reads as it was written.
// Method  Begin anew in the midst, twice.
TEST(Staging, EndsWhereAStreamBeginsAnew) {
  const TemporaryFolder folder;
  Live& live = create_live(folder / "a.live");
  TestThread main(live, no_thread, 0);
  for (std::uint64_t n = 0; n < 5000; ++n) {
    if (n == 2000 || n == 4000) main.writer.begin_anew();
    ASSERT_TRUE(write_value(main, n));
  }
  EXPECT_EQ(count_values(folder / "a.live"), 5000u);
}

// Goal    A log can be looked at while its staged blocks are used again and again, and is never taken for a damaged
// one. Method  Two threads append as fast as they can; this one opens and reads: nothing that was there is gone. Again
// and
//         again, since the longer a log is, the less of it changes while it is read.
TEST(Staging, CanBeReadWhileItIsUsed) {
  int looks = 0;
  for (int round = 0; round < 40 && !HasFailure(); ++round) {
    const TemporaryFolder folder;
    Live& live = create_live(folder / "a.live");
    TestThread main(live, no_thread, 0);
    TestThread other(live, main_thread, 0);
    std::atomic<int> running{2};
    const auto write = [&running](TestThread& thread) {
      for (std::uint64_t n = 0; n < 20'000; ++n) write_value(thread, n, n % 5000 == 4999 ? 6000 : 50);
      --running;
    };
    const std::jthread first(write, std::ref(main));
    const std::jthread second(write, std::ref(other));
    std::uint64_t last[2] = {0, 0};
    for (; running > 0 && !HasFailure(); ++looks) {
      const auto surely = [](const TestThread& thread) {
        return test::is_sanitized
                   ? 0
                   : __atomic_load_n(&thread.slot->written, __ATOMIC_ACQUIRE);  // not stored as an atomic
      };
      const std::uint64_t sure[2] = {surely(main), surely(other)};
      for (const ThreadIndex thread : {1u, 2u}) {
        const std::uint64_t count = count_values(folder / "a.live", thread);
        EXPECT_GE(count, std::max(last[thread - 1], sure[thread - 1]));
        last[thread - 1] = count;
      }
    }
  }
  EXPECT_GT(looks, 40);
}

}  // namespace
}  // namespace reprise::recording
