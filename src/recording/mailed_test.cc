#include "recording/mailed.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>

#include "recording/log_for_test.h"

namespace reprise::recording {
namespace {

using test::Bytes;
using test::MemoryBlocks;
using test::Owned;
using test::read_all;
using test::reader_of;

constexpr std::uint8_t short_tag = 0x80 | 39;

gate::Mailed mailed(std::string_view mailbox, std::string_view sender, std::uint64_t order, std::uint64_t number,
                    std::uint64_t all, std::uint64_t selection = 0) {
  return {mailbox, sender, gate::mailed_key(mailbox, sender), order, number, all, selection};
}

std::size_t bytes_of(const MemoryBlocks& blocks) {
  std::size_t bytes = 0;
  StreamReader reader = blocks.reader(main_thread);
  while (auto event = reader.next()) {
    if (!*event) break;
    bytes += reader.record().size();
  }
  return bytes;
}

// Goal    An arrival is the text that the format has for it, whether it was written in short or not.
// Method  One of each; what is read is the text by which a note has always been known.
TEST(Mailed, IsReadAsTheTextItStandsFor) {
  MemoryBlocks blocks(1000);
  StreamWriter writer(blocks, main_thread);
  const std::vector<std::pair<gate::Mailed, std::string>> notes{
      {mailed("box", "producer 0.1", 2, 2, 2), "arrival 2 producer 0.1 2 2"},
      {mailed("box", "producer 0.1", 4, 3, 3), "arrival 4 producer 0.1 3 3"},
      {mailed("box", {}, 5, 1, 1), "receive 5 1 1"},
      {mailed("box", {}, 6, 4, 9), "receive 6 4 9"},
      {mailed("choice", "producer 0.1", 1, 4, 4, 7), "arrival 1 producer 0.1 4 4 @7"},
      {mailed("choice", "producer 0.1", 2, 5, 5, 9), "arrival 2 producer 0.1 5 5 @9"}};
  std::uint64_t step = 0;
  for (const auto& [note, text] : notes) ASSERT_TRUE(writer.append(++step, 0, note));
  const auto read = read_all(blocks.reader(main_thread));
  ASSERT_EQ(read.error, "");
  ASSERT_EQ(read.events.size(), notes.size());
  for (std::size_t i = 0; i < notes.size(); ++i) {
    EXPECT_EQ(read.events[i].kind, Kind::mailbox);
    EXPECT_EQ(read.events[i].name, notes[i].first.mailbox);
    EXPECT_EQ(read.events[i].value, notes[i].second);
    EXPECT_EQ(read.events[i].step, i + 1);
  }
}

// Goal    A message after the other costs two bytes, not forty.
// Method  A thousand of one sender, and what the text would have taken.
TEST(Mailed, IsShort) {
  MemoryBlocks blocks(1 << 16);
  StreamWriter writer(blocks, main_thread);
  for (std::uint64_t i = 1; i <= 1000; ++i)
    ASSERT_TRUE(writer.append(i, 0, mailed("box", "producer 0.1", i, i + 1, i + 1)));
  EXPECT_LE(bytes_of(blocks), 2 * 1000 + 50u);
  EXPECT_EQ(read_all(blocks.reader(main_thread)).events.back().value, "arrival 1000 producer 0.1 1001 1001");
}

struct Choice {
  std::uint32_t mailbox;
  std::uint32_t sender;
  std::uint64_t order;
  std::uint64_t number;
  std::uint64_t all;
  bool goes_back;
  std::uint32_t other;
};

rc::Gen<Choice> choices() {
  const auto number = rc::gen::map(rc::gen::pair(rc::gen::arbitrary<std::uint64_t>(), rc::gen::inRange(4, 66)),
                                   [](const auto& pair) { return pair.second > 63 ? 0 : pair.first >> pair.second; });
  return rc::gen::construct<Choice>(
      rc::gen::inRange<std::uint32_t>(0, 12), rc::gen::inRange<std::uint32_t>(0, 12), number, number, number,
      rc::gen::map(rc::gen::inRange(0, 10), [](int i) { return i == 0; }), rc::gen::inRange<std::uint32_t>(0, 12));
}

// Goal    Whatever is noted is read back: many mailboxes and senders that share places in the cache, numbers that rise
//         by any amount or fall, notes that were written as text, other notes between, blocks that begin anew.
// Method  Random notes against their texts.
TEST(Mailed, ReadsBackWhatWasWritten) {
  const bool held = rc::check([] {
    const auto chosen = *rc::gen::container<std::vector<Choice>>(choices());
    MemoryBlocks blocks(*rc::gen::inRange<std::size_t>(1, 400));
    StreamWriter writer(blocks, main_thread);
    std::vector<std::pair<std::string, std::string>> expected;
    std::map<std::pair<std::uint32_t, std::uint32_t>, gate::Mailed> last;
    std::uint64_t step = 0;
    for (const Choice& choice : chosen) {
      const std::string mailbox = "box" + std::to_string(choice.mailbox);
      const std::string sender = choice.sender == 0 ? "" : "p 0." + std::to_string(choice.sender);
      gate::Mailed& now = last[{choice.mailbox, choice.sender}];
      const auto raise = [&](std::uint64_t& value, std::uint64_t by) {
        value = choice.goes_back ? value / 2 + 1 : value + by % (std::uint64_t{1} << 50) + 1;
      };
      raise(now.order, choice.order);
      raise(now.number, choice.number);
      raise(now.all, choice.all);
      if (choice.mailbox % 3 == 0) raise(now.selection, choice.all);
      const auto note = mailed(mailbox, sender, now.order, now.number, now.all, now.selection);
      const std::string text = text_of(note);
      if (choice.other == 0) {
        RC_ASSERT(writer.append({.step = ++step, .kind = Kind::mailbox, .value = text, .name = mailbox}));
      } else {
        RC_ASSERT(writer.append(++step, 0, note));
      }
      expected.emplace_back(mailbox, text);
      if (choice.other == 1) {
        RC_ASSERT(writer.append({.step = ++step, .kind = Kind::mailbox, .value = "arrival of nobody", .name = "x"}));
        expected.emplace_back("x", "arrival of nobody");
      }
    }
    const auto read = read_all(blocks.reader(main_thread));
    RC_ASSERT(read.error.empty());
    std::vector<std::pair<std::string, std::string>> found;
    for (const Owned& event : read.events) found.emplace_back(event.name, event.value);
    RC_ASSERT(found == expected);
  });
  EXPECT_TRUE(held);
}

// Goal    What can be read without the blocks before it needs nothing of them.
// Method  A stream begins anew: its next note is a text again, and the last block alone is read whole.
TEST(Mailed, IsForgottenWhereABlockIsFresh) {
  MemoryBlocks blocks(1000);
  StreamWriter writer(blocks, main_thread);
  for (std::uint64_t i = 1; i <= 3; ++i) ASSERT_TRUE(writer.append(i, 0, mailed("box", "p 0", i, i, i)));
  writer.begin_anew();
  for (std::uint64_t i = 4; i <= 5; ++i) ASSERT_TRUE(writer.append(i, 0, mailed("box", "p 0", i, i, i)));
  ASSERT_EQ(blocks.blocks.size(), 2u);
  const auto& last = blocks.blocks.back();
  const auto read = read_all({main_thread, [&, given = false]() mutable -> Result<std::optional<Piece>> {
                                if (std::exchange(given, true)) return std::optional<Piece>{};
                                return std::optional<Piece>{Piece{last.bytes, true, last.steps_before, true}};
                              }});
  ASSERT_EQ(read.error, "");
  ASSERT_EQ(read.events.size(), 2u);
  EXPECT_EQ(read.events[1].value, "arrival 5 p 0 5 5");
}

// Goal    Bytes that claim what cannot be are damage: a place that holds nothing, a number beyond the limit, a
// selection
//         where there was none, too few bytes.
// Method  Such records behind a text that is fine; the control is one that is fine as well.
TEST(Mailed, BelievesNoByte) {
  MemoryBlocks blocks(1000);
  StreamWriter writer(blocks, main_thread);
  ASSERT_TRUE(writer.append(1, 0, mailed("box", "p 0", 1, 1, 1)));
  StreamReader reader = blocks.reader(main_thread);
  ASSERT_TRUE(reader.next());
  const Bytes text(reader.record().begin(), reader.record().end());
  const auto slot = static_cast<std::uint8_t>(gate::mailed_key("box", "p 0") >> 58);
  const auto more = static_cast<std::uint8_t>(slot | 0x40);
  const auto other = static_cast<std::uint8_t>((slot + 1) % 64);
  const auto events = [&](const Bytes& record) {
    Bytes bytes = text;
    bytes.insert(bytes.end(), record.begin(), record.end());
    const auto read = read_all(reader_of(bytes));
    EXPECT_EQ(read.error.empty(), read.events.size() == 2);
    return read.events.size();
  };
  EXPECT_EQ(events({short_tag, slot}), 2u);
  EXPECT_EQ(events({short_tag, more, 0, 0, 0}), 2u);
  EXPECT_EQ(events({short_tag, other}), 1u);
  EXPECT_EQ(events({short_tag, more, 0, 0, 1}), 1u);
  EXPECT_EQ(events({short_tag, more, 0, 0}), 1u);
  EXPECT_EQ(events({short_tag}), 1u);
  EXPECT_EQ(events({short_tag | 0x40, slot}), 1u);  // no object is mentioned
  const Bytes huge{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01};
  Bytes record{short_tag, more};
  record.insert(record.end(), huge.begin(), huge.end());
  record.insert(record.end(), {0, 0});
  EXPECT_EQ(events(record), 1u);
}

}  // namespace
}  // namespace reprise::recording
