// reprise show [NAME] - the events of a recording, one line each.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "analyse/care.h"
#include "analyse/events.h"
#include "analyse/interleave.h"
#include "analyse/names.h"
#include "analyse/senders.h"
#include "analyse/text.h"
#include "drive/cli/commands.h"
#include "drive/cli/commands/show_mcapi.h"
#include "drive/cli/select.h"
#include "drive/subject.h"

namespace reprise::drive::cli {
namespace {

using recording::Event;
using recording::Log;
using recording::ThreadInfo;

struct Filter {
  std::optional<ThreadIndex> thread;
  std::optional<Kind> kind;
  std::vector<ObjectId> objects;  // empty: all
  std::uint64_t limit{UINT64_MAX};

  bool is_open() const { return !kind && objects.empty(); }
};

Result<Filter> filter_of(const Arguments& arguments, const Log& log, const analyse::Names& names) {
  Filter filter;
  filter.limit = arguments.limit.value_or(UINT64_MAX);
  if (!arguments.thread.empty()) {
    for (const ThreadInfo& thread : log.threads()) {
      if (thread.path == arguments.thread) filter.thread = thread.index;
    }
    if (!filter.thread)
      return fail(ErrorCode::usage, fmt::format("there is no thread {}; reprise info lists them", arguments.thread));
  }
  if (!arguments.kind.empty()) {
    filter.kind = recording::kind_named(arguments.kind);
    if (!filter.kind) {
      std::string known;
      for (const recording::KindInfo& kind : recording::kinds) known += fmt::format(" {}", kind.name);
      return fail(ErrorCode::usage, fmt::format("there is no kind {}; there are:{}", arguments.kind, known));
    }
  }
  if (!arguments.object.empty()) {
    filter.objects = names.find(arguments.object);
    if (filter.objects.empty()) {
      return fail(ErrorCode::usage,
                  fmt::format("there is no object {}; reprise show without --object names them", arguments.object));
    }
  }
  return filter;
}

class Lister {
 public:
  Lister(const Log& log, const analyse::Names& names, const analyse::Senders& senders, Filter filter, bool json,
         Console& console)
      : log_(log), names_(names), senders_(senders), filter_(std::move(filter)), json_(json), console_(console) {
    for (const ThreadInfo& thread : log.threads()) path_width_ = std::max(path_width_, thread.path.size());
  }

  // Each thread by itself. Errors: damaged.
  Result<void> list_threads() {
    for (const ThreadInfo& thread : log_.threads()) {
      if (filter_.thread && *filter_.thread != thread.index) continue;
      if (auto listed = list_thread(thread); !listed) return listed;
    }
    return {};
  }

  Result<void> list_interleaved() {
    auto order = analyse::Interleaving::of(log_);
    if (!order) return tl::unexpected(order.error());
    while (!is_full()) {
      auto placed = order->next();
      if (!placed) return tl::unexpected(placed.error());
      if (!*placed) return {};
      if (filter_.thread && *filter_.thread != (*placed)->thread) continue;
      show((*placed)->thread, (*placed)->event);
    }
    return {};
  }

  void open() {
    if (json_) console_.print("[");
  }
  void close() {
    if (!held_.empty()) console_.print(held_);
    if (json_) console_.print("]");
    if (is_full())
      console_.note(fmt::format("stopped after {}; --limit N shows more", analyse::counted(shown_, "event")));
  }

 private:
  bool is_full() const { return shown_ >= filter_.limit; }

  Result<void> list_thread(const ThreadInfo& thread) {
    recording::StreamReader stream = log_.stream(thread.index);
    std::uint64_t covered = 0;
    while (!is_full()) {
      auto event = stream.next();
      if (!event) return tl::unexpected(event.error());
      if (!*event) break;
      const bool may_be_dropped = covered == 0 && log_.info().is_dropped;
      if ((*event)->step > covered + 1)
        show_gap(thread, (*event)->step - covered - 1, may_be_dropped ? "dropped, or not written" : not_written);
      show(thread.index, **event);
      covered = stream.step();
    }
    if (!is_full() && thread.steps > covered) show_gap(thread, thread.steps - covered);
    if (!is_full() && thread.pending_kind != Kind::none) show_pending(thread);
    return {};
  }

