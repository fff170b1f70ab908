#include "analyse/sequence/extract.h"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <set>

#include "analyse/sequence/cursor.h"
#include "analyse/sequence/linear.h"

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
    for (Event& event : mailboxes_.events) {
      event.is_synchronous = synchronous_.contains(event.object);
    }
    Execution all;
    for (const auto& [execution, keeps_numbers] :
         {std::pair{&mailboxes_, true}, std::pair{&monitors_, false}, std::pair{&semaphores_, false}}) {
      const Linear order = linear(*execution);
      if (!order.stuck.empty()) return fail(ErrorCode::damaged, "the noted events contradict each other");
      for (Event event : reordered(*execution, order).events) {
        if (!keeps_numbers) event.number = 0;
        all.events.push_back(std::move(event));
      }
    }
    return all;
  }

 private:
  Result<void> read_thread(const Process& process, const recording::ThreadInfo& thread) {
    recording::StreamReader stream = process.log.stream(thread.index);
    std::uint64_t place = 0;
    for (;;) {
      auto next = stream.next();
      if (!next) return tl::unexpected(next.error());
      if (!*next) return {};
      const recording::Event& event = **next;
      if (event.kind == Kind::mailbox && event.value.starts_with("step ")) continue;  // what a thread is about to do
      if (event.kind != Kind::monitor && event.kind != Kind::semaphore && event.kind != Kind::mailbox) continue;
      auto own = names_.name(process.name, thread.path);
      if (!own) return tl::unexpected(own.error());
      auto noted = event_of(process, *own, event);
      if (!noted) return tl::unexpected(noted.error());
      if (!*noted) {
        return fail(ErrorCode::damaged,
                    fmt::format("process {}, thread {}, step {}: \"{}\" is no event of a {}", shown(process.name),
                                thread.path, event.step, shown(event.value), recording::name(event.kind)));
      }
      if (event.kind != Kind::mailbox) (*noted)->number = ++place;
      list_of(event.kind).events.push_back(**std::move(noted));
    }
  }

  Execution& list_of(Kind kind) {
    return kind == Kind::mailbox ? mailboxes_ : kind == Kind::monitor ? monitors_ : semaphores_;
  }

  // Nothing: the note is none.
  Result<std::optional<Event>> event_of(const Process& process, const std::string& own, const recording::Event& noted) {
    Words words(noted.value);
    Event event;
    const auto type = type_named(words.word());
    if (!type) return std::optional<Event>();
    event.type = *type;
    event.object = noted.name;
    if (noted.kind == Kind::mailbox) {
      if (!is_mailbox_type(*type)) return std::optional<Event>();
      return mailbox_event(std::move(event), process.name, own, words);
    }
    event.home = process.name;
    event.thread = own;
    event.object_number = words.number();
    if (noted.kind == Kind::semaphore) {
      return is_semaphore_type(*type) && words.good() ? std::optional(std::move(event)) : std::nullopt;
    }
    const std::size_t colon = event.object.rfind(':');
    if (!is_monitor_type(*type) || colon == std::string::npos) return std::optional<Event>();
    event.method = event.object.substr(colon + 1);
    event.object.resize(colon);
    event.number_all = words.number();
    event.condition = words.rest();
    if (event.type == Type::entry || event.type == Type::exit) event.condition.clear();
    return words.good() ? std::optional(std::move(event)) : std::nullopt;
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
    } else if (event.type == Type::receive) {
      event.thread = own;
      event.number = words.number();
      event.number_all = words.number();
    }
    if (event.type != Type::receive && event.type != Type::else_delay) {
      const std::string process(words.word());
      const std::string path(words.word());
      event.number = words.number();
      event.number_all = words.number();
      auto sender = names_.name(process, path);
      if (!sender) return tl::unexpected(sender.error());
      event.thread = *std::move(sender);
    }
    if (event.type == Type::synchronization) synchronous_.insert(event.object);
    if (words.good() && words.skip_to('@')) {
      event.selection = home;
      event.selection_number = words.number();
    }
    return words.good() ? std::optional(std::move(event)) : std::nullopt;
  }

  const std::vector<Process>& processes_;
  const ThreadNames& names_;
  Execution mailboxes_;
  Execution monitors_;
  Execution semaphores_;
  std::set<std::string> synchronous_;
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
