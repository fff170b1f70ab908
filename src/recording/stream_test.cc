#include "recording/stream.h"

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

// One choice of the generator; turned into a valid event by Program below.
struct Choice {
  std::uint32_t kind;
  std::uint32_t object;
  std::uint64_t left_out;
  std::uint64_t raised;
  std::uint64_t number;
  std::string value;
  std::string name;
};

rc::Gen<Choice> choices() {
  // Small numbers often, any number sometimes: varints of every length.
  const auto number = rc::gen::map(rc::gen::pair(rc::gen::arbitrary<std::uint64_t>(), rc::gen::inRange(0, 64)),
                                   [](const auto& pair) { return pair.first >> pair.second; });
  return rc::gen::construct<Choice>(
      rc::gen::inRange<std::uint32_t>(0, kinds.size()), rc::gen::inRange<std::uint32_t>(0, 40),
      rc::gen::weightedOneOf<std::uint64_t>(
          {{5, rc::gen::just(std::uint64_t{0})}, {2, rc::gen::inRange<std::uint64_t>(0, 1000)}}),
      rc::gen::weightedOneOf<std::uint64_t>({{3, rc::gen::inRange<std::uint64_t>(0, 3)},
                                             {1, rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 40)}}),
      number, rc::gen::string<std::string>(), rc::gen::string<std::string>());
}

// Turns choices into what a recorder could have written, and into what must be read back.
struct Program {
  std::vector<Owned> written;
  std::vector<Owned> expected;  // failures one by one, read values without leading zero bytes
  std::uint64_t step{0};

  explicit Program(const std::vector<Choice>& chosen) {
    for (const Choice& choice : chosen) add(choice);
  }

  static ObjectId object(std::uint32_t choice) {
    if (choice < 20) return object_id(main_thread, choice / 2 + 1);
    if (choice < 30) return object_id(choice, std::uint64_t{choice} << 20);
    return object_id(well_known, max_object_ordinal - choice);
  }

  void add(const Choice& choice) {
    const KindInfo& row = kinds[choice.kind];
    if (row.kind == Kind::end) return;  // only ever last
    const bool is_label = !is_step(row.treated);
    Owned event;
    event.kind = row.kind;
    event.step = is_label ? step : step + choice.left_out + 1;
    event.check = static_cast<std::uint8_t>(choice.number);
    event.checked = event.step > step + 1;
    if (has_object(row.treated)) event.object = object(choice.object);
    if (row.treated == Class::failure && choice.object % 3 != 0) event.object = object(choice.object / 10 + 1);
    const std::uint64_t raised = choice.raised + (raises_order(row.treated) ? 1 : 0);
    if (has_order(row.treated)) event.order = orders[event.object] += raised;
    if (row.treated == Class::read || !is_step(row.treated)) event.value = choice.value;
    if (row.kind == Kind::clock || row.treated == Class::mark || row.treated == Class::plain ||
        row.treated == Class::writing)
      event.number = choice.number;
    if (row.treated == Class::failure) event.number = 1;
    if (row.treated == Class::value && row.kind != Kind::clock) {
      event.value = choice.value;
      event.name = choice.name;
    }
    step = event.step;
    written.push_back(event);
    if (!event.checked) event.check = 0;
    if (row.treated == Class::read) event.value.resize(event.value.find_last_not_of('\0') + 1);
    expected.push_back(event);
  }

  std::map<ObjectId, std::uint64_t> orders;
};

std::vector<Owned> one_by_one(const std::vector<Owned>& events) {
  std::vector<Owned> result;
  for (Owned event : events) {
    if (info(event.kind).treated != Class::failure) {
      result.push_back(event);
      continue;
    }
    const std::uint64_t count = std::exchange(event.number, 1);
    for (std::uint64_t i = 0; i < count; ++i) {
      result.push_back(event);
      ++event.step;
      event.checked = false;
      event.check = 0;
    }
  }
  return result;
}

std::uint64_t write_all(StreamWriter& writer, const std::vector<Owned>& events) {
  for (const Owned& event : events) EXPECT_TRUE(writer.append(event.event()));
  return writer.written();
}

// Bytes of one block, without its unused room.
Bytes bytes_of(const std::vector<Owned>& events) {
  MemoryBlocks blocks(std::size_t{1} << 16);
  StreamWriter writer(blocks, main_thread);
  write_all(writer, events);
  StreamReader reader = blocks.reader(main_thread);
  Bytes bytes;
  while (auto event = reader.next()) {
    if (!*event) break;
    bytes.insert(bytes.end(), reader.record().begin(), reader.record().end());
  }
  return bytes;
}

