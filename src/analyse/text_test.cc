// Goal    Nothing from a recording can steer a terminal; numbers read well.
#include "analyse/text.h"

#include <gtest/gtest.h>

namespace reprise::analyse {
namespace {

TEST(Escape, LeavesPlainTextAlone) { EXPECT_EQ(escape("accounts, größe 3 €"), "accounts, größe 3 €"); }

TEST(Escape, ShowsControlCharacters) {
  EXPECT_EQ(escape("a\x1b[31mb"), "a\\x1b[31mb");
  EXPECT_EQ(escape("a\nb\tc\r"), "a\\nb\\tc\\x0d");
  EXPECT_EQ(escape(std::string_view("\0\x7f", 2)), "\\x00\\x7f");
}

TEST(Escape, CannotBeForged) { EXPECT_EQ(escape("\\x1b"), "\\\\x1b"); }

TEST(Escape, ShowsBytesThatAreNoText) {
  EXPECT_EQ(escape("\xff\xc0\x80"), "\\xff\\xc0\\x80");
  EXPECT_EQ(escape("\xe2\x82"), "\\xe2\\x82");           // cut short
  EXPECT_EQ(escape("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
}

TEST(Escape, ShowsWhatSteersTheTerminalInUtf8) {
  EXPECT_EQ(escape("\xc2\x9b"), "\\xc2\\x9b");           // one-character CSI
  EXPECT_EQ(escape("\xe2\x80\xae"), "\\xe2\\x80\\xae");  // right-to-left override
}

TEST(Numbers, AreGrouped) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(18446744073709551615u), "18,446,744,073,709,551,615");
  EXPECT_EQ(counted(1, "thread"), "1 thread");
  EXPECT_EQ(counted(2000, "step"), "2,000 steps");
}

TEST(Numbers, SizesAreHuman) {
  EXPECT_EQ(human_bytes(17), "17 B");
  EXPECT_EQ(human_bytes(3123), "3.1 kB");
  EXPECT_EQ(human_bytes(999'960), "1.0 MB");
  EXPECT_EQ(human_bytes(18446744073709551615u), "18.4 EB");
}

TEST(Values, AreCutAndCounted) {
  EXPECT_EQ(value_text("abc"), "\"abc\"");
  EXPECT_EQ(value_text("abcdef", 3), "\"abc...\" (6 bytes)");
  EXPECT_EQ(number_text(std::string_view("\x01\x02", 2)), "513");
  EXPECT_EQ(number_text(""), "0");
}

TEST(Signals, HaveNames) {
  EXPECT_EQ(signal_name(11), "SIGSEGV");
  EXPECT_EQ(signal_name(777), "signal 777");
}

}  // namespace
}  // namespace reprise::analyse
