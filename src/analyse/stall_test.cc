// Goal    A stall names who waits for which order at which object, and who should have supplied it.
// Method  A recording and a replay made by hand, the replay stuck.
#include "analyse/stall.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "recording/log_for_test.h"

namespace reprise::analyse {
namespace {

using recording::Live;
using recording::Log;
using test::TestThread;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// 0.0 locks accounts (1, and 2 to 4 predicted), then 0.1 (5), then 0 (6).
ObjectId record(const test::TemporaryFolder& folder) {
  Live& live = test::create_live(folder / "recorded.live");
  TestThread main(live, no_thread, 0);
  TestThread first(live, main_thread, 0);
  TestThread second(live, main_thread, 1);
  const ObjectId accounts = first.new_object();
  first.write_at(Kind::lock, accounts, 1);
  first.write({.kind = Kind::label, .object = accounts, .value = "accounts"});
  first.count(Kind::unlock, accounts);
  for (int i = 0; i < 3; ++i) {
    first.count(Kind::lock, accounts);
    first.count(Kind::unlock, accounts);
  }
  second.write_at(Kind::lock, accounts, 5);
  second.count(Kind::unlock, accounts);
  main.write_at(Kind::lock, accounts, 6);
  return accounts;
}

void wait_for(TestThread& thread, Kind kind, ObjectId object, std::uint64_t order) {
  thread.waits(kind, object);
  thread.slot->pending_order = order;
}

TEST(Supplier, IsFoundAmongWrittenAndPredictedPassages) {
  const test::TemporaryFolder folder;
  const ObjectId accounts = record(folder);
  const auto log = Log::open(folder / "recorded.live");
  ASSERT_TRUE(log);
  const auto thread_of = [&](std::uint64_t order) {
    const auto supplier = find_supplier(*log, accounts, order);
    return supplier ? log->thread(supplier->thread)->path : "nobody";
  };
  EXPECT_EQ(thread_of(0), "nobody");
  EXPECT_EQ(thread_of(1), "0.0");
  EXPECT_EQ(thread_of(4), "0.0");  // predicted
  EXPECT_EQ(thread_of(5), "0.1");
  EXPECT_EQ(thread_of(6), "0");
  EXPECT_FALSE(find_supplier(*log, object_id(1, 99), 3));
}

TEST(Stall, NamesWhoWaitsAndWhoShouldHaveCome) {
  const test::TemporaryFolder folder;
  const ObjectId accounts = record(folder);
  {
    Live& live = test::create_live(folder / "replayed.live");
    TestThread main(live, no_thread, 0);
    TestThread first(live, main_thread, 0);
    TestThread second(live, main_thread, 1);
    first.count(Kind::lock, accounts);
    first.count(Kind::unlock, accounts);  // and there it computes
    wait_for(second, Kind::lock, accounts, 5);
    wait_for(main, Kind::lock, accounts, 6);
  }
  const auto recorded = Log::open(folder / "recorded.live");
  const auto replayed = Log::open(folder / "replayed.live");
  ASSERT_TRUE(recorded && replayed);
  const Stall stall = explain_stall(*recorded, Names(*recorded), *replayed, /*proven=*/false, 10);
  EXPECT_THAT(stall.lines(), ElementsAre("stalled: not proven: no progress for 10 s",
                                         "  0 after step 0 of 1: waits to lock accounts for order 6; 0.1 should have "
                                         "supplied it at step 1 or soon after, and "
                                         "waits itself to lock accounts after step 0",
                                         "  0.0 after step 2 of 8: not at a gate (computing, or blocked outside)",
                                         "  0.1 after step 0 of 2: waits to lock accounts for order 5; 0.0 should have "
                                         "supplied it at step 1 or soon after, and "
                                         "is between gates after step 2"));
}

TEST(Stall, NamesThreadsThatWereNeverStarted) {
  const test::TemporaryFolder folder;
  const ObjectId accounts = record(folder);
  {
    Live& live = test::create_live(folder / "replayed.live");
    TestThread main(live, no_thread, 0);
    wait_for(main, Kind::lock, accounts, 6);
  }
  const auto recorded = Log::open(folder / "recorded.live");
  const auto replayed = Log::open(folder / "replayed.live");
  ASSERT_TRUE(recorded && replayed);
  const Stall stall = explain_stall(*recorded, Names(*recorded), *replayed, /*proven=*/true, 0);
  EXPECT_THAT(
      stall.lines(),
      ElementsAre("stalled: proven, every thread waits at a gate", HasSubstr("has not been started"),
                  "  0.0 was recorded, but has not been started", "  0.1 was recorded, but has not been started"));
}

}  // namespace
}  // namespace reprise::analyse
