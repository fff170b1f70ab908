#include "program/sequence/made_name.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "program/message/wire.h"

namespace reprise::detail {
namespace {

// Goal    Two makers never get one name, and each name is one that a party may have.
// Method  Makers that differ only where a name was once cut, or only in what separates process and path.
TEST(MadeName, DiffersWhereverTheMakerDiffers) {
  const std::string deep = "0" + std::string(40, '.') + "1";
  std::string path = "0";
  std::set<std::string> names;
  std::size_t made = 0;
  const auto add = [&](const std::string& process, const std::string& where, char what, std::uint64_t number) {
    const std::string name = made_name(process, where, what, number);
    EXPECT_TRUE(messaging::is_valid_party(name)) << name;
    names.insert(name);
    ++made;
  };
  for (int i = 0; i < 60; ++i) {
    add("server", path, 'b', 1);
    path += ".0";
  }
  add("server", deep, 'b', 1);
  add("server", deep + "2", 'b', 1);
  for (const char* process :
       {"a-very-long-name-of-a-process-1", "a-very-long-name-of-a-process-2", "a#2", "a_2", "a 2"})
    for (const char* where : {"0", "0.1", "0.11"})
      for (const char what : {'b', 's'})
        for (const std::uint64_t number : {1U, 11U, 111U}) add(process, where, what, number);
  add("a", "0.0.1", 'b', 1);
  add("0.a", "0.1", 'b', 1);
  add("a.0", "0.1", 'b', 1);
  add("1.a", "0.1", 'b', 11);
  add("11.a", "0.1", 'b', 1);
  EXPECT_EQ(names.size(), made);
}

TEST(MadeName, IsReadableAndTheSameAgain) {
  EXPECT_EQ(made_name("server", "0.1", 'b', 3), "m0.1.b3.server");
  const std::string process(64, 'p');
  EXPECT_EQ(made_name(process, "0", 's', 1), made_name(process, "0", 's', 1));
}

}  // namespace
}  // namespace reprise::detail
