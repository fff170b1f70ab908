// The figures of the paper, and what tests of sequences share.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "analyse/sequence/event.h"
#include "analyse/sequence/number.h"
#include "analyse/sequence/parse.h"

namespace reprise::analyse::sequence::test {

inline constexpr std::string_view figure_6_25 = R"((connection,2,withdraw,1) // buffer connects to mailbox withdraw
(connection,1,deposit,1) // producer connects to mailbox deposit
(arrival,1,deposit,2) // producer's first message arrives at mailbox deposit
(receive,2,deposit,2) // buffer receives producer's first message
(arrival,2,withdraw,3) // buffer's first message arrives at mailbox withdraw
(receive,3,withdraw,1) // consumer receives first message from withdraw
(arrival,1,deposit,3) // producer's second msg arrives at mailbox deposit
(receive,2,deposit,4) // buffer receives producer's second message
(arrival,1,deposit,4) // producer's third message arrives at mailbox deposit
(arrival,2,withdraw,5) // buffer's second message arrives at withdraw
(receive,2,deposit,6) // buffer receives producer's third message
(close,1,deposit,5) // producer closes connection with deposit
(arrival,2,withdraw,7) // buffer's third message arrives at withdraw
(close,2,withdraw,8) // buffer closes connection with withdraw
(receive,3 ,withdraw,2) // consumer receives second message from withdraw
(receive,3,withdraw,3) // consumer receives third message from withdraw
)";

inline constexpr std::string_view figure_6_26 =
    "(2)\n(1)\n(1)\n(2)\n(2)\n(1)\n(2)\n(1)\n(1)\n(1)\n(3)\n(2)\n(2)\n(2)\n(2)\n(3)\n(3)\n";

inline constexpr std::string_view figure_6_27b = R"((entry,5,Coordinator:chooseNumberAndSetRequesting,NA)  
(exit,5,Coordinator:chooseNumberAndSetRequesting,NA)  
(entry,8,Coordinator:decideAboutDeferral,NA)  
(exit,8,Coordinator:decideAboutDeferral,NA)  
(entry,8,Coordinator:decideAboutDeferral,NA)  
(exit,8,Coordinator:decideAboutDeferral,NA)  
(entry,8,Coordinator:decideAboutDeferral,NA)  
(exit,8,Coordinator:decideAboutDeferral,NA)  
(entry,5,Coordinator:resetRequesting,NA)  
(exit,5,Coordinator:resetRequesting,NA)
)";

inline constexpr std::string_view figure_6_27a = R"(// Connect events issued by p0:
(connect,1,RequestsFor1,1), (connect,1,RepliesFor1,2), (connect,1,RequestsFor2,3),
(connect,1,RepliesFor2,4), (connect,1,RequestsFor3,5), (connect,1,RepliesFor3,6),
// Connect events issued by p1:
(connect,5,RequestsFor0,1), (connect,5,RepliesFor0,2), (connect,5,RequestsFor2,3),
(connect,5,RepliesFor2,4), (connect,5,RequestsFor3,5), (connect,5,RepliesFor3,6),
// Connect events issued by p2:
(connect,9,RequestsFor0,1), (connect,9,RepliesFor0,2), (connect,9,RequestsFor1,3),
(connect,9,RepliesFor1,4)
(connect,9,RequestsFor3,5), (connect,9,RepliesFor3,6),
// Connect events issued by p3:
(connect,13,RequestsFor0,1),(connect,13,RepliesFor0,2),
(connect,13,RequestsFor1,3),
(connect,13,RepliesFor1,4),(connect,13,RequestsFor2,5), (connect,13,RepliesFor2,6),

(arrival,5,RequestsFor0,8), (arrival,9,RequestsFor0,8), (arrival,13,RequestsFor0,8)
// All three requests have arrived at p0.

(arrival,1,RequestsFor1,8), (arrival,9,RequestsFor1,9), (arrival,13,RequestsFor1,9)
// All three requests have arrived at p1.

(arrival,1,RequestsFor2,9), (arrival,5,RequestsFor2,9), (arrival,13,RequestsFor2,10)
// All three requests have arrived at p2.

(arrival,1,RequestsFor3,10), (arrival,5,RequestsFor3,10),(arrival,9,RequestsFor3,10)
// All three requests have arrived at p3.
// Now each process has had a request arrive from all the other processes.

