// Goal    The command line is split at -- before anything else sees it, and every mistake is one clear line.
#include "drive/cli/arguments.h"

#include <gtest/gtest.h>

#include <set>

#include "drive/cli/commands.h"

namespace reprise::drive::cli {
namespace {

using Words = std::vector<std::string>;

Result<Arguments> parsed(const char* command, const Words& words) { return parse(*find_command(command), words); }

std::string error_of(const char* command, const Words& words) {
  const auto arguments = parsed(command, words);
  EXPECT_FALSE(arguments);
  if (arguments) return "";
  EXPECT_EQ(arguments.error().code, ErrorCode::usage);
  EXPECT_EQ(arguments.error().message.find('\n'), std::string::npos) << "one line";
  return arguments.error().message;
}

TEST(Split, CutsAtTheFirstSeparatorOnly) {
  const Words words{"-o", "run", "--", "./program", "--", "--help"};
  const Split split = split_at_separator(words);
  EXPECT_TRUE(split.has_separator);
  EXPECT_EQ(split.own, (Words{"-o", "run"}));
  EXPECT_EQ(split.program, (Words{"./program", "--", "--help"}));
}

TEST(Split, TellsNoProgramFromNoSeparator) {
  EXPECT_FALSE(split_at_separator(Words{"a"}).has_separator);
  EXPECT_TRUE(split_at_separator(Words{"--"}).has_separator);
}

TEST(Parse, LeavesTheProgramsOptionsAlone) {
  const auto arguments = parsed("record", {"--timeout", "2.5", "--chaos", "7", "--", "./program", "--json", "-o", "x"});
  ASSERT_TRUE(arguments) << arguments.error().message;
  EXPECT_EQ(arguments->program, (Words{"./program", "--json", "-o", "x"}));
  EXPECT_EQ(arguments->timeout_s, 2.5);
  EXPECT_EQ(arguments->chaos, 7u);
  EXPECT_FALSE(arguments->json);
  EXPECT_TRUE(arguments->output.empty());
}

TEST(Parse, FillsEveryKindOfFlag) {
  const auto arguments = parsed("replay", {"run", "--times", "20", "--trace", "--then", "live", "--stall-after=0.5"});
  ASSERT_TRUE(arguments) << arguments.error().message;
  EXPECT_EQ(arguments->names, Words{"run"});
  EXPECT_EQ(arguments->times, 20u);
  EXPECT_TRUE(arguments->trace);
  EXPECT_EQ(arguments->then, "live");
  EXPECT_EQ(arguments->stall_after_s, 0.5);
  EXPECT_FALSE(arguments->limit);
}

TEST(Parse, RecordWantsASeparator) {
  EXPECT_NE(error_of("record", {"./program"}).find("put -- before the program (./program)"), std::string::npos);
  EXPECT_NE(error_of("record", {}).find("no program"), std::string::npos);
  EXPECT_NE(error_of("record", {"-o", "run", "--"}).find("no program"), std::string::npos);
}

TEST(Parse, RefusesWhatMakesNoSense) {
  EXPECT_NE(error_of("record", {"--bogus", "--", "./program"}).find("--bogus"), std::string::npos);
  EXPECT_NE(error_of("replay", {"--times", "0"}).find("at least 1"), std::string::npos);
  EXPECT_NE(error_of("replay", {"--times", "-3"}).find("--times"), std::string::npos);
  EXPECT_NE(error_of("replay", {"--times", "many"}).find("many"), std::string::npos);
  EXPECT_NE(error_of("replay", {"--then", "die"}).find("must be live"), std::string::npos);
  EXPECT_NE(error_of("replay", {"one", "two"}).find("usage: reprise replay"), std::string::npos);
  EXPECT_NE(error_of("record", {"--timeout", "0", "--", "x"}).find("--timeout"), std::string::npos);
  EXPECT_NE(error_of("record", {"--timeout", "nan", "--", "x"}).find("--timeout"), std::string::npos);
  EXPECT_NE(error_of("rm", {}).find("missing"), std::string::npos);
  EXPECT_NE(error_of("info", {"--", "x"}).find("--"), std::string::npos);
}

TEST(Commands, EachExplainsItself) {
  std::set<std::string> names;
  for (const Command& command : commands()) {
    EXPECT_TRUE(names.insert(command.name).second) << command.name;
    const auto arguments = parse(command, Words{"--help"});
    ASSERT_TRUE(arguments) << command.name;
    EXPECT_NE(arguments->help.find("Example:"), std::string::npos) << command.name;
    EXPECT_NE(arguments->help.find(command.example), std::string::npos) << command.name;
    EXPECT_NE(arguments->help.find(std::string("Usage: reprise ") + command.name), std::string::npos)
        << arguments->help;
  }
}

TEST(Commands, InstrumentsOfTheTestsAreNotShown) {
  const std::string help = help_text(*find_command("replay"));
  EXPECT_EQ(help.find("--gate-off"), std::string::npos);
  EXPECT_EQ(help.find("--favour"), std::string::npos);
  EXPECT_TRUE(parsed("replay", {"--favour", "last", "--gate-off"}));
}

}  // namespace
}  // namespace reprise::drive::cli
