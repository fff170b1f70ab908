#include "drive/replay_run.h"

#include <fmt/format.h>

#include <utility>

#include "analyse/text.h"
#include "drive/live_view.h"
#include "drive/scratch.h"
#include "recording/live.h"
#include "recording/log.h"

namespace reprise::drive {
namespace {

namespace fs = std::filesystem;
using recording::Log;

constexpr auto poll_interval = std::chrono::milliseconds(10);
constexpr auto linger = std::chrono::seconds(1);

std::vector<std::string> replay_environment(const Subject& subject, const ReplayOptions& options,
                                            const fs::path& scratch) {
  std::vector<std::string> result = subject.environment;
  const auto set = [&](std::string_view name, const std::string& value) {
    result.push_back(fmt::format("{}={}", name, value));
  };
  set("REPRISE_LAUNCHED", "1");
  if (!options.favour.empty()) set("REPRISE_FAVOUR", options.favour);
  if (options.gate_off) return result;
  set("REPRISE_REPLAY", fs::absolute(subject.folder.path).string());
  set("REPRISE_PROCESS", subject.process);
  set("REPRISE_SCRATCH", scratch.string());
  if (options.trace) set("REPRISE_TRACE", "1");
  if (options.then_live) set("REPRISE_THEN", "live");
  return result;
}

// Watches one replayed process until something is decided.
class Watch {
 public:
  Watch(Child& child, fs::path live, const ReplayOptions& options)
      : child_(child),
        view_(std::move(live)),
        stall_after_(std::chrono::duration<double>(options.stall_after_s)),
        options_(options) {}

  Verdict run() {
    last_progress_ = Clock::now();
    while (true) {
      child_.wait_until(Clock::now() + poll_interval);
      const bool seen = view_.look();
      const std::uint32_t flags = seen ? view_.flags() : 0;
      if (flags & recording::live_diverged) return Verdict::diverged;
      if (flags & recording::live_stalled) return Verdict::stalled;
      if (child_.ended()) return flags & recording::live_unsupported ? Verdict::unsupported : Verdict::identical;
      if (child_.interrupted() != 0) return Verdict::interrupted;
      if (options_.gate_off || (flags & recording::live_released)) continue;
      if (flags & recording::live_identical) {
        if (has_lingered()) return Verdict::identical;
      } else if (is_silent()) {
        proven_ = false;
        return Verdict::stalled;
      }
    }
  }

  LiveView& view() { return view_; }
  bool proven() const { return proven_; }

 private:
  bool is_silent() {
    const auto now = Clock::now();
    if (view_.progress() != progress_) {
      progress_ = view_.progress();
      last_progress_ = now;
    }
    return now - last_progress_ > stall_after_;
  }

  // The program is at the recorded end, but a thread that computes or waits outside the gates keeps it from ending
  // itself.
  bool has_lingered() {
    if (!at_end_since_) at_end_since_ = Clock::now();
    return Clock::now() - *at_end_since_ > linger;
  }

