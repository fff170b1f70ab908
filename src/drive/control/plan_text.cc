#include "drive/control/plan_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "analyse/sequence/linear.h"
#include "analyse/sequence/number.h"
#include "analyse/sequence/parse.h"

namespace reprise::drive {
namespace {

namespace sequence = analyse::sequence;
using sequence::Event;
using sequence::Form;
using sequence::Sequence;
using sequence::StartId;
using sequence::Type;

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

bool is_number(const std::string& text) {
  return !text.empty() && text.size() < 19 && text.find_first_not_of("0123456789") == std::string::npos;
}

// What numbers mean.
struct Numbers {
  std::vector<StartId> ids;
  const ThreadIds& threads;
};

// 7 becomes process#3 where the process starts at 5.
Result<void> name_thread(std::string& thread, const Numbers& numbers, const Sequence& in, const Event& event) {
  if (thread.empty() || !is_number(thread)) return {};
  const std::uint64_t id = std::stoull(thread);
  if (const auto known = numbers.threads.find(id); known != numbers.threads.end()) {
    thread = known->second;
    return {};
  }
  const StartId* best = nullptr;
  for (const StartId& start : numbers.ids) {
    if (start.first <= id && (best == nullptr || start.first > best->first)) best = &start;
  }
  if (best == nullptr) {
    return fail(ErrorCode::usage,
                fmt::format("{}:{}:{}: thread {} is of no process; give the processes numbers: --start-id PROCESS=N",
                            in.file, event.place.line, event.place.column, thread));
  }
  thread = fmt::format("{}#{}", best->process, id - best->first + 1);
  return {};
}

// Threads by their names, and monitors and semaphores by their processes, which a part or a thread tells.
Result<Sequence> named(Sequence in, const Numbers& numbers) {
  const bool is_of_process = in.form == Form::monitor || in.form == Form::simple_monitor || in.form == Form::semaphore;
  for (sequence::Part& part : in.parts) {
    for (Event& event : part.events) {
      for (std::string* thread : {&event.thread, &event.called}) {
        if (auto done = name_thread(*thread, numbers, in, event); !done) return tl::unexpected(done.error());
      }
      if (is_of_process && event.home.empty()) event.home = event.thread.substr(0, event.thread.find_first_of("/#"));
    }
  }
  return in;
}

std::vector<Event>& list_of(Listed& listed, Form form) {
  switch (form) {
    case Form::monitor:
      return listed.monitors;
    case Form::simple_monitor:
      return listed.entries;
    case Form::semaphore:
      return listed.semaphores;
    default:
      return listed.mailboxes;
  }
}

bool is_of_mailboxes(Form form) {
  return form != Form::monitor && form != Form::simple_monitor && form != Form::semaphore;
}

Result<void> add(Listed& listed, const Sequence& read, std::size_t file, const Numbers& numbers) {
  auto in = named(read, numbers);
  if (!in) return tl::unexpected(in.error());
  auto counted = sequence::count_numbers(*in);
  if (!counted) return tl::unexpected(counted.error());
  for (Event& event : counted->events) event.place.file = static_cast<std::uint32_t>(file + 1);
  const Form form = in->form;
  std::vector<Event>& list = list_of(listed, form);
  std::move(counted->events.begin(), counted->events.end(), std::back_inserter(list));
  if (!is_of_mailboxes(form)) return {};
  listed.lists_mailboxes = true;
  listed.has_total_order = form == Form::node || form == Form::total || form == Form::simple;
  listed.has_owner_order = listed.has_total_order || form == Form::thread2;
  listed.is_simple = form == Form::simple;
  return {};
}

std::string object_of(const Event& event) {
  return event.home.empty() || is_mailbox_type(event.type) || event.type == Type::unknown
             ? event.object
             : event.home + "/" + event.object;
}

// By object: where its events stand in the list, in its own order.
std::map<std::string, std::vector<std::size_t>> by_object(const std::vector<Event>& events) {
  std::map<std::string, std::vector<std::size_t>> objects;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].type != Type::else_delay) objects[object_of(events[i])].push_back(i);
  }
  for (auto& [object, list] : objects) {
    std::stable_sort(list.begin(), list.end(),
                     [&](std::size_t a, std::size_t b) { return events[a].object_number < events[b].object_number; });
  }
  return objects;
}

std::string objects_text(const std::vector<Event>& events, const char* kind, const char* extent,
                         bool has_order = true) {
  std::string text;
  for (const auto& [object, list] : by_object(events)) {
    text += fmt::format("object\t{}\t{}\t{}\n", kind, object, extent);
    for (const std::size_t i : list) {
      const Event& event = events[i];
      text += fmt::format("event\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", name(event.type), or_dash(event.thread),
                          event.number_all > 0 ? 0 : event.number, event.number_all, or_dash(event.called),
                          or_dash(event.method), or_dash(event.condition), has_order ? i + 1 : 0);
    }
  }
  return text;
}

