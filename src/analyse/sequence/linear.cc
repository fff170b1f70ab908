#include "analyse/sequence/linear.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <tuple>

#include "base/check.h"

namespace reprise::analyse::sequence {
namespace {

struct Meeting {
  std::uint64_t number;
  std::size_t event;
  bool holds_up;  // what comes later in the thread waits for it
};

using Meetings = std::vector<Meeting>;

void sort(Meetings& meetings) {
  std::stable_sort(meetings.begin(), meetings.end(),
                   [](const Meeting& a, const Meeting& b) { return a.number < b.number; });
}

void add_edges(Precedence& graph, Meetings& meetings) {
  sort(meetings);
  constexpr std::size_t none = ~std::size_t{0};
  std::size_t last = none;
  for (const Meeting& meeting : meetings) {
    if (last != none && last != meeting.event) graph.before(last, meeting.event);
    if (meeting.holds_up) last = meeting.event;
  }
}

Precedence graph_of(const Execution& execution, const LinearOptions& options) {
  Precedence graph(execution.events.size());
  std::map<std::string, Meetings> threads;
  std::map<std::tuple<bool, std::string, std::string>, Meetings> objects;
  std::map<std::string, Meetings> selections;
  for (std::size_t i = 0; i < execution.events.size(); ++i) {
    const Event& event = execution.events[i];
    const bool holds_up = event.type != Type::arrival || options.arrivals_in_send_order;
    if (event.number > 0) threads[event.thread].push_back({event.number, i, holds_up});
    if (event.called_number > 0) threads[event.called].push_back({event.called_number, i, true});
    if (event.selection_number > 0) selections[event.selection].push_back({event.selection_number, i, true});
    const bool is_mailbox = is_mailbox_type(event.type);
    if (event.object_number > 0) {
      objects[{is_mailbox, is_mailbox ? "" : event.home, event.object}].push_back({event.object_number, i, true});
    }
  }
  for (auto& [thread, meetings] : threads) add_edges(graph, meetings);
  for (auto& [object, meetings] : objects) add_edges(graph, meetings);
  for (auto& [process, meetings] : selections) add_edges(graph, meetings);
  for (const auto& [first, then] : options.before) graph.before(first, then);
  return graph;
}

}  // namespace

Linear linear(const Execution& execution, const LinearOptions& options) {
  return graph_of(execution, options).sorted();
}

Linear Precedence::sorted() const {
  std::vector<std::size_t> waits_for = waits_for_;
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t i = 0; i < waits_for.size(); ++i) {
    if (waits_for[i] == 0) ready.push(i);
  }
  Linear result;
  while (!ready.empty()) {
    const std::size_t event = ready.top();
    ready.pop();
    result.order.push_back(event);
    for (const std::size_t next : after_[event]) {
      if (--waits_for[next] == 0) ready.push(next);
    }
  }
  for (std::size_t i = 0; i < waits_for.size(); ++i) {
    if (waits_for[i] > 0) result.stuck.push_back(i);
  }
  return result;
}

Execution reordered(const Execution& execution, const Linear& linear) {
  CHECK(linear.stuck.empty(), linear.stuck.size());
  Execution result;
  for (const std::size_t event : linear.order) result.events.push_back(execution.events[event]);
  return result;
}

}  // namespace reprise::analyse::sequence
