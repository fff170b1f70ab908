#include "drive/control/causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <sstream>
#include <utility>

#include "drive/control/meetings.h"
#include "recording/searched.h"

namespace reprise::drive {

namespace sequence = analyse::sequence;

namespace {

std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
  return value ^ (value >> 31);
}

}  // namespace

std::string Causes::object_name(const std::string& process, std::uint64_t object) {
  return fmt::format("{}/{}", process, object);
}

// Nodes are made as threads are read; those of mailboxes, monitors and searched objects are linked by their orders
// afterwards.
class Causes::Builder {
 public:
  explicit Builder(const std::vector<sequence::Process>& processes) : processes_(processes) {}

  Result<Causes> run() {
    for (const sequence::Process& process : processes_) {
      for (const recording::ThreadInfo& thread : process.log.threads()) {
        if (auto read = read_labels(process, thread); !read) return tl::unexpected(read.error());
      }
    }
    for (const sequence::Process& process : processes_) {
      for (const recording::ThreadInfo& thread : process.log.threads()) {
        if (auto read = read_thread(process, thread); !read) return tl::unexpected(read.error());
        note_standing(process, thread);
      }
    }
    tell_unsearched();
    link_all();
    if (!sort()) return fail(ErrorCode::damaged, "the events of the run contradict each other");
    identify();
    judge_passages();
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
  static std::string name_of(const sequence::Process& process, const recording::ThreadInfo& thread) {
    return fmt::format("{}/{}", process.name, thread.path);
  }

  Result<void> read_labels(const sequence::Process& process, const recording::ThreadInfo& thread) {
    recording::StreamReader stream = process.log.stream(thread.index);
    std::uint64_t labelled = 0;
    for (;;) {
      auto next = stream.next();
      if (!next) return tl::unexpected(next.error());
      if (!*next) return {};
      const recording::Event& event = **next;
      if (event.kind == Kind::label) {
        labelled = event.object;
        labels_[object_name(process.name, event.object)] = event.value;
      } else if (event.kind == Kind::note && event.value == recording::note_own) {
        meetings_.note_own(object_name(process.name, labelled));
      } else if (event.kind == Kind::note && event.value == recording::note_serves) {
        result_.servers_.insert(name_of(process, thread));
      }
    }
  }
  std::string label_of(const std::string& object) const {
    const auto label = labels_.find(object);
    return label == labels_.end() ? "an object without a name" : label->second;
  }

  // ---- what the search does not see ----

  void look_for_unsearched(const std::string& process, const std::string& thread, const recording::Event& event) {
    const std::string object = object_name(process, event.object);
    if (event.kind == Kind::lock_shared || event.kind == Kind::write_lock) shared_[object].insert(thread);
    if (event.kind == Kind::wake || event.kind == Kind::wake_timeout)
      result_.unsearched_.insert(fmt::format("threads wait at {} with any lock", label_of(object)));
    if (event.kind == Kind::receive && !result_.is_server(thread)) sources_[object].insert(event.number);
    if (event.kind != Kind::note) return;
    if (event.value == recording::note_spins)
      result_.unsearched_.insert(fmt::format("{} loads the same again and again until somebody writes", thread));
    if (event.value.starts_with(recording::note_unsearched)) {
      is_unsearched_ = true;
      result_.unsearched_.insert(
          fmt::format("{} makes {}", thread, event.value.substr(recording::note_unsearched.size())));
    }
  }
  void tell_unsearched() {
    for (const auto& [object, threads] : shared_) {
      if (threads.size() > 1) result_.unsearched_.insert(fmt::format("threads share {}", label_of(object)));
    }
    for (const auto& [object, sources] : sources_) {
      if (sources.size() > 1) result_.unsearched_.insert(fmt::format("messages race at {}", label_of(object)));
    }
  }

  // ---- nodes ----

  std::size_t make(const std::string& label) {
    result_.nodes_.emplace_back();
    result_.nodes_.back().label = std::hash<std::string>()(label);
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
  void link_all() {
    for (auto* objects : {&mailboxes_, &monitors_, &semaphores_}) {
      for (auto& [object, orders] : *objects) link(orders);
    }
    for (const auto& [from, to] : meetings_.links()) result_.nodes_[to].object_causes.push_back(from);
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
    result_.holders_ = meetings_.holders();
    result_.own_ = meetings_.own();
  }

  Result<void> read_thread(const sequence::Process& process, const recording::ThreadInfo& thread) {
    const std::string name = name_of(process, thread);
    recording::StreamReader stream = process.log.stream(thread.index);
    std::optional<std::size_t> last;
    Step* waiting = nullptr;
    is_unsearched_ = false;
    for (;;) {
      auto next = stream.next();
      if (!next) return tl::unexpected(next.error());
      if (!*next) break;
      if (goes_on((*next)->kind)) result_.awaited_.erase(name);
      look_for_unsearched(process.name, name, **next);
      if ((*next)->kind == Kind::note && last) note_woken(process.name, *last, (*next)->value);
      const auto node = node_of(process, name, **next);
      if (!node) continue;
      if (last) cause(*last, *node);
      if (waiting != nullptr) waiting->next = *node;
      waiting = nullptr;
      if ((*next)->kind == Kind::mailbox && is_step_) waiting = &steps_[step_key_];
      if (waiting != nullptr) waiting->node = *node;
      firsts_.emplace(name, *node);
      last = node;
      owners_.resize(result_.nodes_.size());
      owners_[*node] = name;
    }
    if (last) result_.last_of_thread_[name] = *last;
    return {};
  }

  void note_woken(const std::string& process, std::size_t node, std::string_view text) {
    if (!text.starts_with(recording::note_woken)) return;
    std::istringstream words{std::string(text.substr(recording::note_woken.size()))};
    std::uint64_t condition = 0;
    std::uint64_t order = 0;
    words >> condition >> order;
    meetings_.woken(node, object_name(process, condition), order);
  }
  // Before which object does a thread stand that has gone no further?
  void note_standing(const sequence::Process& process, const recording::ThreadInfo& thread) {
    if (recording::is_passage(thread.pending_kind) && thread.pending_kind != Kind::wait && thread.pending_object != 0)
      meetings_.stands(object_name(process.name, thread.pending_object), name_of(process, thread));
  }

  // At an object that is searched: a passage, or the unlock that ends one.
  std::optional<std::size_t> met_node(const std::string& process, const std::string& thread,
                                      const recording::Event& event) {
    const bool is_passage = recording::is_passage(event.kind);
    const bool has_failed = event.kind == Kind::try_failed || event.kind == Kind::receive;
    if (has_failed) is_unsearched_ = false;
    if (!is_passage && event.kind != Kind::unlock && event.kind != Kind::relock_timeout) return std::nullopt;
    const std::string object = object_name(process, event.object);
    if (event.object == 0 || meetings_.is_own(object)) return std::nullopt;
    const std::size_t node = make(fmt::format("{} {}", thread, recording::name(event.kind)));
    if (event.kind == Kind::unlock) {
      meetings_.unlock(object, thread, node);
      return node;
    }
    meetings_.pass(object, event, thread, node);
    if (const bool is_counted = !std::exchange(is_unsearched_, false); is_counted) {
      result_.nodes_[node].passage =
          Passage{thread, ++numbers_[thread], object, recording::is_load(event.kind), 0, false, false};
    }
    return node;
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
      const std::string other = path_of(event.number);
      const std::size_t node = make(fmt::format("{} {} {}", thread, recording::name(event.kind), other));
      if (event.kind == Kind::spawn) spawns_[other] = node;
      if (event.kind == Kind::join) joins_.emplace_back(node, other);
      return node;
    }
    if (event.kind != Kind::mailbox && event.kind != Kind::monitor && event.kind != Kind::semaphore)
      return met_node(process.name, thread, event);
    std::istringstream words{std::string(event.value)};
    std::string type;
    words >> type;
    if (event.kind == Kind::mailbox) return mailbox_node(thread, std::string(event.name), type, words);
    std::uint64_t order = 0;
    words >> order;
    const bool is_monitor = event.kind == Kind::monitor;
    const std::string object(event.name.substr(0, is_monitor ? event.name.rfind(':') : std::string_view::npos));
    const std::size_t node = make(fmt::format("{} {} {} {}", thread, object, type, order));
    (is_monitor ? monitors_ : semaphores_)[process.name + "/" + object][order] = node;
    return node;
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
      steps_[step_key_] = {make(step_key_ + what + mailbox), what != "arrival", std::nullopt};
      if (what != "arrival") result_.awaited_[thread] = mailbox;
      return steps_[step_key_].node;
    }
    if (type == "awaits") {
      result_.awaited_[thread] = mailbox;
      return std::nullopt;
    }
    if (type == "spawn" || type == "joined") return std::nullopt;  // the steps of that kind tell it, too
    if (type == "elseDelay") {
      words >> number;
      const std::string name = fmt::format("{} {}", thread, number);
      const std::size_t node = make(name);
      result_.nodes_[node].mailbox = name;
      return node;
    }
    words >> order;
    const std::string name = fmt::format("{} {}", mailbox, order);
    const std::size_t node = make(name + type);
    mailboxes_[mailbox][order] = node;
    result_.nodes_[node].mailbox = name;
    if (type == "receive") return node;
    const bool is_received = type == "SRsynchronization";
    if (is_received) words >> number >> number;
    words >> process >> path >> number;
    sent_.emplace_back(node, fmt::format("{}/{} {}", process, path, number));
    return is_received ? std::optional(node) : std::nullopt;
  }