std::string threads_text(const std::vector<Event>& events, bool has_order) {
  struct Step {
    std::uint64_t rank;
    std::string line;
  };
  std::map<std::string, std::vector<Step>> threads;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    const auto add_step = [&](const std::string& thread, std::uint64_t number, std::uint64_t all) {
      threads[thread].push_back(
          {all > 0 ? all : number, fmt::format("step\t{}\t{}\t{}\t{}\t{}\n", name(event.type), or_dash(event.object),
                                               all > 0 ? 0 : number, all, has_order ? i + 1 : 0)});
    };
    if (!event.thread.empty()) add_step(event.thread, event.number, event.number_all);
    if (!event.called.empty()) add_step(event.called, event.called_number, event.called_number_all);
  }
  std::string text;
  for (auto& [thread, steps] : threads) {
    text += fmt::format("thread\t{}\n", thread);
    std::stable_sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) { return a.rank < b.rank; });
    for (const Step& step : steps) text += step.line;
  }
  return text;
}

std::string entries_text(const std::vector<Event>& entries) {
  std::map<std::string, std::string> threads;
  std::set<std::string> processes;
  for (const Event& entry : entries) {
    threads[entry.thread] += fmt::format("entry\t{}\n", entry.object);
    processes.insert(entry.home);
  }
  std::string text;
  for (const std::string& process : processes) text += fmt::format("entries\t{}\n", process);
  for (const auto& [thread, lines] : threads) text += fmt::format("thread\t{}\n{}", thread, lines);
  return text;
}

}  // namespace

const Event& Listed::at(std::size_t place) const {
  for (const std::vector<Event>* list : {&mailboxes, &monitors, &entries}) {
    if (place < list->size()) return (*list)[place];
    place -= list->size();
  }
  return semaphores[place];
}

Result<Listed> read_listed(const std::vector<std::string>& files, const std::vector<StartId>& start_ids,
                           const ThreadIds& threads) {
  Listed listed;
  std::vector<std::vector<Sequence>> all;
  Numbers numbers{start_ids, threads};
  for (const std::string& file : files) {
    const auto text = read_text(file);
    if (!text) return tl::unexpected(text.error());
    auto sequences = sequence::read(*text, file);
    if (!sequences) return tl::unexpected(sequences.error());
    for (const Sequence& one : *sequences)
      numbers.ids.insert(numbers.ids.end(), one.start_ids.begin(), one.start_ids.end());
    all.push_back(*std::move(sequences));
  }
  listed.files = files;
  listed.start_ids = numbers.ids;
  for (std::size_t file = 0; file < all.size(); ++file) {
    for (const Sequence& one : all[file]) {
      if (listed.lists_mailboxes && is_of_mailboxes(one.form)) {
        const sequence::Place place = one.parts.empty() || one.parts.front().events.empty()
                                          ? sequence::Place{1, 1}
                                          : one.parts.front().events.front().place;
        return fail(ErrorCode::usage,
                    fmt::format("{}:{}:{}: a second sequence of mailbox events begins here (form {}); "
                                "all of them must be in one",
                                one.file, place.line, place.column, name(one.form)));
      }
      if (auto added = add(listed, one, file, numbers); !added) return tl::unexpected(added.error());
    }
  }
  return listed;
}

std::string plan_text(const Listed& listed) {
  std::string text;
  if (listed.lists_mailboxes) text += "mailboxes\n";
  text += objects_text(listed.mailboxes, "mailbox", "whole", listed.has_owner_order);
  text += objects_text(listed.monitors, "monitor", "whole");
  text += objects_text(listed.entries, "monitor", "entries");
  text += objects_text(listed.semaphores, "semaphore", "whole");
  text += entries_text(listed.entries);
  text += threads_text(listed.mailboxes, listed.has_owner_order);
  for (const Before& one : listed.before) {
    text +=
        fmt::format("before\t{}\t{}\t{}\t{}\n", one.first.mailbox, one.first.number, one.then.mailbox, one.then.number);
  }
  return text;
}

std::optional<std::size_t> listed_at(const Listed& listed, const AtMailbox& event) {
  const auto objects = by_object(listed.mailboxes);
  const auto list = objects.find(event.mailbox);
  if (list == objects.end() || event.number == 0 || event.number > list->second.size()) return std::nullopt;
  return list->second[event.number - 1];
}

bool contradicts_itself(const Listed& listed) {
  sequence::LinearOptions options;
  for (const Before& one : listed.before) {
    const auto first = listed_at(listed, one.first);
    const auto then = listed_at(listed, one.then);
    if (first && then) options.before.emplace_back(*first, *then);
  }
  return !linear({listed.mailboxes}, options).stuck.empty();
}

}  // namespace reprise::drive
