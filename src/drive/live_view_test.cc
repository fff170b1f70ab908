// Goal    A running process is seen to go on, to end and to diverge; its program counters get names.
#include "drive/live_view.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>

#include "drive/json.h"
#include "drive/stack.h"
#include "recording/log_for_test.h"

namespace reprise::drive {
namespace {

using test::TestThread;

TEST(LiveView, IsPatientWithWhatIsNotThereYet) {
  const test::TemporaryFolder folder;
  LiveView view(folder / "main.live");
  EXPECT_FALSE(view.look());
  test::write_bytes(folder / "main.live", test::Bytes(10));
  EXPECT_FALSE(view.look());
  EXPECT_EQ(view.flags(), 0u);
}

TEST(LiveView, SeesEveryStepOfEveryThread) {
  const test::TemporaryFolder folder;
  recording::Live& live = test::create_live(folder / "main.live");
  LiveView view(folder / "main.live");
  ASSERT_TRUE(view.look());
  EXPECT_EQ(view.pid(), getpid());
  EXPECT_FALSE(view.is_finished());
  std::uint64_t last = view.progress();
  std::vector<std::unique_ptr<TestThread>> threads;
  for (std::uint32_t i = 0; i < 100; ++i) {  // several pages of slots
    threads.push_back(std::make_unique<TestThread>(live, i == 0 ? no_thread : main_thread, i));
    threads.back()->count(Kind::sleep, 0);
    ASSERT_TRUE(view.look());
    EXPECT_GT(view.progress(), last);
    last = view.progress();
  }
  EXPECT_EQ(view.threads(), 100u);
  ASSERT_TRUE(view.look());
  EXPECT_EQ(view.progress(), last) << "nothing happened";
  live.header().end_kind = static_cast<std::uint32_t>(recording::EndKind::exited);
  ASSERT_TRUE(view.look());
  EXPECT_TRUE(view.is_finished());
}

TEST(LiveView, ReadsADivergenceWithoutTrustingIt) {
  const test::TemporaryFolder folder;
  recording::Live& live = test::create_live(folder / "main.live");
  live.header().divergence.step = 17;
  live.header().divergence.stack_depth = 1'000'000;
  std::memset(live.header().divergence.detail, 'x', sizeof live.header().divergence.detail);
  std::memset(live.header().reason, 'y', sizeof live.header().reason);
  live.header().flags = recording::live_diverged;
  LiveView view(folder / "main.live");
  ASSERT_TRUE(view.look());
  EXPECT_EQ(view.flags(), recording::live_diverged);
  EXPECT_EQ(view.divergence().step, 17u);
  EXPECT_LE(view.divergence().stack_depth, recording::stack_depth_max);
  EXPECT_EQ(std::strlen(view.divergence().detail), sizeof live.header().divergence.detail - 1);
  EXPECT_EQ(view.reason().size(), sizeof live.header().reason - 1);
}

[[gnu::noinline]] std::uint64_t here() { return reinterpret_cast<std::uint64_t>(__builtin_return_address(0)); }

TEST(Stack, NamesFunctionAndFile) {
  const std::uint64_t counter = here();
  const std::vector<std::uint64_t> counters{counter, counter};
  const auto frames = name_frames(getpid(), counters);
  ASSERT_GE(frames.size(), 2u);
  EXPECT_NE(frames.back().text().find("NamesFunctionAndFile"), std::string::npos) << frames.back().text();
  EXPECT_NE(frames.back().text().find("live_view_test.cc:"), std::string::npos) << frames.back().text();
}

TEST(Stack, LeavesReprisesOwnFramesOut) {
  const Frame library{
      .counter = 1, .function = "a", .file = "/src/replayer.cc", .line = 1, .module = "/lib/libreprise.so.0"};
  const Frame header{
      .counter = 2, .function = "b", .file = "/include/reprise/mutex.h", .line = 1, .module = "/bin/bank"};
  const Frame detail{
      .counter = 3, .function = "c", .file = "/include/reprise/detail/locking.h", .line = 1, .module = "/bin/bank"};
  const Frame program{.counter = 4, .function = "pay", .file = "/home/bank.cc", .line = 7, .module = "/bin/bank"};
  const auto left = program_frames({library, detail, header, program, header});
  ASSERT_EQ(left.size(), 2u);
  EXPECT_EQ(left[0].text(), "pay at bank.cc:7");
  EXPECT_EQ(program_frames({library}).size(), 1u) << "better ours than none";
}

TEST(Json, IsWrittenAsItWasBuilt) {
  const Json json =
      Json::object({{"b", 1}, {"a", Json::array({true, "x\ny", -2, 18446744073709551615u})}, {"n", Json()}});
  EXPECT_EQ(json.text(true), R"({"b":1,"a":[true,"x\ny",-2,18446744073709551615],"n":null})");
  EXPECT_EQ(Json("bad \xff").text(true), "\"bad \xEF\xBF\xBD\"");
}

}  // namespace
}  // namespace reprise::drive
