// reprise replay --sequence FILE -- PROGRAM | -f PROCFILE - makes a run happen that was written down, without a
// recording.
#include <fmt/format.h>

#include "analyse/text.h"
#include "drive/cli/commands.h"
#include "drive/cli/forcing.h"

namespace reprise::drive::cli {
namespace {

struct Forced {
  const char* word;
  ExitCode code;
};

// It diverges where a thread does something else, or cannot by what is written; it stalls where all wait and none does.
Forced outcome_of(const Tested& tested) {
  if (tested.verdict == Feasibility::feasible) return {"forced", done};
  if (tested.verdict == Feasibility::undecided)
    return tested.timed_out ? Forced{"stalled", stalled} : Forced{"undecided", undecided};
  return tested.deviates || !tested.reason.empty() ? Forced{"diverged", diverged} : Forced{"stalled", stalled};
}

}  // namespace

int run_replay_sequence(const Arguments& arguments, Console& console) {
  auto forcing = forcing_of(arguments, Purpose::replay, "forced", console);
  if (!forcing) return console.fail(forcing.error());
  const auto tested = test_forced(*forcing);
  if (!tested) return console.fail(tested.error());
  if (const std::string held = held_line(*tested, forcing->inputs); !held.empty()) console.note(held);
  const auto [word, code] = outcome_of(*tested);
  if (arguments.json) {
    console.print_json(facts_of(word, *tested, forcing->kept));
    return code;
  }
  const std::string how =
      fmt::format("({}, {})", analyse::counted(tested->listed, "event"), analyse::counted(tested->runs, "run"));
  if (code == done) {
    console.print(console.styled(Style::good, fmt::format("forced as written {}", how)));
    console.note(fmt::format("the recording {} holds it", forcing->kept));
    if (arguments.quiet) return done;
    Arguments again = arguments;
    again.sequences.clear();
    again.names = {forcing->kept};
    return run_replay(again, console);
  }
  console.print(console.styled(Style::bad, fmt::format("{} {}", word, how)));
  for (const std::string& line : stop_lines(*tested, forcing->listed)) console.print(line);
  console.note(fmt::format("the recording {} came furthest", forcing->kept));
  if (code == undecided) console.note("more runs may find it: --search N");
  console.next(fmt::format("reprise sequence {}", forcing->kept));
  return code;
}

}  // namespace reprise::drive::cli
