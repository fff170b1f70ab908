#include "drive/control/causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

namespace reprise::drive {

namespace sequence = analyse::sequence;

// Nodes are made as threads are read; those of mailboxes and monitors are linked by their orders afterwards.
class Causes::Builder {
 public:
  explicit Builder(const std::vector<sequence::Process>& processes) : processes_(processes) {}

  Result<Causes> run() {
    for (const sequence::Process& process : processes_) {
      for (const recording::ThreadInfo& thread : process.log.threads()) {
        if (auto read = read_thread(process, thread); !read) return tl::unexpected(read.error());
      }
    }
    tell_races();
    for (auto& [object, orders] : mailboxes_) link(orders);
    for (auto& [object, orders] : monitors_) link(orders);
    for (auto& [object, orders] : monitors_) number_entries(object, orders);
    for (const auto& [child, spawned] : spawns_) {
      if (const auto first = firsts_.find(child); first != firsts_.end()) cause(spawned, first->second);
    }
    for (const auto& [join, child] : joins_) {
      if (const auto last = result_.last_of_thread_.find(child); last != result_.last_of_thread_.end()) {
        cause(last->second, join);
      }
    }
    for (const auto& [event, sender] : sent_) {
      const auto step = steps_.find(sender);
      if (step == steps_.end()) continue;
      cause(step->second.node, event);
      if (step->second.waits && step->second.next) cause(event, *step->second.next);
    }
    if (!sort()) return fail(ErrorCode::damaged, "the events of the run contradict each other");
    return std::move(result_);
  }

 private:
  struct Step {
    std::size_t node;
    bool waits;                       // the thread goes on after the event
    std::optional<std::size_t> next;  // what it does then
  };

  // Does an event of this kind show that its thread does not wait at a mailbox any more?
  static bool goes_on(Kind kind) {
    return kind == Kind::mailbox || kind == Kind::monitor || kind == Kind::answer || kind == Kind::spawn ||
           kind == Kind::join || kind == Kind::end;
  }
  // Threads that pass an object such that it matters who comes first.
  void meet(const std::string& process, const std::string& thread, const recording::Event& event) {
    constexpr std::array racing{Kind::lock,    Kind::relock,      Kind::relock_timeout, Kind::try_failed,
                                Kind::load,    Kind::store,       Kind::modify,         Kind::compare_failed,
                                Kind::acquire, Kind::lock_shared, Kind::write_lock,     Kind::wake,
                                Kind::wait,    Kind::wake_timeout};
    if (event.kind == Kind::label) labels_[{process, event.object}] = event.value;
    if (event.object != 0 && std::find(racing.begin(), racing.end(), event.kind) != racing.end())
      met_[{process, event.object}].insert(thread);
  }
  void tell_races() {
    for (const auto& [object, threads] : met_) {
      const auto label = labels_.find(object);
      const std::string name = label == labels_.end() ? "" : label->second;
      const bool is_of_mailbox = name.starts_with("queue ") || name == "selection" || name == "held";
      if (name.starts_with("monitor ") || conditions_.contains(object.first + "/" + name)) {
        result_.of_monitors_.insert(object);
      } else if (threads.size() > 1 && !is_of_mailbox) {
        result_.races_.insert(object.first + "/" + (name.empty() ? "an object without a name" : name));
      }
    }
  }
  std::size_t make() {
    result_.nodes_.emplace_back();
    return result_.nodes_.size() - 1;
  }
  void cause(std::size_t from, std::size_t to) {
    if (from != to) result_.nodes_[to].causes.push_back(from);
  }
  void link(std::map<std::uint64_t, std::size_t>& orders) {
    std::optional<std::size_t> last;
    for (const auto& [order, node] : orders) {
      if (last) cause(*last, node);
      last = node;
    }
  }
  void number_entries(const std::string& monitor, const std::map<std::uint64_t, std::size_t>& orders) {
    std::size_t position = 0;
    for (const auto& [order, node] : orders) {
      if (const auto thread = entering_.find(node); thread != entering_.end()) {
        result_.nodes_[node].entry = Entry{monitor, position++, thread->second};
      }
    }
  }

