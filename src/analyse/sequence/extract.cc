#include "analyse/sequence/extract.h"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <set>

#include "analyse/sequence/causal.h"
#include "analyse/sequence/cursor.h"

namespace reprise::analyse::sequence {
namespace {

// The words of a note.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) {}

  std::string_view word() {
    const std::size_t end = std::min(rest_.find(' '), rest_.size());
    const std::string_view found = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (found.empty()) good_ = false;
    return found;
  }
  std::uint64_t number() {
    const std::string_view text = word();
    std::uint64_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) good_ = false;
    return value;
  }
  bool has_more() const { return !rest_.empty(); }
  std::string rest() { return std::string(rest_); }
  // After the last `mark`, if there is one.
  bool skip_to(char mark) {
    const std::size_t at = rest_.rfind(mark);
    if (at != std::string_view::npos) rest_.remove_prefix(at + 1);
    return at != std::string_view::npos;
  }
  bool good() const { return good_; }

 private:
  std::string_view rest_;
  bool good_{true};
};

class Extractor {
 public:
  Extractor(const std::vector<Process>& processes, const ThreadNames& names) : processes_(processes), names_(names) {}

  Result<Execution> run() {
    for (const Process& process : processes_) {
      for (const recording::ThreadInfo& thread : process.log.threads()) {
        if (auto done = read_thread(process, thread); !done) return tl::unexpected(done.error());
      }
    }
    const Linear order = order_.sorted();
    if (!order.stuck.empty()) return fail(ErrorCode::damaged, "the noted events contradict each other");
    Execution all;
    for (const auto belongs : {is_mailbox_type, is_monitor_type, is_semaphore_type}) {
      for (const std::size_t node : order.order) {
        const auto found = events_.find(node);
        if (found == events_.end() || !belongs(found->second.type)) continue;
        all.events.push_back(found->second);
        if (is_mailbox_type(found->second.type))
          all.events.back().is_synchronous = synchronous_.contains(found->second.object);
      }
    }
    return all;
  }

 private:
  Result<void> read_thread(const Process& process, const recording::ThreadInfo& thread) {
    recording::StreamReader stream = process.log.stream(thread.index);
    place_ = 0;
    last_all_ = 0;
    for (;;) {
      auto next = stream.next();
      if (!next) return tl::unexpected(next.error());
      if (!*next) return {};
      const recording::Event& event = **next;
      if (event.kind != Kind::monitor && event.kind != Kind::semaphore && event.kind != Kind::mailbox) continue;
      const bool is_about_to = event.value.starts_with("step ") || event.value == "awaits";
      if (event.kind == Kind::mailbox && is_about_to) continue;
      if (event.kind == Kind::mailbox && link_threads(process, thread.path, event.value)) continue;
      ++place_;
      own_ = fmt::format("{}/{}", process.name, thread.path);
      auto own = names_.name(process.name, thread.path);
      if (!own) return tl::unexpected(own.error());
      auto noted = event_of(process, *own, event);
      if (!noted) return tl::unexpected(noted.error());
      if (!*noted) {
        return fail(ErrorCode::damaged,
                    fmt::format("process {}, thread {}, step {}: \"{}\" is no event of a {}", shown(process.name),
                                thread.path, event.step, shown(event.value), recording::name(event.kind)));
      }
    }
  }

  // A thread that was started or joined: true.
  bool link_threads(const Process& process, const std::string& path, std::string_view text) {
    Words words(text);
    const std::string_view type = words.word();
    if (type != "spawn" && type != "joined") return false;
    const std::uint64_t index = words.number();
    const std::uint64_t all = words.number();
    const recording::ThreadInfo* other = process.log.thread(static_cast<ThreadIndex>(index));
    if (!words.good() || other == nullptr) return false;
    const std::size_t node = order_.add();
    order_.in_thread(fmt::format("{}/{}", process.name, path), {node, all, ++place_});
    order_.in_thread(fmt::format("{}/{}", process.name, other->path), {node, type == "spawn" ? 0 : CausalOrder::last});
    return true;
  }

  // The event becomes a node; a thread's chain holds it.
  std::optional<Event> noted(Event event, const std::string& object) {
    const std::size_t node = node_;
    if (!object.empty()) order_.at_object(object, event.object_number, node);
    if (event.selection_number > 0) order_.at_object("select " + event.selection, event.selection_number, node);
    events_.emplace(node, event);
    return event;
  }

