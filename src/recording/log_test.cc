#include "recording/log.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sys/stat.h>

#include "recording/log_for_test.h"
#include "recording/sealed.h"
#include "recording/verify.h"

namespace reprise::recording {
namespace {

using test::create_live;
using test::Owned;
using test::read_all;
using test::read_bytes;
using test::read_log;
using test::TemporaryFolder;
using test::TestThread;
using test::trimmed_live;
using test::write_bytes;
using test::write_small_live;

Log must_open(const std::filesystem::path& path) {
  auto log = Log::open(path);
  EXPECT_TRUE(log) << (log ? "" : log.error().message);
  if (!log) std::abort();
  return *log;
}

void must_seal(const std::filesystem::path& from, const std::filesystem::path& to) {
  const auto sealed = seal(from, to);
  ASSERT_TRUE(sealed) << sealed.error().message;
}

void expect_same_threads(const Log& a, const Log& b) {
  ASSERT_EQ(a.threads().size(), b.threads().size());
  for (std::size_t i = 0; i < a.threads().size(); ++i) {
    const ThreadInfo& x = a.threads()[i];
    const ThreadInfo& y = b.threads()[i];
    EXPECT_EQ(x.index, y.index);
    EXPECT_EQ(x.parent, y.parent);
    EXPECT_EQ(x.ordinal, y.ordinal);
    EXPECT_EQ(x.path, y.path);
    EXPECT_EQ(x.steps, y.steps);
    EXPECT_EQ(x.hash, y.hash);
    EXPECT_EQ(x.hash_known, y.hash_known);
    EXPECT_EQ(x.ended, y.ended);
    EXPECT_EQ(x.pending_kind, y.pending_kind);
    EXPECT_EQ(x.pending_object, y.pending_object);
    EXPECT_EQ(x.pending_order, y.pending_order);
    EXPECT_EQ(x.asleep, y.asleep);
    EXPECT_EQ(x.objects, y.objects);
    const auto left = read_all(a.stream(x.index));
    const auto right = read_all(b.stream(y.index));
    EXPECT_EQ(left.error, "");
    EXPECT_EQ(right.error, "");
    EXPECT_EQ(left.events, right.events);
  }
}

// Goal    Sealing changes the form of a log, not what it says.
// Method  A small live log with a waiting thread, flags and a reason, against its sealed form, field by field.
TEST(Log, SaysTheSameSealedAsLive) {
  const TemporaryFolder folder;
  write_small_live(folder / "a.live");
  {
    auto bytes = read_bytes(folder / "a.live");
    bytes[24] = live_full | live_unsupported;
    std::memcpy(bytes.data() + 64, "why", 4);
    write_bytes(folder / "a.live", bytes);
  }
  must_seal(folder / "a.live", folder / "a.log");
  const Log live = must_open(folder / "a.live");
  const Log sealed = must_open(folder / "a.log");
  EXPECT_FALSE(live.info().sealed);
  EXPECT_TRUE(sealed.info().sealed);
  EXPECT_EQ(live.threads().size(), 2u);
  EXPECT_EQ(read_all(live.stream(main_thread)).events.size(), 6u);
  expect_same_threads(live, sealed);
  for (const Log& log : {live, sealed}) {
    EXPECT_TRUE(log.info().full);
    EXPECT_EQ(log.info().flags, std::uint32_t{live_full | live_unsupported});
    EXPECT_EQ(log.info().reason, "why");
    EXPECT_EQ(log.info().end_kind, EndKind::exited);
    EXPECT_EQ(log.info().end_code, 3);
    EXPECT_EQ(log.info().end_thread, main_thread);
    EXPECT_EQ(log.info().output_bytes, 12u);
    EXPECT_EQ(log.info().output_digest, 0x1122334455667788u);
    EXPECT_EQ(log.info().torn, "");
    EXPECT_EQ(log.threads()[1].path, "0.0");
    EXPECT_TRUE(log.threads()[1].ended);
    EXPECT_EQ(log.thread(9), nullptr);
    EXPECT_TRUE(read_all(log.stream(9)).events.empty());
  }
}

// Goal    The same for any log: many threads, any number of events, values larger than a chunk, blocked threads.
// Method  Random threads and events; compare live, sealed, and sealed again (byte for byte).
TEST(Log, SaysTheSameSealedAsLiveWhateverIsInIt) {
  const bool held = rc::check([] {
    const TemporaryFolder folder;
    Live& live = create_live(folder / "a.live");
    const auto threads = *rc::gen::inRange<std::uint32_t>(1, 6);
    for (std::uint32_t i = 0; i < threads; ++i) {
      TestThread thread(live, i == 0 ? no_thread : *rc::gen::inRange<std::uint32_t>(1, i + 1), i);
      const auto count = *rc::gen::inRange(0, 300);
      const ObjectId object = thread.new_object();
      for (int k = 0; k < count; ++k) thread.write_at(Kind::lock, object, 2 * static_cast<std::uint64_t>(k) + 1);
      if (*rc::gen::inRange(0, 10) == 0) {
        thread.write({.kind = Kind::value, .value = std::string(chunk_bytes + 1000, 'v'), .name = "large"});
      }
      if (*rc::gen::arbitrary<bool>()) {
        thread.waits(Kind::lock, object_id(1, 1));
      } else if (*rc::gen::arbitrary<bool>()) {
        thread.end();
      }
    }
    must_seal(folder / "a.live", folder / "a.log");
    must_seal(folder / "a.log", folder / "b.log");
    expect_same_threads(must_open(folder / "a.live"), must_open(folder / "a.log"));
    RC_ASSERT(read_bytes(folder / "a.log") == read_bytes(folder / "b.log"));
    const auto report = verify(folder / "a.log");
    RC_ASSERT(report.has_value());
    RC_ASSERT(report->findings == std::vector<std::string>{});
  });
  EXPECT_TRUE(held);
}

// Goal    Small recordings stay small, and long regular ones too.
// Method  Two threads with few events; two threads that change places ten thousand times.
TEST(Log, IsCompact) {
  const TemporaryFolder folder;
  write_small_live(folder / "small.live");
  must_seal(folder / "small.live", folder / "small.log");
  EXPECT_LT(std::filesystem::file_size(folder / "small.log"), 300u);
  Live& live = create_live(folder / "long.live");
  TestThread a(live, no_thread, 0);
  TestThread b(live, main_thread, 0);
  const ObjectId mutex = a.new_object();
  for (std::uint64_t order = 1; order <= 20'000; order += 2) {
    a.write_at(Kind::lock, mutex, order);
    a.count(Kind::unlock, mutex);
    b.write_at(Kind::lock, mutex, order + 1);
    b.count(Kind::unlock, mutex);
  }
  must_seal(folder / "long.live", folder / "long.log");
  EXPECT_LT(std::filesystem::file_size(folder / "long.log"), 60'000u) << "3 bytes per change of owner at most";
}

// Goal    A sealed log appears whole, is private, and nothing else is left in the folder.
// Method  Seal over an older file under a permissive mask; list the folder.
TEST(Log, IsSealedInOnePiece) {
  const TemporaryFolder folder;
  write_small_live(folder / "a.live");
  write_bytes(folder / "a.log", {1, 2, 3});
  const mode_t mask = umask(0);
  must_seal(folder / "a.live", folder / "a.log");
  umask(mask);
  struct stat status {};
  ASSERT_EQ(stat((folder / "a.log").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 2);
  const auto nowhere = seal(folder / "a.live", folder / "no" / "a.log");
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().code, ErrorCode::io);
}

// Goal    What is not a log of this version is told apart by its error.
// Method  A missing file, a folder, a text, an empty file, and both forms with another version.
TEST(Log, TellsWhatIsNotALog) {
  const TemporaryFolder folder;
  EXPECT_EQ(Log::open(folder / "missing").error().code, ErrorCode::not_found);
  EXPECT_EQ(Log::open(folder.path()).error().code, ErrorCode::not_a_recording);
  write_bytes(folder / "text", {'h', 'e', 'l', 'l', 'o', ' ', 't', 'h', 'e', 'r', 'e'});
  EXPECT_EQ(Log::open(folder / "text").error().code, ErrorCode::not_a_recording);
  write_bytes(folder / "empty", {});
  EXPECT_EQ(Log::open(folder / "empty").error().code, ErrorCode::not_a_recording);
  write_small_live(folder / "a.live");
  must_seal(folder / "a.live", folder / "a.log");
  for (const char* name : {"a.live", "a.log"}) {
    auto bytes = read_bytes(folder / name);
    bytes[8] = 77;
    write_bytes(folder / "other", bytes);
    const auto other = Log::open(folder / "other");
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().code, ErrorCode::version_unsupported);
    EXPECT_NE(other.error().message.find("77"), std::string::npos);
    EXPECT_NE(other.error().message.find("version 1"), std::string::npos);
  }
}

// Goal    kill -9 between writing a step and counting it loses neither.
// Method  A slot that lags behind the stream by one event, by a run of failures, by an end mark; live and sealed.
TEST(Log, CountsStepsThatWereWrittenButNotYetCounted) {
  const TemporaryFolder folder;
  Live& live = create_live(folder / "a.live");
  TestThread main(live, no_thread, 0);
  TestThread child(live, main_thread, 0);
  TestThread last(live, main_thread, 1);
  main.write({.kind = Kind::clock, .number = 5});
  main.writer.append({.step = 2, .kind = Kind::clock, .number = 6});
  for (std::uint64_t step = 1; step <= 3; ++step)
    child.writer.append({.step = step, .kind = Kind::try_failed, .number = 1});
  last.count(Kind::spawn, 1);
  last.writer.append({.step = 1, .kind = Kind::lock, .object = object_id(3, 1), .order = 1});
  last.writer.append({.step = 2, .kind = Kind::end});
  must_seal(folder / "a.live", folder / "a.log");
  for (const char* name : {"a.live", "a.log"}) {
    const Log log = must_open(folder / name);
    EXPECT_EQ(log.threads()[0].steps, 2u);
    EXPECT_FALSE(log.threads()[0].hash_known) << "the hash is that of step 1";
    EXPECT_EQ(log.threads()[1].steps, 3u);
    EXPECT_EQ(log.threads()[2].steps, 2u);
    EXPECT_TRUE(log.threads()[2].ended);
    EXPECT_EQ(log.threads()[2].objects, log.info().sealed ? 1u : 0u) << "what its stream names, counts";
    EXPECT_EQ(log.info().torn, "");
  }
}

// Goal    kill -9 at any instant of creating a thread or a block leaves a log that opens, with what was there before.
// Method  A slot that is not yet running; a block that is there but empty; an extent beyond `used`.
TEST(Log, OpensWhatKillLeft) {
  const TemporaryFolder folder;
  Live& live = create_live(folder / "a.live");
  TestThread main(live, no_thread, 0);
  main.write({.kind = Kind::clock, .number = 5});
  ASSERT_FALSE(live.allocate(main_thread, 1, 1, 100).empty());
  gate::Slot* slot = live.add_slot(main_thread, 0);
  slot->state = 0;
  const std::uint64_t used = live.header().used.load();
  ASSERT_FALSE(live.allocate(main_thread, 2, 1, 100).empty());
  live.header().used.store(used);
  const Log log = must_open(folder / "a.live");
  EXPECT_EQ(log.info().torn, "");
  ASSERT_EQ(log.threads().size(), 1u);
  EXPECT_EQ(log.threads()[0].steps, 1u);
  EXPECT_EQ(read_all(log.stream(main_thread)).events.size(), 1u);
}

// Goal    A thread's path is its way from main; far down it is given from its parent, so that depth costs no square.
// Method  A chain of a thousand threads.
TEST(Log, NamesThreadsByTheirPath) {
  const TemporaryFolder folder;
  Live& live = create_live(folder / "a.live");
  ASSERT_NE(live.add_slot(no_thread, 0), nullptr);
  for (ThreadIndex parent = 1; parent <= 1000; ++parent) ASSERT_NE(live.add_slot(parent, 2), nullptr);
  const Log log = must_open(folder / "a.live");
  EXPECT_EQ(log.thread(1)->path, "0");
  EXPECT_EQ(log.thread(2)->path, "0.2");
  EXPECT_EQ(log.thread(3)->path, "0.2.2");
  std::set<std::string> paths;
  for (const ThreadInfo& thread : log.threads()) {
    EXPECT_LT(thread.path.size(), 250u);
    paths.insert(thread.path);
  }
  EXPECT_EQ(paths.size(), 1001u);
}

// Goal    A StreamReader outlives its Log, and readers of one log do not disturb each other.
// Method  Two readers in turn, the log gone.
TEST(Log, MayGoBeforeItsReaders) {
  const TemporaryFolder folder;
  write_small_live(folder / "a.live");
  must_seal(folder / "a.live", folder / "a.log");
  auto log = std::make_unique<Log>(must_open(folder / "a.log"));
  const auto expected = read_all(log->stream(main_thread)).events;
  StreamReader first = log->stream(main_thread);
  StreamReader second = log->stream(main_thread);
  log.reset();
  for (const Owned& event : expected) {
    EXPECT_EQ(Owned(**first.next()), event);
    EXPECT_EQ(Owned(**second.next()), event);
  }
}

}  // namespace
}  // namespace reprise::recording
