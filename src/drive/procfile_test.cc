#include "drive/procfile.h"

#include <gtest/gtest.h>

namespace reprise::drive {
namespace {

using Words = std::vector<std::string>;

TEST(Procfile, HoldsNamesAndCommands) {
  const auto lines = parse_procfile("# two\nserver: ./server --port 80\n\nclient:\t'./my client' \"a b\" c\\ d\r\n");
  ASSERT_TRUE(lines) << lines.error().message;
  ASSERT_EQ(lines->size(), 2u);
  EXPECT_EQ((*lines)[0], (Line{"server", {"./server", "--port", "80"}}));
  EXPECT_EQ((*lines)[1], (Line{"client", {"./my client", "a b", "c d"}}));
}

TEST(Procfile, CommandsThatNeedAShellGetOne) {
  const auto lines = parse_procfile("a: ./a $HOME | cat");
  ASSERT_TRUE(lines);
  EXPECT_EQ((*lines)[0].command, (Words{"/bin/sh", "-c", "exec ./a $HOME | cat"}));
}

TEST(Procfile, WhatIsWrongIsToldWithItsLine) {
  const char* const wrong[] = {
      "a: x\nno colon", "a: x\na: y", "a: x\nb:", "a: x\nb: 'open", "a: x\nb/c: y", "a: x\nb-0-1: y"};
  for (const char* text : wrong) {
    const auto lines = parse_procfile(text);
    ASSERT_FALSE(lines) << text;
    EXPECT_NE(lines.error().message.find("line 2"), std::string::npos) << lines.error().message;
  }
  EXPECT_FALSE(parse_procfile("# nothing\n"));
}

}  // namespace
}  // namespace reprise::drive
