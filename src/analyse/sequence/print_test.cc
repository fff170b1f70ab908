#include "analyse/sequence/print.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>
#include <tuple>

#include "analyse/sequence/linear.h"
#include "analyse/sequence/sequence_for_test.h"

namespace reprise::analyse::sequence {
namespace {

using test::count;

// A made-up run: threads connect to mailboxes, send, receive, synchronise, give up waiting and call a monitor, in any
// order that mailboxes allow. Messages of one connection do not overtake each other, others do.
class MadeUp {
 public:
  MadeUp(unsigned seed, bool in_send_order, bool has_else, bool one_receiver)
      : random_(seed), in_send_order_(in_send_order), has_else_(has_else), one_receiver_(one_receiver) {}

  Execution events(int count) {
    for (int i = 0; i < count; ++i) act(random_() % threads, random_() % mailboxes);
    while (!under_way_.empty()) arrive(0);
    for (std::size_t mailbox = 0; mailbox < mailboxes; ++mailbox) {
      if (!is_synchronous(mailbox)) receive(owner(mailbox), mailbox);
    }
    return std::move(execution_);
  }

 private:
  static constexpr std::size_t threads = 4;
  static constexpr std::size_t mailboxes = 5;
  struct Sent {
    std::size_t thread;
    std::size_t mailbox;
    std::uint64_t number;
    std::uint64_t all;
  };
  static bool is_synchronous(std::size_t mailbox) { return mailbox >= 3; }
  static std::size_t owner(std::size_t mailbox) { return mailbox % threads; }
  static std::string thread_name(std::size_t thread) { return "p" + std::to_string(thread) + "/0.1"; }
  static std::string mailbox_name(std::size_t mailbox) {
    return mailbox == 2 ? "box, \"2\"" : "box" + std::to_string(mailbox);
  }

  Event event_at(Type type, std::size_t mailbox) {
    Event event;
    event.type = type;
    event.object = mailbox_name(mailbox);
    event.home = mailbox % 2 == 0 ? "Node1" : "Node2";
    event.is_synchronous = is_synchronous(mailbox);
    event.object_number = ++objects_[mailbox];
    return event;
  }
  void number(std::size_t thread, std::uint64_t& number, std::uint64_t& all) {
    if (random_() % 3 == 0) ++all_[thread];  // a monitor call came before
    number = ++numbers_[thread];
    all = ++all_[thread];
  }
  void add(Type type, std::size_t thread, std::size_t mailbox) {
    Event event = event_at(type, mailbox);
    event.thread = thread_name(thread);
    number(thread, event.number, event.number_all);
    execution_.events.push_back(event);
  }
  void receive(std::size_t thread, std::size_t mailbox) {
    if (queued_[mailbox] == 0 && mailbox != 0) return;
    if (queued_[mailbox] == 0) return;
    --queued_[mailbox];
    add(Type::receive, thread, mailbox);
  }
  void arrive(std::size_t which) {
    const Sent sent = under_way_[which];
    for (std::size_t i = 0; i < which; ++i) {
      if (under_way_[i].thread == sent.thread && (in_send_order_ || under_way_[i].mailbox == sent.mailbox)) return;
    }
    under_way_.erase(under_way_.begin() + static_cast<std::ptrdiff_t>(which));
    Event event = event_at(Type::arrival, sent.mailbox);
    event.thread = thread_name(sent.thread);
    event.number = sent.number;
    event.number_all = sent.all;
    execution_.events.push_back(event);
    ++queued_[sent.mailbox];
  }
  bool waits(std::size_t thread) const {
    return in_send_order_ &&
           std::any_of(under_way_.begin(), under_way_.end(), [&](const Sent& sent) { return sent.thread == thread; });
  }
  void act(std::size_t thread, std::size_t mailbox) {
    if (!under_way_.empty() && random_() % 3 == 0) return arrive(random_() % under_way_.size());
    if (waits(thread)) return;
    const bool is_owner = owner(mailbox) == thread;
    bool& connected = connected_[{thread, mailbox}];
    if (random_() % 12 == 0 && has_else_) return give_up(thread);
    if (is_owner || (!one_receiver_ && random_() % 5 == 0))
      return is_synchronous(mailbox) ? void() : receive(thread, mailbox);
    if (!connected) {
      connected = true;
      return add(Type::connection, thread, mailbox);
    }
    if (random_() % 9 == 0 && !is_under_way(thread, mailbox)) {
      connected = false;
      return add(Type::close, thread, mailbox);
    }
    if (is_synchronous(mailbox)) return synchronise(thread, mailbox);
    Sent sent{thread, mailbox, 0, 0};
    number(thread, sent.number, sent.all);
    under_way_.push_back(sent);
  }
  bool is_under_way(std::size_t thread, std::size_t mailbox) const {
    return std::any_of(under_way_.begin(), under_way_.end(),
                       [&](const Sent& sent) { return sent.thread == thread && sent.mailbox == mailbox; });
  }
  void give_up(std::size_t thread) {
    Event event;
    event.type = Type::else_delay;
    event.called = thread_name(thread);
    event.home = "Node1";
    number(thread, event.called_number, event.called_number_all);
    execution_.events.push_back(event);
  }
  void synchronise(std::size_t thread, std::size_t mailbox) {
    if (waits(owner(mailbox))) return;
    Event event = event_at(Type::synchronization, mailbox);
    event.thread = thread_name(thread);
    event.called = thread_name(owner(mailbox));
    number(thread, event.number, event.number_all);
    number(owner(mailbox), event.called_number, event.called_number_all);
    execution_.events.push_back(event);
  }

