#include "recording/folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "recording/log_for_test.h"

namespace reprise::recording {
namespace {

using test::TemporaryFolder;
using test::write_bytes;

Folder make(const std::filesystem::path& home, const std::string& name, int age_s) {
  auto folder = create_folder(home, name);
  EXPECT_TRUE(folder) << (folder ? "" : folder.error().message);
  write_bytes(folder->manifest(), {'{', '}'});
  const auto now = std::filesystem::file_time_type::clock::now();
  std::filesystem::last_write_time(folder->manifest(), now - std::chrono::seconds(age_s));
  return *folder;
}

// Goal    A name can be part of a path and of a command line, and nothing else.
// Method  Names at both sides of each rule.
TEST(Folder, KnowsWhatAProcessWasLaunchedAs) {
  EXPECT_EQ(launched_as("server"), "server");
  EXPECT_EQ(launched_as("server#2"), "server");
  EXPECT_EQ(launched_as("server.exec2"), "server");
  EXPECT_EQ(launched_as("server-0-1"), "server");
  EXPECT_EQ(launched_as("server#3-0-1.exec2-1-12"), "server");
  EXPECT_EQ(launched_as("server-1"), "server-1");  // one number alone is the user's
  EXPECT_EQ(launched_as("-1-2"), "-1-2");
  EXPECT_EQ(launched_as("42"), "42");
}

TEST(Folder, KnowsValidNames) {
  for (const char* name : {"a", "A-b_c.9", "0"}) EXPECT_TRUE(is_valid_name(name)) << name;
  EXPECT_TRUE(is_valid_name(std::string(64, 'x')));
  EXPECT_FALSE(is_valid_name(std::string(65, 'x')));
  for (const char* name : {"", ".", "..", ".hidden", "-o", "a/b", "a b", "a\n", "\xC3\xA4", "a#2"}) {
    EXPECT_FALSE(is_valid_name(name)) << name;
  }
  EXPECT_FALSE(is_valid_name(std::string_view("a\0b", 3)));
  for (const char* process : {"server", "server#2", "server#10"}) EXPECT_TRUE(is_valid_process(process)) << process;
  for (const char* process : {"#2", "server#", "server#0", "server#1", "server#02", "server#x", "a#2#3"}) {
    EXPECT_FALSE(is_valid_process(process)) << process;
  }
}

// Goal    A new recording is private and never takes an old one's place.
// Method  Create twice, in a home that is not there yet; bad names touch nothing.
TEST(Folder, IsCreatedOnceAndPrivate) {
  const TemporaryFolder home;
  const auto folder = create_folder(home / "deep", "run");
  ASSERT_TRUE(folder) << folder.error().message;
  EXPECT_EQ(folder->path, home / "deep" / "run.reprise");
  EXPECT_EQ(folder->name(), "run");
  struct stat status {};
  ASSERT_EQ(stat(folder->path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  const auto again = create_folder(home / "deep", "run");
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::usage);
  EXPECT_EQ(create_folder(home.path(), "../x").error().code, ErrorCode::usage);
  EXPECT_FALSE(std::filesystem::exists(home / "x.reprise"));
}

// Goal    A recording is found by its name, its folder's name or its path; what is missing is told apart.
// Method  One of each.
TEST(Folder, IsFoundByNameOrPath) {
  const TemporaryFolder home;
  const Folder made = make(home.path(), "run", 0);
  for (const std::string& text :
       {std::string("run"), std::string("run.reprise"), made.path.string(), made.path.string() + "/"}) {
    const auto found = find_folder(home.path(), text);
    ASSERT_TRUE(found) << text;
    EXPECT_EQ(found->name(), "run") << text;
  }
  EXPECT_EQ(find_folder(home.path(), "other").error().code, ErrorCode::not_found);
  EXPECT_EQ(find_folder(home.path(), "-x").error().code, ErrorCode::usage);
  ASSERT_TRUE(create_folder(home.path(), "bare"));
  EXPECT_EQ(find_folder(home.path(), "bare").error().code, ErrorCode::not_a_recording);
}

// Goal    The latest recording is the default, so lists begin with it; other folders are not recordings.
// Method  Three ages in another order than their names; a bare folder, a file and a bad name beside them.
TEST(Folder, ListsTheNewestFirst) {
  const TemporaryFolder home;
  EXPECT_EQ(latest_folder(home.path()).error().code, ErrorCode::not_found);
  EXPECT_TRUE(list_folders(home / "missing")->empty());
  make(home.path(), "b", 5);
  make(home.path(), "a", 1);
  make(home.path(), "c", 9);
  ASSERT_TRUE(create_folder(home.path(), "bare"));
  write_bytes(home / "file.reprise", {1});
  const auto folders = list_folders(home.path());
  ASSERT_TRUE(folders);
  std::vector<std::string> names;
  for (const Folder& folder : *folders) names.push_back(folder.name());
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(latest_folder(home.path())->name(), "a");
}

// Goal    A folder knows its logs; a sealed one goes before a live one.
// Method  Three processes in different states, and files that are none.
TEST(Folder, KnowsItsProcesses) {
  const TemporaryFolder home;
  const Folder folder = make(home.path(), "run", 0);
  for (const char* file : {"main.live", "main.log", "server#2.live", "idle.log", "main.trace", "x.tmp", ".live"}) {
    write_bytes(folder.path / file, {1});
  }
  EXPECT_EQ(folder.processes(), (std::vector<std::string>{"idle", "main", "server#2"}));
  EXPECT_EQ(folder.best("main"), folder.log("main"));
  EXPECT_EQ(folder.best("server#2"), folder.live("server#2"));
  EXPECT_EQ(folder.trace("main").filename(), "main.trace");
}

// Goal    Removing takes recordings away, and nothing that is not one.
// Method  A recording, and a folder without a manifest.
TEST(Folder, RemovesOnlyRecordings) {
  const TemporaryFolder home;
  const Folder folder = make(home.path(), "run", 0);
  EXPECT_TRUE(remove_folder(folder));
  EXPECT_FALSE(std::filesystem::exists(folder.path));
  write_bytes(home / "precious", {1});
  EXPECT_EQ(remove_folder(Folder{home.path()}).error().code, ErrorCode::not_a_recording);
  EXPECT_TRUE(std::filesystem::exists(home / "precious"));
}

}  // namespace
}  // namespace reprise::recording
