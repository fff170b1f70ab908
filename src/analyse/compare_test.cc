// Goal    Two logs are the same run exactly when steps, hashes, ends and output are; a torn end is forgiven, no more.
// Method  Logs made by hand, one thing changed at a time.
#include "analyse/compare.h"

#include <gtest/gtest.h>

#include <functional>

#include "recording/log_for_test.h"

namespace reprise::analyse {
namespace {

using recording::EndKind;
using recording::Live;
using recording::Log;
using test::TestThread;

struct Made {
  Live& live;
  TestThread& main;
  TestThread& child;
  ObjectId mutex;
};

// main and one child, both pass a mutex; `change` adds what is to differ.
Log make(const test::TemporaryFolder& folder, const std::string& name, const std::function<void(Made&)>& change = {}) {
  Live& live = test::create_live(folder / name);
  TestThread main(live, no_thread, 0);
  TestThread child(live, main_thread, 0);
  const ObjectId mutex = main.new_object();
  main.write_at(Kind::lock, mutex, 1);
  main.count(Kind::unlock, mutex);
  child.write_at(Kind::lock, mutex, 2);
  live.header().output_bytes = 5;
  live.header().output_digest = 77;
  Made made{live, main, child, mutex};
  if (change) change(made);
  auto log = Log::open(folder / name);
  EXPECT_TRUE(log) << (log ? "" : log.error().message);
  return *log;
}

std::vector<std::string> texts(const std::vector<Difference>& differences) {
  std::vector<std::string> result;
  result.reserve(differences.size());
  for (const Difference& difference : differences) result.push_back(difference.text());
  return result;
}

class Compare : public ::testing::Test {
 protected:
  std::vector<std::string> against(const std::function<void(Made&)>& change) {
    return texts(compare(make(folder_, "recorded.live", recorded_), make(folder_, "replayed.live", change)));
  }
  test::TemporaryFolder folder_;
  std::function<void(Made&)> recorded_;
};

TEST_F(Compare, FindsNothingBetweenEqualRuns) { EXPECT_TRUE(against({}).empty()); }

TEST_F(Compare, FindsAStepMore) {
  EXPECT_EQ(against([](Made& made) { made.child.count(Kind::unlock, made.mutex); }),
            std::vector<std::string>{"thread 0.0: steps: recorded 1, replayed 2"});
}

TEST_F(Compare, FindsAnotherUnwrittenStep) {
  recorded_ = [](Made& made) {
    made.main.count(Kind::lock, made.mutex);
    made.main.count(Kind::unlock, made.mutex);
    made.main.end();
  };
  const auto found = against([](Made& made) {
    made.main.count(Kind::load, made.mutex);
    made.main.count(Kind::unlock, made.mutex);
    made.main.end();
  });
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].find("thread 0: hash"), std::string::npos) << found[0];
}

TEST_F(Compare, FindsAThreadMoreAndAThreadLess) {
  EXPECT_EQ(against([](Made& made) { TestThread another(made.live, main_thread, 1); }),
            std::vector<std::string>{"thread 0.1: missing: recorded no such thread, replayed 0 steps"});
  recorded_ = [](Made& made) { TestThread another(made.live, made.child.slot->index, 0); };
  std::filesystem::remove(folder_ / "recorded.live");
  std::filesystem::remove(folder_ / "replayed.live");
  EXPECT_EQ(against({}), std::vector<std::string>{"thread 0.0.0: missing: recorded 0 steps, replayed no such thread"});
}

TEST_F(Compare, FindsAnEndThatWasNone) {
  const auto found =
      against([](Made& made) { made.child.slot->state = static_cast<std::uint32_t>(recording::SlotState::ended); });
  EXPECT_EQ(found, std::vector<std::string>{"thread 0.0: ended: recorded did not end, replayed ended"});
}

TEST_F(Compare, FindsOtherOutput) {
  EXPECT_EQ(against([](Made& made) { made.live.header().output_bytes = 4; }),
            std::vector<std::string>{"process: output: recorded 5 bytes, replayed 4 bytes"});
  std::filesystem::remove(folder_ / "recorded.live");
  std::filesystem::remove(folder_ / "replayed.live");
  // The recorded process was killed: it may have passed the gate and not written yet.
  EXPECT_EQ(against([](Made& made) { made.live.header().output_bytes = 6; }), std::vector<std::string>{});
  std::filesystem::remove(folder_ / "recorded.live");
  std::filesystem::remove(folder_ / "replayed.live");
  const auto found = against([](Made& made) { made.live.header().output_digest = 78; });
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].find("digest"), std::string::npos);
}

TEST_F(Compare, FindsAnotherEnd) {
  const auto end = [](EndKind kind, int code) {
    return [kind, code](Made& made) {
      made.live.header().end_code = code;
      made.live.header().end_kind = static_cast<std::uint32_t>(kind);
    };
  };
  recorded_ = end(EndKind::exited, 3);
  EXPECT_EQ(against(end(EndKind::signalled, 11)),
            std::vector<std::string>{"process: end: recorded exit code 3, replayed SIGSEGV"});
}

// kill -9 fell between the count of the last step and its hash.
TEST_F(Compare, ForgivesATornEnd) {
  recorded_ = [](Made& made) {
    made.main.count(Kind::lock, made.mutex);
    ++made.main.slot->steps;  // counted, not hashed
  };
  EXPECT_TRUE(against([](Made& made) {
                made.main.count(Kind::lock, made.mutex);
                made.main.count(Kind::unlock, made.mutex);
              }).empty());
}

TEST_F(Compare, ForgivesATornEndOnlyByOneStep) {
  recorded_ = [](Made& made) { made.main.slot->steps += 2; };
  const auto found = against([](Made& made) {
    made.main.count(Kind::lock, made.mutex);
    made.main.count(Kind::unlock, made.mutex);
  });
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].find("hash"), std::string::npos);
}

}  // namespace
}  // namespace reprise::analyse
