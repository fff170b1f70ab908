// The example of format/recording.md, made anew: the document cannot rot.
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "recording/kind.h"
#include "recording/log_for_test.h"
#include "recording/verify.h"

namespace reprise::recording {
namespace {

using test::create_live;
using test::TemporaryFolder;
using test::TestThread;

// What the section "An example" tells.
void write_example(const std::filesystem::path& path) {
  Live& live = create_live(path);
  TestThread main(live, no_thread, 0);
  TestThread child(live, main_thread, 0);
  main.count(Kind::spawn, 2);
  const ObjectId accounts = main.new_object();
  main.write_at(Kind::lock, accounts, 1);
  main.write({.kind = Kind::label, .object = accounts, .value = "accounts"});
  main.count(Kind::unlock, accounts);
  child.write({.kind = Kind::try_failed, .object = accounts, .number = 1});
  child.write({.kind = Kind::try_failed, .object = accounts, .number = 1});
  child.write_at(Kind::lock, accounts, 2);
  child.count(Kind::unlock, accounts);
  main.write_at(Kind::lock, accounts, 3);
  main.count(Kind::unlock, accounts);
  child.write({.kind = Kind::value, .value = "42", .name = "answer"});
  child.end();
  main.count(Kind::join, 2);
  main.write({.kind = Kind::clock, .number = 1000});
  main.write({.kind = Kind::exit, .number = 0});
  live.header().end_thread = main_thread;
  live.header().end_kind = static_cast<std::uint32_t>(EndKind::exited);
}

std::string read_document() {
  std::filesystem::path folder = std::filesystem::path(__FILE__).parent_path();
  if (const char* source = std::getenv("REPRISE_SOURCE")) folder = std::filesystem::path(source) / "src" / "recording";
  std::ifstream file(folder / ".." / ".." / "format" / "recording.md");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The bytes of the document's block ```hex NAME, by offset. A line is an offset, two spaces, bytes; three spaces or
// more or anything that is no byte ends it.
std::map<std::size_t, std::uint8_t> bytes_in(const std::string& document, const std::string& name) {
  std::map<std::size_t, std::uint8_t> bytes;
  const std::size_t start = document.find("```hex " + name + "\n");
  EXPECT_NE(start, std::string::npos);
  std::istringstream lines(document.substr(start));
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line) && line != "```") {
    std::size_t offset = std::stoul(line.substr(0, 4), nullptr, 16);
    for (std::size_t at = 6; at + 1 < line.size() && std::isxdigit(line[at]) && std::isxdigit(line[at + 1]); at += 3) {
      bytes[offset++] = static_cast<std::uint8_t>(std::stoul(line.substr(at, 2), nullptr, 16));
      if (at + 2 < line.size() && line.compare(at + 2, 2, "  ") == 0) break;
    }
  }
  return bytes;
}

// Goal    The hex of the document is what this version writes, live and sealed.
// Method  Run the example and compare every byte that the document shows; of the sealed log it shows all.
TEST(FormatDocument, ShowsTheBytesThatAreWritten) {
  const TemporaryFolder folder;
  write_example(folder / "example.live");
  ASSERT_TRUE(seal(folder / "example.live", folder / "example.log"));
  const std::string document = read_document();
  ASSERT_FALSE(document.empty());
  for (const std::string name : {"live", "sealed"}) {
    const auto shown = bytes_in(document, name);
    const auto written = test::read_bytes(folder / (name == "live" ? "example.live" : "example.log"));
    for (const auto& [offset, byte] : shown) {
      ASSERT_LT(offset, written.size()) << name;
      EXPECT_EQ(byte, written[offset]) << name << " at " << std::hex << offset;
    }
    EXPECT_GT(shown.size(), 150u);
    if (name == "sealed") {
      EXPECT_EQ(shown.size(), written.size());
    }
  }
  const auto report = verify(folder / "example.log");
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->good());
  EXPECT_EQ(report->events, 9u);
  EXPECT_EQ(report->steps, 14u);
}

std::string_view name_of(Class treated) {
  switch (treated) {
    case Class::ordered:
      return "ordered";
    case Class::release:
      return "release";
    case Class::writing:
      return "writing";
    case Class::choosing:
      return "choosing";
    case Class::read:
      return "read";
    case Class::failure:
      return "failure";
    case Class::value:
      return "value";
    case Class::plain:
      return "plain";
    case Class::choice:
      return "choice";
    case Class::mark:
      return "mark";
    case Class::label:
      return "label";
    case Class::note:
      return "note";
    case Class::none:
      break;
  }
  return "none";
}

// Goal    The document's table of kinds is the one of the code.
// Method  Each kind's row begins with its name, value, class and whether it is explicit; there are no other rows.
TEST(FormatDocument, ListsEveryKind) {
  const std::string document = read_document();
  std::size_t rows = 0;
  for (const KindInfo& kind : kinds) {
    const std::string row = "\n| `" + std::string(kind.name) + "` | " +
                            std::to_string(static_cast<unsigned>(kind.kind)) + " | " +
                            std::string(name_of(kind.treated)) + " |" + (kind.is_explicit ? " yes |" : " |");
    EXPECT_NE(document.find(row), std::string::npos) << row;
  }
  const std::size_t table = document.find("| kind | value | class |");
  ASSERT_NE(table, std::string::npos);
  for (std::size_t at = table; (at = document.find("\n| `", at)) < document.find("\n\n", table); ++at) ++rows;
  EXPECT_EQ(rows, kinds.size());
}

}  // namespace
}  // namespace reprise::recording
