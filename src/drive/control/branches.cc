#include "drive/control/branches.h"

#include <fmt/format.h>

#include <algorithm>

#include "recording/searched.h"

namespace reprise::drive {
namespace {

using Counts = std::map<std::string, std::uint64_t>;  // passages by thread

Counts counts_of(const std::vector<Passage>& passages) {
  Counts counts;
  for (const Passage& passage : passages) counts[passage.thread] = std::max(counts[passage.thread], passage.number);
  return counts;
}

std::uint64_t count_in(const Counts& counts, const std::string& thread) {
  const auto found = counts.find(thread);
  return found == counts.end() ? 0 : found->second;
}

// Could a thread other than this one do anything after these passages, while this one is held? In the run none did.
bool is_left_alone(const Passage& held, const Counts& done, const ForcedRun& run,
                   const std::set<std::string>& sleepers) {
  for (const auto& [thread, has_ended] : run.ended) {
    if (thread == held.thread || run.causes.is_server(thread)) continue;
    if (run.causes.of_thread(thread).size() > count_in(done, thread)) return false;
    const auto standing = run.standing.find(thread);
    if (standing == run.standing.end() || run.deviating.contains(thread)) continue;
    if (run.cut_off.contains(thread)) return false;
    if (!recording::is_passage(standing->second.kind) || standing->second.kind == Kind::wait) continue;
    const bool sleeps_elsewhere =
        sleepers.contains(thread) && !standing->second.object.empty() && standing->second.object != held.object;
    if (!sleeps_elsewhere) return false;
  }
  return true;
}

// What a thread that is asleep would do, by the names of this run. False: it is not known.
struct Asleep {
  bool is_known{false};
  Passage what;
};

Asleep what_of(const std::string& thread, bool is_load, const Counts& done, const ForcedRun& run) {
  const std::vector<Passage>& own = run.causes.of_thread(thread);
  const std::uint64_t next = count_in(done, thread);
  if (next < own.size()) {
    Passage what = own[next];
    what.is_load = is_load;  // after others have passed, a compare-exchange may have come out another way
    return {true, std::move(what)};
  }
  const auto standing = run.standing.find(thread);
  if (standing == run.standing.end() || !recording::is_passage(standing->second.kind)) return {};
  if (standing->second.kind == Kind::wait) return {};
  return {true, {.thread = thread, .number = next + 1, .object = standing->second.object, .is_load = is_load}};
}

// Does it still sleep before its passage? Nobody else has passed the object; else it may wait there as it would anyway.
bool is_held(const std::string& thread, bool is_load, const Counts& done, const ForcedRun& run) {
  const auto standing = run.standing.find(thread);
  if (run.causes.of_thread(thread).size() > count_in(done, thread) || standing == run.standing.end()) return false;
  if (!recording::is_passage(standing->second.kind) || standing->second.kind == Kind::wait) return false;
  const std::vector<Passage> all = run.causes.all();
  return std::none_of(all.begin(), all.end(), [&](const Passage& other) {
    return other.object == standing->second.object && other.thread != thread &&
           other.number > count_in(done, other.thread) && !(other.is_load && is_load);
  });
}

}  // namespace

std::string Branch::steer_text() const {
  std::map<std::string, std::string> processes;
  const auto add = [&](const std::string& thread, const char* what, const char* more) {
    const std::size_t slash = thread.find('/');
    processes[thread.substr(0, slash)] += fmt::format("{}\t{}{}\n", what, thread.substr(slash + 1), more);
  };
  for (const Passage& passage : beginning) add(passage.thread, "turn", "");
  for (const auto& [thread, is_load] : asleep) add(thread, "asleep", is_load ? "\tload" : "");
  std::string text;
  for (const auto& [process, lines] : processes) text += fmt::format("process\t{}\n{}", process, lines);
  return text;
}

bool Branch::is_beginning_of(const ForcedRun& run) const {
  return std::all_of(beginning.begin(), beginning.end(), [&](const Passage& passage) {
    const std::vector<Passage>& own = run.causes.of_thread(passage.thread);
    return passage.number <= own.size() && own[passage.number - 1].id == passage.id;
  });
}

std::set<std::string> Branch::sleepers_in(const ForcedRun& run) const {
  const Counts done = counts_of(beginning);
  std::set<std::string> sleepers;
  for (const auto& [thread, is_load] : asleep) {
    if (run.causes.of_thread(thread).size() == count_in(done, thread)) sleepers.insert(thread);
  }
  return sleepers;
}

bool Branch::held_somebody_in(const ForcedRun& run) const {
  const bool has_turns = std::any_of(beginning.begin(), beginning.end(), [&](const Passage& passage) {
    return passage.number > run.causes.of_thread(passage.thread).size();
  });
  return has_turns || std::any_of(asleep.begin(), asleep.end(), [&](const auto& one) {
           return is_held(one.first, one.second, counts_of(beginning), run);
         });
}

std::vector<Passage> Branch::fresh(const std::vector<Passage>& passages) const {
  const Counts done = counts_of(beginning);
  std::vector<Passage> fresh = passages;
  std::erase_if(fresh, [&](const Passage& one) { return one.number <= count_in(done, one.thread); });
  return fresh;
}

bool Branch::has(const std::vector<Passage>& passages) const {
  return std::all_of(passages.begin(), passages.end(), [&](const Passage& wanted) {
    return std::any_of(beginning.begin(), beginning.end(), [&](const Passage& one) { return one.id == wanted.id; });
  });
}

Grown grow(const Branch& from, const ForcedRun& run, const std::vector<Passage>& reason) {
  Grown grown;
  grown.fixed = from;
  Counts done = counts_of(from.beginning);
  std::map<std::string, Asleep> asleep;
  for (const auto& [thread, is_load] : from.asleep) asleep[thread] = what_of(thread, is_load, done, run);
  const std::set<std::string> sleepers = from.sleepers_in(run);
  for (const Passage& passage : from.fresh(reason)) {
    if (!passage.is_alone && !is_left_alone(passage, done, run, sleepers)) {
      Branch other = grown.fixed;
      other.asleep[passage.thread] = passage.is_load;
      (passage.is_contested ? grown.contested : grown.others).push_back(std::move(other));
    }
    grown.fixed.beginning.push_back(passage);
    std::erase_if(grown.fixed.asleep, [&](const auto& one) {
      const Asleep& sleeping = asleep[one.first];
      return one.first == passage.thread || !sleeping.is_known || depend(sleeping.what, passage);
    });
    done[passage.thread] = passage.number;
  }
  return grown;
}

}  // namespace reprise::drive
