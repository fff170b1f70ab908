// Goal    Notes become the lines of the paper's appendix C, and nothing from a recording reaches them unescaped.
#include "analyse/care.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reprise::analyse {
namespace {

using ::testing::ElementsAre;

void add_note(CareLog& log, ThreadIndex thread, std::string_view text, std::string_view content = "") {
  if (!content.empty()) log.add(thread, {.kind = Kind::content, .value = content});
  log.add(thread, {.kind = Kind::value, .value = text, .name = "care"});
}

TEST(CareLog, TellsOrderOnly) {
  CareLog log(false);
  add_note(log, 1, "wrote client2a 1 0 Number");
  add_note(log, 1, "read client2a 2 Number");
  add_note(log, 2, "from client2b client2a dooley 2 0 2 27");
  add_note(log, 1, "reply client2a client2b dooley 2 52");
  add_note(log, 2, "from client2b - - 0 0 0 0");
  ASSERT_EQ(log.sections().size(), 2u);
  EXPECT_EQ(log.sections()[0].party, "client2a");
  EXPECT_THAT(log.sections()[0].lines,
              ElementsAre("wrote object Number version 1 total readers 0", "read object Number version 2",
                          "reply from client2b on host dooley to message 2"));
  EXPECT_THAT(log.sections()[1].lines, ElementsAre("from client2a on host dooley id 2", "from - on host - id 0"));
}

TEST(CareLog, TellsContents) {
  CareLog log(true);
  using namespace std::string_view_literals;
  add_note(log, 1, "wrote server 1 0 Number");
  add_note(log, 1, "from server client1 harpo 10 1 2 27",
           "\x03"
           "CARE\x0a\0\0\0This is client1 message 10\0"sv);
  add_note(log, 1, "reply server client2b dooley 2 3", "no\0"sv);
  add_note(log, 1, "read server 2 a name", "\xfe\xff\xff\xff"sv);
  add_note(log, 1, "from server - - 0 0 0 0");
  EXPECT_THAT(
      log.sections()[0].lines,
      ElementsAre("from client1 on host harpo id 10 index 1 type 2 len 27 - This is client1 message 10",
                  "reply from client2b on host dooley to message 2 len 3 - no",
                  "read object a name version 2 contents - -2", "from - on host - id 0 index 0 type 0 len 0 -"));
}

TEST(CareLog, BelievesNothing) {
  CareLog log(true);
  for (const char* text : {"", "from", "from a b", "read a", "other a b c d", "  ", "from  a b c d e f"})
    add_note(log, 1, text);
  EXPECT_EQ(log.unread(), 7u);
  add_note(log, 1, "read \x1b[31m 2 \x07", "\x1b");
  EXPECT_EQ(log.sections()[0].party, "\\x1b[31m");
  EXPECT_THAT(log.sections()[0].lines, ElementsAre("read object \\x07 version 2 contents - 27"));
}

}  // namespace
}  // namespace reprise::analyse