(receive,8,RequestsFor1,1) // p1's helper receives p0's request and replies
(arrival,8,RepliesFor0,3) // p1's helper's reply arrives at p0
(receive,12,RequestsFor2,1)// p2's helper receives p0's request and replies
(arrival,12,RepliesFor0,3) // p2's helper's reply arrives at p0
(receive,16,RequestsFor3,1)// p3's helper receives p0's request and replies
(arrival,16,RepliesFor0,3) // p3's helper's reply arrives at p0
// Replies from all the processes have arrived at p0.

(receive,12,RequestsFor2,4)// p2's helper receives p1's request and replies
(arrival,12,RepliesFor1,6) // p2's helper's reply arrives at p1
(receive,16,RequestsFor3,4)// p3's helper receives p1's request and replies
(arrival,16,RepliesFor1,6) // p3's helper's reply arrives at p1
// Replies from p2 and p3 have arrived at p1.

(receive,16,RequestsFor3,7)// p3's helper receives p2's request and replies
(arrival,16,RepliesFor2,9) // p3's helper's reply arrives at p2

// Reply from p3 has arrived at p2

(receive,4,RequestsFor0,1) // p0 receives requests from p1, p2, and p3
(receive,4,RequestsFor0,3) // but defers all replies since p0 has priority
(receive,4,RequestsFor0,5)

(receive,1,RepliesFor0,11) // p0 receives replies from p1, p2, and p3
(receive,1,RepliesFor0,12) // and enters/exits its critical section
(receive,1,RepliesFor0,13)

(arrival,1,RepliesFor1,15) // p0 sends all of its deferred replies
(arrival,1,RepliesFor2,16)
(arrival,1,RepliesFor3,17)

(receive,8,RequestsFor1,4) // p1's helper receives requests from p2 and p3 but
(receive,8,RequestsFor1,6) // defers replies since p1 has priority over p2 and p3

(receive,12,RequestsFor2,7)// p2's helper receives rqst from p3, but defers reply

(receive,5,RepliesFor1,11) // p1 receives all replies and enters/exits CS
(receive,5,RepliesFor1,12)
(receive,5,RepliesFor1,13)

(arrival,5,RepliesFor2,15) // p1 sends its deferred replies to p2 and p3
(arrival,5,RepliesFor3,16)

(receive,9,RepliesFor2,11) // p2 receives all replies and enters/exits CS
(receive,9,RepliesFor2,12)
(receive,9,RepliesFor2,13)

(arrival,9,RepliesFor3,15) // p2 sends its deferred reply to p3

(receive,13,RepliesFor3,11)// p3 receives all replies and enters/exits CS
(receive,13,RepliesFor3,12)
(receive,13,RepliesFor3,13)

// Close events issued by p0:
(close,1,RequestsFor1,18), (close,1,RepliesFor1,19), (close,1,RequestsFor2,20),
(close,1,RepliesFor2,21), (close,1,RequestsFor3,22), (close,1,RepliesFor3,23),
// Close events issued by p1:
(close,5,RequestsFor0,17), (close,5,RepliesFor0,18), (close,5,RequestsFor2,19),
(close,5,RepliesFor2,20), (close,5,RequestsFor3,21), (close,5,RepliesFor3,22),
// Close events issued by p2:
(close,9,RequestsFor0,16), (close,9,RepliesFor0,17), (close,9,RequestsFor1,18),

(close,9,RepliesFor1,19), (close,9,RequestsFor3,20), (close,9,RepliesFor3,21),  
// Close events issued by p3:  
(close,13,RequestsFor0,15), (close,13,RepliesFor0,16), (close,13,RequestsFor1,17),  
(close,13,RepliesFor1,18), (close,13,RequestsFor2,19), (close,13,RepliesFor2,20).
)";

inline Sequence read_one(std::string_view text, const Assumed& assumed = {}) {
  auto read_all = read(text, "test.seq", assumed);
  EXPECT_TRUE(read_all) << (read_all ? "" : read_all.error().message);
  if (!read_all) return {};
  EXPECT_EQ(read_all->size(), 1u);
  return read_all->front();
}

inline Execution count(const Sequence& sequence) {
  auto execution = count_numbers(sequence);
  EXPECT_TRUE(execution) << (execution ? "" : execution.error().message);
  return execution ? *execution : Execution{};
}

}  // namespace reprise::analyse::sequence::test