  // ---- afterwards ----

  template <typename Action>
  static void for_causes(const Node& node, Action action) {
    for (const auto* causes : {&node.causes, &node.object_causes}) {
      for (const std::size_t cause : *causes) action(cause);
    }
  }

  bool sort() {
    std::vector<std::vector<std::size_t>> effects(result_.nodes_.size());
    std::vector<std::size_t> missing(result_.nodes_.size());
    for (std::size_t i = 0; i < result_.nodes_.size(); ++i) {
      for_causes(result_.nodes_[i], [&](std::size_t cause) {
        effects[cause].push_back(i);
        ++missing[i];
      });
      if (missing[i] == 0) result_.order_.push_back(i);
    }
    for (std::size_t next = 0; next < result_.order_.size(); ++next) {
      for (const std::size_t effect : effects[result_.order_[next]]) {
        if (--missing[effect] == 0) result_.order_.push_back(effect);
      }
    }
    return result_.order_.size() == result_.nodes_.size();
  }

  // A node is what it is and what it depends on.
  void identify() {
    std::vector<std::uint64_t> ids(result_.nodes_.size());
    for (const std::size_t i : result_.order_) {
      Node& node = result_.nodes_[i];
      std::uint64_t sum = 0;
      for_causes(node, [&](std::size_t cause) { sum += mixed(ids[cause]); });
      ids[i] = mixed(node.label + mixed(sum));
      if (node.passage) node.passage->id = ids[i];
    }
  }