  Result<void> read_thread(const sequence::Process& process, const recording::ThreadInfo& thread) {
    const std::string name = fmt::format("{}/{}", process.name, thread.path);
    recording::StreamReader stream = process.log.stream(thread.index);
    std::optional<std::size_t> last;
    Step* waiting = nullptr;
    for (;;) {
      auto next = stream.next();
      if (!next) return tl::unexpected(next.error());
      if (!*next) break;
      if (goes_on((*next)->kind)) result_.awaited_.erase(name);
      meet(process.name, name, **next);
      const auto node = node_of(process, name, **next);
      if (!node) continue;
      if (last) cause(*last, *node);
      if (waiting != nullptr) waiting->next = *node;
      waiting = nullptr;
      if ((*next)->kind == Kind::mailbox && is_step_) waiting = &steps_[step_key_];
      if (waiting != nullptr) waiting->node = *node;
      firsts_.emplace(name, *node);
      last = node;
    }
    if (last) result_.last_of_thread_[name] = *last;
    return {};
  }

  // The node of an event of a thread, if it is one that matters here. Events that a mailbox's own thread does for
  // others are no part of that thread.
  std::optional<std::size_t> node_of(const sequence::Process& process, const std::string& thread,
                                     const recording::Event& event) {
    is_step_ = false;
    const auto path_of = [&](std::uint64_t index) {
      const recording::ThreadInfo* info = process.log.thread(static_cast<ThreadIndex>(index));
      return fmt::format("{}/{}", process.name, info == nullptr ? "?" : info->path);
    };
    if (event.kind == Kind::spawn || event.kind == Kind::join) {
      const std::size_t node = make();
      if (event.kind == Kind::spawn) spawns_[path_of(event.number)] = node;
      if (event.kind == Kind::join) joins_.emplace_back(node, path_of(event.number));
      return node;
    }
    if (event.kind != Kind::mailbox && event.kind != Kind::monitor) return std::nullopt;
    std::istringstream words{std::string(event.value)};
    std::string type;
    std::uint64_t order = 0;
    words >> type;
    if (event.kind == Kind::monitor) {
      words >> order;
      const std::size_t node = make();
      const std::string object(event.name.substr(0, event.name.rfind(':')));
      monitors_[process.name + "/" + object][order] = node;
      if (type == "entry" || type == "reentry") entering_[node] = thread;
      if (std::string all, condition; words >> all >> condition && condition != "NA")
        conditions_.insert(process.name + "/" + condition);
      return node;
    }
    return mailbox_node(thread, std::string(event.name), type, words);
  }

  std::optional<std::size_t> mailbox_node(const std::string& thread, const std::string& mailbox,
                                          const std::string& type, std::istringstream& words) {
    std::uint64_t order = 0;
    std::string process;
    std::string path;
    std::uint64_t number = 0;
    if (type == "step") {
      std::string what;
      words >> what >> number;
      is_step_ = true;
      step_key_ = fmt::format("{} {}", thread, number);
      steps_[step_key_] = {make(), what != "arrival", std::nullopt};
      if (what != "arrival") result_.awaited_[thread] = mailbox;
      return steps_[step_key_].node;
    }
    if (type == "spawn" || type == "joined") return std::nullopt;  // the steps of that kind tell it, too
    if (type == "elseDelay") {
      words >> number;
      const std::size_t node = make();
      result_.nodes_[node].mailbox = fmt::format("{} {}", thread, number);
      return node;
    }
    words >> order;
    const std::size_t node = make();
    mailboxes_[mailbox][order] = node;
    result_.nodes_[node].mailbox = fmt::format("{} {}", mailbox, order);
    if (type == "receive") return node;
    const bool is_received = type == "SRsynchronization";
    if (is_received) words >> number >> number;
    words >> process >> path >> number;
    sent_.emplace_back(node, fmt::format("{}/{} {}", process, path, number));
    return is_received ? std::optional(node) : std::nullopt;
  }

