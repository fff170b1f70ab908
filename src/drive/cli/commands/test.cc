// reprise test --sequence FILE -- PROGRAM | -f PROCFILE - can this sequence happen?
#include <fmt/format.h>

#include <filesystem>

#include "analyse/text.h"
#include "drive/cli/commands.h"
#include "drive/cli/start_ids.h"
#include "drive/control/feasibility.h"
#include "recording/folder.h"

namespace reprise::drive::cli {
namespace {

Result<std::vector<TargetLine>> programs_of(const Arguments& arguments) {
  std::vector<Line> lines;
  if (arguments.procfile.empty()) {
    const std::string name = std::filesystem::path(arguments.program.front()).filename().string();
    lines.push_back({arguments.process.empty() ? valid_name(name) : arguments.process, arguments.program});
  } else {
    auto read = read_procfile(arguments.procfile);
    if (!read) return tl::unexpected(read.error());
    lines = *std::move(read);
  }
  std::vector<TargetLine> programs;
  for (Line& line : lines) {
    auto target = find_target(line.command);
    if (!target) return fail(target.error().code, fmt::format("{}: {}", line.name, target.error().message));
    programs.push_back({std::move(line), *std::move(target)});
  }
  return programs;
}

std::string_view name(Verdict verdict) {
  return verdict == Verdict::feasible ? "feasible" : verdict == Verdict::infeasible ? "infeasible" : "undecided";
}

void print_text(const Tested& tested, const std::string& kept, Console& console) {
  console.print(fmt::format("{} ({}, {})", name(tested.verdict), analyse::counted(tested.listed, "event"),
                            analyse::counted(tested.runs, "run")));
  if (tested.verdict == Verdict::feasible) return console.print(fmt::format("the recording {} proves it", kept));
  if (tested.place && *tested.place < tested.listed) {
    console.print(fmt::format("event {} cannot happen: {}", *tested.place + 1, analyse::escape(tested.event)));
  } else if (tested.place) {
    console.print("all listed events happened, but they are not all that happens");
  }
  if (!tested.reason.empty()) console.print(tested.reason);
  for (const std::string& line : tested.instead) console.print("  " + analyse::escape(line));
  if (tested.verdict == Verdict::infeasible)
    console.print("searched were the entries of monitors; races at mutexes and atomics of the program's own were not");
  console.print(fmt::format("the recording {} came furthest", kept));
}

}  // namespace

int run_test(const Arguments& arguments, Console& console) {
  if (arguments.sequences.empty()) return console.fail({ErrorCode::usage, "which sequence? --sequence FILE"});
  const auto ids = start_ids_of(arguments.start_ids);
  if (!ids) return console.fail(ids.error());
  auto listed = read_listed(arguments.sequences, *ids);
  if (!listed) return console.fail(listed.error());
  auto programs = programs_of(arguments);
  if (!programs) return console.fail(programs.error());
  const std::string kept = arguments.output.empty() ? "test" : arguments.output;
  if (!recording::is_valid_name(kept))
    return console.fail({ErrorCode::usage, fmt::format("{} is no name for a recording", kept)});
  const recording::Folder folder{recording::home() / (kept + std::string(recording::folder_suffix))};
  TestOptions options;
  options.runs_max = arguments.search.value_or(options.runs_max);
  options.inactivity_s = arguments.inactivity_s.value_or(options.inactivity_s);
  options.progress = [&](std::uint64_t run) { console.progress(fmt::format("run {}", run)); };
  Interrupts interrupts;
  const auto tested = test_sequence(*programs, *listed, folder, options, interrupts);
  if (!tested) return console.fail(tested.error());
  if (arguments.json) {
    Json json = Json::object({{"verdict", std::string(name(tested->verdict))},
                              {"events", tested->listed},
                              {"runs", tested->runs},
                              {"recording", kept},
                              {"reason", tested->reason}});
    if (tested->place) json.add("event", *tested->place + 1);
    console.print_json(json);
  } else {
    print_text(*tested, kept, console);
  }
  if (tested->verdict == Verdict::undecided) console.note("more runs may decide it: --search N");
  return tested->verdict == Verdict::feasible ? done : tested->verdict == Verdict::infeasible ? finding : undecided;
}

}  // namespace reprise::drive::cli