  // By thread: its last node that this one depends on, as its place in the thread.
  using Clock = std::map<std::string, std::size_t>;

  void judge_passages() {
    std::vector<Clock> clocks(result_.nodes_.size());
    std::map<std::string, std::size_t> places;
    owners_.resize(result_.nodes_.size());
    for (const std::size_t i : result_.order_) {
      Node& node = result_.nodes_[i];
      for_causes(node, [&](std::size_t cause) {
        for (const auto& [thread, place] : clocks[cause]) clocks[i][thread] = std::max(clocks[i][thread], place);
      });
      if (!owners_[i].empty()) clocks[i][owners_[i]] = ++places[owners_[i]];
    }
    for (const std::size_t i : result_.order_) {
      Node& node = result_.nodes_[i];
      if (!node.passage) continue;
      node.passage->is_contested = meetings_.is_contested(node.passage->object, i);
      node.passage->is_alone = is_alone(*node.passage, i, clocks, places);
      result_.of_thread_[node.passage->thread].push_back(*node.passage);
    }
  }
  // Every other thread of the process either has done all that it ever does before this, or is started after it.
  bool is_alone(const Passage& passage, std::size_t node, const std::vector<Clock>& clocks,
                const std::map<std::string, std::size_t>& places) const {
    const std::string process = passage.thread.substr(0, passage.thread.find('/'));
    const auto reached = [](const Clock& clock, const std::string& thread) {
      const auto found = clock.find(thread);
      return found == clock.end() ? 0 : found->second;
    };
    for (const sequence::Process& one : processes_) {
      if (one.name != process) continue;
      for (const recording::ThreadInfo& info : one.log.threads()) {
        const std::string other = name_of(one, info);
        if (other == passage.thread || result_.is_server(other)) continue;
        const auto all = places.find(other);
        const bool is_done = info.ended && reached(clocks[node], other) == (all == places.end() ? 0 : all->second);
        const auto spawn = spawns_.find(other);
        const bool is_later = spawn != spawns_.end() &&
                              reached(clocks[spawn->second], passage.thread) >= reached(clocks[node], passage.thread);
        if (!is_done && !is_later) return false;
      }
    }
    return true;
  }