  // Nothing: the note is none.
  Result<std::optional<Event>> event_of(const Process& process, const std::string& own,
                                        const recording::Event& noted_event) {
    Words words(noted_event.value);
    Event event;
    const auto type = type_named(words.word());
    if (!type) return std::optional<Event>();
    event.type = *type;
    event.object = noted_event.name;
    node_ = order_.add();
    if (noted_event.kind == Kind::mailbox) {
      if (!is_mailbox_type(*type)) return std::optional<Event>();
      return mailbox_event(std::move(event), process.name, own, words);
    }
    event.home = process.name;
    event.thread = own;
    event.object_number = words.number();
    if (noted_event.kind == Kind::semaphore) {
      if (!is_semaphore_type(*type) || !words.good()) return std::optional<Event>();
      link_after(words.has_more() ? words.number() : 0);
      const std::string object = fmt::format("semaphore {}/{}", event.home, event.object);
      return noted(std::move(event), object);
    }
    const std::size_t colon = event.object.rfind(':');
    if (!is_monitor_type(*type) || colon == std::string::npos) return std::optional<Event>();
    event.method = event.object.substr(colon + 1);
    event.object.resize(colon);
    const std::uint64_t all = words.number();
    event.condition = words.rest();
    if (event.type == Type::entry || event.type == Type::exit) event.condition.clear();
    if (!words.good()) return std::optional<Event>();
    if (event.type == Type::entry) {
      event.number_all = all;
      link_own(all);
    } else {
      link_after(all);
    }
    const std::string object = fmt::format("monitor {}/{}", event.home, event.object);
    return noted(std::move(event), object);
  }

  // An event with a number of its own in the thread that notes it, and one that comes after such a number.
  void link_own(std::uint64_t all) {
    last_all_ = std::max(last_all_, all);
    order_.in_thread(own_, {node_, all});
  }
  void link_after(std::uint64_t all) {
    last_all_ = std::max(last_all_, all);
    order_.in_thread(own_, {node_, last_all_, place_});
  }

  Result<std::optional<Event>> mailbox_event(Event event, const std::string& home, const std::string& own,
                                             Words& words) {
    const bool has_object = event.type != Type::else_delay;
    if (has_object) event.object_number = words.number();
    const bool is_received = event.type == Type::synchronization || event.type == Type::else_delay;
    if (is_received) {
      event.called = own;
      event.called_number = words.number();
      event.called_number_all = words.number();
      link_own(event.called_number_all);
    } else if (event.type == Type::receive) {
      event.thread = own;
      event.number = words.number();
      event.number_all = words.number();
      link_own(event.number_all);
    }
    if (event.type != Type::receive && event.type != Type::else_delay) {
      const std::string process(words.word());
      const std::string path(words.word());
      event.number = words.number();
      event.number_all = words.number();
      auto sender = names_.name(process, path);
      if (!sender) return tl::unexpected(sender.error());
      event.thread = *std::move(sender);
      order_.in_thread(fmt::format("{}/{}", process, path), {node_, event.number_all, 0, event.type != Type::arrival});
    }
    if (event.type == Type::synchronization) synchronous_.insert(event.object);
    if (words.good() && words.skip_to('@')) {
      event.selection = home;
      event.selection_number = words.number();
    }
    if (!words.good()) return std::optional<Event>();
    const std::string object = has_object ? "mailbox " + event.object : "";
    return noted(std::move(event), object);
  }

  const std::vector<Process>& processes_;
  const ThreadNames& names_;
  CausalOrder order_;
  std::map<std::size_t, Event> events_;  // by node
  std::set<std::string> synchronous_;
  std::size_t node_{0};        // of the event that is read
  std::string own_;            // the thread that notes it
  std::uint64_t place_{0};     // among its notes
  std::uint64_t last_all_{0};  // the last number it was at
};

}  // namespace

Result<std::string> ThreadNames::name(const std::string& process, const std::string& path) const {
  if (start_ids_.empty()) return fmt::format("{}/{}", process, path);
  for (const StartId& id : start_ids_) {
    if (id.process != process) continue;
    for (const Process& known : processes_) {
      if (known.name != process) continue;
      for (const recording::ThreadInfo& thread : known.log.threads()) {
        if (thread.path == path) return std::to_string(id.first + thread.index - main_thread);
      }
    }
    return fail(ErrorCode::damaged, fmt::format("there is no thread {} of process {}", shown(path), shown(process)));
  }
  return fail(ErrorCode::usage,
              fmt::format("give process {} a number: --start-id {}=N", shown(process), shown(process)));
}

Result<Execution> extract(const std::vector<Process>& processes, const std::vector<StartId>& start_ids) {
  const ThreadNames names(processes, start_ids);
  return Extractor(processes, names).run();
}

}  // namespace reprise::analyse::sequence