  static constexpr std::string_view not_written = "not written: nothing new was decided";
  void show_gap(const ThreadInfo& thread, std::uint64_t steps, std::string_view why = not_written) {
    if (json_ || !filter_.is_open()) return;
    console_.print(console_.styled(Style::dim, fmt::format("{:<{}} {:>9}  {} {}", thread.path, path_width_, "",
                                                           analyse::counted(steps, "step"), why)));
  }

  void show_pending(const ThreadInfo& thread) {
    if (json_ || !filter_.is_open() || thread.ended) return;
    console_.print(fmt::format("{:<{}} {:>9}  waits to {}", thread.path, path_width_, "",
                               analyse::intent_text(names_, thread.pending_kind, thread.pending_object)));
  }

  void show(ThreadIndex thread, const Event& event) {
    if (filter_.kind ? *filter_.kind != event.kind : !recording::is_step(recording::info(event.kind).treated)) return;
    const bool mentions = recording::has_object(recording::info(event.kind).treated) || event.object != 0;
    const auto& wanted = filter_.objects;
    if (!wanted.empty() && (!mentions || std::find(wanted.begin(), wanted.end(), event.object) == wanted.end())) return;
    const std::string object = mentions ? names_.object(event.object) : "";
    ++shown_;
    if (json_) {
      if (!held_.empty()) console_.print(held_ + ",");
      held_ = json_of(thread, event, object).text(true);
    } else {
      console_.print(fmt::format("{:<{}} {:>9}  {}", names_.thread(thread), path_width_, event.step, text_of(event)));
    }
  }

  std::optional<analyse::Sender> sender_of(const Event& event) const {
    if (event.kind != Kind::receive) return std::nullopt;
    return senders_.of(event);
  }

  // A receive names the sender, not the number of its connection.
  std::string text_of(const Event& event) const {
    const auto sender = sender_of(event);
    std::string text = analyse::event_text(names_, event);
    if (!sender) return text;
    text.resize(text.rfind(" from "));
    return fmt::format("{} from {}", text, analyse::text_of(*sender));
  }

  Json json_of(ThreadIndex thread, const Event& event, const std::string& object) const {
    using recording::Class;
    const Class treated = recording::info(event.kind).treated;
    Json json = Json::object(
        {{"thread", std::string(names_.thread(thread))}, {"step", event.step}, {"kind", recording::name(event.kind)}});
    if (!object.empty()) json.add("object", object);
    if (recording::has_order(treated)) json.add("order", event.order);
    if (treated == Class::failure || treated == Class::plain || treated == Class::choice || event.kind == Kind::clock)
      json.add("number", event.number);
    if (treated == Class::mark) json.add("number", static_cast<std::int64_t>(event.number));
    if (treated == Class::value && event.kind != Kind::clock) json.add("name", event.name);
    if (treated == Class::read && event.value.size() <= 8) json.add("value", analyse::number_text(event.value));
    if (treated == Class::value && event.kind != Kind::clock) json.add("value", analyse::escape(event.value));
    if (const auto sender = sender_of(event)) {
      Json from = Json::object({{"party", sender->from.party},
                                {"incarnation", std::uint64_t{sender->from.incarnation}},
                                {"process", sender->from.process},
                                {"host", sender->from.host},
                                {"message", sender->number}});
      if (!sender->thread.empty()) {
        from.add("thread", sender->thread);
        from.add("message_of_thread", sender->thread_number);
      }
      json.add("from", from);
    }
    json.add("text", text_of(event));
    return json;
  }

