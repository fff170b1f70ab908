#include "analyse/names.h"

#include <gtest/gtest.h>

#include "recording/log_for_test.h"

namespace reprise::analyse {
namespace {

using recording::Log;
using test::create_live;
using test::TemporaryFolder;
using test::TestThread;

// Goal    An object without a name of its own is called after what it is and who met it first.
// Method  One object of each family, first met by the second child of main.
TEST(Names, AreMadeOfFamilyThreadAndOrdinal) {
  const TemporaryFolder folder;
  recording::Live& live = create_live(folder / "a.live");
  TestThread main(live, no_thread, 0);
  live.add_slot(main_thread, 0);
  TestThread second(live, main_thread, 1);
  const ObjectId mutex = second.new_object();
  const ObjectId condition = second.new_object();
  const ObjectId atomic = second.new_object();
  const ObjectId shared = second.new_object();
  second.write_at(Kind::lock, mutex, 1);
  second.write_at(Kind::wait, condition, 1);
  second.write_at(Kind::notify_one, atomic, 1);
  second.write_at(Kind::store, atomic, 2);
  second.write_at(Kind::lock_shared, shared, 1);
  second.write_at(Kind::output, output_object, 1);
  second.write_at(Kind::guard, object_id(well_known, 0xBEEF), 1);
  const auto log = Log::open(folder / "a.live");
  ASSERT_TRUE(log);
  const Names names(*log);
  EXPECT_EQ(names.thread(3), "0.1");
  EXPECT_EQ(names.thread(77), "?77");
  EXPECT_EQ(names.object(mutex), "mutex@0.1#1");
  EXPECT_EQ(names.object(condition), "condition@0.1#2");
  EXPECT_EQ(names.object(atomic), "atomic@0.1#3") << "an atomic is also waited at and notified";
  EXPECT_EQ(names.object(shared), "mutex@0.1#4");
  EXPECT_EQ(names.object(output_object), "output");
  EXPECT_EQ(names.object(object_id(well_known, 0xBEEF)), "guard@beef");
  EXPECT_EQ(names.object(object_id(main_thread, 9)), "object@0#9") << "nobody mentions it";
  EXPECT_EQ(names.find("mutex@0.1#1"), std::vector<ObjectId>{mutex});
  EXPECT_TRUE(names.find("mutex@0.1#9").empty());
}

// Goal    The user's names are shown, escaped, and told apart where several objects share one.
// Method  Labels with a control character, one used once and one used twice.
TEST(Names, AreTheUsersWhereGiven) {
  const TemporaryFolder folder;
  recording::Live& live = create_live(folder / "a.live");
  TestThread main(live, no_thread, 0);
  std::vector<ObjectId> objects;
  for (const char* label : {"accounts", "row", "row", "red\x1b[31m"}) {
    objects.push_back(main.new_object());
    main.write_at(Kind::lock, objects.back(), 1);
    main.write({.kind = Kind::label, .object = objects.back(), .value = label});
  }
  const auto log = Log::open(folder / "a.live");
  ASSERT_TRUE(log);
  const Names names(*log);
  EXPECT_EQ(names.object(objects[0]), "accounts");
  EXPECT_EQ(names.object(objects[1]), "row@0#2");
  EXPECT_EQ(names.object(objects[2]), "row@0#3");
  EXPECT_EQ(names.object(objects[3]), "red\\x1b[31m");
  EXPECT_EQ(names.find("row"), (std::vector<ObjectId>{objects[1], objects[2]}));
  EXPECT_EQ(names.find("row@0#3"), std::vector<ObjectId>{objects[2]});
}

}  // namespace
}  // namespace reprise::analyse
