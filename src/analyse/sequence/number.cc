#include "analyse/sequence/number.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace reprise::analyse::sequence {
namespace {

tl::unexpected<Error> wrong(const Sequence& sequence, Place place, const std::string& what) {
  return fail(ErrorCode::usage, fmt::format("{}:{}:{}: {}", sequence.file, place.line, place.column, what));
}

using ObjectKey = std::tuple<bool, std::string, std::string>;
ObjectKey key_of(const Event& event) {
  const bool is_mailbox = is_mailbox_type(event.type);
  return {is_mailbox, is_mailbox ? std::string() : event.home, event.object};
}

void count_objects(Execution& execution) {
  std::map<ObjectKey, std::uint64_t> counts;
  for (Event& event : execution.events) {
    if (!event.object.empty()) event.object_number = ++counts[key_of(event)];
  }
}

// In the order of the text.
void count_threads(Execution& execution) {
  std::map<std::string, std::uint64_t> counts;
  for (Event& event : execution.events) {
    if (!event.thread.empty()) event.number = ++counts[event.thread];
    if (!event.called.empty()) event.called_number = ++counts[event.called];
  }
}

Execution all_events(const Sequence& sequence) {
  Execution execution;
  for (const Part& part : sequence.parts) {
    execution.events.insert(execution.events.end(), part.events.begin(), part.events.end());
  }
  return execution;
}

// ---- thread-based, format 1 ----

// The two halves of a synchronisation: who connected to the mailbox sends.
Result<Event> joined(const Sequence& sequence, const Event& one, const Event& other,
                     const std::set<std::pair<std::string, std::string>>& connected) {
  const bool one_sends = connected.contains({one.object, one.thread});
  const bool other_sends = connected.contains({other.object, other.thread});
  if (one_sends == other_sends) {
    return wrong(sequence, other.place,
                 fmt::format("cannot tell who sends: {} of threads {} and {} has a connection to {}",
                             one_sends ? "each" : "none", one.thread, other.thread, one.object));
  }
  Event event = one_sends ? one : other;
  const Event& receiver = one_sends ? other : one;
  event.called = receiver.thread;
  event.called_number = receiver.number;
  event.is_synchronous = true;
  return event;
}

Result<Execution> count_thread1(const Sequence& sequence) {
  Execution execution;
  std::set<std::pair<std::string, std::string>> connected;
  std::map<std::string, std::uint64_t> counts;  // a thread's part may come in pieces
  std::map<std::pair<std::string, std::uint64_t>, Event> halves;
  std::set<std::string> synchronous;
  for (const Event& event : all_events(sequence).events) {
    if (event.type == Type::connection) connected.insert({event.object, event.thread});
  }
  for (Event event : all_events(sequence).events) {
    event.number = ++counts[event.thread];
    if (event.type != Type::synchronization) {
      execution.events.push_back(std::move(event));
      continue;
    }
    synchronous.insert(event.object);
    const std::pair key{event.object, event.object_number};
    const auto half = halves.find(key);
    if (half == halves.end()) {
      halves.emplace(key, std::move(event));
      continue;
    }
    auto whole = joined(sequence, half->second, event, connected);
    if (!whole) return tl::unexpected(whole.error());
    execution.events.push_back(*std::move(whole));
    halves.erase(half);
  }
  if (!halves.empty()) {
    const Event& half = halves.begin()->second;
    return wrong(sequence, half.place,
                 fmt::format("SRsynchronization {} of {} stands in one thread only; format 1 lists it in both",
                             half.object_number, half.object));
  }
  for (Event& event : execution.events) event.is_synchronous = synchronous.contains(event.object);
  return execution;
}

// ---- thread-based, format 2 ----

Result<void> check_owners(const Sequence& sequence) {
  std::map<std::string, std::string> owners;
  for (const Part& part : sequence.parts) {
    for (const Event& event : part.events) {
      if (event.object.empty()) continue;
      const auto [owner, is_new] = owners.emplace(event.object, part.name);
      if (!is_new && owner->second != part.name) {
        return wrong(sequence, event.place,
                     fmt::format("mailbox {} already belongs to thread {}; format 2 gives it one owner", event.object,
                                 owner->second));
      }
    }
  }
  return {};
}

// A thread's receives take the numbers that its other events leave free.
void fill_gaps(Execution& execution) {
  std::map<std::string, std::set<std::uint64_t>> taken;
  for (const Event& event : execution.events) {
    if (event.number > 0) taken[event.thread].insert(event.number);
  }
  std::map<std::string, std::uint64_t> last;
  const auto next_free = [&](const std::string& thread) {
    const std::set<std::uint64_t>& others = taken[thread];
    std::uint64_t& number = last[thread];
    do ++number;
    while (others.contains(number));
    return number;
  };
  for (Event& event : execution.events) {
    if (event.type == Type::receive) event.number = next_free(event.thread);
    if (!event.called.empty()) event.called_number = next_free(event.called);
  }
}

Result<Execution> count_thread2(const Sequence& sequence) {
  if (sequence.numbering == Numbering::all) {
    const Place place = sequence.parts.empty() ? Place{1, 1} : sequence.parts.front().place;
    return wrong(sequence, place, "format 2 cannot be numbered `all`: its receives have no numbers of their own");
  }
  if (const auto owned = check_owners(sequence); !owned) return tl::unexpected(owned.error());
  Execution execution = all_events(sequence);
  count_objects(execution);
  fill_gaps(execution);
  std::set<std::string> synchronous;
  for (const Event& event : execution.events) {
    if (event.type == Type::synchronization) synchronous.insert(event.object);
  }
  for (Event& event : execution.events) event.is_synchronous = synchronous.contains(event.object);
  return execution;
}

}  // namespace

void rank_all_numbers(Execution& execution) {
  std::map<std::string, std::vector<std::pair<std::uint64_t, std::uint64_t*>>> threads;
  for (Event& event : execution.events) {
    if (event.number_all > 0) threads[event.thread].emplace_back(event.number_all, &event.number);
    if (event.called_number_all > 0) threads[event.called].emplace_back(event.called_number_all, &event.called_number);
  }
  for (auto& [thread, numbers] : threads) {
    std::stable_sort(numbers.begin(), numbers.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::uint64_t rank = 0;
    for (auto& [all, number] : numbers) *number = ++rank;
  }
}

Result<Execution> count_numbers(const Sequence& sequence) {
  if (sequence.form == Form::thread1) return count_thread1(sequence);
  if (sequence.form == Form::thread2) return count_thread2(sequence);
  Execution execution = all_events(sequence);
  if (sequence.form != Form::simple && sequence.form != Form::simple_monitor) count_objects(execution);
  if (sequence.form == Form::total || sequence.form == Form::simple) count_threads(execution);
  if (sequence.numbering == Numbering::all) rank_all_numbers(execution);
  return execution;
}

}  // namespace reprise::analyse::sequence
