#include "analyse/sequence/files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "analyse/names.h"
#include "analyse/sequence/print.h"
#include "analyse/sequence/stamps.h"

namespace reprise::analyse::sequence {
namespace {

constexpr std::string_view node = "Node1";

class Writer {
 public:
  Writer(const std::vector<Process>& processes, const std::vector<StartId>& ids, Numbering numbering, Execution all)
      : processes_(processes), ids_(ids), numbering_(numbering), all_(std::move(all)) {}

  Result<Files> run() {
    if (auto read = read_threads(); !read) return tl::unexpected(read.error());
    channels();
    for (const Process& process : processes_) {
      const auto own = [&](const Event& event) { return event.home == process.name; };
      add(process.name + "_monitor-replay.txt", Form::simple_monitor, own);
      add(process.name + "_monitor-test.txt", Form::monitor, own);
      add(process.name + "_semaphore-replay.txt", Form::semaphore, own);
      add(process.name + "_semaphore-test.txt", Form::semaphore, own);
      monitors(process);
      threads(process);
    }
    return std::move(files_);
  }

 private:
  // Which thread is that of which mailbox: the one that takes what comes to the party of that name.
  Result<void> read_threads() {
    const ThreadNames names(processes_, ids_);
    constexpr std::string_view prefix = "mailbox ";
    for (const Process& process : processes_) {
      const Names objects(process.log);
      for (const recording::ThreadInfo& thread : process.log.threads()) {
        auto id = names.name(process.name, thread.path);
        if (!id) return tl::unexpected(id.error());
        numbers_.push_back(*id);
        recording::StreamReader stream = process.log.stream(thread.index);
        for (auto next = stream.next(); next && *next; next = stream.next()) {
          const recording::Event& event = **next;
          if (event.kind != Kind::receive) continue;
          const std::string object = objects.object(event.object);
          if (object.starts_with(prefix)) mailboxes_.emplace(object.substr(prefix.size()), *id);
        }
      }
    }
    std::sort(numbers_.begin(), numbers_.end(), [](const std::string& a, const std::string& b) {
      return a.size() != b.size() ? a.size() < b.size() : a < b;
    });
    return {};
  }

  PrintOptions options(Form form, bool has_header = true) const {
    PrintOptions options;
    options.form = form;
    options.numbering = numbering_;
    options.has_header = has_header;
    options.start_ids = ids_;
    return options;
  }
  static bool belongs(const Event& event, Form form) {
    return form == Form::semaphore                                 ? is_semaphore_type(event.type)
           : form == Form::monitor || form == Form::simple_monitor ? is_monitor_type(event.type)
                                                                   : is_mailbox_type(event.type);
  }

  template <typename Own>
  Execution chosen(Form form, Own own) const {
    Execution some;
    for (const Event& event : all_.events) {
      if (belongs(event, form) && own(event)) some.events.push_back(event);
    }
    return some;
  }
  template <typename Own>
  void add(const std::string& name, Form form, Own own) {
    const Execution some = chosen(form, own);
    if (some.events.empty()) return;
    if (auto text = print(some, options(form))) {
      files_.files.push_back({name, *std::move(text)});
    } else {
      files_.refused.push_back(fmt::format("{}: {}", name, text.error().message));
    }
  }

  void channels() {
    const auto every = [](const Event&) { return true; };
    const Execution events = chosen(Form::node, every);
    if (events.events.empty()) return;
    add(fmt::format("{}_channel-replay.txt", node), Form::simple, every);
    const bool has_else = std::any_of(events.events.begin(), events.events.end(),
                                      [](const Event& event) { return event.type == Type::else_delay; });
    add(fmt::format("{}_channel-test.txt", node), has_else ? Form::thread2 : Form::node, every);
    trace(events);
  }

  void trace(const Execution& events) {
    const Stamps stamps(events, numbers_, mailboxes_);
    std::string text = fmt::format("// time: threads and mailboxes {}\n", fmt::join(numbers_, ", "));
    for (const auto& [mailbox, id] : mailboxes_)
      text += fmt::format("// {} is mailbox {}\n", id, printed_name(mailbox));
    text += fmt::format("form: node, numbering: {}", name(numbering_));
    for (const StartId& id : ids_) text += fmt::format(", start-id: {}={}", id.process, id.first);
    text += '\n';
    std::map<std::string, std::vector<std::string>> senders;
    std::map<std::string, std::size_t> received;
    for (std::size_t i = 0; i < events.events.size(); ++i) {
      const Event& event = events.events[i];
      const std::string time = fmt::format("time [{}]", fmt::join(stamps.of(i), ","));
      if (event.type == Type::else_delay) {
        text += fmt::format("// elseDelay of {}, number {}, {}\n", event.called, event.called_number, time);
        continue;
      }
      std::string sender = event.thread;
      if (event.type == Type::arrival) senders[event.object].push_back(event.thread);
      if (event.type == Type::receive) {
        const std::size_t next = received[event.object]++;
        sender = next < senders[event.object].size() ? senders[event.object][next] : "?";
      }
      const auto tuple = print(Execution{{event}}, options(Form::node, false));
      if (!tuple) {
        files_.refused.push_back(fmt::format("{}_channel-trace.txt: {}", node, tuple.error().message));
        return;
      }
      text += fmt::format("{} // sender {}, {}\n", std::string_view(*tuple).substr(0, tuple->size() - 1), sender, time);
    }
    files_.files.push_back({fmt::format("{}_channel-trace.txt", node), text});
  }

  void monitors(const Process& process) {
    std::vector<std::string> found;
    for (const Event& event : all_.events) {
      const bool is_new = is_monitor_type(event.type) && event.home == process.name &&
                          std::find(found.begin(), found.end(), event.object) == found.end();
      if (is_new) found.push_back(event.object);
    }
    std::string text;
    for (std::size_t i = 0; i < found.size(); ++i) text += fmt::format("{} {}\n", i + 1, printed_name(found[i]));
    if (!found.empty()) files_.files.push_back({process.name + "_monitorID.txt", text});
  }

  void threads(const Process& process) {
    const ThreadNames names(processes_, ids_);
    std::string text;
    for (const recording::ThreadInfo& thread : process.log.threads()) {
      const auto id = names.name(process.name, thread.path);
      if (!id) continue;
      text += fmt::format("{} {}/{}", *id, process.name, thread.path);
      for (const auto& [mailbox, of_mailbox] : mailboxes_) {
        if (of_mailbox == *id) text += fmt::format(" // mailbox {}", printed_name(mailbox));
      }
      text += '\n';
    }
    files_.files.push_back({process.name + "_ThreadID.txt", text});
  }

  const std::vector<Process>& processes_;
  const std::vector<StartId>& ids_;
  Numbering numbering_;
  Execution all_;
  std::vector<std::string> numbers_;              // of threads and mailboxes, in their order
  std::map<std::string, std::string> mailboxes_;  // their numbers
  Files files_;
};

}  // namespace

std::vector<StartId> counted_ids(const std::vector<Process>& processes) {
  std::vector<StartId> ids;
  std::uint64_t next = 1;
  for (const Process& process : processes) {
    ids.push_back({process.name, next});
    next += process.log.threads().size();
  }
  return ids;
}

Result<Files> files_of(const std::vector<Process>& processes, const std::vector<StartId>& start_ids,
                       Numbering numbering) {
  auto execution = extract(processes, start_ids);
  if (!execution) return tl::unexpected(execution.error());
  return Writer(processes, start_ids, numbering, *std::move(execution)).run();
}

}  // namespace reprise::analyse::sequence
