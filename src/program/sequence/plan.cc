#include "program/sequence/plan.h"

#include <fcntl.h>
#include <reprise/condition_variable.h>
#include <reprise/detail/noted.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace reprise::detail {
namespace {

std::string read_all(const char* path) {
  std::string text;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return text;
  char part[16384];
  for (ssize_t size = read(file, part, sizeof part); size > 0; size = read(file, part, sizeof part)) {
    text.append(part, static_cast<std::size_t>(size));
  }
  close(file);
  return text;
}

const Plan* load() {
  const char* path = std::getenv("REPRISE_PLAN");
  return path == nullptr || *path == '\0' ? nullptr : new Plan(read_all(path));
}

// Neither is a function-local static: a guard would pass the gate.
const Plan* the_plan = load();
const int report_file = [] {
  const char* path = std::getenv("REPRISE_REPORT");
  return path == nullptr ? -1 : open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
}();

// Where threads are held for good.
struct Held {
  reprise::mutex mutex{"held"};
  condition_variable never{"held"};
};
Held* held = new Held;

__thread std::size_t own_next = 0;

std::vector<std::string> split(std::string_view line) {
  std::vector<std::string> words;
  for (;;) {
    const std::size_t end = line.find('\t');
    const std::string_view word = line.substr(0, end);
    words.emplace_back(word == "-" ? std::string_view() : word);
    if (end == std::string_view::npos) return words;
    line.remove_prefix(end + 1);
  }
}

void report(std::string_view what, std::string_view text) {
  if (report_file < 0) return;
  const std::string line =
      std::string(what) + '\t' + this_actor().by_path + '\t' + this_actor().by_index + '\t' + std::string(text) + '\n';
  (void)!write(report_file, line.data(), line.size());
}

const std::vector<PlannedStep> no_steps;
const PlannedObject no_events;

}  // namespace

Actor this_actor() {
  const std::string process = gate::process_name;
  if (gate::current == nullptr) return {process + "/?", process + "#0"};
  return {process + '/' + gate::thread_path(), process + '#' + std::to_string(gate::current->index)};
}

Plan::Plan(std::string_view text) {
  PlannedObject* object = nullptr;
  std::vector<PlannedStep>* steps = nullptr;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::vector<std::string> words = split(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    words.resize(8);
    const auto number = [&](std::size_t i) { return std::strtoull(words[i].c_str(), nullptr, 10); };
    if (words[0] == "mailboxes") lists_mailboxes_ = true;
    if (words[0] == "object") {
      object = &(words[1] == "mailbox" ? mailboxes_ : monitors_)[words[2]];
      object->is_whole = words[3] != "begin";
    } else if (words[0] == "event" && object != nullptr) {
      object->events.push_back({words[1], words[2], number(3), number(4), words[5], words[6], words[7]});
    } else if (words[0] == "not" && object != nullptr) {
      object->not_next.insert(words[1]);
    } else if (words[0] == "thread") {
      steps = &threads_[words[1]];
    } else if (words[0] == "step" && steps != nullptr) {
      steps->push_back({words[1], words[2], number(3), number(4)});
    }
  }
}

const PlannedObject& Plan::mailbox(const std::string& name) const {
  const auto found = mailboxes_.find(name);
  return found == mailboxes_.end() ? no_events : found->second;
}

const PlannedObject* Plan::monitor(const std::string& name) const {
  const auto found = monitors_.find(std::string(gate::process_name) + '/' + name);
  return found == monitors_.end() ? nullptr : &found->second;
}

const std::vector<PlannedStep>& Plan::steps_of(const Actor& actor) const {
  for (const std::string* name : {&actor.by_path, &actor.by_index}) {
    if (const auto found = threads_.find(*name); found != threads_.end()) return found->second;
  }
  return no_steps;
}

const Plan* plan() { return the_plan; }

bool own_step(std::string_view type, const std::string& object, bool may_wait) {
  const Plan* forced = plan();
  if (forced == nullptr || !forced->lists_mailboxes()) return true;
  const std::vector<PlannedStep>& steps = forced->steps_of(this_actor());
  const std::string what = std::string(type) + ' ' + object;
  const std::uint64_t number = counted().mailbox_events + 1;
  const std::uint64_t all = counted().all + 1;
  if (own_next >= steps.size()) {
    if (may_wait) return false;
    hold(what + " as its number " + std::to_string(number));
  }
  const PlannedStep& step = steps[own_next];
  const bool is_it = step.type == type && step.object == object && (step.number == 0 || step.number == number) &&
                     (step.all == 0 || step.all == all);
  if (!is_it) hold(what + " as its number " + std::to_string(step.all == 0 ? number : all));
  ++own_next;
  note(Kind::mailbox, object, "step " + std::string(type) + ' ' + std::to_string(number) + ' ' + std::to_string(all));
  return true;
}

void wants(std::string_view what) { report("wants", what); }

void hold(std::string_view what) {
  report("deviates", what);
  std::unique_lock lock(held->mutex);
  for (;;) held->never.wait(lock);
}

}  // namespace reprise::detail
