#include "drive/manifest.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sys/stat.h>

#include "recording/log_for_test.h"

namespace reprise::drive {
namespace {

using test::TemporaryFolder;

Manifest sample() {
  Manifest manifest;
  manifest.name = "run";
  manifest.created = "2024-05-01T12:34:56Z";
  manifest.reprise_version = "0.1.0";
  manifest.command = {"./bank", "--accounts", "100"};
  manifest.directory = "/home/someone";
  manifest.environment = {"LANG=C", "EMPTY=", "odd", "LANG=again"};
  manifest.program = {"/home/someone/bank", "00ff", "image/program.zst"};
  manifest.libraries = {{"/home/someone/libx.so", "01", "image/lib/libx.so.zst"}};
  manifest.processes = {"main", "server#2"};
  manifest.full = true;
  manifest.chaos = ~std::uint64_t{0};
  manifest.timeout_s = 2.5;
  manifest.randomize_off = true;
  manifest.host = "here";
  manifest.end = ManifestEnd::signal;
  manifest.end_code = 11;
  manifest.gates_met = true;
  return manifest;
}

// Goal    A manifest says what it was told, also where a program's words are no UTF-8.
// Method  A full one; random bytes without zeros as arguments and variables.
TEST(Manifest, IsReadBackAsWritten) {
  const auto read = parse_manifest(format_manifest(sample()));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, sample());
  const bool held = rc::check([] {
    Manifest manifest = sample();
    const auto word = rc::gen::nonEmpty(rc::gen::string<std::string>());
    manifest.command = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(word));
    manifest.environment = *rc::gen::container<std::vector<std::string>>(rc::gen::string<std::string>());
    for (auto* words : {&manifest.command, &manifest.environment}) {
      for (std::string& one : *words) std::erase(one, '\0');
    }
    const auto again = parse_manifest(format_manifest(manifest));
    RC_ASSERT(again.has_value());
    RC_ASSERT(*again == manifest);
  });
  EXPECT_TRUE(held);
}

// Goal    The lines of a system keep what is theirs, also where they were recorded on other hosts.
// Method  One line of each; a part that is no number from 1 is damage.
TEST(Manifest, KeepsLinesOfSeveralHosts) {
  Manifest manifest = sample();
  ManifestLine line;
  line.name = "server";
  line.command = {"./server"};
  line.service = true;
  manifest.lines.push_back(line);
  line.name = "client";
  line.part = 2;
  line.host = "there";
  line.directory = "/home/other";
  line.environment = {"LANG=C", "\xFF=odd"};
  manifest.lines.push_back(line);
  std::string text = format_manifest(manifest);
  const auto read = parse_manifest(text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, manifest);
  const std::size_t at = text.find("\"part\": 2");
  ASSERT_NE(at, std::string::npos);
  text[at + 8] = '0';
  EXPECT_FALSE(parse_manifest(text));
}

// Goal    Bytes that only look like UTF-8 survive too.
// Method  Over-long forms, surrogates, numbers beyond Unicode, sequences cut short; and the last valid ones beside
// them.
TEST(Manifest, KeepsWhatIsAlmostUtf8) {
  Manifest manifest = sample();
  manifest.command = {"x",
                      "\xC0\x80",
                      "\xC1\xBF",
                      "\xC2\x80",
                      "\xE0\x80\x80",
                      "\xE0\x9F\xBF",
                      "\xE0\xA0\x80",
                      "\xED\x9F\xBF",
                      "\xED\xA0\x80",
                      "\xF0\x8F\xBF\xBF",
                      "\xF0\x90\x80\x80",
                      "\xF4\x8F\xBF\xBF",
                      "\xF4\x90\x80\x80",
                      "\xF5\x80\x80\x80",
                      "\x80",
                      "\xE2\x82",
                      "\xFF"};
  const auto read = parse_manifest(format_manifest(manifest));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->command, manifest.command);
}

