// reprise info [NAME] - what is in a recording, how it ended and who was blocked.
#include <fmt/format.h>

#include "analyse/compare.h"
#include "analyse/events.h"
#include "analyse/summary.h"
#include "analyse/text.h"
#include "drive/cli/commands.h"
#include "drive/cli/select.h"
#include "drive/image.h"
#include "drive/manifest.h"
#include "drive/subject.h"
#include "recording/checkpoint.h"

namespace reprise::drive::cli {
namespace {

using analyse::counted;
using analyse::escape;
using analyse::grouped;
using analyse::Summary;

constexpr const char* no_gate = "no gate was met: is the program linked with libreprise?";

struct ProcessFacts {
  std::string name;
  Summary summary;
  bool traced{false};
};

struct CheckpointFacts {
  recording::CheckpointEntry entry;
  bool alive{false};
  std::uint64_t resident{0};
};

struct Facts {
  recording::Folder folder;
  Manifest manifest;
  std::vector<ProcessFacts> processes;  // the launched one first; empty: no gate was met
  bool has_image{false};
  std::vector<CheckpointFacts> checkpoints{};
  std::vector<recording::CheckpointRefusal> refusals{};
};

Result<Facts> facts_of(const recording::Folder& folder) {
  auto manifest = read_manifest(folder.manifest());
  if (!manifest) return tl::unexpected(manifest.error());
  Facts facts{folder, std::move(*manifest), {}, has_image(folder.path / "image")};
  for (const std::string& process : processes_of(folder)) {
    auto opened = open_log(folder, process);
    if (!opened) return tl::unexpected(opened.error());
    auto summary = analyse::summarise(opened->log);
    if (!summary) return tl::unexpected(summary.error());
    std::error_code ignored;
    facts.processes.push_back({process, std::move(*summary), std::filesystem::exists(folder.trace(process), ignored)});
  }
  for (recording::CheckpointEntry& entry : recording::list_checkpoints(folder.path)) {
    const bool alive = recording::is_alive(entry);
    facts.checkpoints.push_back({entry, alive, alive ? recording::resident_bytes(entry) : 0});
  }
  facts.refusals = recording::list_refusals(folder.path);
  return facts;
}

std::string command_line(const Manifest& manifest) {
  std::string line;
  for (const std::string& word : manifest.command) {
    const bool plain = !word.empty() && word.find_first_of(" \t\n\"'\\$`*?[]{}()<>|&;#~") == std::string::npos;
    line += (line.empty() ? "" : " ") + (plain ? escape(word) : "'" + escape(word) + "'");
  }
  return line;
}

std::string end_line(const Facts& facts) {
  const Manifest& manifest = facts.manifest;
  switch (manifest.end) {
    case ManifestEnd::exit:
      return fmt::format("exit code {}", manifest.end_code);
    case ManifestEnd::signal:
      return fmt::format("died of {}", analyse::signal_name(manifest.end_code));
    case ManifestEnd::time_limit:
      return fmt::format("killed at the time limit of {:g} s", manifest.timeout_s.value_or(0));
    case ManifestEnd::interrupted:
      return fmt::format("interrupted by {}", analyse::signal_name(manifest.end_code));
    case ManifestEnd::unknown:
      break;
  }
  if (facts.processes.empty()) return "not known";
  const recording::LogInfo& info = facts.processes.front().summary.info;
  if (info.end_kind == recording::EndKind::running) return "not known: still running, or killed";
  return analyse::end_text(info.end_kind, info.end_code);
}

// What is not as it should be, one line each.
std::vector<std::string> state_lines(const recording::LogInfo& info) {
  std::vector<std::string> lines;
  if (info.is_dropped) {
    lines.emplace_back("kept from the oldest checkpoint on only: it replays from checkpoints, not from its start");
  } else if (!info.sealed && !info.is_pieced) {
    lines.emplace_back(
        "the log is not sealed: recorded without the tool, or the tool was killed; it replays all the same");
  }
  if ((info.flags & recording::live_no_space) && info.torn.empty())
    lines.emplace_back("incomplete: there was no room any more; the program went on unrecorded");
  if (info.flags & recording::live_unsupported)
    lines.push_back(fmt::format("cannot be replayed: {}", escape(info.reason)));
  if (!info.torn.empty()) lines.push_back(fmt::format("cut: {}", escape(info.torn)));
  return lines;
}

std::string waiter_line(const analyse::Waiter& waiter) {
  std::string line = fmt::format("{} waits after step {} to {}", waiter.path, grouped(waiter.step),
                                 analyse::intent_text(waiter.kind, waiter.object_name));
  if (waiter.kind == Kind::join) return line;
  if (waiter.holder == waiter.thread && waiter.holder != no_thread) return line + ", which it holds itself";
  if (waiter.holder != no_thread) {
    return line + fmt::format(", which {} passed last (step {})", waiter.holder_path, grouped(waiter.holder_step));
  }
  if (waiter.kind != Kind::wait && waiter.kind != Kind::wake) return line;
  if (waiter.notified == 0) return line + "; nobody ever notified it";
  return line + fmt::format("; every notification had come before ({})", analyse::grouped(waiter.notified));
}

std::string cycle_line(const std::vector<ThreadIndex>& cycle, const Summary& summary) {
  const auto path = [&](ThreadIndex index) {
    for (const analyse::ThreadSummary& thread : summary.threads) {
      if (thread.index == index) return thread.path;
    }
    return std::string("?");
  };
  std::string line;
  for (const ThreadIndex thread : cycle) line += path(thread) + " waits for ";
  return line + (cycle.empty() ? "" : path(cycle.front()));
}

void add_blocked(const Summary& summary, std::vector<std::string>& lines) {
  // A thread that waited when the process ended by itself is no finding, unless it waited in a circle.
  const bool stopped = summary.info.end_kind == recording::EndKind::running;
  if (summary.blocked.waiters.empty() || (!stopped && summary.blocked.deadlocks.empty())) return;
  lines.emplace_back("blocked at the end:");
  for (const analyse::Waiter& waiter : summary.blocked.waiters) lines.push_back("  " + waiter_line(waiter));
  for (const auto& cycle : summary.blocked.deadlocks) {
    lines.push_back(fmt::format("deadlock{}: {}", summary.blocked.proven ? "" : " (as the last passages show)",
                                cycle_line(cycle, summary)));
  }
}

void add_process(const Facts& facts, const ProcessFacts& process, std::vector<std::string>& lines) {
  const Summary& summary = process.summary;
  const bool is_first = &process == &facts.processes.front();
  lines.push_back(fmt::format("process    {}", process.name));
  if (!is_first) {
    lines.push_back(fmt::format("end        {}", analyse::end_text(summary.info.end_kind, summary.info.end_code)));
  }
  for (const std::string& line : state_lines(summary.info)) lines.push_back(fmt::format("state      {}", line));
  lines.push_back(fmt::format("gates      {}; {} written, of them {} from outside; {}", counted(summary.steps, "step"),
                              counted(summary.events, "event"), counted(summary.values, "value"),
                              counted(summary.objects, "object")));
  if (process.traced) lines.emplace_back("trace      every event; reprise show lists them");
  if (summary.info.output_bytes > 0) {
    lines.push_back(fmt::format("output     {}, digest {:016x}", counted(summary.info.output_bytes, "byte"),
                                summary.info.output_digest));
  }
  lines.emplace_back("threads:");
  for (const analyse::ThreadSummary& thread : summary.threads) {
    const bool ended = thread.ended || thread.index == summary.info.end_thread;
    lines.push_back(fmt::format("  {:<8} {:>18}, {:>9} written{}", thread.path, counted(thread.steps, "step"),
                                grouped(thread.events), ended ? "" : ", did not end"));
  }
  if (!summary.contended.empty()) lines.emplace_back("most contended:");
  for (const analyse::ObjectSummary& object : summary.contended) {
    lines.push_back(fmt::format("  {:<24} {} among {}, at least {}", object.name, counted(object.changes, "change"),
                                counted(object.threads, "thread"), counted(object.passages, "passage")));
  }
  add_blocked(summary, lines);
}

std::string checkpoint_line(const CheckpointFacts& fact) {
  const recording::CheckpointEntry& entry = fact.entry;
  return fmt::format("  {:<4} {} thread {} after step {}{}, pid {}, {}", entry.number, escape(entry.process),
                     escape(entry.path), grouped(entry.step), entry.is_whole ? " (whole process)" : "", entry.pid,
                     fact.alive ? fmt::format("{} resident, alive", analyse::human_bytes(fact.resident)) : "gone");
}

void add_checkpoints(const Facts& facts, std::vector<std::string>& lines) {
  if (!facts.checkpoints.empty()) lines.emplace_back("checkpoints:");
  for (const CheckpointFacts& fact : facts.checkpoints) lines.push_back(checkpoint_line(fact));
  for (const recording::CheckpointRefusal& refusal : facts.refusals) {
    lines.push_back(fmt::format("no checkpoint of thread {} of {}: {}", escape(refusal.path), escape(refusal.process),
                                escape(refusal.reason)));
  }
}

std::vector<std::string> text_of(const Facts& facts) {
  const Manifest& manifest = facts.manifest;
  std::vector<std::string> lines{fmt::format("recording  {}", facts.folder.name()),
                                 fmt::format("command    {}", command_line(manifest)),
                                 fmt::format("folder     {}", escape(manifest.directory)),
                                 fmt::format("when       {} on {}", escape(manifest.created), escape(manifest.host)),
                                 fmt::format("end        {}", end_line(facts))};
  if (manifest.chaos) lines.push_back(fmt::format("chaos      seed {}", *manifest.chaos));
  if (facts.processes.empty()) lines.emplace_back(fmt::format("state      {}", no_gate));
  for (const ProcessFacts& process : facts.processes) add_process(facts, process, lines);
  add_checkpoints(facts, lines);
  return lines;
}

Json blocked_json(const Summary& summary) {
  Json waiters = Json::array();
  for (const analyse::Waiter& waiter : summary.blocked.waiters) {
    waiters.push(Json::object({{"thread", waiter.path},
                               {"step", waiter.step},
                               {"kind", recording::name(waiter.kind)},
                               {"object", waiter.object_name},
                               {"holder", waiter.holder_path},
                               {"holder_step", waiter.holder_step},
                               {"notified", waiter.notified}}));
  }
  Json deadlocks = Json::array();
  for (const auto& cycle : summary.blocked.deadlocks) deadlocks.push(cycle_line(cycle, summary));
  return Json::object({{"proven", summary.blocked.proven}, {"waiters", waiters}, {"deadlocks", deadlocks}});
}

Json process_json(const ProcessFacts& process) {
  const Summary& summary = process.summary;
  Json state = Json::array();
  for (const std::string& line : state_lines(summary.info)) state.push(line);
  Json threads = Json::array();
  for (const analyse::ThreadSummary& thread : summary.threads) {
    threads.push(Json::object({{"path", thread.path},
                               {"steps", thread.steps},
                               {"written", thread.events},
                               {"objects", thread.objects},
                               {"ended", thread.ended}}));
  }
  Json contended = Json::array();
  for (const analyse::ObjectSummary& object : summary.contended) {
    contended.push(Json::object({{"name", object.name},
                                 {"family", analyse::name(object.family)},
                                 {"passages", object.passages},
                                 {"changes", object.changes},
                                 {"threads", object.threads}}));
  }
  Json json = Json::object({{"process", process.name}, {"traced", process.traced}});
  json.add("state", state)
      .add("steps", summary.steps)
      .add("written", summary.events)
      .add("values", summary.values)
      .add("objects", summary.objects)
      .add("sealed", summary.info.sealed)
      .add("full", summary.info.full)
      .add("output_bytes", summary.info.output_bytes)
      .add("output_digest", fmt::format("{:016x}", summary.info.output_digest))
      .add("threads", threads)
      .add("contended", contended)
      .add("blocked", blocked_json(summary));
  return json;
}

Json checkpoints_json(const Facts& facts) {
  Json all = Json::array();
  for (const CheckpointFacts& fact : facts.checkpoints) {
    all.push(Json::object({{"number", fact.entry.number},
                           {"process", fact.entry.process},
                           {"thread", fact.entry.path},
                           {"step", fact.entry.step},
                           {"whole", fact.entry.is_whole},
                           {"pid", static_cast<std::int64_t>(fact.entry.pid)},
                           {"created", fact.entry.created},
                           {"resident_bytes", fact.resident},
                           {"alive", fact.alive}}));
  }
  Json refused = Json::array();
  for (const recording::CheckpointRefusal& refusal : facts.refusals) {
    refused.push(Json::object({{"process", refusal.process}, {"thread", refusal.path}, {"reason", refusal.reason}}));
  }
  return Json::object({{"standing", all}, {"refused", refused}});
}

Json json_of(const Facts& facts) {
  Json command = Json::array();
  for (const std::string& word : facts.manifest.command) command.push(word);
  Json processes = Json::array();
  for (const ProcessFacts& process : facts.processes) processes.push(process_json(process));
  const ManifestEnd end = facts.manifest.end;
  Json json = Json::object({{"name", facts.folder.name()},
                            {"path", facts.folder.path.string()},
                            {"command", command},
                            {"directory", facts.manifest.directory},
                            {"created", facts.manifest.created},
                            {"host", facts.manifest.host},
                            {"end", Json::object({{"kind", name(end)}, {"code", facts.manifest.end_code}})},
                            {"gates_met", !facts.processes.empty()},
                            {"image", facts.has_image}});
  if (facts.manifest.chaos) json.add("chaos", *facts.manifest.chaos);
  json.add("processes", processes).add("checkpoints", checkpoints_json(facts));
  return json;
}

}  // namespace

int run_info(const Arguments& arguments, Console& console) {
  auto folder = select(arguments);
  if (!folder) return console.fail(folder.error(), "reprise ls");
  auto facts = facts_of(*folder);
  if (!facts) return console.fail(facts.error(), fmt::format("reprise verify {}", folder->name()));
  if (arguments.json) {
    console.print_json(json_of(*facts));
  } else {
    for (const std::string& line : text_of(*facts)) console.print(line);
  }
  return done;
}

}  // namespace reprise::drive::cli