  std::mt19937 random_;
  bool in_send_order_;
  bool has_else_;
  bool one_receiver_;
  std::map<std::size_t, std::uint64_t> numbers_, all_, objects_, queued_;
  std::map<std::pair<std::size_t, std::size_t>, bool> connected_;
  std::deque<Sent> under_way_;
  Execution execution_;
};

// A mailbox that nobody received from, which format 2 cannot hold, is left out.
Execution without_idle(Execution execution) {
  std::map<std::string, bool> received;
  for (const Event& event : execution.events) {
    if (event.type == Type::receive || event.type == Type::synchronization) received[event.object] = true;
  }
  for (const Event& event : execution.events) {
    if (!event.object.empty() && !received[event.object]) return {};
  }
  return execution;
}

// The orders per thread and per object, which is what an execution is.
std::string orders_of(const Execution& execution, bool has_types) {
  std::map<std::string, std::map<std::uint64_t, std::string>> orders;
  for (const Event& event : execution.events) {
    const std::string what = has_types ? std::string(name(event.type)) + " " + event.object : std::string();
    if (event.number > 0) orders["thread " + event.thread][event.number] = what;
    if (event.called_number > 0) orders["thread " + event.called][event.called_number] = what;
    if (event.object_number > 0 && has_types) {
      orders["object " + event.object][event.object_number] = what + " by " + event.thread + " " +
                                                              std::to_string(event.number) + " " + event.called + " " +
                                                              std::to_string(event.called_number);
    }
  }
  std::string text;
  for (const auto& [who, events] : orders) {
    text += who + ":\n";
    for (const auto& [number, what] : events) text += "  " + std::to_string(number) + " " + what + "\n";
  }
  return text;
}

std::string round_trip(const Execution& execution, const PrintOptions& options) {
  const auto text = print(execution, options);
  if (!text) return "refused: " + text.error().message;
  const auto again = read(*text, "again.seq");
  if (!again) return again.error().message + "\n" + *text;
  const Execution counted = count(again->front());
  const auto twice = print(reordered(counted, linear(counted)), options);
  EXPECT_TRUE(twice) << (twice ? "" : twice.error().message);
  return orders_of(counted, options.form != Form::simple);
}

// Goal    Each form that can hold an execution gives it back: the same events in each thread and at each object.
// Method  Random runs with messages that overtake each other, synchronous mailboxes, and numbers in both ways of
// counting.
TEST(SequencePrint, RoundTripsThroughEachForm) {
  std::size_t held = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Execution execution = MadeUp(seed, false, false, true).events(150);
    const std::string orders = orders_of(execution, true);
    for (const Form form : {Form::object, Form::node, Form::thread1}) {
      EXPECT_EQ(round_trip(execution, {.form = form}), orders) << name(form) << " seed " << seed;
    }
    for (const Form form : {Form::object, Form::node}) {
      EXPECT_EQ(round_trip(execution, {.form = form, .numbering = Numbering::all}), orders)
          << name(form) << " seed " << seed;
    }
    if (const Execution owned = without_idle(execution); !owned.events.empty()) {
      ++held;
      EXPECT_EQ(round_trip(owned, {.form = Form::thread2}), orders) << "thread2 seed " << seed;
    }
    const Execution in_order = MadeUp(seed, true, false, true).events(150);
    EXPECT_EQ(round_trip(in_order, {.form = Form::total}), orders_of(in_order, true)) << "seed " << seed;
    EXPECT_EQ(round_trip(in_order, {.form = Form::simple}), orders_of(in_order, false)) << "seed " << seed;
  }
  EXPECT_GT(held, 100u);
}

TEST(SequencePrint, RoundTripsElseDelay) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    const Execution execution = MadeUp(seed, true, true, true).events(200);
    EXPECT_EQ(round_trip(execution, {.form = Form::simple}), orders_of(execution, false)) << "seed " << seed;
    if (const Execution owned = without_idle(execution); !owned.events.empty()) {
      EXPECT_EQ(round_trip(owned, {.form = Form::thread2}), orders_of(owned, true)) << "seed " << seed;
    }
  }
}

