#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <reprise/mailbox.h>
#include <stdlib.h>

#include <chrono>
#include <deque>
#include <filesystem>
#include <optional>
#include <thread>

namespace reprise {
namespace {

using namespace std::chrono_literals;
using Box = selectable_mailbox<int>;
constexpr int boxes_count = 3;

// One step: a message, or a selective wait with some guards open.
struct Step {
  int box;  // where a message goes; none: a wait
  bool is_send;
  unsigned guards;    // bit i: alternative i is open
  bool has_last;      // there is an `otherwise` or an `after`
  bool is_otherwise;  // which of both
};
std::ostream& operator<<(std::ostream& out, const Step& step) {
  if (step.is_send) return out << "send " << step.box;
  return out << "select " << step.guards << (step.has_last ? step.is_otherwise ? " otherwise" : " after" : "");
}

rc::Gen<Step> steps() {
  return rc::gen::construct<Step>(rc::gen::inRange(0, boxes_count), rc::gen::arbitrary<bool>(),
                                  rc::gen::inRange(0U, 1U << boxes_count), rc::gen::arbitrary<bool>(),
                                  rc::gen::arbitrary<bool>());
}

// What a wait did.
struct Done {
  int value{-1};
  bool was_last{false};
  bool had_no_alternative{false};
  std::chrono::nanoseconds took{0};
  friend bool operator==(const Done& a, const Done& b) {
    return a.value == b.value && a.was_last == b.was_last && a.had_no_alternative == b.had_no_alternative;
  }
};

class SelectProperties : public testing::Test {
 protected:
  // Parties meet in a folder of these tests' own, which a process looks for once.
  static void SetUpTestSuite() {
    folder = (std::filesystem::temp_directory_path() / "reprise-select-XXXXXX").string();
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    setenv("REPRISE_RUN", folder.c_str(), 1);
  }
  static void TearDownTestSuite() {
    unsetenv("REPRISE_RUN");
    std::filesystem::remove_all(folder);
  }

  // Returns when the message has arrived: a connection is closed after all that was sent over it.
  static void send(const Box& box, int value) {
    sender<int> to(box.name());
    to.connect();
    to.send(value);
    to.close();
  }
  static Done wait(Box (&boxes)[boxes_count], const Step& step) {
    Done done;
    const auto take = [&](int value) { done.value = value; };
    const auto last = [&] { done.was_last = true; };
    const auto is_open = [&](unsigned i) { return (step.guards >> i & 1U) != 0; };
    const auto start = std::chrono::steady_clock::now();
    try {
      if (step.has_last) {
        select(from(boxes[0], take).when(is_open(0)), from(boxes[1], take).when(is_open(1)),
               from(boxes[2], take).when(is_open(2)), step.is_otherwise ? otherwise(last) : after(1ms, last));
      } else {
        select(from(boxes[0], take).when(is_open(0)), from(boxes[1], take).when(is_open(1)),
               from(boxes[2], take).when(is_open(2)));
      }
    } catch (const mailbox_error& error) {
      done.had_no_alternative = error.fault() == mailbox_fault::no_alternative;
    }
    done.took = std::chrono::steady_clock::now() - start;
    return done;
  }

  static inline std::string folder;
};

// What is under way, in the order in which it came.
class Model {
 public:
  void send(int box, int value) { arrived_.push_back({box, value}); }
  // None: it would wait for ever.
  std::optional<Done> wait(const Step& step) {
    for (auto mail = arrived_.begin(); mail != arrived_.end(); ++mail) {
      if ((step.guards >> mail->box & 1U) == 0) continue;
      const Done done{.value = mail->value};
      arrived_.erase(mail);
      return done;
    }
    if (step.has_last) return Done{.was_last = true};
    if (step.guards == 0) return Done{.had_no_alternative = true};
    return std::nullopt;
  }

 private:
  struct Mail {
    int box;
    int value;
  };
  std::deque<Mail> arrived_;
};

// Goal    A selective wait takes the message that came first of those whose guards are open, so that none waits while a
//         later one is taken; it takes `otherwise` or `after` only if there is none; without either it says when every
//         guard is closed.
// Method  Random sends and waits, compared with a list.
TEST_F(SelectProperties, TakesWhatCameFirstOfWhatIsOpen) {
  const bool held = rc::check([] {
    const auto program = *rc::gen::resize(30, rc::gen::container<std::vector<Step>>(steps()));
    Box boxes[boxes_count];
    Model model;
    int next = 0;
    for (const Step& step : program) {
      if (step.is_send) {
        send(boxes[step.box], next);
        model.send(step.box, next++);
        continue;
      }
      const auto expected = model.wait(step);
      if (!expected) continue;  // it would wait for ever
      const Done done = wait(boxes, step);
      RC_ASSERT(done == *expected);
      if (done.was_last && !step.is_otherwise) RC_ASSERT(done.took >= 1ms);
    }
  });
  EXPECT_TRUE(held);
}

// Goal    A wait that finds nothing takes the first message that comes, whichever mailbox it comes to, and no other.
// Method  A thread sends while the wait stands; closed alternatives get one each before.
TEST_F(SelectProperties, WaitsForWhatIsOpen) {
  const bool held = rc::check([](bool is_timed) {
    Box boxes[boxes_count];
    const int open = *rc::gen::inRange(0, boxes_count);
    for (int i = 0; i < boxes_count; ++i) {
      if (i != open) send(boxes[i], i);
    }
    std::thread later([&] {
      std::this_thread::sleep_for(1ms);
      send(boxes[open], 7);
    });
    int got = -1;
    const auto take = [&](int value) { got = value; };
    const auto never = [&] { got = -2; };
    if (is_timed) {
      select(from(boxes[0], take).when(open == 0), from(boxes[1], take).when(open == 1),
             from(boxes[2], take).when(open == 2), after(60s, never));
    } else {
      select(from(boxes[0], take).when(open == 0), from(boxes[1], take).when(open == 1),
             from(boxes[2], take).when(open == 2));
    }
    later.join();
    RC_ASSERT(got == 7);
  });
  EXPECT_TRUE(held);
}

}  // namespace
}  // namespace reprise
