#include "analyse/summary.h"

#include <gtest/gtest.h>

#include "recording/log_for_test.h"

namespace reprise::analyse {
namespace {

using recording::Log;
using test::create_live;
using test::TemporaryFolder;
using test::TestThread;

// Goal    A summary counts what is there.
// Method  The small log of the recording layer's tests.
TEST(Summary, CountsThreadsStepsAndEvents) {
  const TemporaryFolder folder;
  test::write_small_live(folder / "a.live");
  const auto log = Log::open(folder / "a.live");
  ASSERT_TRUE(log);
  const auto summary = summarise(*log);
  ASSERT_TRUE(summary) << summary.error().message;
  ASSERT_EQ(summary->threads.size(), 2u);
  EXPECT_EQ(summary->threads[0].path, "0");
  EXPECT_EQ(summary->threads[0].events, 6u);
  EXPECT_EQ(summary->threads[1].path, "0.0");
  EXPECT_EQ(summary->threads[1].events, 5u);
  EXPECT_TRUE(summary->threads[1].ended);
  EXPECT_EQ(summary->events, 11u);
  EXPECT_EQ(summary->steps, 13u);
  EXPECT_EQ(summary->values, 2u);
  EXPECT_EQ(summary->objects, 2u);
  ASSERT_EQ(summary->contended.size(), 1u) << "the atomic was only stored to by one thread";
  EXPECT_EQ(summary->contended[0].name, "accounts");
  EXPECT_EQ(summary->contended[0].changes, 3u);
  EXPECT_EQ(summary->contended[0].passages, 3u);
  EXPECT_EQ(summary->contended[0].threads, 2u);
  EXPECT_EQ(summary->info.end_code, 3);
  EXPECT_TRUE(summary->blocked.waiters.empty());
}

// Goal    The most contended objects come first, and not too many of them.
// Method  Twenty mutexes, the later ones passed more often.
TEST(Summary, ListsTheMostContendedFirst) {
  const TemporaryFolder folder;
  recording::Live& live = create_live(folder / "a.live");
  TestThread main(live, no_thread, 0);
  TestThread child(live, main_thread, 0);
  for (std::uint64_t i = 1; i <= 20; ++i) {
    const ObjectId mutex = main.new_object();
    for (std::uint64_t order = 1; order <= 2 * i; order += 2) {
      main.write_at(Kind::lock, mutex, order);
      child.write_at(Kind::lock, mutex, order + 1);
    }
  }
  const auto log = Log::open(folder / "a.live");
  ASSERT_TRUE(log);
  const auto summary = summarise(*log);
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->objects, 20u);
  ASSERT_EQ(summary->contended.size(), contended_max);
  EXPECT_EQ(summary->contended.front().name, "mutex@0#20");
  EXPECT_EQ(summary->contended.front().changes, 40u);
  EXPECT_EQ(summary->contended.back().name, "mutex@0#11");
}

// Goal    A damaged stream is an error, not a smaller number.
// Method  A bad byte in the middle of a block.
TEST(Summary, RefusesADamagedLog) {
  const TemporaryFolder folder;
  recording::Live& live = create_live(folder / "a.live");
  TestThread main(live, no_thread, 0);
  main.write({.kind = Kind::clock, .number = 1});
  const auto block = live.allocate(main_thread, 1, 1, 64);
  block[0] = 0xFF;
  block[1] = 0xFF;
  const auto log = Log::open(folder / "a.live");
  ASSERT_TRUE(log);
  const auto summary = summarise(*log);
  ASSERT_FALSE(summary);
  EXPECT_EQ(summary.error().code, ErrorCode::damaged);
}

}  // namespace
}  // namespace reprise::analyse
