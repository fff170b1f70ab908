#include "drive/control/forced_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "drive/control/quiet.h"
#include "drive/subject.h"
#include "recording/outside.h"

namespace reprise::drive {
namespace {

namespace fs = std::filesystem;
namespace sequence = analyse::sequence;
using recording::Folder;
using recording::Log;

// Has every program begun, and does every thread wait at a gate? Else one may sleep for a time only, or outside.
bool all_wait_at_gates(const Folder& folder, const std::vector<TargetLine>& programs) {
  const std::vector<std::string> processes = folder.processes();
  const auto has_begun = [&](const TargetLine& program) {
    return std::any_of(processes.begin(), processes.end(),
                       [&](const std::string& name) { return recording::launched_as(name) == program.line.name; });
  };
  if (!std::all_of(programs.begin(), programs.end(), has_begun)) return false;
  for (const std::string& process : processes) {
    const auto log = Log::open(folder.best(process));
    if (!log || log->threads().empty()) return false;
    const bool has_ended = log->info().end_kind != recording::EndKind::running;
    for (const recording::ThreadInfo& thread : log->threads()) {
      if (!has_ended && !thread.ended && thread.pending_kind == Kind::none) return false;
    }
  }
  return true;
}

std::map<std::string, std::string> read_report(const fs::path& path, std::string_view wanted) {
  std::map<std::string, std::string> found;
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    const std::size_t first = line.find('\t');
    const std::size_t second = line.find('\t', first + 1);
    const std::size_t third = line.find('\t', second + 1);
    if (third == std::string::npos) continue;
    const std::string thread = line.substr(first + 1, second - first - 1);
    if (line.starts_with("goes_on\t") && (wanted == "deviates" || wanted == "wants")) found.erase(thread);
    if (line.compare(0, first, wanted) == 0) found[thread] = line.substr(third + 1);
  }
  return found;
}

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  std::istringstream in(line);
  for (std::string word; std::getline(in, word, '\t');) words.push_back(word);
  return words;
}

std::vector<Overtaking> read_overtakings(const fs::path& path) {
  std::vector<Overtaking> found;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> words = words_of(line);
    if (words.size() != 10 || words[0] != "overtakes") continue;
    const auto at = [&](std::size_t i) {
      return AtMailbox{words[i], std::strtoull(words[i + 1].c_str(), nullptr, 10)};
    };
    found.push_back({words[1], at(3), {at(5), at(7)}, words[9] == "shared"});
  }
  return found;
}

void count_values(const Log& log, std::map<std::string, std::uint64_t>& values) {
  for (const recording::ThreadInfo& thread : log.threads()) {
    recording::StreamReader stream = log.stream(thread.index);
    for (auto next = stream.next(); next && *next; next = stream.next()) {
      const recording::Event& event = **next;
      if (recording::is_from_outside(event.kind, event.name))
        ++values[event.kind == Kind::clock ? "clock" : std::string(event.name)];
    }
  }
}

void note_standing(const sequence::Process& process, ForcedRun& run) {
  const recording::LogInfo& info = process.log.info();
  const auto path_of = [&](ThreadIndex index) {
    const recording::ThreadInfo* thread = process.log.thread(index);
    return fmt::format("{}/{}", process.name, thread == nullptr ? "?" : thread->path);
  };
  const bool has_ended = info.end_kind != recording::EndKind::running;
  for (const recording::ThreadInfo& thread : process.log.threads()) {
    const std::string path = fmt::format("{}/{}", process.name, thread.path);
    if (thread.ended || (has_ended && thread.index == info.end_thread)) continue;
    Standing standing{thread.pending_kind, {}, {}};
    if (thread.pending_kind == Kind::join) {
      standing.child = path_of(static_cast<ThreadIndex>(thread.pending_object));
    } else if (thread.pending_object != 0) {
      standing.object = Causes::object_name(process.name, thread.pending_object);
    }
    run.standing[path] = std::move(standing);
    if (has_ended) run.cut_off[path] = path_of(info.end_thread);
  }
}

