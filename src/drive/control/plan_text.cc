#include "drive/control/plan_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

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

// 7 becomes process#3 where the process starts at 5.
Result<void> name_thread(std::string& thread, const std::vector<StartId>& ids, const Sequence& in, const Event& event) {
  if (thread.empty() || !is_number(thread)) return {};
  const std::uint64_t id = std::stoull(thread);
  const StartId* best = nullptr;
  for (const StartId& start : ids) {
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

Result<void> add(Listed& listed, const Sequence& in, std::vector<StartId> ids) {
  ids.insert(ids.end(), in.start_ids.begin(), in.start_ids.end());
  auto counted = sequence::count_numbers(in);
  if (!counted) return tl::unexpected(counted.error());
  if (in.form == Form::semaphore || in.form == Form::simple_monitor) {
    return fail(ErrorCode::unsupported,
                fmt::format("{}: a sequence of form {} cannot be forced yet", in.file, name(in.form)));
  }
  for (Event& event : counted->events) {
    if (event.type == Type::else_delay) {
      return fail(ErrorCode::unsupported, fmt::format("{}:{}:{}: elseDelay cannot be forced yet", in.file,
                                                      event.place.line, event.place.column));
    }
    for (std::string* thread : {&event.thread, &event.called}) {
      if (auto named = name_thread(*thread, ids, in, event); !named) return named;
    }
    if (in.form == Form::monitor && event.home.empty())
      event.home = event.thread.substr(0, event.thread.find_first_of("/#"));
    (in.form == Form::monitor ? listed.monitors : listed.mailboxes).push_back(std::move(event));
  }
  if (in.form == Form::monitor) return {};
  listed.lists_mailboxes = true;
  listed.has_total_order = in.form == Form::node || in.form == Form::total || in.form == Form::simple;
  listed.is_simple = in.form == Form::simple;
  return {};
}

std::string event_line(const Event& event) {
  return fmt::format("event\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", name(event.type), or_dash(event.thread),
                     event.number_all > 0 ? 0 : event.number, event.number_all, or_dash(event.called),
                     or_dash(event.method), or_dash(event.condition));
}

std::string objects_text(const std::vector<Event>& events, const char* kind) {
  std::map<std::string, std::vector<const Event*>> objects;
  for (const Event& event : events) {
    objects[event.home.empty() || event.method.empty() ? event.object : event.home + "/" + event.object].push_back(
        &event);
  }
  std::string text;
  for (auto& [object, list] : objects) {
    text += fmt::format("object\t{}\t{}\twhole\n", kind, object);
    std::stable_sort(list.begin(), list.end(),
                     [](const Event* a, const Event* b) { return a->object_number < b->object_number; });
    for (const Event* event : list) text += event_line(*event);
  }
  return text;
}

std::string threads_text(const std::vector<Event>& events) {
  struct Step {
    std::uint64_t rank;
    std::string line;
  };
  std::map<std::string, std::vector<Step>> threads;
  const auto add_step = [&](const std::string& thread, const Event& event, std::uint64_t number, std::uint64_t all) {
    threads[thread].push_back({all > 0 ? all : number, fmt::format("step\t{}\t{}\t{}\t{}\n", name(event.type),
                                                                   event.object, all > 0 ? 0 : number, all)});
  };
  for (const Event& event : events) {
    if (!event.thread.empty()) add_step(event.thread, event, event.number, event.number_all);
    if (!event.called.empty()) add_step(event.called, event, event.called_number, event.called_number_all);
  }
  std::string text;
  for (auto& [thread, steps] : threads) {
    text += fmt::format("thread\t{}\n", thread);
    std::stable_sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) { return a.rank < b.rank; });
    for (const Step& step : steps) text += step.line;
  }
  return text;
}

}  // namespace

Result<Listed> read_listed(const std::vector<std::string>& files, const std::vector<StartId>& start_ids) {
  Listed listed;
  std::vector<std::vector<Sequence>> all;
  std::vector<StartId> ids = start_ids;
  for (const std::string& file : files) {
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream text;
    if (!stream || !(text << stream.rdbuf())) {
      return fail(ErrorCode::not_found, fmt::format("{}: it cannot be read, or is empty", file));
    }
    auto sequences = sequence::read(text.str(), file);
    if (!sequences) return tl::unexpected(sequences.error());
    for (const Sequence& one : *sequences) ids.insert(ids.end(), one.start_ids.begin(), one.start_ids.end());
    all.push_back(*std::move(sequences));
  }
  for (const auto& sequences : all) {
    for (const Sequence& one : sequences) {
      if (listed.lists_mailboxes && one.form != Form::monitor) {
        return fail(ErrorCode::usage,
                    fmt::format("{}: there is a sequence of mailbox events already; give one of them", one.file));
      }
      if (auto added = add(listed, one, ids); !added) return tl::unexpected(added.error());
    }
  }
  return listed;
}

std::string plan_text(const Listed& listed, const std::map<std::string, Beginning>& beginnings) {
  std::string text;
  if (listed.lists_mailboxes) text += "mailboxes\n";
  text += objects_text(listed.mailboxes, "mailbox");
  text += objects_text(listed.monitors, "monitor");
  text += threads_text(listed.mailboxes);
  for (const auto& [monitor, beginning] : beginnings) {
    text += fmt::format("object\tmonitor\t{}\tbegin\n", monitor);
    for (const std::string& thread : beginning.entries)
      text += fmt::format("event\tentry\t{}\t0\t0\t-\t-\t-\n", thread);
    for (const std::string& thread : beginning.not_next) text += fmt::format("not\t{}\n", thread);
  }
  return text;
}

}  // namespace reprise::drive
