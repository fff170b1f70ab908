// Goal    Each class of event has its words, and nothing from a recording reaches them unescaped.
#include "analyse/events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "recording/log_for_test.h"

namespace reprise::analyse {
namespace {

using recording::Event;
using recording::Log;
using ::testing::ElementsAre;

class Events : public ::testing::Test {
 protected:
  Events() {
    test::write_small_live(folder_ / "main.live");
    log_.emplace(*Log::open(folder_ / "main.live"));
    names_.emplace(*log_);
  }
  std::string text(const Event& event) const { return event_text(*names_, event); }

  static constexpr ObjectId accounts = object_id(1, 1);
  test::TemporaryFolder folder_;
  std::optional<Log> log_;
  std::optional<Names> names_;
};

TEST_F(Events, HaveWords) {
  EXPECT_EQ(text({.kind = Kind::lock, .object = accounts, .order = 17}), "locked accounts order 17");
  EXPECT_EQ(text({.kind = Kind::unlock, .object = accounts}), "unlocked accounts");
  EXPECT_EQ(text({.kind = Kind::load, .object = accounts, .order = 3, .value = "\x02\x01"}),
            "read accounts order 3 value 258");
  EXPECT_EQ(text({.kind = Kind::try_failed, .object = accounts, .number = 1200}),
            "failed to lock accounts 1,200 times");
  EXPECT_EQ(text({.kind = Kind::try_failed, .number = 1}), "failed to lock an object");
  EXPECT_EQ(text({.kind = Kind::write_lock, .object = accounts, .order = 2, .number = 1}),
            "locked for writing accounts order 2 after 1 read");
  EXPECT_EQ(text({.kind = Kind::spawn, .number = 2}), "started thread 0.0");
  EXPECT_EQ(text({.kind = Kind::exit, .number = 3}), "ended the process with exit code 3");
  EXPECT_EQ(text({.kind = Kind::crash, .number = 11}), "died of SIGSEGV");
  EXPECT_EQ(text({.kind = Kind::clock, .number = 12}), "read the clock: 12 ns");
}

TEST_F(Events, AreEscaped) {
  EXPECT_EQ(text({.kind = Kind::value, .value = "red \x1b[31m text", .name = "na\nme"}),
            "got na\\nme = \"red \\x1b[31m text\"");
  EXPECT_EQ(text({.kind = Kind::label, .object = accounts, .value = "\x07"}), "named an object \\x07");
  EXPECT_EQ(text({.kind = Kind::value, .value = std::string_view("\x01\0", 2), .name = "seed"}), "got seed = 1");
}

// Goal    A number is shown as one, whatever its bytes look like; a short text is not taken for a number.
TEST_F(Events, TellNumbersFromText) {
  EXPECT_EQ(text({.kind = Kind::value, .value = "ABCD", .name = "random_device"}), "got random_device = 1145258561");
  EXPECT_EQ(text({.kind = Kind::value, .value = "left", .name = "way"}), "got way = \"left\"");
  EXPECT_EQ(text({.kind = Kind::value, .value = "number nine", .name = "size"}), "got size = \"number nine\"");
}

TEST_F(Events, NoKindIsWithoutWords) {
  for (const recording::KindInfo& kind : recording::kinds) {
    EXPECT_NE(text({.kind = kind.kind, .object = accounts}), "?") << kind.name;
    EXPECT_FALSE(intent_text(*names_, kind.kind, accounts).empty()) << kind.name;
  }
}

TEST_F(Events, ContextIsTheLastOfThem) {
  EXPECT_THAT(context_before(*log_, *names_, 1, 3, 3),
              ElementsAre("step 1: locked accounts order 1", "step 3: wrote atomic@0#2 order 1"));
  EXPECT_THAT(context_before(*log_, *names_, 1, 100, 1), ElementsAre("step 6: ended the process with exit code 3"));
  EXPECT_THAT(context_before(*log_, *names_, 99, 100, 3), ElementsAre());
}

}  // namespace
}  // namespace reprise::analyse