std::string refusal(const Execution& execution, Form form) {
  const auto text = print(execution, {.form = form});
  return text ? "" : text.error().message;
}

// Goal    What a form cannot say is refused with the event and the reason.
TEST(SequencePrint, RefusesWhatAFormCannotSay) {
  const Execution overtaking = count(test::read_one(
      "(connection,1,A,1)(connection,1,B,2)(arrival,1,B,4)(arrival,1,A,3)(receive,2,A,1)(receive,3,B,1)"));
  EXPECT_EQ(refusal(overtaking, Form::node), "");
  EXPECT_NE(refusal(overtaking, Form::total).find("out of its thread's send order"), std::string::npos)
      << "a monitor may be why B's arrival stands first";
  const Linear in_send_order = linear(overtaking, {.arrivals_in_send_order = true});
  EXPECT_EQ(refusal(reordered(overtaking, in_send_order), Form::total), "")
      << "nothing says that B's arrival came first";
  const Execution in_vain =
      count(test::read_one("(connection,1,A,1)(arrival,1,A,2)(receive,2,A,1)(close,1,A,4)"));  // 3 was sent
  for (const Form form : {Form::thread1, Form::thread2, Form::total, Form::simple})
    EXPECT_NE(refusal(in_vain, form).find("never arrived"), std::string::npos) << name(form);
  for (const Form form : {Form::object, Form::node}) EXPECT_EQ(refusal(in_vain, form), "");
  const Execution contradicting = count(test::read_one(
      "(connection,1,A,1)(connection,1,B,2)(arrival,1,B,4)(receive,2,B,1)(connection,2,A,2)(arrival,1,A,3)"));
  EXPECT_EQ(refusal(contradicting, Form::node), "");
  EXPECT_NE(refusal(contradicting, Form::total).find("out of its thread's send order"), std::string::npos);
  EXPECT_NE(refusal(contradicting, Form::simple).find("out of its thread's send order"), std::string::npos);
  EXPECT_NE(refusal(contradicting, Form::thread2).find("nobody received from A"), std::string::npos);
  const Execution two =
      count(test::read_one("(connection,1,A,1)(arrival,1,A,2)(arrival,1,A,3)(receive,2,A,1)(receive,3,A,1)"));
  EXPECT_NE(refusal(two, Form::thread2).find("several receivers"), std::string::npos);
  const Execution waited = count(test::read_one("form: thread2\n1: (-1,-1,-1,elseDelay)"));
  for (const Form form : {Form::object, Form::thread1, Form::total, Form::node}) {
    EXPECT_NE(refusal(waited, form).find("has no place for it"), std::string::npos) << name(form);
  }
  const Execution unnumbered = count(test::read_one("(1)(2)"));
  EXPECT_EQ(refusal(unnumbered, Form::node), "") << "nothing in it has a type";
}

}  // namespace
}  // namespace reprise::analyse::sequence