Result<void> read_back(const Folder& folder, ForcedRun& run) {
  std::vector<sequence::Process> processes;
  for (const std::string& name : folder.processes()) {
    auto log = Log::open(folder.best(name));
    if (!log) return tl::unexpected(log.error());
    const bool has_ended = log->info().end_kind != recording::EndKind::running;
    for (const recording::ThreadInfo& thread : log->threads()) {
      const std::string path = fmt::format("{}/{}", name, thread.path);
      run.paths[fmt::format("{}#{}", name, thread.index)] = path;
      run.ended[path] = has_ended || thread.ended;
    }
    count_values(*log, run.values);
    processes.push_back({name, *std::move(log)});
  }
  auto happened = sequence::extract(processes);
  if (!happened) return tl::unexpected(happened.error());
  run.happened = *std::move(happened);
  auto causes = Causes::of(processes);
  if (!causes) return tl::unexpected(causes.error());
  run.causes = *std::move(causes);
  for (const sequence::Process& process : processes) note_standing(process, run);
  return {};
}

}  // namespace

std::string ForcedRun::path_of(const std::string& thread) const {
  const auto found = paths.find(thread);
  return found == paths.end() ? thread : found->second;
}

Result<ForcedRun> run_forced(const std::vector<TargetLine>& programs, const std::string& plan, const Folder& folder,
                             double inactivity_s, Interrupts& interrupts, const ForcedOptions& how) {
  std::error_code ignored;
  const fs::path plan_path = fs::absolute(folder.path, ignored) / "plan";
  const fs::path report_path = fs::absolute(folder.path, ignored) / "report";
  std::ofstream(plan_path) << plan;
  std::ofstream(report_path) << "";
  const fs::path steer_path = fs::absolute(folder.path, ignored) / "steer";
  std::ofstream(steer_path) << how.steer;
  RecordOptions options;
  options.command = programs.front().line.command;
  options.full = true;
  options.keeps_image = false;
  options.silent = true;
  options.chaos = how.chaos;
  options.timeout_s = inactivity_s;
  options.variables = {"REPRISE_REPORT=" + report_path.string(), "REPRISE_STEER=" + steer_path.string()};
  if (!plan.empty()) options.variables.push_back("REPRISE_PLAN=" + plan_path.string());
  if (!how.inputs.empty()) options.variables.push_back("REPRISE_INPUTS=" + how.inputs);
  Quiet quiet;
  bool is_at_rest = false;
  options.is_over = [&](const std::vector<pid_t>& running) {
    is_at_rest = !running.empty() && quiet.look(running) && all_wait_at_gates(folder, programs);
    return is_at_rest;
  };
  auto recorded = record_system(folder, programs, options, interrupts);
  if (!recorded) return tl::unexpected(recorded.error());
  if (recorded->how == ManifestEnd::interrupted)
    return fail(ErrorCode::interrupted, "interrupted; nothing was decided");
  if (!recorded->gates_met) {
    return fail(ErrorCode::unsupported,
                fmt::format("no gate was met: is {} linked with libreprise?", programs.front().line.command.front()));
  }
  ForcedRun run;
  run.came_to_rest = is_at_rest || recorded->how != ManifestEnd::time_limit;
  run.deviating = read_report(report_path, "deviates");
  run.waiting = read_report(report_path, "wants");
  const auto has_told = [&](std::string_view what) { return !read_report(report_path, what).empty(); };
  run.has_sent_in_vain = has_told("in_vain");
  run.close_races_with_select = has_told("closes_passed");
  run.close_races = run.close_races_with_select || has_told("closes_received") || has_told("ended");
  run.overtakings = read_overtakings(report_path);
  fs::remove(report_path, ignored);
  fs::remove(steer_path, ignored);
  if (auto read = read_back(folder, run); !read) return tl::unexpected(read.error());
  return run;
}

}  // namespace reprise::drive
