#include "drive/cli/from_checkpoint.h"

#include <fmt/format.h>

#include "analyse/text.h"
#include "drive/checkpoint_run.h"
#include "drive/cli/replay_text.h"

namespace reprise::drive::cli {
namespace {

void print_facts(const recording::CheckpointEntry& entry, const ReplayReport& report, std::uint64_t identical,
                 std::uint64_t times, Console& console) {
  Json differences = Json::array();
  for (const analyse::Difference& difference : report.differences) differences.push(difference.text());
  console.print_json(Json::object({{"checkpoint", entry.number},
                                   {"process", entry.process},
                                   {"thread", entry.path},
                                   {"step", entry.step},
                                   {"identical", identical},
                                   {"times", times},
                                   {"exit", exit_code_of(report)},
                                   {"differences", differences}}));
}

}  // namespace

std::optional<int> run_from_checkpoint(const recording::Folder& folder, const Arguments& arguments,
                                       const ReplayOptions& wanted, Console& console) {
  if (!arguments.then.empty() || arguments.trace || arguments.image || !arguments.program_path.empty())
    return console.fail({ErrorCode::usage,
                         "--from-checkpoint goes on in a copy of the recorded process: not with --then, --trace, "
                         "--image or --program"});
  auto chosen = choose_checkpoint(folder, arguments.from_checkpoint, arguments.only);
  if (!chosen) return console.fail(chosen.error(), fmt::format("reprise info {}", folder.name()));
  if (!*chosen) {
    console.note(fmt::format("{} ended before its first checkpoint: it is replayed from its start", folder.name()));
    return std::nullopt;
  }
  const recording::CheckpointEntry& entry = **chosen;
  const std::uint64_t times = arguments.times.value_or(1);
  ReplayOptions options = wanted;
  Interrupts interrupts;
  ReplayReport report;
  std::uint64_t identical = 0;
  for (std::uint64_t i = 0; i < times; ++i) {
    if (i > 0) options.silent = true;
    auto done_once = replay_from(folder, entry, options, interrupts);
    if (!done_once) return console.fail(done_once.error(), fmt::format("reprise info {}", folder.name()));
    report = std::move(*done_once);
    if (options.gate_off) return report.ended.exit_code();
    if (report.verdict != Verdict::identical) break;
    ++identical;
  }
  if (arguments.json) {
    print_facts(entry, report, identical, times, console);
    return exit_code_of(report);
  }
  if (report.verdict == Verdict::interrupted) {
    console.note(fmt::format("interrupted; {} of {} were identical", identical, times));
    return exit_code_of(report);
  }
  const std::string where = fmt::format("from checkpoint {} (thread {} of {} after step {})", entry.number, entry.path,
                                        entry.process, analyse::grouped(entry.step));
  if (report.verdict == Verdict::identical) {
    console.print(console.styled(Style::good, fmt::format("replayed {} of {} identical, {}", identical, times, where)));
    return done;
  }
  for (const std::string& line : report_lines(report)) console.print(line);
  console.print(
      console.styled(Style::bad, fmt::format("replayed {} of {} identical, {}", identical, identical + 1, where)));
  return exit_code_of(report);
}

}  // namespace reprise::drive::cli
