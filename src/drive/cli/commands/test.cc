// reprise test --sequence FILE -- PROGRAM | -f PROCFILE - can this sequence happen?
#include <fmt/format.h>

#include "analyse/text.h"
#include "drive/cli/commands.h"
#include "drive/cli/forcing.h"

namespace reprise::drive::cli {
namespace {

std::string_view name(Feasibility verdict) {
  return verdict == Feasibility::feasible     ? "feasible"
         : verdict == Feasibility::infeasible ? "infeasible"
                                              : "undecided";
}

void print_text(const Tested& tested, const Forcing& forcing, Console& console) {
  console.print(fmt::format("{} ({}, {})", name(tested.verdict), analyse::counted(tested.listed, "event"),
                            analyse::counted(tested.runs, "run")));
  if (tested.verdict == Feasibility::feasible)
    return console.print(fmt::format("the recording {} proves it", forcing.kept));
  for (const std::string& line : stop_lines(tested, forcing.listed)) console.print(line);
  if (tested.verdict == Feasibility::infeasible)
    console.print("searched was every order of what is not listed and races: none yields it");
  console.print(fmt::format("the recording {} came furthest", forcing.kept));
}

}  // namespace

int run_test(const Arguments& arguments, Console& console) {
  if (arguments.sequences.empty()) return console.fail({ErrorCode::usage, "which sequence? --sequence FILE"});
  auto forcing = forcing_of(arguments, Purpose::test, "test", console);
  if (!forcing) return console.fail(forcing.error());
  const auto tested = test_forced(*forcing);
  if (!tested) return console.fail(tested.error());
  if (const std::string held = held_line(*tested, forcing->inputs); !held.empty()) console.note(held);
  if (arguments.json) {
    console.print_json(facts_of(std::string(name(tested->verdict)), *tested, forcing->kept));
  } else {
    print_text(*tested, *forcing, console);
  }
  if (tested->verdict == Feasibility::undecided) console.note("more runs may decide it: --search N");
  return tested->verdict == Feasibility::feasible     ? done
         : tested->verdict == Feasibility::infeasible ? finding
                                                      : undecided;
}

}  // namespace reprise::drive::cli