  const std::vector<sequence::Process>& processes_;
  Causes result_;
  Meetings meetings_;
  std::map<std::string, std::map<std::uint64_t, std::size_t>> mailboxes_, monitors_, semaphores_;
  std::map<std::string, std::string> labels_;               // by object
  std::map<std::string, std::set<std::string>> shared_;     // by object: threads
  std::map<std::string, std::set<std::uint64_t>> sources_;  // by object: who sent
  std::map<std::string, std::uint64_t> numbers_;            // passages by thread
  std::vector<std::string> owners_;                         // of nodes: threads
  std::map<std::string, std::size_t> spawns_, firsts_;
  std::vector<std::pair<std::size_t, std::string>> joins_, sent_;
  std::map<std::string, Step> steps_;  // by "thread number"
  bool is_step_{false};
  bool is_unsearched_{false};  // the thread's next passage, if it comes to one
  std::string step_key_;
};

Result<Causes> Causes::of(const std::vector<sequence::Process>& processes) { return Builder(processes).run(); }

std::vector<bool> Causes::past(std::vector<std::size_t> open) const {
  std::vector<bool> past(nodes_.size());
  for (const std::size_t node : open) past[node] = true;
  while (!open.empty()) {
    const std::size_t next = open.back();
    open.pop_back();
    for (const auto* causes : {&nodes_[next].causes, &nodes_[next].object_causes}) {
      for (const std::size_t cause : *causes) {
        if (past[cause]) continue;
        past[cause] = true;
        open.push_back(cause);
      }
    }
  }
  return past;
}

std::vector<Passage> Causes::passages_in(const std::vector<bool>& past) const {
  std::vector<Passage> passages;
  for (const std::size_t node : order_) {
    if (past[node] && nodes_[node].passage) passages.push_back(*nodes_[node].passage);
  }
  return passages;
}

std::vector<Passage> Causes::past_of(const std::set<std::string>& threads) const {
  std::vector<std::size_t> last;
  for (const std::string& thread : threads) {
    if (const auto found = last_of_thread_.find(thread); found != last_of_thread_.end()) last.push_back(found->second);
  }
  return passages_in(past(std::move(last)));
}

const std::vector<Passage>& Causes::of_thread(const std::string& thread) const {
  static const std::vector<Passage> none;
  const auto found = of_thread_.find(thread);
  return found == of_thread_.end() ? none : found->second;
}

std::optional<std::string> Causes::holder_of(const std::string& object) const {
  const auto found = holders_.find(object);
  return found == holders_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::string> Causes::awaited_by(const std::string& thread) const {
  const auto found = awaited_.find(thread);
  return found == awaited_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<Passage> Causes::all() const { return passages_in(std::vector<bool>(nodes_.size(), true)); }

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
  return Violation{first->first, passages_in(past({first->second}))};
}

}  // namespace reprise::drive
