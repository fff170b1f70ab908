// reprise replay [NAME] - runs a recording again and checks that it is the same run.
#include <fmt/format.h>

#include "analyse/text.h"
#include "drive/cli/commands.h"
#include "drive/cli/replay_text.h"
#include "drive/cli/select.h"
#include "drive/image.h"
#include "drive/replay_run.h"
#include "drive/subject.h"

namespace reprise::drive::cli {
namespace {

ReplayOptions options_of(const Arguments& arguments) {
  ReplayOptions options;
  options.trace = arguments.trace;
  options.then_live = arguments.then == "live";
  options.gate_off = arguments.gate_off;
  options.output_to_error = arguments.json;
  options.silent = arguments.quiet;
  options.stall_after_s = arguments.stall_after_s.value_or(10);
  options.favour = arguments.favour;
  return options;
}

int exit_code_of(const ReplayReport& report) {
  switch (report.verdict) {
    case Verdict::identical:
      return done;
    case Verdict::different:
      return finding;
    case Verdict::diverged:
      return diverged;
    case Verdict::stalled:
      return stalled;
    case Verdict::unsupported:
      return unsupported;
    case Verdict::interrupted:
      return report.ended.exit_code();
  }
  return own_failure;
}

// What to type after a replay that was not identical.
std::string next_command(const Subject& subject, const ReplayReport& report, const Arguments& arguments) {
  const std::string name = subject.folder.name();
  const bool has_copy = has_image(subject.folder.path / "image");
  if (report.verdict == Verdict::diverged && report.divergence->bracketed && !subject.trace && has_copy) {
    return fmt::format("reprise replay {} --trace --image && reprise replay {}", name, name);
  }
  const bool other_program = !arguments.program_path.empty() || subject.is_other_build;
  if (report.verdict == Verdict::diverged && has_copy && other_program)
    return fmt::format("reprise replay {} --image", name);
  if (report.verdict == Verdict::diverged)
    return fmt::format("reprise show {} --thread {}", name, report.divergence->thread);
  return fmt::format("reprise info {}", name);
}

void tell_success(const Subject& subject, const ReplayReport& last, std::uint64_t times, const Arguments& arguments,
                  Console& console) {
  if (last.released) {
    console.note(fmt::format("the recording ended and the program went on by itself: {}", ended_text(last.ended)));
  }
  if (arguments.trace) {
    console.note(fmt::format("traced {}; list them with: reprise show {}", analyse::counted(last.traced, "event"),
                             subject.folder.name()));
  }
  console.print(console.styled(Style::good, fmt::format("replayed {} of {} identical", times, times)));
}

int run_without_gate(const Subject& subject, const Arguments& arguments, Console& console) {
  Interrupts interrupts;
  auto report = replay_once(subject, options_of(arguments), interrupts);
  if (!report) return console.fail(report.error());
  return report->ended.exit_code();
}

}  // namespace

int run_replay(const Arguments& arguments, Console& console) {
  auto folder = select(arguments);
  if (!folder) return console.fail(folder.error(), "reprise ls");
  auto subject = prepare(*folder, {.program = arguments.program_path, .image = arguments.image});
  if (!subject) return console.fail(subject.error(), fmt::format("reprise verify {}", folder->name()));
  for (const std::string& warning : subject->warnings) console.note(warning);
  if (arguments.gate_off) return run_without_gate(*subject, arguments, console);
  const std::uint64_t times = arguments.times.value_or(1);
  ReplayOptions options = options_of(arguments);
  Interrupts interrupts;
  Json runs = Json::array();
  ReplayReport report;
  std::uint64_t identical = 0;
  const auto start = Clock::now();
  for (std::uint64_t i = 0; i < times; ++i) {
    if (i > 0) options.silent = true;
    options.trace = arguments.trace && i == 0;
    if (Clock::now() - start > std::chrono::seconds(2)) console.progress(fmt::format("replay {} of {}", i + 1, times));
    auto one = replay_once(*subject, options, interrupts);
    if (!one) return console.fail(one.error());
    const std::uint64_t traced = report.traced;
    report = std::move(*one);
    if (report.verdict != Verdict::identical) break;
    if (report.traced == 0) report.traced = traced;
    ++identical;
  }
  if (arguments.json) console.print_json(report_json(*subject, report, identical, times));
  if (report.verdict == Verdict::identical) {
    if (!arguments.json) tell_success(*subject, report, times, arguments, console);
    return done;
  }
  if (report.verdict == Verdict::interrupted) {
    console.note("interrupted");
    return exit_code_of(report);
  }
  if (!arguments.json) {
    for (const std::string& line : report_lines(report)) console.print(line);
    console.print(console.styled(Style::bad, fmt::format("replayed {} of {} identical", identical, times)));
  }
  console.next(next_command(*subject, report, arguments));
  return exit_code_of(report);
}

}  // namespace reprise::drive::cli