  Child& child_;
  LiveView view_;
  std::chrono::duration<double> stall_after_;
  const ReplayOptions& options_;
  std::uint64_t progress_{0};
  Clock::time_point last_progress_;
  std::optional<Clock::time_point> at_end_since_;
  bool proven_{true};
};

// Was the end that of the recording? A run that was stopped from outside is brought to its last step by the runtime,
// which says so and kills itself.
void compare_ends(const Subject& subject, std::uint32_t flags, ReplayReport& report) {
  const recording::LogInfo& info = subject.log.info();
  if (info.end_kind == recording::EndKind::running || (info.flags & recording::live_no_space)) {
    if (flags & recording::live_identical) return;
    report.differences.push_back({"", "end", "stopped from outside",
                                  report.ended.signalled ? analyse::signal_name(report.ended.code)
                                                         : fmt::format("exit code {}", report.ended.code)});
    return;
  }
  const bool signalled = info.end_kind == recording::EndKind::signalled;
  const Ended recorded{signalled, signalled ? info.end_code : info.end_code & 0xFF};  // the system keeps eight bits
  if (recorded == report.ended) return;
  const auto now = report.ended.signalled ? recording::EndKind::signalled : recording::EndKind::exited;
  report.differences.push_back(
      {"", "end", analyse::end_text(info.end_kind, info.end_code), analyse::end_text(now, report.ended.code)});
}

Result<std::uint64_t> keep_trace(const Subject& subject, const fs::path& live) {
  const fs::path trace = subject.folder.trace(subject.process);
  if (auto sealed = recording::seal(live, trace); !sealed) return tl::unexpected(sealed.error());
  auto log = Log::open(trace);
  if (!log) return tl::unexpected(log.error());
  std::uint64_t events = 0;
  for (const recording::ThreadInfo& thread : log->threads()) events += thread.steps;
  return events;
}

Result<ReplayReport> judge_end(const Subject& subject, const ReplayOptions& options, const fs::path& live,
                               std::uint32_t flags, ReplayReport report) {
  if (flags & recording::live_released) {
    report.released = true;
    report.verdict = Verdict::identical;
    return report;
  }
  auto replayed = Log::open(live);
  if (!replayed) {
    report.verdict = Verdict::different;
    report.differences.push_back({"", "gates", "met", "none was met: is this program linked with libreprise?"});
    return report;
  }
  report.differences = analyse::compare(subject.log, *replayed);
  std::erase_if(report.differences, [](const analyse::Difference& difference) { return difference.what == "end"; });
  compare_ends(subject, flags, report);
  report.verdict = report.differences.empty() ? Verdict::identical : Verdict::different;
  if (options.trace && report.verdict == Verdict::identical) {
    auto traced = keep_trace(subject, live);
    if (!traced) return tl::unexpected(traced.error());
    report.traced = *traced;
  }
  return report;
}

void describe_divergence(const Subject& subject, Child& child, Watch& watch, const fs::path& live,
                         ReplayReport& report) {
  const recording::LiveDivergence divergence = watch.view().divergence();
  report.stack = program_frames(name_frames(child.pid(), {divergence.stack, divergence.stack_depth}));
  child.kill();
  const auto replayed = Log::open(live);
  report.divergence = analyse::describe_divergence(divergence, subject.best_log(), analyse::Names(subject.log),
                                                   replayed ? &*replayed : nullptr);
}

}  // namespace

Result<ReplayReport> replay_once(const Subject& subject, const ReplayOptions& options, Interrupts& interrupts) {
  auto scratch = ScratchFolder::create();
  if (!scratch) return tl::unexpected(scratch.error());
  Launch launch{.program = subject.program,
                .arguments = subject.arguments,
                .environment = replay_environment(subject, options, scratch->path()),
                .folder = subject.working_folder,
                .fixed_addresses = subject.fixed_addresses,
                .silent = options.silent,
                .output_to_error = options.output_to_error,
                .captured = false};
  auto child = Child::start(launch, interrupts);
  if (!child) return tl::unexpected(child.error());
  const fs::path live = scratch->path() / (subject.process + ".live");
  Watch watch(*child, live, options);
  ReplayReport report;
  report.verdict = watch.run();
  if (report.verdict == Verdict::diverged) {
    describe_divergence(subject, *child, watch, live, report);
  } else {
    child->kill();
  }
  report.ended = *child->ended();
  report.interrupted = child->interrupted();
  watch.view().look();
  const std::uint32_t flags = watch.view().flags();
  if (report.verdict == Verdict::unsupported) report.reason = watch.view().reason();
  if (report.verdict == Verdict::stalled) {
    const auto replayed = Log::open(live);
    if (replayed)
      report.stall = analyse::explain_stall(subject.best_log(), analyse::Names(subject.log), *replayed, watch.proven(),
                                            options.stall_after_s);
  }
  if (report.verdict != Verdict::identical || options.gate_off) return report;
  return judge_end(subject, options, live, flags, std::move(report));
}

}  // namespace reprise::drive
