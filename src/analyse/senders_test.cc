// Goal    A receive is traced back to the thread that sent it, also where neither side wrote the event.
#include "analyse/senders.h"

#include <gtest/gtest.h>

#include "recording/log_for_test.h"

namespace reprise::analyse {
namespace {

using recording::Log;

class SendersOfMessages : public ::testing::Test {
 protected:
  SendersOfMessages() {
    write_sender();
    write_receiver();
  }

  // The main thread makes the connection and sends messages 1, 2 and 5, its child 3 and 4.
  void write_sender() {
    recording::Live& live = test::create_live(folder_ / "anna.live");
    test::TestThread main(live, no_thread, 0);
    test::TestThread child(live, main_thread, 0);
    connection_ = main.new_object();
    main.write_at(Kind::connect, connection_, 1);
    main.count(Kind::send, connection_);
    main.count(Kind::send, connection_);
    child.write_at(Kind::send, connection_, 4);
    child.count(Kind::send, connection_);
    main.write_at(Kind::send, connection_, 6);
  }

  // Messages 1, 2 and 3 of anna, one of bert, who left no log, then 4 and 5 of anna.
  void write_receiver() {
    recording::Live& live = test::create_live(folder_ / "server.live");
    test::TestThread main(live, no_thread, 0);
    mailbox_ = main.new_object();
    const std::string anna = "anna 2 anna host " + std::to_string(connection_) + " 0";
    main.write({.kind = Kind::source, .value = anna});
    main.write({.kind = Kind::receive, .object = mailbox_, .order = 1, .number = 0}, mailbox_);
    main.write({.kind = Kind::label, .object = mailbox_, .value = "mailbox server#3"});
    main.count(Kind::receive, mailbox_);
    main.count(Kind::receive, mailbox_);
    main.write({.kind = Kind::source, .value = "bert 1 bert host 77 0"});
    main.write({.kind = Kind::receive, .object = mailbox_, .order = 4, .number = 1}, mailbox_);
    main.write({.kind = Kind::receive, .object = mailbox_, .order = 5, .number = 0}, mailbox_);
    main.count(Kind::receive, mailbox_);
  }

  std::string text(std::uint64_t order, std::uint64_t source) const {
    const Senders senders(*Log::open(folder_ / "server.live"), [this](const std::string& process) {
      const auto log = Log::open(folder_ / (process + ".live"));
      return log ? std::optional<Log>(*log) : std::nullopt;
    });
    const auto sender = senders.of({.kind = Kind::receive, .object = mailbox_, .order = order, .number = source});
    return sender ? text_of(*sender) : "nobody";
  }

  test::TemporaryFolder folder_;
  ObjectId connection_{0};
  ObjectId mailbox_{0};
};

TEST_F(SendersOfMessages, AreThreadsAndTheirHowManythMessage) {
  EXPECT_EQ(text(1, 0), "anna#2, thread 0, message 1");
  EXPECT_EQ(text(2, 0), "anna#2, thread 0, message 2");
  EXPECT_EQ(text(3, 0), "anna#2, thread 0.0, message 1");
  EXPECT_EQ(text(5, 0), "anna#2, thread 0.0, message 2");
  EXPECT_EQ(text(6, 0), "anna#2, thread 0, message 3");
}

TEST_F(SendersOfMessages, AreKnownAsFarAsTheLogsSay) {
  EXPECT_EQ(text(4, 1), "bert, message 1");
  EXPECT_EQ(text(4, 7), "nobody");
}

TEST_F(SendersOfMessages, SentToAnIncarnationOfAParty) {
  const auto sources = message_sources(*Log::open(folder_ / "server.live"));
  ASSERT_EQ(sources.size(), 2u);
  EXPECT_EQ(sources[0].party, "server");
  EXPECT_EQ(sources[0].incarnation, 3u);
  EXPECT_EQ(sources[0].from.connection, connection_);
  EXPECT_EQ(sources[1].from.process, "bert");
}

}  // namespace
}  // namespace reprise::analyse
