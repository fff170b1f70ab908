#include "program/message/registry.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace reprise::messaging {
namespace {

// Goal    A name belongs to one living party; who is gone, however it went, makes room for its next incarnation.
class Registry : public testing::Test {
 protected:
  void SetUp() override {
    char path[] = "/tmp/reprise-registry-XXXXXX";
    ASSERT_NE(mkdtemp(path), nullptr);
    path_ = path;
    setenv("REPRISE_RUN", path, 1);
    auto run = messaging::Run::open();
    ASSERT_TRUE(run) << run.error().message;
    run_ = *run;
  }
  void TearDown() override {
    unsetenv("REPRISE_RUN");
    std::filesystem::remove_all(path_);
  }
  Result<messaging::Run::Added> add(const std::string& name) {
    auto added = run_->begin(name, 0);
    if (!added) return added;
    Located located;
    located.incarnation = added->incarnation;
    located.process = "here";
    located.host = "host";
    if (auto finished = run_->finish(name, located, *added); !finished) return tl::unexpected(finished.error());
    return added;
  }

  std::string path_;
  std::shared_ptr<messaging::Run> run_;
};

TEST_F(Registry, ANameIsTakenWhileItsOwnerLives) {
  auto first = add("server");
  ASSERT_TRUE(first);
  EXPECT_EQ(first->incarnation, 1u);
  auto second = add("server");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::usage);
  EXPECT_TRUE(run_->look("server")->is_alive);
  messaging::Run::give_up(*first);
  EXPECT_FALSE(run_->look("server")->is_alive);
  second = add("server");
  ASSERT_TRUE(second);
  EXPECT_EQ(second->incarnation, 2u);
  EXPECT_EQ(second->run, first->run);
}

TEST_F(Registry, WhoWasKilledIsGone) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    (void)add("server");
    (void)!write(ready[1], "x", 1);
    for (;;) pause();
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_TRUE(run_->look("server")->is_alive);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(run_->look("server")->is_alive);
  auto next = add("server");
  ASSERT_TRUE(next);
  EXPECT_EQ(next->incarnation, 2u);
}

TEST_F(Registry, OneOfManyAtOnceGetsTheName) {
  constexpr int many = 8;
  int told[2];
  ASSERT_EQ(pipe(told), 0);
  pid_t children[many];
  for (pid_t& child : children) {
    child = fork();
    if (child == 0) {
      const auto added = add("server");
      (void)!write(told[1], added ? "+" : "-", 1);
      for (;;) pause();
    }
  }
  std::string outcomes(many, ' ');
  for (char& outcome : outcomes) ASSERT_EQ(read(told[0], &outcome, 1), 1);
  for (const pid_t child : children) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  EXPECT_EQ(std::count(outcomes.begin(), outcomes.end(), '+'), 1) << outcomes;
}

TEST_F(Registry, DamagedEntriesAreNobody) {
  for (const char* text : {"", "1", "1 here host", "x here host\n", "99999999999 here host\n", "1 here\n"}) {
    std::ofstream(path_ + "/server.party") << text;
    EXPECT_FALSE(run_->look("server")) << text;
  }
}

TEST_F(Registry, AFolderOfOthersIsRefused) {
  chmod(path_.c_str(), 0777);
  EXPECT_FALSE(messaging::Run::open());
}

TEST(PeersFile, NamesPlaces) {
  const std::string path = std::filesystem::temp_directory_path() / "reprise-peers-test";
  std::ofstream(path) << "# two\nrun abc\nserver 10.0.0.1:7000\nclient host.example:80 # here\n";
  const auto peers = read_peers(path);
  ASSERT_TRUE(peers) << peers.error().message;
  EXPECT_EQ(peers->run, "abc");
  EXPECT_EQ(peers->places.at("server"), (std::pair<std::string, std::uint16_t>("10.0.0.1", 7000)));
  EXPECT_EQ(peers->places.at("client").second, 80);
  for (const char* text : {"server\n", "server host\n", "server host:0\n", "server host:99999\n", "a/b host:1\n"}) {
    std::ofstream(path) << text;
    EXPECT_FALSE(read_peers(path)) << text;
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace reprise::messaging
