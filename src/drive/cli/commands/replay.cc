// reprise replay [NAME] - runs a recording again and checks that it is the same run.
#include <fmt/format.h>

#include "analyse/text.h"
#include "drive/cli/commands.h"
#include "drive/cli/from_checkpoint.h"
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
  options.delay = arguments.delay;
  if (!arguments.exceptions.empty()) options.simulates_errors = arguments.exceptions == "simulate";
  return options;
}

// What to type after a replay that was not identical.
std::string next_command(const Subject& subject, const ReplayReport& report, const Arguments& arguments) {
  const std::string name = subject.folder.name();
  const bool has_copy = has_image(subject.folder.path / "image");
  if (report.verdict == Verdict::diverged && report.divergence->bracketed && !subject.processes.front().trace &&
      has_copy) {
    const std::string program =
        arguments.program_path.empty() ? "" : fmt::format(" --program {}", arguments.program_path);
    return fmt::format("reprise replay {} --trace --image && reprise replay {}{}", name, name, program);
  }
  const bool other_program = !arguments.program_path.empty() || subject.is_other_build;
  if (report.verdict == Verdict::diverged && has_copy && other_program)
    return fmt::format("reprise replay {} --image", name);
  if (report.verdict == Verdict::diverged)
    return fmt::format("reprise show {} --thread {}", name, report.divergence->thread);
  return fmt::format("reprise info {}", name);
}

// Replays one after the other, until one is not identical.
struct Row {
  ReplayReport last;
  std::uint64_t identical{0};
  std::uint64_t traced{0};
};

Result<Row> replay_row(const Subject& subject, const Arguments& arguments, Console& console) {
  const std::uint64_t times = arguments.times.value_or(1);
  const auto start = Clock::now();
  ReplayOptions options = options_of(arguments);
  Interrupts interrupts;
  Row row;
  for (std::uint64_t i = 0; i < times; ++i) {
    if (i > 0) options.silent = true;
    options.trace = arguments.trace && i == 0;
    if (Clock::now() - start > std::chrono::seconds(2)) console.progress(fmt::format("replay {} of {}", i + 1, times));
    auto report = replay_once(subject, options, interrupts);
    if (!report) return tl::unexpected(report.error());
    row.last = std::move(*report);
    if (row.last.verdict != Verdict::identical) return row;
    row.traced += row.last.traced;
    ++row.identical;
  }
  return row;
}

void tell_success(const Subject& subject, const Row& row, const Arguments& arguments, Console& console) {
  if (row.last.released) {
    console.note(fmt::format("the recording ended and the program went on by itself: {}", ended_text(row.last.ended)));
  }
  if (arguments.trace) {
    console.note(fmt::format("traced {}; list them with: reprise show {}", analyse::counted(row.traced, "event"),
                             subject.folder.name()));
  }
  console.print(console.styled(Style::good, fmt::format("replayed {} of {} identical", row.identical, row.identical)));
}

void tell_failure(const Subject& subject, const Row& row, std::uint64_t times, Console& console) {
  if (subject.processes.size() > 1 && !row.last.process.empty())
    console.print(fmt::format("in process {}:", row.last.process));
  for (const std::string& line : report_lines(row.last)) console.print(line);
  const std::uint64_t tried = row.identical + 1;
  const std::string rest = tried < times ? fmt::format("; the other {} were not tried", times - tried) : "";
  console.print(console.styled(Style::bad, fmt::format("replayed {} of {} identical{}", row.identical, tried, rest)));
}

int run_without_gate(const Subject& subject, const Arguments& arguments, Console& console) {
  Interrupts interrupts;
  auto report = replay_once(subject, options_of(arguments), interrupts);
  if (!report) return console.fail(report.error());
  return report->ended.exit_code();
}

}  // namespace

int run_replay(const Arguments& arguments, Console& console) {
  if (!arguments.sequences.empty()) return run_replay_sequence(arguments, console);
  auto folder = select(arguments);
  if (!folder) return console.fail(folder.error(), "reprise ls");
  if (!arguments.from_checkpoint.empty()) {
    if (const auto code = run_from_checkpoint(*folder, arguments, options_of(arguments), console)) return *code;
  }
  auto subject =
      prepare(*folder, {.program = arguments.program_path, .image = arguments.image, .only = arguments.only});
  if (!subject) {
    const bool damaged = subject.error().code == ErrorCode::damaged;
    return console.fail(subject.error(), fmt::format("reprise {} {}", damaged ? "verify" : "info", folder->name()));
  }
  for (const std::string& warning : subject->warnings) console.note(warning);
  if (arguments.gate_off) return run_without_gate(*subject, arguments, console);
  auto row = replay_row(*subject, arguments, console);
  if (!row) return console.fail(row.error());
  const ReplayReport& report = row->last;
  const std::uint64_t times = arguments.times.value_or(1);
  if (arguments.json) console.print_json(report_json(*subject, report, row->identical, times));
  if (report.verdict == Verdict::interrupted) {
    console.note(fmt::format("interrupted; {} of {} were identical", row->identical, times));
    return exit_code_of(report);
  }
  if (report.verdict == Verdict::identical) {
    if (!arguments.json) tell_success(*subject, *row, arguments, console);
    return done;
  }
  if (!arguments.json) tell_failure(*subject, *row, times, console);
  console.next(next_command(*subject, report, arguments));
  return exit_code_of(report);
}

}  // namespace reprise::drive::cli
