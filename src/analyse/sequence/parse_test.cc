#include "analyse/sequence/parse.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "analyse/sequence/linear.h"
#include "analyse/sequence/print.h"
#include "analyse/sequence/sequence_for_test.h"

namespace reprise::analyse::sequence {
namespace {

using test::count;
using test::figure_6_25;
using test::figure_6_26;
using test::figure_6_27a;
using test::figure_6_27b;
using test::read_one;

std::string message_of(std::string_view text, const Assumed& assumed = {}) {
  const auto sequences = read(text, "f.seq", assumed);
  if (!sequences) return sequences.error().message;
  for (const Sequence& sequence : *sequences) {
    if (const auto counted = count_numbers(sequence); !counted) return counted.error().message;
  }
  return "";
}

// Goal    The paper's figures are read as they are printed.
// Method  Each of them, without a header: number of events, some fields, and that their orders contradict nothing.
TEST(SequenceFigures, Figure625IsANodeSequence) {
  const Sequence sequence = read_one(figure_6_25);
  EXPECT_EQ(sequence.form, Form::node);
  const Execution execution = count(sequence);
  ASSERT_EQ(execution.events.size(), 16u);
  EXPECT_EQ(execution.events[0].type, Type::connection);
  EXPECT_EQ(execution.events[14].thread, "3");
  EXPECT_EQ(execution.events[14].object, "withdraw");
  EXPECT_EQ(execution.events[14].number, 2u);
  EXPECT_EQ(execution.events[14].object_number, 7u);
  EXPECT_EQ(execution.events[14].place.line, 15u);
  EXPECT_TRUE(linear(execution).stuck.empty());
  const auto simple = print(execution, {.form = Form::simple, .has_header = false});
  ASSERT_TRUE(simple);
  EXPECT_EQ(*simple, "(2)\n(1)\n(1)\n(2)\n(2)\n(3)\n(1)\n(2)\n(1)\n(2)\n(2)\n(1)\n(2)\n(2)\n(3)\n(3)\n");
}

TEST(SequenceFigures, Figure626HasSeventeenEntriesSixOfThem1) {
  const Execution execution = count(read_one(figure_6_26));
  ASSERT_EQ(execution.events.size(), 17u);
  EXPECT_EQ(execution.events[9].thread, "1");
  EXPECT_EQ(execution.events[9].number, 6u) << "the producer has five events: this entry cannot happen";
}

TEST(SequenceFigures, Figure627aCountsMonitorCalls) {
  const std::string text = "form: node, numbering: all\n" + std::string(figure_6_27a);
  const Execution execution = count(read_one(text));
  ASSERT_EQ(execution.events.size(), 24u + 12 + 6 + 4 + 2 + 3 + 3 + 3 + 2 + 1 + 3 + 2 + 3 + 1 + 3 + 24);
  EXPECT_EQ(execution.events[0].type, Type::connection) << "`connect` is read too";
  EXPECT_EQ(execution.events[24].number_all, 8u);
  EXPECT_EQ(execution.events[24].number, 7u) << "one monitor call came before it";
  EXPECT_TRUE(linear(execution).stuck.empty());
  EXPECT_EQ(count(read_one(figure_6_27a)).events[24].number, 8u) << "numbering carc takes it as it stands";
}

TEST(SequenceFigures, Figure627bIsAMonitorSequence) {
  const Sequence sequence = read_one(figure_6_27b);
  EXPECT_EQ(sequence.form, Form::monitor);
  const Execution execution = count(sequence);
  ASSERT_EQ(execution.events.size(), 10u);
  EXPECT_EQ(execution.events[2].object, "Coordinator");
  EXPECT_EQ(execution.events[2].method, "decideAboutDeferral");
  EXPECT_EQ(execution.events[2].condition, "");
  const auto printed = print(execution, {.form = Form::simple_monitor, .has_header = false});
  ASSERT_TRUE(printed);
  EXPECT_EQ(*printed, "(5)\n(8)\n(8)\n(8)\n(5)\n");
}

// Goal    Each form is read as the paper denotes it.
// Method  One small text per form, with the brackets, names and dots of the definitions.
TEST(SequenceText, ReadsTheFormsOfThePaper) {
  const Execution object =
      count(read_one("form: object\nM: ((1, 1, connect), (1, 2, arrival),\n (2, 1, receive)).\nS: "
                     "((1,-1,3,-1,connection),(1,2,4,2,SRsynchronization))"));
  ASSERT_EQ(object.events.size(), 5u);
  EXPECT_EQ(object.events[2].object_number, 3u);
  EXPECT_EQ(object.events[4].called, "2");
  EXPECT_EQ(object.events[4].called_number, 2u);
  EXPECT_TRUE(object.events[3].is_synchronous);

  const Execution first =
      count(read_one("form: thread1\n1: ((S,1,connection),(S,2,SRsynchronization)).\n2:\n(S,2,SRsynchronization)"));
  ASSERT_EQ(first.events.size(), 2u);
  EXPECT_EQ(first.events[1].thread, "1");
  EXPECT_EQ(first.events[1].called, "2");
  EXPECT_EQ(first.events[1].number, 2u);
  EXPECT_EQ(first.events[1].called_number, 1u);

  const Execution second = count(
      read_one("form: thread2\n2: ((1,1,M,connection),(-1,-1,-1,elseDelay),(1,2,M,arrival),(-1,-1,M,receive))\n1: "
               "((2,2,R,connection),(2,4,R,arrival),(-1,-1,R,receive))"));
  ASSERT_EQ(second.events.size(), 7u);
  EXPECT_EQ(second.events[1].called_number, 1u) << "the first number that thread 2 leaves free";
  EXPECT_EQ(second.events[3].number, 3u);
  EXPECT_EQ(second.events[6].number, 3u);

  const Execution total =
      count(read_one("form: total\nDP: ((1,M,connection), (1,2,S,SRsynchronization), (2,-1,S,close))"));
  ASSERT_EQ(total.events.size(), 3u);
  EXPECT_EQ(total.events[1].number, 2u);
  EXPECT_EQ(total.events[1].called_number, 1u);
  EXPECT_EQ(total.events[2].number, 2u);

  const Execution node = count(read_one("N1: ()\nN2: ((SRsynchronization,1,2,1,1,S), (close,1,-1,2,-1,S))"));
  ASSERT_EQ(node.events.size(), 2u);
  EXPECT_EQ(node.events[0].home, "N2");

  const Execution simple = count(read_one("(1),(1,2)(-1,2) (1,-1)."));
  ASSERT_EQ(simple.events.size(), 4u);
  EXPECT_EQ(simple.events[2].type, Type::else_delay);
  EXPECT_EQ(simple.events[3].number, 3u);

  const Execution semaphores = count(read_one("process1:\n(P,0.1,slots)(V,0.1,slots)"));
  ASSERT_EQ(semaphores.events.size(), 2u);
  EXPECT_EQ(semaphores.events[1].object_number, 2u);
}

TEST(SequenceText, ReadsSeveralSequencesOfAFile) {
  const auto sequences = read(
      "form: node, numbering: all, start-id: a=1, start-id: b=5\n(close,1,M,3)\n// next\nform: monitor\nb: "
      "(entry,5,C:m,NA)",
      "f");
  ASSERT_TRUE(sequences) << sequences.error().message;
  ASSERT_EQ(sequences->size(), 2u);
  EXPECT_EQ(sequences->at(0).numbering, Numbering::all);
  ASSERT_EQ(sequences->at(0).start_ids.size(), 2u);
  EXPECT_EQ(sequences->at(0).start_ids[1].first, 5u);
  EXPECT_EQ(sequences->at(1).numbering, Numbering::carc);
  EXPECT_EQ(sequences->at(1).parts.at(0).name, "b");
}

// Goal    What cannot be read is refused with file, line, column and what was expected.
// Method  One text per mistake.
TEST(SequenceText, NamesThePlaceOfAMistake) {
  EXPECT_EQ(message_of(""), "f.seq:1:1: expected a sequence, found the end of the file");
  EXPECT_EQ(message_of("(receive,3,withdraw,x)"), "f.seq:1:21: expected an order number, from 1, found x");
  EXPECT_EQ(message_of("(receive,3,withdraw,0)"), "f.seq:1:21: expected an order number, from 1, found 0");
  EXPECT_EQ(message_of("(receive,3,withdraw"), "f.seq:1:20: expected , or ), found the end of the file");
  EXPECT_EQ(message_of("(receive,3,,2)"), "f.seq:1:12: expected a name or a number, found ,");
  EXPECT_EQ(message_of("(receive,3,M,1)\n  (recieve,3,M,2)"),
            "f.seq:2:4: expected connection, arrival, receive, close, SRsynchronization or elseDelay as field 1 (of "
            "form node), found recieve");
  EXPECT_EQ(message_of("(receive,3,M,1)\n..."),
            "f.seq:2:1: partial sequences (...) are not supported: write all events");
  EXPECT_EQ(message_of("N: ((receive,3,M,1), ...)"),
            "f.seq:1:22: partial sequences (...) are not supported: write all events");
  EXPECT_EQ(message_of("(receive,3,M,1),\nfoo"), "f.seq:2:4: expected : after foo, found the end of the file");
  EXPECT_EQ(message_of("form: nod"),
            "f.seq:1:7: expected object, thread1, thread2, total, node, simple, monitor, simple_monitor or semaphore, "
            "found nod");
  EXPECT_EQ(message_of("form: node, numbering: some"), "f.seq:1:24: expected carc or all, found some");
  EXPECT_EQ(message_of("form: node, start-id: a"), "f.seq:1:23: expected process=number, found a");
  EXPECT_NE(message_of("(1,M,close)").find("f.seq:1:1: expected a line `form: object`"), std::string::npos);
  EXPECT_EQ(message_of("form: object\n(1,1,close)"), "f.seq:2:1: expected the mailbox's name and : before its events");
  EXPECT_NE(message_of("form: object\nM: (-1,-1,elseDelay)").find("f.seq:2:4: elseDelay has no place in form object"),
            std::string::npos);
  EXPECT_EQ(message_of("form: thread1\n1: (S,1,SRsynchronization)"),
            "f.seq:2:4: SRsynchronization 1 of S stands in one thread only; format 1 lists it in both");
  EXPECT_NE(message_of("form: thread2\n1: (2,1,M,arrival)\n3: (2,2,M,arrival)")
                .find("f.seq:3:4: mailbox M already belongs to thread 1"),
            std::string::npos);
  EXPECT_NE(
      message_of("form: thread2, numbering: all\n1: (2,1,M,arrival)").find("f.seq:2:1: format 2 cannot be numbered"),
      std::string::npos);
  EXPECT_EQ(message_of("(close,1,\"M,1)"), "f.seq:1:15: expected \" at the end of the name, found the end of the file");
  EXPECT_EQ(message_of("(entry,1,C:m,empty)"), "f.seq:1:14: expected NA, found empty");
  EXPECT_EQ(message_of("(wait,1,C:m,NA)"), "f.seq:1:13: expected a condition, found NA");
  EXPECT_EQ(message_of("(1,2,3,4,5,6,7)"), "f.seq:1:14: no event has more than 6 fields");
  EXPECT_EQ(message_of("(close,1,\x1b[31m,1)"), "f.seq:1:10: expected a name or a number, found \x1b");
}

// ---- mutations ----

std::string mutated(std::string text, std::mt19937& random) {
  const auto below = [&](std::size_t limit) { return limit == 0 ? 0 : random() % limit; };
  static constexpr std::string_view pieces[] = {"(",
                                                ")",
                                                ",",
                                                ".",
                                                ":",
                                                "\"",
                                                "//",
                                                "\n",
                                                "-1",
                                                "...",
                                                "form: total\n",
                                                "form: thread1\n1: ",
                                                "numbering: all\n",
                                                "18446744073709551616",
                                                "\\",
                                                std::string_view("\0", 1),
                                                "\xff",
                                                "elseDelay",
                                                "SRsynchronization",
                                                "P"};
  for (std::size_t changes = 1 + below(4); changes > 0 && !text.empty(); --changes) {
    const std::size_t at = below(text.size());
    switch (below(6)) {
      case 0:
        text.erase(at, 1 + below(12));
        break;
      case 1:
        text.insert(at, pieces[below(std::size(pieces))]);
        break;
      case 2:
        text[at] = static_cast<char>(random());
        break;
      case 3:
        text.insert(at, text.substr(below(text.size()), below(60)));
        break;
      case 4:
        text.resize(at);
        break;
      default:
        std::swap(text[at], text[below(text.size())]);
    }
  }
  return text;
}

// "test.seq:3:17: ..." with a line of the text.
bool names_a_place(const std::string& message, const std::string& text) {
  unsigned line = 0;
  unsigned column = 0;
  if (std::sscanf(message.c_str(), "test.seq:%u:%u: ", &line, &column) != 2) return false;
  return line >= 1 && column >= 1 && line <= 1 + static_cast<unsigned>(std::count(text.begin(), text.end(), '\n'));
}

// Goal    Whatever a sequence file holds, the answer is a sequence or an error with its place; never a crash.
// Method  10,000 mutations of files in every form; what can be read goes through all that is done with sequences.
TEST(SequenceMutations, GiveAnErrorWithItsPlaceOrASequence) {
  std::vector<std::string> files{std::string(figure_6_25), std::string(figure_6_26), std::string(figure_6_27b),
                                 "form: node, numbering: all\n" + std::string(figure_6_27a)};
  const Execution execution = count(read_one(figure_6_25));
  for (const Form form : {Form::object, Form::thread1, Form::thread2, Form::total}) {
    files.push_back(*print(execution, {.form = form}));
  }
  files.emplace_back("form: object\nS: ((1,-1,1,-1,connection),(1,2,2,1,SRsynchronization),(1,-1,3,-1,close)).\n");
  files.emplace_back("form: semaphore\nprocess1: (P,1,\"a b\"), (V,2,\"a b\")\n");
  std::mt19937 random(6025);
  std::size_t good = 0;
  std::size_t bad = 0;
  for (int i = 0; i < 10'000; ++i) {
    const std::string text = mutated(files[random() % files.size()], random);
    const auto sequences = read(text, "test.seq");
    if (!sequences) {
      ++bad;
      ASSERT_TRUE(names_a_place(sequences.error().message, text)) << sequences.error().message << "\n" << text;
      continue;
    }
    for (const Sequence& sequence : *sequences) {
      const auto counted = count_numbers(sequence);
      if (!counted) {
        ++bad;
        ASSERT_TRUE(names_a_place(counted.error().message, text)) << counted.error().message << "\n" << text;
        continue;
      }
      ++good;
      linear(*counted);
      for (std::size_t form = 0; form < form_names.size(); ++form) {
        (void)print(*counted, {.form = static_cast<Form>(form), .numbering = sequence.numbering});
      }
    }
  }
  EXPECT_GT(good, 1000u);
  EXPECT_GT(bad, 1000u);
}

}  // namespace
}  // namespace reprise::analyse::sequence
