#include "program/message/wire.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <random>

namespace reprise::messaging {
namespace {

// Goal    Frames come out as they went in, however the bytes are cut; garbage never does more than break its
// connection. Method  A pair of sockets; frames of many lengths in pieces of random length; then bytes that are no
// frames.
class Wire : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, files_), 0); }
  void TearDown() override {
    close(files_[0]);
    close(files_[1]);
  }
  static std::string frame(FrameType type, const std::string& bytes, std::uint64_t number) {
    std::uint8_t head[header_bytes];
    put({.length = static_cast<std::uint32_t>(bytes.size()), .type = type, .number = number, .thread = 3, .call = 5},
        head);
    return std::string(reinterpret_cast<const char*>(head), header_bytes) + bytes;
  }
  void give(std::string_view bytes) {
    ASSERT_EQ(send(files_[0], bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  }

  int files_[2];
  Inflow in_;
};

TEST_F(Wire, FramesSurviveAnyCut) {
  std::mt19937 random(7);
  std::string all;
  std::vector<std::string> sent;
  for (std::uint64_t i = 0; i < 300; ++i) {
    const std::size_t size = i % 50 == 0 ? 200'000 : random() % 300;
    sent.emplace_back(size, static_cast<char>(i));
    all += frame(i % 2 == 0 ? FrameType::plain : FrameType::call, sent.back(), i + 1);
  }
  std::size_t taken = 0;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t piece = std::min<std::size_t>(all.size() - at, random() % 3 == 0 ? 7 : 30'000);
    give(std::string_view(all).substr(at, piece));
    at += piece;
    while (in_.fill(files_[1], false) == Inflow::Filled::some) {
      for (; in_.has_frame(); in_.pop(), ++taken) {
        ASSERT_LT(taken, sent.size());
        EXPECT_EQ(in_.header().number, taken + 1);
        EXPECT_EQ(in_.header().thread, 3u);
        EXPECT_EQ(in_.header().call, 5u);
        ASSERT_EQ(in_.payload(), sent[taken]);
        EXPECT_EQ(in_.contents().substr(1), sent[taken]);
        EXPECT_EQ(in_.contents()[0], static_cast<char>(in_.header().type));
      }
    }
  }
  EXPECT_EQ(taken, sent.size());
  EXPECT_EQ(in_.held(), 0u);
}

TEST_F(Wire, WhatIsNoFrameBreaksTheConnection) {
  std::mt19937 random(8);
  for (int i = 0; i < 2000; ++i) {
    std::string bytes = frame(FrameType::plain, "hello", 1);
    const std::size_t place = random() % 4 == 0 ? 23 : random() % 4;
    bytes[place] = static_cast<char>(bytes[place] ^ (1 << (random() % 3)));
    const auto type = static_cast<std::uint8_t>(bytes[23]);
    Inflow in;
    give(bytes);
    in.fill(files_[1], false);
    const bool may_be = place == 23 && type >= 1 && type <= 7;
    EXPECT_EQ(in.has_frame(), may_be) << place;
    EXPECT_EQ(in.is_broken(), !may_be);
  }
}

TEST_F(Wire, LengthsAboveTheLimitAreNotBelieved) {
  for (const std::uint32_t length : {1025u, static_cast<std::uint32_t>(message_bytes_max), 0xFFFFFFFFu}) {
    std::uint8_t head[header_bytes];
    put({.length = length, .type = FrameType::greeting}, head);
    give({reinterpret_cast<const char*>(head), header_bytes});
    Inflow in;
    in.limit(greeting_bytes_max);
    in.fill(files_[1], false);
    EXPECT_FALSE(in.has_frame());
    EXPECT_TRUE(in.is_broken());
  }
}

TEST(Greeting, ComesBackWhole) {
  const Greeting greeting{"run1", "server", {"client", 2, "client#2", "host", 1ull << 40 | 7}};
  const auto again = parse_greeting(text_of(greeting));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->run, "run1");
  EXPECT_EQ(again->to, "server");
  EXPECT_EQ(again->from.party, "client");
  EXPECT_EQ(again->from.incarnation, 2u);
  EXPECT_EQ(again->from.process, "client#2");
  EXPECT_EQ(again->from.connection, 1ull << 40 | 7);
}

TEST(Greeting, AnythingElseIsRefused) {
  const std::string whole = text_of({"run1", "server", {"client", 2, "client#2", "host", 7}});
  for (std::size_t size = 0; size + 1 < whole.size(); ++size)
    EXPECT_FALSE(parse_greeting(whole.substr(0, size))) << size;
  for (const char* text : {"reprise r s c/d 1 p h 1", "reprise r s c x p h 1", "reprise r s c 1 p h 1 more",
                           "reprise  r s c 1 p h 1", "Reprise r s c 1 p h 1"}) {
    EXPECT_FALSE(parse_greeting(text)) << text;
  }
}

TEST(Welcome, ComesBackWholeOrNotAtAll) {
  const std::string whole = text_of(Welcome{"box", 2, "server#2", "host", true});
  const auto again = parse_welcome(whole);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->party, "box");
  EXPECT_EQ(again->incarnation, 2u);
  EXPECT_EQ(again->process, "server#2");
  EXPECT_TRUE(again->is_same_run);
  for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(parse_welcome(whole.substr(0, size))) << size;
  for (const char* text : {"a/b 1 p h 1", "box x p h 1", "box 1 p h 1 more", "box 99999999999 p h 1"})
    EXPECT_FALSE(parse_welcome(text)) << text;
}

TEST(Place, IsHostAndPort) {
  for (const char* text : {"localhost:2020", "10.0.0.1:1", "[::1]:65535", "a.b-c:80"}) {
    const auto place = parse_place(text);
    ASSERT_TRUE(place) << text;
    EXPECT_EQ(text_of(*place), text);
  }
  for (const char* text : {"", ":", ":1", "box", "box:", "box:0", "box:65536", "box:-1", "box:+1", "box:1x", "box: 1",
                           "b x:1", "::1:80", "[::1]", "[]:1", "[a:1", "box:1 2", "box:18446744073709551617"}) {
    EXPECT_FALSE(parse_place(text)) << text;
  }
}

}  // namespace
}  // namespace reprise::messaging
