// Goal    ifstream and ofstream are streams as std's are, before anything stands behind the gate.
// Method  Each test writes and reads a file through one of std's streams and one of reprise's, and compares.
#include <gtest/gtest.h>
#include <reprise/input.h>
#include <reprise/out.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iterator>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace reprise {
namespace {

class Streams : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("reprise-streams-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path file(const std::string& name) const { return folder_ / name; }
  static void put(const std::filesystem::path& path, const std::string& text) { std::ofstream(path) << text; }
  static std::string get(const std::filesystem::path& path) {
    std::ifstream stream(path);
    return std::string((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  }

  std::filesystem::path folder_;
};

TEST_F(Streams, ReadWhatIsThere) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += std::to_string(i) + '\n';  // several reads
  put(file("numbers"), text);
  ifstream stream(file("numbers"));
  int expected = 0;
  for (int number = 0; stream >> number; ++expected) ASSERT_EQ(number, expected);
  EXPECT_EQ(expected, 5000);
  EXPECT_TRUE(stream.eof());
  EXPECT_FALSE(stream.bad());
}

TEST_F(Streams, SeekWithinAndBeyondTheBuffer) {
  std::string text(20000, '.');
  text[3] = 'a';
  text[15000] = 'b';
  text.back() = 'z';
  put(file("dots"), text);
  ifstream stream(file("dots"), std::ios_base::ate);
  EXPECT_EQ(stream.tellg(), 20000);
  EXPECT_EQ(stream.seekg(3).get(), 'a');
  EXPECT_EQ(stream.tellg(), 4);
  EXPECT_EQ(stream.seekg(14996, std::ios_base::cur).get(), 'b');
  EXPECT_EQ(stream.seekg(-1, std::ios_base::end).get(), 'z');
  EXPECT_EQ(stream.seekg(-1, std::ios_base::cur).get(), 'z');
  EXPECT_EQ(stream.get(), std::char_traits<char>::eof());
  stream.clear();
  EXPECT_FALSE(stream.seekg(-1, std::ios_base::beg));
}

TEST_F(Streams, PutBackAcrossReads) {
  put(file("long"), std::string(8192, 'x') + "yz");
  ifstream stream(file("long"));
  stream.ignore(8192);
  EXPECT_EQ(stream.get(), 'y');
  EXPECT_TRUE(stream.unget());
  EXPECT_TRUE(stream.unget());
  EXPECT_EQ(stream.get(), 'x');
  EXPECT_EQ(stream.get(), 'y');
  EXPECT_EQ(stream.get(), 'z');
}

TEST_F(Streams, FailAsStdsDo) {
  ifstream missing(file("missing"));
  EXPECT_FALSE(missing.is_open());
  EXPECT_TRUE(missing.fail());
  ifstream folder(folder_);
  EXPECT_TRUE(folder.is_open());
  EXPECT_EQ(folder.get(), std::char_traits<char>::eof());
  EXPECT_TRUE(folder.bad());
  put(file("there"), "there");
  missing.open(file("there"));
  EXPECT_TRUE(missing.good());
  missing.open(file("there"));
  EXPECT_TRUE(missing.fail());
  ofstream nowhere(file("no/such/folder"));
  EXPECT_TRUE(nowhere.fail());
  EXPECT_TRUE(!(nowhere << 1));
}

TEST_F(Streams, WriteStatementsWholeAndKeepFormats) {
  {
    ofstream stream(file("out"));
    stream << "a" << std::setw(4) << 7 << '\n';
    stream << std::hex << std::setfill('0');
    stream << std::setw(4) << 255 << std::endl;
    EXPECT_EQ(get(file("out")), "a   7\n00ff\n");
    std::ostream& plain = stream;
    plain << "plain " << 16;
    stream.write("!!", 2).put('\n');
    EXPECT_EQ(stream.tellp(), 21);
    stream.seekp(0);
    EXPECT_TRUE(stream << 'A');
  }
  EXPECT_EQ(get(file("out")), "A   7\n00ff\nplain 10!!\n");
  ofstream(file("out"), std::ios_base::app) << "more";
  EXPECT_EQ(get(file("out")), "A   7\n00ff\nplain 10!!\nmore");
}

TEST_F(Streams, MoveWithTheirFiles) {
  put(file("in"), "one two");
  ifstream from(file("in"));
  std::string word;
  from >> word;
  ifstream to = std::move(from);
  to >> word;
  EXPECT_EQ(word, "two");
  std::vector<ofstream> files;
  for (int i = 0; i < 3; ++i) files.emplace_back(file("out" + std::to_string(i)));
  for (int i = 0; i < 3; ++i) files[static_cast<std::size_t>(i)] << i;
  files.clear();
  EXPECT_EQ(get(file("out2")), "2");
}

TEST_F(Streams, DoNotMixTheStatementsOfThreads) {
  {
    ofstream stream(file("lines"));
    std::vector<std::thread> threads;
    for (char who = 'a'; who < 'e'; ++who) {
      threads.emplace_back([&stream, who] {
        for (int i = 0; i < 500; ++i) stream << who << who << who << i << '\n';
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  std::ifstream lines(file("lines"));
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    ASSERT_GE(line.size(), 4u);
    EXPECT_EQ(line.substr(0, 3), std::string(3, line[0]));
    EXPECT_LT(std::stoi(line.substr(3)), 500);
  }
  EXPECT_EQ(count, 2000);
}

TEST_F(Streams, ListAFolder) {
  put(file("b"), "");
  put(file("a b"), "");
  std::vector<std::string> names = list_directory(folder_);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"a b", "b"}));
  EXPECT_THROW(list_directory(file("missing")), std::system_error);
}

TEST(Surroundings, AreThoseOfTheProcess) {
  EXPECT_EQ(process_id(), getpid());
  EXPECT_FALSE(hostname().empty());
}

TEST(WaitPid, IsTheSystems) {
  const pid_t child = fork();
  if (child == 0) _exit(5);
  int status = 0;
  EXPECT_EQ(reprise::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 5);
  EXPECT_EQ(reprise::waitpid(child, nullptr, 0), -1);
  EXPECT_EQ(errno, ECHILD);
}

}  // namespace
}  // namespace reprise
