#include "drive/control/impossible.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "analyse/sequence/linear.h"

namespace reprise::drive {
namespace {

using analyse::sequence::Event;
using analyse::sequence::Type;

class Numbers {
 public:
  explicit Numbers(const std::vector<Event>& events) {
    for (std::size_t i = 0; i < events.size(); ++i) {
      const Event& event = events[i];
      if (!event.thread.empty()) add(event.thread, event.number, event.number_all, i, event.type != Type::arrival);
      if (!event.called.empty()) add(event.called, event.called_number, event.called_number_all, i, true);
    }
    for (auto& [thread, steps] : threads_) {
      std::stable_sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) { return a.number < b.number; });
    }
  }

  // A thread's mailbox events have the numbers from 1 on; where monitor calls are counted too, some are left out.
  void check_numbers() {
    for (const auto& [thread, steps] : threads_) {
      std::uint64_t last = 0;
      std::uint64_t missing = 0;
      for (const Step& step : steps) {
        if (step.number == last && last != 0)
          note(step.place, fmt::format("its thread has a number {} already", step.number));
        if (missing == 0 && !step.counts_all && step.number > last + 1) missing = last + 1;
        if (missing != 0)
          note(step.place, fmt::format("its thread has no event with number {} before it", missing), true);
        last = step.number;
      }
    }
  }
  // An arrival needs what its thread did before the send; everything else also holds up what comes later.
  void check_order() {
    for (const auto& [thread, steps] : threads_) {
      std::size_t last = 0;
      for (const Step& step : steps) {
        if (step.place + 1 < last) note(step.place, "its thread does something before it that is listed after it");
        if (step.holds_up) last = std::max(last, step.place + 1);
      }
    }
  }
  // Where the text is in no order but that of threads and mailboxes, these may contradict each other.
  void check_orders(const std::vector<Event>& events) {
    for (const std::size_t place : analyse::sequence::linear({events}).stuck)
      note(place,
           "the orders of threads and mailboxes contradict each other: it, or what it needs, must come before itself");
  }
  const std::optional<Impossible>& first() const { return first_; }

 private:
  struct Step {
    std::uint64_t number;
    bool counts_all;
    std::size_t place;
    bool holds_up;
  };
  void add(const std::string& thread, std::uint64_t number, std::uint64_t all, std::size_t place, bool holds_up) {
    threads_[thread].push_back({all > 0 ? all : number, all > 0, place, holds_up});
  }
  void note(std::size_t place, std::string reason, bool is_gap = false) {
    if (!first_ || place < first_->place) first_ = Impossible{place, std::move(reason), is_gap};
  }

  std::map<std::string, std::vector<Step>> threads_;
  std::optional<Impossible> first_;
};

}  // namespace

std::optional<Impossible> impossible(const Listed& listed) {
  Numbers numbers(listed.mailboxes);
  numbers.check_numbers();
  if (listed.has_total_order) {
    numbers.check_order();
  } else {
    numbers.check_orders(listed.mailboxes);
  }
  return numbers.first();
}

}  // namespace reprise::drive
