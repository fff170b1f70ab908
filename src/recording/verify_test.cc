#include "recording/verify.h"

#include <gtest/gtest.h>

#include <functional>

#include "recording/log_for_test.h"

namespace reprise::recording {
namespace {

using test::create_live;
using test::TemporaryFolder;
using test::TestThread;
using test::write_small_live;

constexpr ObjectId first_object = object_id(main_thread, 1);

// Verifies what `write` makes of two threads, sealed.
VerifyReport verified(const std::function<void(Live&, TestThread&, TestThread&)>& write) {
  const TemporaryFolder folder;
  Live& live = create_live(folder / "a.live");
  TestThread main(live, no_thread, 0);
  TestThread child(live, main_thread, 0);
  write(live, main, child);
  const auto sealed = seal(folder / "a.live", folder / "a.log");
  EXPECT_TRUE(sealed) << (sealed ? "" : sealed.error().message);
  auto report = verify(folder / "a.log");
  EXPECT_TRUE(report) << (report ? "" : report.error().message);
  return report ? *report : VerifyReport{};
}

void expect_finding(const VerifyReport& report, const std::string& text) {
  ASSERT_EQ(report.findings.size(), 1u) << testing::PrintToString(report.findings);
  EXPECT_NE(report.findings.front().find(text), std::string::npos) << report.findings.front();
}

// Goal    A log that keeps every rule has no findings, and its numbers are counted.
// Method  The small log, live and sealed.
TEST(Verify, FindsNothingInAGoodLog) {
  const TemporaryFolder folder;
  write_small_live(folder / "a.live");
  ASSERT_TRUE(seal(folder / "a.live", folder / "a.log"));
  for (const char* name : {"a.live", "a.log"}) {
    const auto report = verify(folder / name);
    ASSERT_TRUE(report);
    EXPECT_TRUE(report->good()) << testing::PrintToString(report->findings);
    EXPECT_EQ(report->threads, 2u);
    EXPECT_EQ(report->events, 11u);
    EXPECT_EQ(report->steps, 13u);
    EXPECT_EQ(report->objects, 2u);
    EXPECT_TRUE(report->notes.empty());
  }
}

// Goal    Errors of the world stay errors; damage is a finding.
// Method  A missing file, and a log cut within its header.
TEST(Verify, TellsErrorsFromFindings) {
  const TemporaryFolder folder;
  EXPECT_EQ(verify(folder / "missing").error().code, ErrorCode::not_found);
  write_small_live(folder / "a.live");
  ASSERT_TRUE(seal(folder / "a.live", folder / "a.log"));
  auto bytes = test::read_bytes(folder / "a.log");
  bytes.resize(14);
  test::write_bytes(folder / "a.log", bytes);
  const auto report = verify(folder / "a.log");
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->good());
}

// Goal    No two passages of one object have the same order.
// Method  Two threads claim order 2; different orders are the control.
TEST(Verify, FindsAnOrderThatStandsTwice) {
  const auto with_orders = [](std::uint64_t other) {
    return verified([other](Live&, TestThread& main, TestThread& child) {
      main.new_object();
      main.write_at(Kind::lock, first_object, 1);
      main.write_at(Kind::lock, first_object, 3);
      child.write_at(Kind::lock, first_object, other);
    });
  };
  EXPECT_TRUE(with_orders(2).good());
  expect_finding(with_orders(3), "order 3 stands twice");
}

// Goal    An order that a stream's own cache has forgotten must still rise.
// Method  Sixteen and more other objects between the two passages, so that the reader alone cannot see it.
TEST(Verify, FindsAnOrderThatDoesNotRise) {
  const auto report = verified([](Live&, TestThread& main, TestThread&) {
    const ObjectId first = main.new_object();
    main.write_at(Kind::lock, first, 9);
    for (int i = 0; i < 64; ++i) main.write_at(Kind::lock, main.new_object(), 1);
    main.write_at(Kind::lock, first, 4);
  });
  expect_finding(report, "order 4 at object @0#1 does not rise");
}

// Goal    Objects are named by threads that are there, and that have named so many.
// Method  An object of thread 9; object 5 of a thread that named one; well-known objects as control.
TEST(Verify, FindsObjectsThatNobodyNamed) {
  expect_finding(
      verified([](Live&, TestThread&, TestThread& child) { child.write_at(Kind::lock, object_id(9, 1), 1); }),
      "named by a thread that is not there");
  expect_finding(verified([](Live&, TestThread& main, TestThread& child) {
                   main.new_object();
                   child.write_at(Kind::lock, object_id(main_thread, 5), 1);
                 }),
                 "has named only 1 objects");
  EXPECT_TRUE(
      verified([](Live&, TestThread& main, TestThread&) { main.write_at(Kind::output, output_object, 1); }).good());
  EXPECT_TRUE(verified([](Live& live, TestThread&, TestThread& child) {
                live.header().flags.fetch_or(live_forked);
                child.write_at(Kind::lock, object_id(9, 1), 7);
              }).good())
      << "a forked process meets objects of its parent's threads";
}

// Goal    A thread that has ended has an end mark.
// Method  A slot in state ended, without and with the mark.
TEST(Verify, FindsAnEndWithoutItsMark) {
  expect_finding(verified([](Live&, TestThread&, TestThread& child) {
                   child.slot->state = static_cast<std::uint32_t>(SlotState::ended);
                 }),
                 "end mark");
  EXPECT_TRUE(verified([](Live&, TestThread&, TestThread& child) { child.end(); }).good());
}

void write_full(Live& live, TestThread& main, TestThread& child) {
  live.header().flags.fetch_or(live_full);
  const ObjectId mutex = main.new_object();
  main.write({.kind = Kind::spawn, .number = 2}, 2);
  main.write_at(Kind::lock, mutex, 1);
  main.write_at(Kind::unlock, mutex, 0);
  for (int i = 0; i < 5; ++i) child.write({.kind = Kind::try_failed, .object = mutex, .number = 1});
  child.write({.kind = Kind::value, .value = "v", .name = "n"});
  child.end();
}

// Goal    A full log holds every step, and its hashes are those of its events.
// Method  A good one as control; then a step that was only counted, and a hash that is another's.
TEST(Verify, ChecksTheHashesOfFullLogs) {
  const auto good = verified(write_full);
  EXPECT_TRUE(good.good()) << testing::PrintToString(good.findings);
  EXPECT_EQ(good.steps, 10u);
  expect_finding(verified([](Live& live, TestThread& main, TestThread& child) {
                   write_full(live, main, child);
                   main.count(Kind::lock, first_object);
                 }),
                 "1 steps are missing at the end");
  expect_finding(verified([](Live& live, TestThread& main, TestThread& child) {
                   write_full(live, main, child);
                   main.count(Kind::lock, first_object);
                   main.write({.kind = Kind::clock, .number = 1});
                 }),
                 "steps are missing in a full log");
  expect_finding(verified([](Live& live, TestThread& main, TestThread& child) {
                   write_full(live, main, child);
                   child.slot->hash ^= 1;
                 }),
                 "hash");
}

// Goal    A running thread's hash may be one step behind its steps (kill -9 between the two), an ended thread's may
// not. Method  Take both threads' hashes one step back.
TEST(Verify, AllowsATornHash) {
  EXPECT_TRUE(verified([](Live& live, TestThread& main, TestThread& child) {
                write_full(live, main, child);
                const std::uint64_t before = main.slot->hash;
                main.write({.kind = Kind::clock, .number = 1});
                main.slot->hash = before;
              }).good());
  expect_finding(verified([](Live& live, TestThread& main, TestThread& child) {
                   write_full(live, main, child);
                   child.slot->hash = 0;
                 }),
                 "hash");
}

// Goal    Many findings do not fill the memory or the screen.
// Method  A thousand objects of threads that are not there.
TEST(Verify, ListsTheFirstFindingsAndCountsTheRest) {
  const auto report = verified([](Live&, TestThread& main, TestThread&) {
    for (std::uint64_t i = 1; i <= 1000; ++i) main.write_at(Kind::lock, object_id(9, i), 1);
  });
  EXPECT_EQ(report.findings.size(), findings_max);
  EXPECT_EQ(report.more_findings, 1000 - findings_max);
}

}  // namespace
}  // namespace reprise::recording