// One event of each class, with references of every form.
std::vector<Owned> some_of_everything() {
  const ObjectId own = object_id(main_thread, 1);
  const ObjectId other = object_id(7, 300);
  std::vector<Owned> events;
  std::uint64_t step = 0;
  const auto add = [&](Event event, std::uint64_t left_out = 0) {
    event.step = event.kind == Kind::label ? step : step += left_out + 1;
    event.check = 0x5A;
    events.emplace_back(event);
  };
  add({.kind = Kind::lock, .object = own, .order = 1});
  add({.kind = Kind::label, .object = own, .value = "accounts"});
  add({.kind = Kind::lock, .object = other, .order = 70'000}, 300);
  add({.kind = Kind::load, .object = other, .order = 70'000, .value = "\x01\x02"});
  add({.kind = Kind::lock, .object = own, .order = 4});
  add({.kind = Kind::try_failed, .object = own, .number = 1});
  add({.kind = Kind::value, .value = "some bytes", .name = "address"});
  add({.kind = Kind::clock, .number = 1'700'000'000'000'000'000});
  add({.kind = Kind::spawn, .number = 2});
  add({.kind = Kind::exit, .number = static_cast<std::uint64_t>(-1)});
  return events;
}

// Goal    Whatever a recorder writes is read back, event by event, wherever the blocks change.
// Method  Random valid events of every kind and number size, in blocks that hold one or a few records.
TEST(Stream, ReadsBackWhatWasWritten) {
  const bool held = rc::check([] {
    const auto chosen = *rc::gen::container<std::vector<Choice>>(choices());
    const Program program(chosen);
    MemoryBlocks blocks(*rc::gen::inRange<std::size_t>(1, 400));
    StreamWriter writer(blocks, main_thread);
    for (const Owned& event : program.written) RC_ASSERT(writer.append(event.event()));
    RC_ASSERT(writer.append({.step = program.step + 1, .kind = Kind::end}));
    auto read = read_all(blocks.reader(main_thread));
    RC_ASSERT(read.error.empty());
    RC_ASSERT(read.events.size() == writer.written());
    RC_ASSERT(read.step == program.step + 1);
    RC_ASSERT(read.events.back().kind == Kind::end);
    read.events.pop_back();
    RC_ASSERT(one_by_one(read.events) == program.expected);
  });
  EXPECT_TRUE(held);
}

// Goal    Contents that are appended the short way are those of the general way, byte for byte, and copied exactly.
// Method  Every length around each limit of the short way and of its copy, in blocks that hold a few or many, steps
// left
//         out in between; guard bytes stand around each value.
TEST(Stream, AppendsContentsAsAnyValue) {
  for (const std::size_t block : {std::size_t{100}, std::size_t{256}, std::size_t{1} << 16}) {
    MemoryBlocks short_way(block);
    MemoryBlocks general_way(block);
    StreamWriter appended(short_way, main_thread);
    StreamWriter expected(general_way, main_thread);
    std::uint64_t step = 0;
    for (std::size_t size = 0; size <= 200; ++size) {
      std::string guarded(size + 2, '#');
      for (std::size_t i = 0; i < size; ++i) guarded[i + 1] = static_cast<char>(size * 31 + i + 1);
      const std::string_view value(guarded.data() + 1, size);
      step += size % 3 == 0 ? 1000 : 1;
      ASSERT_TRUE(appended.append_contents(step, 0x5A, value));
      ASSERT_TRUE(expected.append({.step = step, .kind = Kind::content, .value = value, .check = 0x5A}));
    }
    ASSERT_EQ(appended.written(), 201u);
    ASSERT_EQ(short_way.blocks.size(), general_way.blocks.size());
    EXPECT_TRUE(std::equal(short_way.blocks.begin(), short_way.blocks.end(), general_way.blocks.begin(),
                           [](const auto& one, const auto& other) { return one.bytes == other.bytes; }))
        << "blocks of " << block;
    EXPECT_EQ(read_all(short_way.reader(main_thread)).events.size(), 201u);
  }
}

// Goal    Random bytes never crash the reader and never make it read on after damage.
// Method  Arbitrary bytes as a sealed and as a live piece; read_all checks that an error stays.
TEST(Stream, SurvivesRandomBytes) {
  const bool held = rc::check([] {
    const auto bytes = *rc::gen::container<Bytes>(rc::gen::arbitrary<std::uint8_t>());
    const auto read = read_all(reader_of(bytes));
    RC_ASSERT(read.events.size() <= bytes.size());
    RC_ASSERT(read.step <= max_step);
  });
  EXPECT_TRUE(held);
}

// Goal    An object whose first written passage is not its first one keeps its order, and later ones stay cheap.
// Method  The thread's first object appears with order 5, its second not at all, its third with order 1.
TEST(Stream, KeepsTheOrderOfAnObjectFirstWrittenLater) {
  MemoryBlocks blocks(4096);
  StreamWriter writer(blocks, main_thread);
  ASSERT_TRUE(writer.append({.step = 1, .kind = Kind::lock, .object = object_id(main_thread, 1), .order = 5}));
  ASSERT_TRUE(writer.append({.step = 2, .kind = Kind::lock, .object = object_id(main_thread, 3), .order = 1}));
  ASSERT_TRUE(writer.append({.step = 3, .kind = Kind::lock, .object = object_id(main_thread, 4), .order = 1}));
  StreamReader reader = blocks.reader(main_thread);
  EXPECT_EQ((*reader.next())->order, 5u);
  EXPECT_EQ((*reader.next())->object, object_id(main_thread, 3));
  EXPECT_EQ((*reader.next())->object, object_id(main_thread, 4));
  EXPECT_EQ(reader.record().size(), 2u) << "the next new object is one byte, its order none";
}

// Goal    Failures in a row are one record, but only those of one kind at one object in adjacent steps.
// Method  Two that follow each other, one at another object, one after a gap.
TEST(Stream, CountsFailuresInARow) {
  MemoryBlocks blocks(4096);
  StreamWriter writer(blocks, main_thread);
  const ObjectId a = object_id(2, 1);
  const ObjectId b = object_id(2, 2);
  for (const auto& [step, object] : {std::pair{1, a}, {2, a}, {3, b}, {5, b}}) {
    const auto at = static_cast<std::uint64_t>(step);
    ASSERT_TRUE(writer.append({.step = at, .kind = Kind::try_failed, .object = object, .number = 1}));
  }
  const auto read = read_all(blocks.reader(main_thread));
  ASSERT_EQ(read.events.size(), 3u);
  EXPECT_EQ(read.events[0].number, 2u);
  EXPECT_EQ(read.events[1].number, 1u);
  EXPECT_EQ(read.events[2].step, 5u);
  EXPECT_EQ(read.step, 5u);
}

// Goal    kill -9 within an append leaves all earlier events and none of the torn one.
// Method  For each record in turn, the block as it was before that record's first byte was stored.
TEST(Stream, IgnoresARecordWithoutItsFirstByte) {
  const auto events = some_of_everything();
  const Bytes whole = bytes_of(events);
  StreamReader reader = reader_of(whole);
  std::size_t offset = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    ASSERT_TRUE(*reader.next());
    Bytes torn(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(offset + reader.record().size()));
    torn[offset] = 0;
    offset += reader.record().size();
    const auto read = read_all({main_thread, [&torn, given = false]() mutable -> Result<std::optional<Piece>> {
                                  if (std::exchange(given, true)) return std::optional<Piece>{};
                                  return std::optional<Piece>{Piece{torn, true, 0}};
                                }});
    EXPECT_EQ(read.error, "");
    EXPECT_EQ(read.events.size(), i);
  }
}

// Goal    A cut stream gives a prefix of its events, then the end or an error; never another event.
// Method  Cut at every byte.
TEST(Stream, GivesAPrefixWhenCutAnywhere) {
  const auto events = some_of_everything();
  const Bytes whole = bytes_of(events);
  const auto all = read_all(reader_of(whole)).events;
  ASSERT_EQ(all.size(), events.size());
  std::size_t errors = 0;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    const auto read = read_all(reader_of(cut));
    ASSERT_LE(read.events.size(), all.size());
    EXPECT_TRUE(std::equal(read.events.begin(), read.events.end(), all.begin())) << "cut at " << size;
    errors += read.error.empty() ? 0 : 1;
  }
  EXPECT_EQ(errors, whole.size() - events.size()) << "only cuts between records go unnoticed here";
}

// Goal    No flipped bit makes the reader crash, hang or leave its bounds.
// Method  Every bit of a stream with all classes; steps stay in bounds and rise.
TEST(Stream, SurvivesEveryFlippedBit) {
  const Bytes whole = bytes_of(some_of_everything());
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    Bytes flipped = whole;
    flipped[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    const auto read = read_all(reader_of(flipped));
    std::uint64_t last = 0;
    for (const Owned& event : read.events) {
      EXPECT_GE(event.step, last);
      last = event.step;
    }
    EXPECT_LE(read.step, max_step);
  }
}

struct BadBytes {
  const char* what;
  Bytes bytes;
};

// Goal    Each rule of the grammar that bounds a number or a reference is kept by the reader.
// Method  One stream per rule, each broken in just that place.
TEST(Stream, RefusesWhatTheGrammarDoesNotAllow) {
  constexpr std::uint8_t next = 0x80;
  constexpr std::uint8_t same = 0x40;
  const auto tag = [](Kind kind) { return static_cast<std::uint8_t>(kind); };
  const Bytes varint_max{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01};
  const auto with = [](Bytes bytes, const Bytes& more) {
    bytes.insert(bytes.end(), more.begin(), more.end());
    return bytes;
  };
  const std::vector<BadBytes> bad{
      {"an unknown kind", {static_cast<std::uint8_t>(next | 62)}},
      {"no kind", {next}},
      {"a zero in a sealed piece", {0}},
      {"the same object, but there was none", {static_cast<std::uint8_t>(next | same | tag(Kind::lock)), 1}},
      {"the same object for a class without objects", {static_cast<std::uint8_t>(next | same | tag(Kind::clock)), 1}},
      {"a cached object, but the place is empty", {static_cast<std::uint8_t>(next | tag(Kind::lock)), 2, 1}},
      {"a cached object beyond the cache", {static_cast<std::uint8_t>(next | tag(Kind::lock)), 2 + 16, 1}},
      {"an object of thread 0", {static_cast<std::uint8_t>(next | tag(Kind::lock)), 0, 0, 5, 1}},
      {"an object with ordinal 0", {static_cast<std::uint8_t>(next | tag(Kind::lock)), 0, 5, 0, 1}},
      {"object 0 outside a failure", {static_cast<std::uint8_t>(next | tag(Kind::lock)), 0, 0, 0, 1}},
      {"a thread beyond the limit",
       {static_cast<std::uint8_t>(next | tag(Kind::lock)), 0, 0x80, 0x80, 0x80, 0x08, 1, 1}},
      {"an order that does not rise", {static_cast<std::uint8_t>(next | tag(Kind::lock)), 0, 7, 7, 0}},
      {"a gap on a label", {tag(Kind::label), 1, 0, 1, 0}},
      {"a failure that happened no times", {static_cast<std::uint8_t>(next | tag(Kind::try_failed)), 1, 0, 0, 0, 0}},
      {"a varint of eleven bytes",
       {static_cast<std::uint8_t>(next | tag(Kind::spawn)), 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        1}},
      {"a varint above 64 bits",
       {static_cast<std::uint8_t>(next | tag(Kind::spawn)), 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0x02}},
      {"a step beyond the limit", with({tag(Kind::spawn)}, with(varint_max, {0x5A, 1}))},
      {"an order beyond the limit", with({static_cast<std::uint8_t>(next | tag(Kind::lock)), 0, 7, 7}, varint_max)},
      {"a value longer than the stream", with({static_cast<std::uint8_t>(next | tag(Kind::value))}, varint_max)},
      {"a label longer than the stream",
       with({static_cast<std::uint8_t>(next | tag(Kind::label)), 1}, {0x80, 0x80, 0x40})},
  };
  for (const BadBytes& example : bad) {
    const auto read = read_all(reader_of(example.bytes));
    EXPECT_NE(read.error, "") << example.what;
    EXPECT_TRUE(read.events.empty()) << example.what;
  }
}

// Goal    Nothing follows the end of a thread.
// Method  An end mark, with an event after it.
TEST(Stream, EndsWithItsEndMark) {
  const auto end = static_cast<std::uint8_t>(0x80 | static_cast<unsigned>(Kind::end));
  const Bytes bytes{end, 0, end, 0};
  const auto read = read_all(reader_of(bytes));
  EXPECT_EQ(read.events.size(), 1u);
  EXPECT_NE(read.error, "");
}

// Goal    Steps cannot wrap round: no sequence of gaps takes a reader past the limit.
// Method  Four gaps of a quarter of the range each, then one more.
TEST(Stream, KeepsStepsBelowTheLimit) {
  Bytes bytes;
  for (int i = 0; i < 5; ++i) {
    std::uint8_t gap[base::max_varint_bytes];
    bytes.push_back(static_cast<std::uint8_t>(Kind::spawn));
    bytes.insert(bytes.end(), gap, base::put_varint(gap, max_step / 4));
    bytes.insert(bytes.end(), {0x5A, 0});
  }
  const auto read = read_all(reader_of(bytes));
  EXPECT_EQ(read.events.size(), 3u);
  EXPECT_NE(read.error, "");
}

// Goal    No gap and no surplus, however large, makes an order that cannot be: each alone is in range, their sum is
// not. Method  A passage, then one of the same object after the longest gap with the largest and with the smallest
// surplus.
TEST(Stream, RefusesOrdersThatOverflow) {
  constexpr std::int64_t limit = std::int64_t{1} << 62;
  for (const std::int64_t surplus : {INT64_MAX, limit, 1 - limit, -limit, INT64_MIN}) {
    Bytes bytes{0x80 | static_cast<unsigned>(Kind::modify), 1};
    std::uint8_t number[base::max_varint_bytes];
    bytes.push_back(0x40 | static_cast<unsigned>(Kind::modify));
    bytes.insert(bytes.end(), number, base::put_varint(number, max_step - 3));
    bytes.push_back(0x5A);
    bytes.insert(bytes.end(), number, base::put_varint(number, base::zigzag(surplus)));
    const auto read = read_all(reader_of(bytes));
    EXPECT_EQ(read.events.size(), surplus == 1 - limit ? 2u : 1u) << surplus;
    for (const Owned& event : read.events) EXPECT_LE(event.order, max_order);
  }
}

// Goal    A block that is not the next one is noticed: its events would get the wrong steps.
// Method  The middle one of three blocks is left out.
TEST(Stream, NoticesAMissingBlock) {
  MemoryBlocks blocks(1);
  StreamWriter writer(blocks, main_thread);
  for (std::uint64_t step = 1; step <= 3; ++step) {
    ASSERT_TRUE(writer.append({.step = step, .kind = Kind::spawn, .number = step}));
  }
  ASSERT_EQ(blocks.blocks.size(), 3u);
  blocks.blocks.erase(std::next(blocks.blocks.begin()));
  const auto read = read_all(blocks.reader(main_thread));
  EXPECT_EQ(read.events.size(), 1u);
  EXPECT_NE(read.error.find("missing"), std::string::npos) << read.error;
}

// Goal    The steps of a long stream are known from its last block alone.
// Method  tail() on the last of many blocks, whose records refer to objects of earlier ones, against the whole stream.
TEST(Stream, KnowsItsStepsFromTheLastBlock) {
  MemoryBlocks blocks(200);
  StreamWriter writer(blocks, main_thread);
  for (std::uint64_t i = 1; i <= 100; ++i) {
    ASSERT_TRUE(writer.append({.step = 3 * i, .kind = Kind::lock, .object = object_id(5, i % 4 + 1), .order = i}));
  }
  ASSERT_TRUE(writer.append({.step = 301, .kind = Kind::try_failed, .object = object_id(5, 1), .number = 1}));
  ASSERT_TRUE(writer.append({.step = 302, .kind = Kind::try_failed, .object = object_id(5, 1), .number = 1}));
  ASSERT_GT(blocks.blocks.size(), 2u);
  const auto& last = blocks.blocks.back();
  const auto read = read_all(StreamReader::tail(main_thread, Piece{last.bytes, true, last.steps_before}));
  EXPECT_EQ(read.error, "");
  EXPECT_FALSE(read.events.empty());
  EXPECT_EQ(read.step, 302u);
}

// Goal    When there is no room, nothing of the refused event is left, and what was written before can be read.
// Method  Two blocks and no third; then an event of more bytes than any log may hold.
TEST(Stream, WritesNothingWhenThereIsNoRoom) {
  MemoryBlocks blocks(1, 2);
  StreamWriter writer(blocks, main_thread);
  EXPECT_TRUE(writer.append({.step = 1, .kind = Kind::spawn}));
  const char* nothing = "";
  EXPECT_FALSE(writer.append({.step = 2, .kind = Kind::value, .value = {nothing, max_record_bytes}}));
  EXPECT_TRUE(writer.append({.step = 2, .kind = Kind::spawn}));
  EXPECT_FALSE(writer.append({.step = 3, .kind = Kind::value, .value = std::string(100, 'x')}));
  EXPECT_EQ(writer.written(), 2u);
  const auto read = read_all(blocks.reader(main_thread));
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(read.events.size(), 2u);
}

}  // namespace
}  // namespace reprise::recording
