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
  reprise::mutex mutex{"held", gate::Own{}};
  condition_variable never{"held", gate::Own{}};
};
Held* held = new Held;

__thread std::size_t own_next = 0;
__thread std::size_t own_entries = 0;

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
const std::vector<std::string> no_monitors;
const PlannedObject no_events;
const PlannedObject no_entries{{}, Extent::entries};

Extent extent_named(const std::string& name) { return name == "entries" ? Extent::entries : Extent::whole; }

template <typename T>
const T& of_actor(const std::map<std::string, T>& lists, const Actor& actor, const T& none) {
  for (const std::string* name : {&actor.by_path, &actor.by_index}) {
    if (const auto found = lists.find(*name); found != lists.end()) return found->second;
  }
  return none;
}

std::string what_text(std::string_view type, const std::string& object) {
  return std::string(type) + (object.empty() ? "" : ' ' + object) + " as its number ";
}

}  // namespace

Actor this_actor() {
  const std::string process = gate::process_name;
  if (gate::current == nullptr) return {process + "/?", process + "#0"};
  return {process + '/' + gate::thread_path(), process + '#' + std::to_string(gate::current->index)};
}

Plan::Plan(std::string_view text) {
  PlannedObject* object = nullptr;
  std::string thread;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::vector<std::string> words = split(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    words.resize(9);
    const auto number = [&](std::size_t i) { return std::strtoull(words[i].c_str(), nullptr, 10); };
    if (words[0] == "mailboxes") lists_mailboxes_ = true;
    if (words[0] == "entries") entered_as_listed_.insert(words[1]);
    if (words[0] == "object") {
      auto& objects = words[1] == "mailbox" ? mailboxes_ : words[1] == "monitor" ? monitors_ : semaphores_;
      object = &objects[words[2]];
      object->extent = extent_named(words[3]);
    } else if (words[0] == "event" && object != nullptr) {
      object->events.push_back({words[1], words[2], number(3), number(4), words[5], words[6], words[7], number(8)});
    } else if (words[0] == "thread") {
      thread = words[1];
    } else if (words[0] == "step") {
      threads_[thread].push_back({words[1], words[2], number(3), number(4), number(5)});
    } else if (words[0] == "entry") {
      entries_[thread].push_back(words[1]);
    } else if (words[0] == "before") {
      orders_mailboxes_ = true;
      std::vector<PlannedEvent>& later = mailboxes_[words[3]].events;
      if (number(4) >= 1 && number(4) <= later.size()) later[number(4) - 1].after.push_back({words[1], number(2)});
    }
  }
}

const PlannedObject& Plan::mailbox(const std::string& name) const {
  const auto found = mailboxes_.find(name);
  return found == mailboxes_.end() ? no_events : found->second;
}

const PlannedObject* Plan::monitor(const std::string& name) const {
  const std::string process = gate::process_name;
  const auto found = monitors_.find(process + '/' + name);
  if (found != monitors_.end()) return &found->second;
  return entered_as_listed_.contains(process) ? &no_entries : nullptr;
}

const PlannedObject* Plan::semaphore(const std::string& name) const {
  const auto found = semaphores_.find(std::string(gate::process_name) + '/' + name);
  return found == semaphores_.end() ? nullptr : &found->second;
}

const std::vector<PlannedStep>& Plan::steps_of(const Actor& actor) const { return of_actor(threads_, actor, no_steps); }

const std::vector<std::string>& Plan::entries_of(const Actor& actor) const {
  return of_actor(entries_, actor, no_monitors);
}

const Plan* plan() { return the_plan; }

std::string another_step(std::string_view type, const std::string& object) {
  const std::vector<PlannedStep>& steps = plan()->steps_of(this_actor());
  if (own_next >= steps.size()) return {};
  const PlannedStep& step = steps[own_next];
  const std::uint64_t number = counted().mailbox_events + 1;
  const std::uint64_t all = counted().all + 1;
  const bool is_it = step.type == type && step.object == object && (step.number == 0 || step.number == number) &&
                     (step.all == 0 || step.all == all);
  return is_it ? std::string() : what_text(type, object) + std::to_string(step.all == 0 ? number : all);
}

std::string unlisted_step(std::string_view type, const std::string& object) {
  const Plan* forced = plan();
  if (forced == nullptr || !forced->lists_mailboxes()) return {};
  if (own_next < forced->steps_of(this_actor()).size()) return another_step(type, object);
  return what_text(type, object) + std::to_string(counted().mailbox_events + 1);
}

void deviates(std::string_view what) { report("deviates", what); }
void goes_on() { report("goes_on", {}); }
void sent_in_vain() {
  goes_on();
  report("in_vain", {});
}
void ends_by_close() { report("ended", {}); }
void closes(bool others_received, bool others_passed_over) {
  if (others_received) report("closes_received", {});
  if (others_passed_over) report("closes_passed", {});
}
void awaits(const std::string& mailbox) { note(Kind::mailbox, mailbox, "awaits"); }

bool own_step(std::string_view type, const std::string& object, bool may_wait, std::string_view where,
              std::unique_lock<mutex>* lock) {
  const Plan* forced = plan();
  if (forced == nullptr || !forced->lists_mailboxes()) return true;
  const std::uint64_t number = counted().mailbox_events + 1;
  const std::uint64_t all = counted().all + 1;
  if (own_next >= forced->steps_of(this_actor()).size()) {
    if (may_wait) return false;
    hold(what_text(type, object) + std::to_string(number) + std::string(where), lock);
  }
  if (const std::string another = another_step(type, object); !another.empty())
    hold(another + std::string(where), lock);
  ++own_next;
  note(Kind::mailbox, object, "step " + std::string(type) + ' ' + std::to_string(number) + ' ' + std::to_string(all));
  return true;
}

std::uint64_t own_place() {
  const std::vector<PlannedStep>& steps = plan()->steps_of(this_actor());
  return own_next < steps.size() ? steps[own_next].place : no_place;
}

bool is_own_step(std::string_view type, const std::string& object) {
  const std::vector<PlannedStep>& steps = plan()->steps_of(this_actor());
  return own_next < steps.size() && steps[own_next].type == type && steps[own_next].object == object;
}

void overtakes(const PlannedAt& receive, const PlannedAt& taken, const PlannedAt& other, bool is_shared) {
  std::string text;
  for (const PlannedAt* event : {&receive, &taken, &other})
    text += event->mailbox + '\t' + std::to_string(event->number) + '\t';
  report("overtakes", text + (is_shared ? "shared" : "own"));
}

void own_entry(const std::string& monitor) {
  const std::vector<std::string>& entries = plan()->entries_of(this_actor());
  const std::size_t number = own_entries++;
  if (number >= entries.size() || entries[number] != monitor)
    hold("enter " + monitor + " as its entry " + std::to_string(number + 1));
}

void wants(std::string_view what) { report("wants", what); }

void hold(std::string_view what, std::unique_lock<mutex>* lock) {
  deviates(what);
  if (lock != nullptr) lock->unlock();
  std::unique_lock for_good(held->mutex);
  for (;;) held->never.wait(for_good);
}

}  // namespace reprise::detail
