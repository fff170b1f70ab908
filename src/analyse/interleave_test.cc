// Goal    The interleaving respects every order at every object, and holds every event once.
// Method  Logs made by hand; a random run of threads and objects, checked against the rule itself.
#include "analyse/interleave.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "recording/log_for_test.h"

namespace reprise::analyse {
namespace {

using recording::Live;
using recording::Log;
using test::TestThread;

std::vector<std::string> listed(const Log& log, std::uint64_t& forced) {
  auto order = Interleaving::of(log);
  EXPECT_TRUE(order);
  std::vector<std::string> lines;
  while (auto placed = order->next()) {
    if (!*placed) break;
    const recording::Event& event = (*placed)->event;
    lines.push_back(log.thread((*placed)->thread)->path + " " + std::string(recording::name(event.kind)) + " " +
                    std::to_string(event.order));
  }
  forced = order->forced();
  return lines;
}

TEST(Interleave, PutsCausesFirst) {
  const test::TemporaryFolder folder;
  Live& live = test::create_live(folder / "main.live");
  TestThread main(live, no_thread, 0);
  TestThread child(live, main_thread, 0);
  const ObjectId flag = main.new_object();
  const ObjectId mutex = child.new_object();
  child.write_at(Kind::lock, mutex, 1);
  main.write_at(Kind::store, flag, 1);
  child.write_at(Kind::load, flag, 1, "\x01");  // saw the store
  main.write_at(Kind::lock, mutex, 2);          // came after the child
  main.write_at(Kind::store, flag, 2);          // and overwrote what the child had read
  std::uint64_t forced = 0;
  const auto lines = listed(*Log::open(folder / "main.live"), forced);
  const std::vector<std::string> expected{"0 store 1", "0.0 lock 1", "0.0 load 1", "0 lock 2", "0 store 2"};
  EXPECT_EQ(lines, expected);
  EXPECT_EQ(forced, 0u);
}

TEST(Interleave, StartsAThreadAfterItsSpawnAndJoinsItAfterItsEnd) {
  const test::TemporaryFolder folder;
  Live& live = test::create_live(folder / "main.live");
  TestThread main(live, no_thread, 0);
  TestThread child(live, main_thread, 0);
  const ObjectId mutex = main.new_object();
  main.write_at(Kind::lock, mutex, 1);
  main.write({.kind = Kind::unlock, .object = mutex}, mutex);
  main.write({.kind = Kind::spawn, .number = 2}, 2);
  main.write({.kind = Kind::join, .number = 2}, 2);
  child.write({.kind = Kind::sleep});
  child.end();
  std::uint64_t forced = 0;
  const auto lines = listed(*Log::open(folder / "main.live"), forced);
  const std::vector<std::string> expected{"0 lock 1",    "0 unlock 0", "0 spawn 0",
                                          "0.0 sleep 0", "0.0 end 0",  "0 join 0"};
  EXPECT_EQ(lines, expected);
  EXPECT_EQ(forced, 0u);
}

// main leaves out spawns and joins, then prints and exits; nothing that is written says that this was last.
TEST(Interleave, LetsAThreadThatLeftStepsOutGoOnAfterItsChildren) {
  const test::TemporaryFolder folder;
  Live& live = test::create_live(folder / "main.live");
  TestThread main(live, no_thread, 0);
  TestThread child(live, main_thread, 0);
  TestThread grandchild(live, 2, 0);
  main.count(Kind::spawn, 2);
  main.count(Kind::join, 2);
  main.write_at(Kind::output, output_object, 1);
  main.write({.kind = Kind::exit, .number = 0});
  child.write({.kind = Kind::value, .value = "a", .name = "seed"});
  child.end();
  grandchild.write({.kind = Kind::value, .value = "b", .name = "seed"});
  grandchild.end();
  std::uint64_t forced = 0;
  const auto lines = listed(*Log::open(folder / "main.live"), forced);
  const std::vector<std::string> expected{"0.0 value 0", "0.0 end 0",  "0.0.0 value 0",
                                          "0.0.0 end 0", "0 output 1", "0 exit 0"};
  EXPECT_EQ(lines, expected);
  EXPECT_EQ(forced, 0u);
}

TEST(Interleave, SurvivesALogThatContradictsItself) {
  const test::TemporaryFolder folder;
  Live& live = test::create_live(folder / "main.live");
  TestThread main(live, no_thread, 0);
  TestThread child(live, main_thread, 0);
  const ObjectId a = main.new_object();
  const ObjectId b = child.new_object();
  child.write_at(Kind::lock, b, 2);
  main.write_at(Kind::lock, a, 2);
  main.write_at(Kind::lock, b, 1);
  child.write_at(Kind::lock, a, 1);
  std::uint64_t forced = 0;
  EXPECT_EQ(listed(*Log::open(folder / "main.live"), forced).size(), 4u);
  EXPECT_GT(forced, 0u);
}

TEST(Interleave, HoldsForRandomRuns) {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    const test::TemporaryFolder folder;
    Live& live = test::create_live(folder / "main.live");
    std::vector<std::unique_ptr<TestThread>> threads;
    threads.push_back(std::make_unique<TestThread>(live, no_thread, 0));
    for (std::uint32_t i = 0; i < 4; ++i) threads.push_back(std::make_unique<TestThread>(live, main_thread, i));
    std::vector<ObjectId> objects;
    objects.reserve(5);
    for (int i = 0; i < 5; ++i) objects.push_back(threads[0]->new_object());
    std::map<ObjectId, std::uint64_t> orders;
    for (const ObjectId object : objects) threads[0]->write_at(Kind::store, object, ++orders[object]);
    for (int i = 0; i < 500; ++i) {
      TestThread& thread = *threads[random() % threads.size()];
      const ObjectId object = objects[random() % objects.size()];
      if (random() % 3 == 0) {
        thread.write_at(Kind::load, object, orders[object], "x");
      } else {
        thread.write_at(Kind::modify, object, ++orders[object]);
      }
    }
    auto order = Interleaving::of(*Log::open(folder / "main.live"));
    ASSERT_TRUE(order);
    std::map<ObjectId, std::uint64_t> now;
    std::size_t count = 0;
    while (auto placed = order->next()) {
      if (!*placed) break;
      const recording::Event& event = (*placed)->event;
      if (event.kind == Kind::load) {
        EXPECT_EQ(event.order, now[event.object]);
      } else {
        EXPECT_EQ(event.order, ++now[event.object]);
      }
      ++count;
    }
    EXPECT_EQ(count, 505u);
    EXPECT_EQ(order->forced(), 0u);
  }
}

}  // namespace
}  // namespace reprise::analyse
