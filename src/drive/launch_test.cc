// Goal    A program's end, output and failure to start are told as they are.
#include "drive/launch.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

namespace reprise::drive {
namespace {

struct ShellRun {
  std::optional<Ended> ended;
  std::string output;
  std::string error;
  std::string failure;
};

ShellRun run_shell(const std::string& script, Launch launch = {}) {
  launch.program = "/bin/sh";
  launch.arguments = {"sh", "-c", script};
  if (launch.environment.empty()) launch.environment = environment();
  launch.captured = true;
  ShellRun run;
  Interrupts interrupts;
  auto child = Child::start(launch, interrupts,
                            [&](std::string_view bytes, bool error) { (error ? run.error : run.output) += bytes; });
  if (!child) {
    run.failure = child.error().message;
    return run;
  }
  while (!child->ended()) child->wait_until(Clock::now() + std::chrono::seconds(30));
  run.ended = child->ended();
  return run;
}

TEST(Launch, TellsExitCodesFromSignals) {
  EXPECT_EQ(run_shell("exit 3").ended, (Ended{false, 3}));
  EXPECT_EQ(run_shell("kill -SEGV $$").ended, (Ended{true, SIGSEGV}));
  EXPECT_EQ((Ended{true, SIGSEGV}).exit_code(), 128 + SIGSEGV);
}

TEST(Launch, CapturesBothOutputsToTheLastByte) {
  const ShellRun run = run_shell("i=0; while [ $i -lt 5000 ]; do echo 0123456789; i=$((i+1)); done; echo oops >&2");
  EXPECT_EQ(run.output.size(), 5000u * 11);
  EXPECT_EQ(run.error, "oops\n");
}

TEST(Launch, SetsFolderAndEnvironment) {
  const ShellRun run = run_shell("pwd; echo $GREETING",
                                 {.program = {}, .arguments = {}, .environment = {"GREETING=hello"}, .folder = "/"});
  EXPECT_EQ(run.output, "/\nhello\n");
}

TEST(Launch, SaysWhyAProgramCannotRun) {
  Interrupts interrupts;
  const auto missing =
      Child::start({.program = "/no/such/program", .arguments = {"x"}, .environment = {}, .folder = {}}, interrupts);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::not_found);
  EXPECT_EQ(missing.error().message, "cannot run /no/such/program: No such file or directory");
  EXPECT_NE(run_shell("true", {.program = {}, .arguments = {}, .environment = {}, .folder = "/no/such/folder"})
                .failure.find("cannot enter the folder"),
            std::string::npos);
}

TEST(Launch, KillsWhatOutlivesIt) {
  Interrupts interrupts;
  pid_t pid = -1;
  {
    auto child = Child::start(
        {.program = "/bin/sleep", .arguments = {"sleep", "1000"}, .environment = {}, .folder = {}}, interrupts);
    ASSERT_TRUE(child);
    pid = child->pid();
    child->wait_until(Clock::now() + std::chrono::milliseconds(1));
    EXPECT_FALSE(child->ended());
  }
  EXPECT_EQ(::kill(pid, 0), -1);
}

TEST(Launch, KillsWhatTheProgramStarted) {
  Interrupts interrupts;
  std::array<int, 2> ends{-1, -1};
  ASSERT_EQ(pipe(ends.data()), 0);  // not closed by exec: whoever of them lives holds it open
  {
    auto child = Child::start(
        {.program = "/bin/sh",
         .arguments = {"sh", "-c",
                       "(sleep 1000; true) & echo started > /proc/self/fd/" + std::to_string(ends[1]) + "; wait"},
         .environment = {},
         .folder = {}},
        interrupts);
    ASSERT_TRUE(child);
    close(ends[1]);
    char byte = 0;
    ASSERT_EQ(read(ends[0], &byte, 1), 1);
  }
  std::array<char, 64> rest{};
  while (read(ends[0], rest.data(), rest.size()) > 0) {
  }
  close(ends[0]);  // reached only when nobody holds the other end
}

TEST(Launch, ForwardsASignalSentToTheTool) {
  Interrupts interrupts;
  auto child = Child::start({.program = "/bin/sleep", .arguments = {"sleep", "1000"}, .environment = {}, .folder = {}},
                            interrupts);
  ASSERT_TRUE(child);
  ::kill(getpid(), SIGTERM);
  while (!child->ended()) child->wait_until(Clock::now() + std::chrono::seconds(30));
  EXPECT_EQ(child->interrupted(), SIGTERM);
  EXPECT_EQ(child->ended(), (Ended{true, SIGTERM}));
}

TEST(Launch, DoesNotHandDownASteeringEnvironment) {
  setenv("REPRISE_RECORD", "/somewhere", 1);
  setenv("REPRISE_HOME", "/home", 1);
  bool has_home = false;
  for (const std::string& variable : environment()) {
    EXPECT_FALSE(variable.starts_with("REPRISE_RECORD="));
    has_home = has_home || variable == "REPRISE_HOME=/home";
  }
  EXPECT_TRUE(has_home);
  unsetenv("REPRISE_RECORD");
  unsetenv("REPRISE_HOME");
}

}  // namespace
}  // namespace reprise::drive
