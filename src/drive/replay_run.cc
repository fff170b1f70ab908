#include "drive/replay_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "analyse/text.h"
#include "drive/merge.h"
#include "drive/scratch.h"
#include "drive/watch.h"
#include "recording/live.h"
#include "recording/log.h"

namespace reprise::drive {
namespace {

namespace fs = std::filesystem;
using recording::Log;

std::vector<std::string> replay_environment(const Subject& subject, const SubjectLine& line,
                                            const ReplayOptions& options, const fs::path& scratch) {
  std::vector<std::string> result = line.environment;
  // A run that was forced keeps to its plan: what it does while it waits for its turn is part of it.
  std::error_code ignored;
  const fs::path plan = fs::absolute(subject.folder.path / "plan", ignored);
  if (fs::exists(plan, ignored)) result.push_back(fmt::format("REPRISE_PLAN={}", plan.string()));
  const auto set = [&](std::string_view name, const std::string& value) {
    result.push_back(fmt::format("{}={}", name, value));
  };
  std::erase_if(result, [](const std::string& variable) {
    return variable.starts_with("MCAPI_RUN=") || variable.starts_with("REPRISE_PEERS=");  // all is replayed here
  });
  set("MCAPI_RUN", "reprise-" + scratch.filename().string());  // nodes of this replay meet each other only
  set("REPRISE_LAUNCHED", "1");
  set("REPRISE_RUN", (scratch / "run").string());
  if (!options.favour.empty()) set("REPRISE_FAVOUR", options.favour);
  if (!options.delay.empty()) set("REPRISE_DELAY", options.delay);
  if (!subject.only.empty()) set("REPRISE_ONLY", subject.only);
  if (!options.simulates_errors.value_or(subject.manifest.simulates_errors)) set("REPRISE_EXCEPTIONS", "trace-only");
  if (!subject.alone.empty()) set("REPRISE_ALONE", subject.alone);
  if (!subject.nodes.empty()) set("REPRISE_NODES", subject.nodes);
  if (options.gate_off) {
    set("REPRISE_PROCESS", line.process);
    return result;
  }
  set("REPRISE_REPLAY", fs::absolute(subject.folder.path).string());
  set("REPRISE_PROCESS", line.process);
  set("REPRISE_SCRATCH", scratch.string());
  if (const fs::path routes = subject.folder.path / routes_name; fs::exists(routes, ignored))
    set("REPRISE_ROUTES", fs::absolute(routes).string());
  if (line.part != 0) {  // only programs of the same host wrote in turns
    const fs::path outputs = scratch / fmt::format("part-{}", line.part);
    fs::create_directory(outputs, ignored);
    set("REPRISE_OUTPUTS", outputs.string());
  }
  if (options.trace) set("REPRISE_TRACE", "1");
  if (options.then_live) set("REPRISE_THEN", "live");
  return result;
}

// How the program must end to be the recorded one; nothing: it was stopped from outside. The manifest knows it best:
// what was launched may be a script, and the recorded process one that it started.
std::optional<Ended> recorded_end(const SubjectLine& line, const recording::LogInfo& info) {
  const bool running = info.end_kind == recording::EndKind::running;
  switch (line.end) {
    case ManifestEnd::exit:
      return Ended{false, line.end_code};
    case ManifestEnd::signal:
      if (running) return std::nullopt;
      return Ended{true, line.end_code};
    case ManifestEnd::time_limit:
    case ManifestEnd::interrupted:
      return std::nullopt;
    case ManifestEnd::unknown:
      break;
  }
  if (running) return std::nullopt;
  const bool signalled = info.end_kind == recording::EndKind::signalled;
  return Ended{signalled, signalled ? info.end_code : info.end_code & 0xFF};  // the system keeps eight bits
}

std::string text_of(const Ended& ended) {
  return analyse::end_text(ended.signalled ? recording::EndKind::signalled : recording::EndKind::exited, ended.code);
}

// A run that was stopped from outside is brought to its last step by the runtime, which says so and kills itself.
void compare_ends(const SubjectLine& line, const recording::LogInfo& info, std::uint32_t flags, const Ended& ended,
                  const std::string& where, ReplayReport& report) {
  const std::optional<Ended> recorded = recorded_end(line, info);
  const bool stopped = !recorded || recording::ends_early(info);
  if (stopped ? (flags & recording::live_identical) != 0 : *recorded == ended) return;
  report.differences.push_back(
      {"", "end", recorded ? text_of(*recorded) : "stopped from outside", text_of(ended), where});
}

Result<std::uint64_t> keep_trace(const fs::path& live, const fs::path& trace) {
  if (auto sealed = recording::seal(live, trace); !sealed) return tl::unexpected(sealed.error());
  auto log = Log::open(trace);
  if (!log) return tl::unexpected(log.error());
  std::uint64_t events = 0;
  for (const recording::ThreadInfo& thread : log->threads()) events += thread.steps;
  return events;
}

// One process against its recording. `is_launched`: the system told us how it ended, which counts more than its log.
void compare_process(const Subject& subject, const SubjectProcess& process, const fs::path& live, bool is_launched,
                     ReplayReport& report) {
  const std::string where = subject.processes.size() > 1 ? process.name : "";
  const auto replayed = Log::open(live);
  if (!replayed) {
    const char* why = is_launched ? "none was met: is this program linked with libreprise?" : "no such process";
    report.differences.push_back({"", is_launched ? "gates" : "missing", "met", why, where});
    return;
  }
  for (analyse::Difference& difference : analyse::compare(process.best_log(), *replayed)) {
    if (is_launched && difference.what == "end") continue;
    difference.process = where;
    report.differences.push_back(std::move(difference));
  }
}

// The launched process as it was when it ended: its last image.
const SubjectProcess* last_image(const Subject& subject, const std::string& launched) {
  const SubjectProcess* last = subject.find(launched);
  for (const SubjectProcess& process : subject.processes) {
    const bool is_image = process.name.starts_with(launched + ".exec");
    if (is_image && process.best_log().info().end_kind != recording::EndKind::replaced) last = &process;
  }
  return last;
}

Result<void> judge_end(const Subject& subject, const ReplayOptions& options, const recording::Folder& scratch,
                       const Watch& watch, const std::vector<Child>& children, ReplayReport& report) {
  std::vector<const SubjectProcess*> launched;
  for (const SubjectLine& line : subject.lines) launched.push_back(last_image(subject, line.process));
  for (const SubjectProcess* process : launched) {
    if (process == nullptr || !(watch.flags(process->name) & recording::live_released)) continue;
    report.released = true;
    return {};
  }
  for (const SubjectProcess& process : subject.processes) {
    const bool is_launched = std::find(launched.begin(), launched.end(), &process) != launched.end();
    compare_process(subject, process, scratch.live(process.name), is_launched, report);
  }
  for (const std::string& name : scratch.processes()) {
    if (subject.find(name) == nullptr)
      report.differences.push_back({"", "missing", "no such process", "started", name});
  }
  for (std::size_t i = 0; i < launched.size(); ++i) {
    if (launched[i] == nullptr) continue;  // a program that met no gate
    const std::string where = subject.lines.size() > 1 ? subject.lines[i].process : "";
    compare_ends(subject.lines[i], launched[i]->best_log().info(), watch.flags(launched[i]->name), *children[i].ended(),
                 where, report);
  }
  if (!report.differences.empty()) report.verdict = Verdict::different;
  if (!options.trace || report.verdict != Verdict::identical) return {};
  for (const SubjectProcess& process : subject.processes) {
    auto traced = keep_trace(scratch.live(process.name), subject.folder.trace(process.name));
    if (!traced) return tl::unexpected(traced.error());
    report.traced += *traced;
  }
  return {};
}

// REQUIRES that the process still stands: its stack is named now, and all is killed after it.
void describe_divergence(const Subject& subject, const recording::Folder& scratch, Watch& watch, ReplayReport& report) {
  const recording::LiveDivergence divergence = watch.found()->divergence();
  report.stack = program_frames(name_frames(watch.found()->pid(), {divergence.stack, divergence.stack_depth}));
  watch.kill_all();
  report.process = watch.process();
  const SubjectProcess* process = subject.find(report.process);
  if (process == nullptr) process = &subject.processes.front();
  const auto replayed = Log::open(scratch.live(report.process));
  report.divergence = analyse::describe_divergence(divergence, process->best_log(), analyse::Names(process->log),
                                                   replayed ? &*replayed : nullptr);
}

// A proven stall names its process; silence is explained by the first that has not come to its end.
void describe_stall(const Subject& subject, const recording::Folder& scratch, const Watch& watch, bool proven,
                    double silent_s, ReplayReport& report) {
  for (const SubjectProcess& process : subject.processes) {
    if (proven && process.name != watch.process()) continue;
    const auto replayed = Log::open(scratch.live(process.name));
    if (!replayed) continue;
    auto stall = analyse::explain_stall(process.best_log(), analyse::Names(process.log), *replayed, proven, silent_s);
    if (stall.threads.empty() && stall.unborn.empty() && subject.processes.size() > 1) continue;
    report.process = process.name;
    report.stall = std::move(stall);
    return;
  }
}

Ended first_failure(const std::vector<Child>& children) {
  for (const Child& child : children) {
    if (*child.ended() != Ended{}) return *child.ended();
  }
  return {};
}

Verdict verdict_of(Watch::Outcome outcome) {
  switch (outcome) {
    case Watch::Outcome::ended:
      return Verdict::identical;
    case Watch::Outcome::diverged:
      return Verdict::diverged;
    case Watch::Outcome::stalled:
    case Watch::Outcome::silent:
      return Verdict::stalled;
    case Watch::Outcome::unsupported:
      return Verdict::unsupported;
    case Watch::Outcome::interrupted:
      return Verdict::interrupted;
  }
  return Verdict::different;
}

}  // namespace

Result<ReplayReport> replay_once(const Subject& subject, const ReplayOptions& options, Interrupts& interrupts) {
  auto folder = ScratchFolder::create();
  if (!folder) return tl::unexpected(folder.error());
  const recording::Folder scratch{folder->path()};
  std::vector<Child> children;
  children.reserve(subject.lines.size());
  for (const SubjectLine& line : subject.lines) {
    Launch launch{.program = line.program,
                  .arguments = line.arguments,
                  .environment = replay_environment(subject, line, options, scratch.path),
                  .folder = line.working_folder,
                  .fixed_addresses = subject.fixed_addresses,
                  .silent = options.silent,
                  .output_to_error = options.output_to_error,
                  .dies_with_us = true,
                  .captured = false};
    auto child = Child::start(launch, interrupts);
    if (!child) return tl::unexpected(child.error());
    children.push_back(std::move(*child));
  }
  Watch watch(children, scratch.path, options.stall_after_s, !options.gate_off);
  const Watch::Outcome outcome = watch.run();
  ReplayReport report;
  report.verdict = verdict_of(outcome);
  if (report.verdict == Verdict::diverged) describe_divergence(subject, scratch, watch, report);
  if (report.verdict == Verdict::unsupported) report.reason = watch.found()->reason();
  for (const Child& child : children) {
    if (outcome != Watch::Outcome::silent || child.ended()) continue;
    for (auto& stack : stacks_outside_gates(child.pid())) report.outside.push_back(std::move(stack));
  }
  watch.kill_all();
  report.ended = first_failure(children);
  report.interrupted = watch.interrupted();
  if (report.verdict == Verdict::stalled) {
    describe_stall(subject, scratch, watch, outcome == Watch::Outcome::stalled, options.stall_after_s, report);
  }
  if (report.verdict == Verdict::identical && !options.gate_off) {
    if (auto judged = judge_end(subject, options, scratch, watch, children, report); !judged)
      return tl::unexpected(judged.error());
  }
  return report;
}

}  // namespace reprise::drive