// Goal    A manifest is private, appears in one piece, and is told apart when it is not there.
// Method  Write over an older one under a permissive mask; list the folder; read a missing one.
TEST(Manifest, IsWrittenInOnePiece) {
  const TemporaryFolder folder;
  test::write_bytes(folder / "manifest.json", {'o', 'l', 'd'});
  const mode_t mask = umask(0);
  ASSERT_TRUE(write_manifest(folder / "manifest.json", sample()));
  umask(mask);
  struct stat status {};
  ASSERT_EQ(stat((folder / "manifest.json").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
  EXPECT_EQ(*read_manifest(folder / "manifest.json"), sample());
  EXPECT_EQ(read_manifest(folder / "missing.json").error().code, ErrorCode::not_found);
}

// Goal    Members of a later version survive being read and written by this one.
// Method  Add two, read, write, read.
TEST(Manifest, KeepsWhatItDoesNotKnow) {
  std::string text = format_manifest(sample());
  text.insert(text.find('{') + 1, R"("later": {"deep": [1, 2]}, "zz": null,)");
  const auto read = parse_manifest(text);
  ASSERT_TRUE(read) << read.error().message;
  const std::string again = format_manifest(*read);
  EXPECT_NE(again.find("\"later\""), std::string::npos);
  EXPECT_EQ(parse_manifest(again)->unknown, read->unknown);
  EXPECT_EQ(read->unknown, R"({"later":{"deep":[1,2]},"zz":null})");
}

// Goal    A manifest of another version is told apart from a damaged one, and both versions are named.
// Method  Version 2.
TEST(Manifest, NamesBothVersions) {
  std::string text = format_manifest(sample());
  text.replace(text.find("\"version\": 1"), 12, "\"version\": 2");
  const auto read = parse_manifest(text);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::version_unsupported);
  EXPECT_NE(read.error().message.find("version 2"), std::string::npos);
  EXPECT_NE(read.error().message.find("version 1"), std::string::npos);
}

struct Broken {
  const char* find;
  const char* put;
  const char* said;
};

// Goal    A broken manifest is refused with one line that names the member.
// Method  One replacement each in a good manifest.
TEST(Manifest, NamesTheMemberThatIsWrong) {
  for (const Broken& broken : std::vector<Broken>{
           {"\"version\": 1", "\"version\": \"1\"", "version"},
           {"\"version\": 1", "\"version\": 1e300", "version"},
           {"\"version\": 1", "\"version\": -1", "version"},
           {"\"name\": \"run\"", "\"name\": \"../run\"", "name"},
           {"\"name\": \"run\"", "\"nome\": \"run\"", "name"},
           {"\"full\": true", "\"full\": 1", "options.full"},
           {"\"timeout\": 2.5", "\"timeout\": -2.5", "options.timeout"},
           {"\"chaos\": 18446744073709551615", "\"chaos\": -1", "options.chaos"},
           {"\"kind\": \"signal\"", "\"kind\": \"melted\"", "end.kind"},
           {"\"code\": 11", "\"code\": 99999999999", "end.code"},
           {"\"code\": 11", "\"code\": 18446744073709551615", "end.code"},
           {"\"level\": \"order\"", "\"level\": \"all\"", "level"},
           {"\"host\": \"here\"", "\"host\": {\"base64\": \"AA\"}", "host"},
           {"\"host\": \"here\"", "\"host\": {\"base64\": \"AAAA\"}", "host"},
           {"\"server#2\"", "\"../../etc\"", "processes"},
           {"image/program.zst", "../program", "program.image"},
           {"image/program.zst", "/etc/passwd", "program.image"},
           {"image/lib/libx.so.zst", "a/../../b", "libraries.image"},
           {"\"./bank\",", "7,", "command"},
       }) {
    std::string text = format_manifest(sample());
    const std::size_t at = text.find(broken.find);
    ASSERT_NE(at, std::string::npos) << broken.find;
    text.replace(at, std::string(broken.find).size(), broken.put);
    const auto read = parse_manifest(text);
    ASSERT_FALSE(read) << broken.put;
    EXPECT_EQ(read.error().code, ErrorCode::damaged) << broken.put;
    EXPECT_NE(read.error().message.find("\"" + std::string(broken.said) + "\""), std::string::npos)
        << read.error().message;
    EXPECT_EQ(read.error().message.find('\n'), std::string::npos);
  }
}

// Goal    No damage to a manifest crashes or hangs its reader.
// Method  Every cut, every bit; nesting beyond reason; texts that are no JSON.
TEST(Manifest, SurvivesDamage) {
  const std::string whole = format_manifest(sample());
  for (std::size_t size = 0; size + 2 < whole.size(); ++size) {
    const auto read = parse_manifest(whole.substr(0, size));
    ASSERT_FALSE(read) << "cut at " << size;
    EXPECT_EQ(read.error().code, ErrorCode::damaged);
  }
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    const auto read = parse_manifest(flipped);
    EXPECT_TRUE(!read || !read->command.empty());
  }
  for (const std::string& text : {std::string("[]"), std::string("7"), std::string(1 << 20, '['),
                                  std::string("{\"version\":1,\"x\":") + std::string(1 << 20, '[')}) {
    EXPECT_FALSE(parse_manifest(text));
  }
}

}  // namespace
}  // namespace reprise::drive