  const Log& log_;
  const analyse::Names& names_;
  const analyse::Senders& senders_;
  Filter filter_;
  bool json_;
  Console& console_;
  std::size_t path_width_{1};
  std::uint64_t shown_{0};
  std::string held_;  // the last JSON line: whether a comma follows is not known yet
};

std::optional<Log> log_of(const recording::Folder& folder, const std::string& process) {
  if (!recording::is_valid_process(process)) return std::nullopt;
  auto log = Log::open(folder.best(process));
  if (!log) return std::nullopt;
  return *log;
}

// The parties of one process, each as CARE's file PARTY_rec. Errors: damaged.
Result<std::size_t> show_care(const Log& log, Console& console, std::size_t shown) {
  analyse::CareLog care((log.info().flags & recording::live_contents) != 0);
  auto order = analyse::Interleaving::of(log);
  if (!order) return tl::unexpected(order.error());
  for (;;) {
    auto placed = order->next();
    if (!placed) return tl::unexpected(placed.error());
    if (!*placed) break;
    care.add((*placed)->thread, (*placed)->event);
  }
  for (const analyse::CareLog::Section& section : care.sections()) {
    if (shown++ > 0) console.print("");
    console.print(console.styled(Style::strong, section.party + "_rec"));
    for (const std::string& line : section.lines) console.print(line);
  }
  if (care.unread() > 0) console.note(fmt::format("{} could not be read", analyse::counted(care.unread(), "note")));
  return shown;
}

int run_show_care(const recording::Folder& folder, const Arguments& arguments, Console& console) {
  std::vector<std::string> processes = processes_of(folder);
  if (!arguments.process.empty()) processes = {arguments.process};
  if (arguments.json || arguments.interleaved || arguments.limit || !arguments.thread.empty() ||
      !arguments.object.empty() || !arguments.kind.empty())
    return console.fail(Error{ErrorCode::usage, "--style care goes with --process only"});
  std::size_t shown = 0;
  for (const std::string& process : processes) {
    auto opened = open_log(folder, process);
    if (!opened) return console.fail(opened.error(), fmt::format("reprise verify {}", folder.name()));
    const auto now = show_care(opened->log, console, shown);
    if (!now) return console.fail(now.error(), fmt::format("reprise verify {}", folder.name()));
    shown = *now;
  }
  if (shown == 0) console.note("no party of CARE's interface (reprise/care.h) is in this recording");
  return done;
}

}  // namespace

int run_show(const Arguments& arguments, Console& console) {
  auto folder = select(arguments);
  if (!folder) return console.fail(folder.error(), "reprise ls");
  if (arguments.style == "care") return run_show_care(*folder, arguments, console);
  if (arguments.style == "mcapi") return run_show_mcapi(*folder, arguments, console);
  auto opened = open_log(*folder, arguments.process, /*prefer_trace=*/true);
  if (!opened) return console.fail(opened.error(), fmt::format("reprise verify {}", folder->name()));
  const auto labelled = open_log(*folder, arguments.process);  // a trace holds no labels
  const analyse::Names names(labelled ? labelled->log : opened->log);
  auto filter = filter_of(arguments, opened->log, names);
  if (!filter) return console.fail(filter.error());
  const analyse::Senders senders(labelled ? labelled->log : opened->log,
                                 [&](const std::string& process) { return log_of(*folder, process); });
  Lister lister(opened->log, names, senders, *filter, arguments.json, console);
  lister.open();
  const auto listed = arguments.interleaved ? lister.list_interleaved() : lister.list_threads();
  lister.close();
  if (!listed) return console.fail(listed.error(), fmt::format("reprise verify {}", folder->name()));
  const std::vector<std::string> processes = processes_of(*folder);
  if (processes.size() > 1 && arguments.process.empty()) {
    console.note(
        fmt::format("this was process {} of {}; --process shows another", opened->process, fmt::join(processes, " ")));
  }
  if (!opened->log.info().full && filter->is_open()) {
    console.note(
        fmt::format("what could be predicted is not written; to have it: reprise replay {} --trace", folder->name()));
  }
  return done;
}

}  // namespace reprise::drive::cli
