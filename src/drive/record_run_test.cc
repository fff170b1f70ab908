// Goal    A run leaves a manifest that tells its end, also where no gate was met; text is found across pieces.
#include "drive/record_run.h"

#include <gtest/gtest.h>

#include "drive/image.h"
#include "recording/log_for_test.h"

namespace reprise::drive {
namespace {

class RecordRun : public ::testing::Test {
 protected:
  RecordedRun record(const std::string& script, RecordOptions options = {}) {
    options.command = {"sh", "-c", script};
    options.captured = true;
    options.keeps_image = false;
    const auto target = find_target(options.command);
    EXPECT_TRUE(target);
    const auto folder = recording::create_folder(home_.path(), "run");
    EXPECT_TRUE(folder);
    Interrupts interrupts;
    auto run = record_once(*folder, *target, options, interrupts);
    EXPECT_TRUE(run) << (run ? "" : run.error().message);
    manifest_ = *read_manifest(folder->manifest());
    return *run;
  }
  test::TemporaryFolder home_;
  Manifest manifest_;
};

TEST_F(RecordRun, KeepsTheEnd) {
  const RecordedRun run = record("echo out; echo err >&2; exit 3");
  EXPECT_EQ(run.ended, (Ended{false, 3}));
  EXPECT_TRUE(run.failed());
  EXPECT_FALSE(run.gates_met);
  EXPECT_EQ(manifest_.end, ManifestEnd::exit);
  EXPECT_EQ(manifest_.end_code, 3);
  EXPECT_FALSE(manifest_.gates_met);
  EXPECT_EQ(manifest_.command, (std::vector<std::string>{"sh", "-c", "echo out; echo err >&2; exit 3"}));
  EXPECT_EQ(manifest_.processes, std::vector<std::string>{"sh"});
}

TEST_F(RecordRun, TellsTheTimeLimitFromASignal) {
  const RecordedRun run = record("sleep 1000", {.timeout_s = 0.05});
  EXPECT_EQ(run.how, ManifestEnd::time_limit);
  EXPECT_TRUE(run.failed());
  EXPECT_EQ(run.ended.exit_code(), 137);
  EXPECT_EQ(manifest_.end, ManifestEnd::time_limit);
}

TEST_F(RecordRun, FindsTextAcrossPieces) {
  const RecordedRun run = record("printf lo; sleep 0.05; printf st; exit 0", {.grep = "lost"});
  EXPECT_TRUE(run.found_text);
  EXPECT_TRUE(run.failed());
}

TEST_F(RecordRun, DoesNotFindTextThatSpansBothOutputs) {
  const RecordedRun run = record("printf lo; sleep 0.05; printf st >&2", {.grep = "lost"});
  EXPECT_FALSE(run.found_text);
  EXPECT_FALSE(run.failed());
}

}  // namespace
}  // namespace reprise::drive
