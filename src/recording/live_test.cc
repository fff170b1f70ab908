#include "recording/live.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <thread>

#include "recording/log_for_test.h"

namespace reprise::recording {
namespace {

using test::create_live;
using test::FileSizeLimit;
using test::read_all;
using test::TemporaryFolder;
using test::TestThread;

// Goal    A live log is the user's own, and an existing file is never overwritten.
// Method  Mode after creation under a permissive mask; create a second time.
TEST(Live, IsPrivateAndNeverOverwrites) {
  const TemporaryFolder folder;
  const mode_t mask = umask(0);
  create_live(folder / "a.live");
  umask(mask);
  struct stat status {};
  ASSERT_EQ(stat((folder / "a.live").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  auto again = Live::create(folder / "a.live");
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::io);
  EXPECT_NE(again.error().message.find("exists"), std::string::npos) << again.error().message;
}

// Goal    A full disk ends the recording for all threads and leaves a readable log, neither a crash nor a torn one.
// Method  Limit the file size, write until there is no room, lift the limit, try again, read.
TEST(Live, EndsWithAMarkWhenThereIsNoRoom) {
  const TemporaryFolder folder;
  Live& live = create_live(folder / "a.live");
  TestThread main(live, no_thread, 0);
  TestThread other(live, main_thread, 0);
  std::uint64_t written = 0;
  {
    const FileSizeLimit limit(std::size_t{300} << 10);
    errno = EDOM;
    while (main.write({.kind = Kind::value, .value = std::string(1000, 'x'), .name = "big"})) ++written;
    EXPECT_EQ(errno, EDOM) << "the program's errno is not ours to change";
  }
  EXPECT_GT(written, 100u);
  EXPECT_TRUE(live.full());
  EXPECT_FALSE(other.write({.kind = Kind::clock, .number = 1})) << "no thread goes on where another had to stop";
  EXPECT_EQ(live.add_slot(main_thread, 1), nullptr);
  auto log = Log::open(folder / "a.live");
  ASSERT_TRUE(log) << log.error().message;
  EXPECT_EQ(log->info().torn, "");
  EXPECT_NE(log->info().flags & live_no_space, 0u);
  EXPECT_EQ(read_all(log->stream(main_thread)).events.size(), written);
}

// Goal    A reservation that failed leaves nothing behind that a later block could tear.
// Method  A block that does not fit at all, then look at the extents as kill -9 would leave them.
TEST(Live, KeepsItsExtentsWholeAfterAFailedReservation) {
  const TemporaryFolder folder;
  Live& live = create_live(folder / "a.live");
  TestThread main(live, no_thread, 0);
  ASSERT_TRUE(main.write({.kind = Kind::clock, .number = 1}));
  const std::uint64_t used = live.header().used.load();
  {
    const FileSizeLimit limit(std::size_t{300} << 10);
    EXPECT_FALSE(main.write({.kind = Kind::value, .value = std::string(1 << 20, 'x')}));
  }
  EXPECT_EQ(live.header().used.load(), used);
  auto log = Log::open(folder / "a.live");
  ASSERT_TRUE(log);
  EXPECT_EQ(log->info().torn, "");
}

// Goal    Threads may register and append at the same time; each finds its own events again.
// Method  Eight threads that change blocks often, more slots than one page holds.
TEST(Live, ServesManyThreadsAtOnce) {
  constexpr std::uint64_t events = 3000;
  const TemporaryFolder folder;
  Live& live = create_live(folder / "a.live");
  TestThread main(live, no_thread, 0);
  std::vector<std::jthread> threads;
  for (std::uint32_t i = 0; i < 8; ++i) {
    threads.emplace_back([&live, i] {
      for (std::uint32_t k = 0; k < 6; ++k) {
        TestThread thread(live, main_thread, i * 6 + k);
        for (std::uint64_t n = 0; n < events; ++n) {
          thread.write({.kind = Kind::value, .value = std::to_string(i * 6 + k), .name = std::to_string(n)});
        }
        thread.end();
      }
    });
  }
  threads.clear();
  auto log = Log::open(folder / "a.live");
  ASSERT_TRUE(log) << log.error().message;
  ASSERT_EQ(log->threads().size(), 49u);
  EXPECT_EQ(log->info().torn, "");
  for (const ThreadInfo& thread : log->threads()) {
    if (thread.index == main_thread) continue;
    const auto read = read_all(log->stream(thread.index));
    EXPECT_EQ(read.error, "");
    ASSERT_EQ(read.events.size(), events + 1);
    for (std::uint64_t n = 0; n < events; ++n) {
      ASSERT_EQ(read.events[n].value, std::to_string(thread.ordinal));
      ASSERT_EQ(read.events[n].name, std::to_string(n));
    }
    EXPECT_TRUE(thread.ended);
  }
}

// Goal    A log can be looked at while its process runs, and is never taken for a torn one.
// Method  One thread appends as fast as it can, this one opens and reads.
TEST(Live, CanBeReadWhileItGrows) {
  const TemporaryFolder folder;
  Live& live = create_live(folder / "a.live");
  TestThread main(live, no_thread, 0);
  std::jthread writer([&main](const std::stop_token& stop) {
    const std::string value(500, 'x');
    for (int i = 0; i < 20'000 && !stop.stop_requested(); ++i) main.write({.kind = Kind::value, .value = value});
  });
  std::size_t last = 0;
  for (int i = 0; i < 20; ++i) {
    auto log = Log::open(folder / "a.live");
    ASSERT_TRUE(log) << log.error().message;
    EXPECT_EQ(log->info().torn, "");
    const auto read = read_all(log->stream(main_thread));
    EXPECT_EQ(read.error, "");
    EXPECT_GE(read.events.size(), last);
    last = read.events.size();
  }
}

// Goal    The reason for refusing a program is the first one, and never longer than its room.
// Method  Refuse twice, the first time at length.
TEST(Live, KeepsTheFirstReason) {
  const TemporaryFolder folder;
  Live& live = create_live(folder / "a.live");
  live.refuse(std::string(1000, 'r'));
  live.refuse("another");
  auto log = Log::open(folder / "a.live");
  ASSERT_TRUE(log);
  EXPECT_EQ(log->info().reason, std::string(191, 'r'));
  EXPECT_NE(log->info().flags & live_unsupported, 0u);
}

// Goal    What was written before a checkpoint can be dropped: the disk gets it back, and the rest reads as it was.
// Method  Write a lot, begin anew, write a lot more, drop; read it all, and count the blocks of the file.
TEST(Live, DropsWhatCameBeforeAFreshBlock) {
  const TemporaryFolder folder;
  Live& live = create_live(folder / "a.live");
  live.keep_track();
  TestThread thread(live, no_thread, 0);
  const ObjectId object = thread.new_object();
  constexpr std::uint64_t count = 100'000;
  for (std::uint64_t i = 1; i <= count; ++i) ASSERT_TRUE(thread.write_at(Kind::lock, object, 2 * i));
  const std::uint32_t block = thread.writer.begin_anew();
  for (std::uint64_t i = 1; i <= 10; ++i) ASSERT_TRUE(thread.write_at(Kind::lock, object, 2 * (count + i)));
  struct stat before {};
  struct stat after {};
  ASSERT_EQ(stat((folder / "a.live").c_str(), &before), 0);
  live.drop_before(main_thread, block);
  ASSERT_EQ(stat((folder / "a.live").c_str(), &after), 0);
  EXPECT_LT(after.st_blocks, before.st_blocks);
  EXPECT_EQ(after.st_size, before.st_size);
  auto log = Log::open(folder / "a.live");
  ASSERT_TRUE(log) << log.error().message;
  EXPECT_TRUE(log->info().is_dropped);
  EXPECT_TRUE(log->info().torn.empty()) << log->info().torn;
  EXPECT_EQ(log->threads().front().steps, count + 10);
  StreamReader stream = log->stream(main_thread);
  for (std::uint64_t i = 1; i <= 10; ++i) {
    const auto event = stream.next();
    ASSERT_TRUE(event && *event);
    EXPECT_EQ((*event)->step, count + i);
    EXPECT_EQ((*event)->object, object);
    EXPECT_EQ((*event)->order, 2 * (count + i));
  }
  const auto end = stream.next();
  EXPECT_TRUE(end && !*end);
  EXPECT_FALSE(seal(folder / "a.live", folder / "a.log"));
}

// Goal    A log that begins anew here and there reads as one that does not.
// Method  The same events, with and without.
TEST(Live, ReadsThroughFreshBlocks) {
  const TemporaryFolder folder;
  Live& live = create_live(folder / "a.live");
  TestThread thread(live, no_thread, 0);
  for (std::uint64_t i = 1; i <= 1000; ++i) {
    if (i % 7 == 0) thread.writer.begin_anew();
    ASSERT_TRUE(thread.write_at(Kind::lock, i % 3 == 0 ? thread.new_object() : object_id(main_thread, 1), i));
  }
  auto log = Log::open(folder / "a.live");
  ASSERT_TRUE(log) << log.error().message;
  EXPECT_FALSE(log->info().is_dropped);
  StreamReader stream = log->stream(main_thread);
  for (std::uint64_t i = 1; i <= 1000; ++i) {
    const auto event = stream.next();
    ASSERT_TRUE(event && *event) << i;
    EXPECT_EQ((*event)->step, i);
    EXPECT_EQ((*event)->order, i);
    if (i % 3 != 0) {
      EXPECT_EQ((*event)->object, object_id(main_thread, 1));
    }
  }
}

}  // namespace
}  // namespace reprise::recording
