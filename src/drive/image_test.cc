// Goal    The kept copy of a program is the program; a damaged copy is refused.
#include "drive/image.h"

#include <gtest/gtest.h>

#include <random>

#include "drive/record_run.h"
#include "recording/log_for_test.h"

namespace reprise::drive {
namespace {

namespace fs = std::filesystem;
using test::Bytes;

Bytes random_bytes(std::size_t size) {
  std::mt19937 random(1);
  Bytes bytes(size);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random() % 7);
  return bytes;
}

class Image : public ::testing::Test {
 protected:
  void keep(std::size_t size) {
    program_ = random_bytes(size);
    test::write_bytes(folder_ / "bank", program_);
    test::write_bytes(folder_ / "libmoney.so.1", Bytes{1, 2, 3});
    const auto kept = keep_image(folder_ / "image", folder_ / "bank", {{"libmoney.so.1", folder_ / "libmoney.so.1"}});
    ASSERT_TRUE(kept) << kept.error().message;
  }
  test::TemporaryFolder folder_;
  Bytes program_;
};

TEST_F(Image, ComesBackAsItWas) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{1} << 17, std::size_t{1'000'003}}) {
    fs::remove_all(folder_ / "image");
    fs::remove_all(folder_ / "again");
    keep(size);
    const auto program = unpack_image(folder_ / "image", folder_ / "again", "bank");
    ASSERT_TRUE(program) << program.error().message;
    EXPECT_EQ(program->filename(), "bank");
    EXPECT_EQ(test::read_bytes(*program), program_);
    EXPECT_EQ(test::read_bytes(folder_ / "again/lib/libmoney.so.1"), (Bytes{1, 2, 3}));
    EXPECT_NE(fs::status(*program).permissions() & fs::perms::owner_exec, fs::perms::none);
  }
}

TEST_F(Image, RefusesADamagedCopy) {
  keep(100'000);
  const fs::path copy = folder_ / "image/program.zst";
  const Bytes good = test::read_bytes(copy);
  Bytes flipped = good;
  flipped[good.size() / 2] ^= 0x10;
  test::write_bytes(copy, flipped);
  EXPECT_FALSE(unpack_image(folder_ / "image", folder_ / "flipped", "bank"));
  test::write_bytes(copy, Bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(good.size() / 2)));
  const auto cut = unpack_image(folder_ / "image", folder_ / "cut", "bank");
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().code, ErrorCode::damaged);
}

TEST_F(Image, SaysWhenThereIsNone) {
  EXPECT_FALSE(has_image(folder_ / "image"));
  const auto none = unpack_image(folder_ / "image", folder_ / "again", "bank");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::not_found);
}

TEST(Program, KnowsItself) {
  const auto facts = read_program("/proc/self/exe");
  ASSERT_TRUE(facts);
  EXPECT_TRUE(facts->is_elf);
  EXPECT_TRUE(facts->is_dynamic);
  EXPECT_FALSE(facts->build_id.empty());
  EXPECT_FALSE(facts->needed.empty());
  EXPECT_TRUE(find_libraries("/proc/self/exe", *facts).own.empty()) << "all its libraries are the system's";
}

TEST(Program, IsLookedUpAsAShellDoes) {
  const auto shell = find_program("sh");
  ASSERT_TRUE(shell);
  EXPECT_TRUE(shell->is_absolute());
  EXPECT_FALSE(find_program("no-such-program-anywhere"));
  EXPECT_FALSE(find_program("./no-such-program"));
  const auto folder = find_program("/usr");
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().code, ErrorCode::io);
}

TEST(Names, AreMadeValid) {
  EXPECT_EQ(valid_name("bank"), "bank");
  EXPECT_EQ(valid_name("a b/c:é"), "a_b_c___");
  EXPECT_EQ(valid_name("-x"), "_x");
  EXPECT_EQ(valid_name(".hidden"), "_hidden");
  EXPECT_EQ(valid_name(""), "program");
  EXPECT_TRUE(recording::is_valid_name(valid_name(std::string(500, '!'))));
}

}  // namespace
}  // namespace reprise::drive