  bool sort() {
    std::vector<std::vector<std::size_t>> effects(result_.nodes_.size());
    std::vector<std::size_t> missing(result_.nodes_.size());
    for (std::size_t i = 0; i < result_.nodes_.size(); ++i) {
      missing[i] = result_.nodes_[i].causes.size();
      for (const std::size_t cause : result_.nodes_[i].causes) effects[cause].push_back(i);
      if (missing[i] == 0) result_.order_.push_back(i);
    }
    for (std::size_t next = 0; next < result_.order_.size(); ++next) {
      for (const std::size_t effect : effects[result_.order_[next]]) {
        if (--missing[effect] == 0) result_.order_.push_back(effect);
      }
    }
    return result_.order_.size() == result_.nodes_.size();
  }

  const std::vector<sequence::Process>& processes_;
  Causes result_;
  std::map<std::string, std::map<std::uint64_t, std::size_t>> mailboxes_, monitors_;
  std::map<std::size_t, std::string> entering_;
  std::map<std::pair<std::string, std::uint64_t>, std::set<std::string>> met_;  // by process and object
  std::map<std::pair<std::string, std::uint64_t>, std::string> labels_;
  std::set<std::string> conditions_;  // of monitors
  std::map<std::string, std::size_t> spawns_, firsts_;
  std::vector<std::pair<std::size_t, std::string>> joins_, sent_;
  std::map<std::string, Step> steps_;  // by "thread number"
  bool is_step_{false};
  std::string step_key_;
};

Result<Causes> Causes::of(const std::vector<sequence::Process>& processes) { return Builder(processes).run(); }

std::vector<bool> Causes::past(std::vector<std::size_t> open) const {
  std::vector<bool> past(nodes_.size());
  for (const std::size_t node : open) past[node] = true;
  while (!open.empty()) {
    const std::size_t next = open.back();
    open.pop_back();
    for (const std::size_t cause : nodes_[next].causes) {
      if (past[cause]) continue;
      past[cause] = true;
      open.push_back(cause);
    }
  }
  return past;
}

std::vector<Entry> Causes::entries_in(const std::vector<bool>& past) const {
  std::vector<Entry> entries;
  for (const std::size_t node : order_) {
    if (past[node] && nodes_[node].entry) entries.push_back(*nodes_[node].entry);
  }
  return entries;
}

std::vector<Entry> Causes::past_of(const std::set<std::string>& threads) const {
  std::vector<std::size_t> last;
  for (const std::string& thread : threads) {
    if (const auto found = last_of_thread_.find(thread); found != last_of_thread_.end()) last.push_back(found->second);
  }
  return entries_in(past(std::move(last)));
}

bool Causes::is_of_monitor(const std::string& process, std::uint64_t object) const {
  return of_monitors_.contains({process, object});
}

std::optional<std::string> Causes::awaited_by(const std::string& thread) const {
  const auto found = awaited_.find(thread);
  return found == awaited_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<Entry> Causes::all() const { return entries_in(std::vector<bool>(nodes_.size(), true)); }

std::optional<Causes::Violation> Causes::against(const std::map<std::string, std::size_t>& places) const {
  std::vector<std::size_t> latest(nodes_.size());  // place + 1 of the last cause
  std::optional<std::pair<std::size_t, std::size_t>> first;
  for (const std::size_t node : order_) {
    for (const std::size_t cause : nodes_[node].causes) latest[node] = std::max(latest[node], latest[cause]);
    const auto place = nodes_[node].mailbox.empty() ? places.end() : places.find(nodes_[node].mailbox);
    if (place == places.end()) continue;
    if (latest[node] > place->second + 1 && (!first || place->second < first->first)) first = {place->second, node};
    latest[node] = std::max(latest[node], place->second + 1);
  }
  if (!first) return std::nullopt;
  return Violation{first->first, entries_in(past({first->second}))};
}

}  // namespace reprise::drive
