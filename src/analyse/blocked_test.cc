#include "analyse/blocked.h"

#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "recording/log_for_test.h"

namespace reprise::analyse {
namespace {

using recording::Log;
using test::create_live;
using test::TemporaryFolder;
using test::TestThread;

struct Threads {
  recording::Live& live;
  TestThread main;
  TestThread a;
  TestThread b;
};

Blocked explained(const std::function<void(Threads&)>& write) {
  const TemporaryFolder folder;
  recording::Live& live = create_live(folder / "a.live");
  TestThread main(live, no_thread, 0);
  TestThread a(live, main_thread, 0);
  TestThread b(live, main_thread, 1);
  Threads threads{live, std::move(main), std::move(a), std::move(b)};
  write(threads);
  const auto log = Log::open(folder / "a.live");
  EXPECT_TRUE(log) << (log ? "" : log.error().message);
  return explain_blocked(*log, Names(*log));
}

using Cycle = std::vector<ThreadIndex>;

// Goal    The dining philosophers' deadlock is named: who waits at what, who holds it, and that they form a ring.
// Method  Two threads, each with one mutex and waiting for the other's; main waits to join one of them.
TEST(Blocked, NamesADeadlock) {
  const Blocked blocked = explained([](Threads& threads) {
    const ObjectId left = threads.a.new_object();
    const ObjectId right = threads.b.new_object();
    threads.a.write_at(Kind::lock, left, 1);
    threads.b.write_at(Kind::lock, right, 1);
    threads.a.waits(Kind::lock, right);
    threads.b.waits(Kind::lock, left);
    threads.main.waits(Kind::join, 2);
  });
  ASSERT_EQ(blocked.waiters.size(), 3u);
  EXPECT_EQ(blocked.waiters[0].kind, Kind::join);
  EXPECT_EQ(blocked.waiters[0].holder_path, "0.0");
  EXPECT_EQ(blocked.waiters[1].path, "0.0");
  EXPECT_EQ(blocked.waiters[1].object_name, "mutex@0.1#1");
  EXPECT_EQ(blocked.waiters[1].holder_path, "0.1");
  EXPECT_EQ(blocked.waiters[1].holder_step, 1u);
  EXPECT_EQ(blocked.waiters[2].holder_path, "0.0");
  ASSERT_EQ(blocked.deadlocks.size(), 1u);
  EXPECT_EQ(blocked.deadlocks[0], (Cycle{2, 3}));
  EXPECT_FALSE(blocked.proven) << "only a full log shows that nobody left";
}

// Goal    Waiting in a row is no deadlock.
// Method  main waits for a, a for b, b runs.
TEST(Blocked, DoesNotCallARowADeadlock) {
  const Blocked blocked = explained([](Threads& threads) {
    const ObjectId mutex = threads.b.new_object();
    threads.b.write_at(Kind::lock, mutex, 1);
    threads.a.waits(Kind::lock, mutex);
    threads.main.waits(Kind::join, 2);
  });
  EXPECT_EQ(blocked.waiters.size(), 2u);
  EXPECT_TRUE(blocked.deadlocks.empty());
}

// Goal    The holder is the one that passed last, not the one that is read last.
// Method  b passes first, main last; a waits.
TEST(Blocked, FindsTheLastToPass) {
  const Blocked blocked = explained([](Threads& threads) {
    const ObjectId mutex = threads.b.new_object();
    threads.b.write_at(Kind::lock, mutex, 1);
    threads.main.write_at(Kind::lock, mutex, 2);
    threads.main.count(Kind::unlock, mutex);
    threads.main.count(Kind::lock, mutex);
    threads.a.waits(Kind::lock, mutex);
  });
  ASSERT_EQ(blocked.waiters.size(), 1u);
  EXPECT_EQ(blocked.waiters[0].holder_path, "0");
}

// Goal    In a full log a mutex that was left has no holder, and a thread that waits for itself is proven.
// Method  Lock and unlock, then lock again; the other thread waits in each state.
TEST(Blocked, KnowsFromAFullLogWhoLeft) {
  const Blocked left = explained([](Threads& threads) {
    threads.live.header().flags.fetch_or(recording::live_full);
    const ObjectId mutex = threads.main.new_object();
    threads.main.write_at(Kind::lock, mutex, 1);
    threads.main.write_at(Kind::unlock, mutex, 0);
    threads.a.waits(Kind::lock, mutex);
  });
  EXPECT_TRUE(left.proven);
  ASSERT_EQ(left.waiters.size(), 1u);
  EXPECT_EQ(left.waiters[0].holder, no_thread);
  const auto twice = [](bool full) {
    return explained([full](Threads& threads) {
      if (full) threads.live.header().flags.fetch_or(recording::live_full);
      const ObjectId mutex = threads.main.new_object();
      threads.main.write_at(Kind::lock, mutex, 1);
      threads.main.waits(Kind::lock, mutex);
    });
  };
  EXPECT_EQ(twice(true).deadlocks, std::vector<Cycle>{Cycle{main_thread}});
  EXPECT_TRUE(twice(false).deadlocks.empty()) << "it may just have been about to lock once more";
  EXPECT_EQ(twice(false).waiters[0].holder, main_thread);
}

// Goal    A wake-up that never came is told from one that was missed.
// Method  A waiter at a condition, with and without a notification before.
TEST(Blocked, CountsNotifications) {
  for (const std::uint64_t notified : {0, 2}) {
    const Blocked blocked = explained([notified](Threads& threads) {
      const ObjectId condition = threads.main.new_object();
      for (std::uint64_t i = 1; i <= notified; ++i) threads.main.write_at(Kind::notify_one, condition, i);
      threads.a.write_at(Kind::wait, condition, notified + 1);
      threads.a.waits(Kind::wait, condition);
    });
    ASSERT_EQ(blocked.waiters.size(), 1u);
    EXPECT_EQ(blocked.waiters[0].object_name, "condition@0#1");
    EXPECT_EQ(blocked.waiters[0].holder, no_thread);
    EXPECT_EQ(blocked.waiters[0].notified, notified);
  }
}

// Goal    Ended threads do not wait, and odd places to wait at do no harm.
// Method  A pending kind left in an ended slot; an object nobody named; a join of a thread that is not there.
TEST(Blocked, SurvivesOddStates) {
  const Blocked blocked = explained([](Threads& threads) {
    threads.main.waits(Kind::join, ~std::uint64_t{0});
    threads.a.waits(Kind::lock, 0);
    threads.b.waits(Kind::lock, 0);
    threads.b.end();
  });
  ASSERT_EQ(blocked.waiters.size(), 2u);
  EXPECT_EQ(blocked.waiters[0].holder, no_thread);
  EXPECT_EQ(blocked.waiters[1].object_name, "");
  EXPECT_TRUE(blocked.deadlocks.empty());
}

}  // namespace
}  // namespace reprise::analyse
