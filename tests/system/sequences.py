"""Goal    reprise test says whether a sequence can happen; what it says is what the program can do.
Method  The figures of the paper, against models of the two programs that know nothing of reprise (sequence_model_lib.py). A feasible
        one leaves a recording: it is replayed, and printed it is the sequence again. Perturbations: sequence_verdicts.py.
"""
import os
import re
from pathlib import Path

from _lib import REPRISE, SOURCE, Bench, run
from sequence_model_lib import Event, buffer_feasible, exclusion_feasible

EXAMPLES = Path(os.environ["REPRISE_EXAMPLES"])
FIGURES = (SOURCE / "src/analyse/sequence/sequence_for_test.h").read_text()
BUFFER = {"producer": 1, "buffer": 2, "consumer": 3}
EXCLUSION = {f"process{i}": 1 + 4 * i for i in range(4)}


def figure(name):
    return re.search(rf'figure_{name}\b[^"]*R"\((.*?)\)";', FIGURES, re.S).group(1)


def events_of(text):
    text = re.sub("//.*", "", text)
    found = re.findall(r"\(\s*(\w+)\s*,\s*(\d+)\s*,\s*(\w+)\s*,\s*(\d+)\s*\)", text)
    return [Event("connection" if kind == "connect" else kind, int(thread), box, int(number))
            for kind, thread, box, number in found]


def renumbered(events):
    """Mailbox events only are counted: the ranks of the numbers given."""
    ranks = {}
    for event in events:
        ranks.setdefault(event.thread, []).append(event.number)
    return [event._replace(number=sorted(ranks[event.thread]).index(event.number) + 1) for event in events]


def text_of(events, numbering="carc"):
    lines = [f"form: node, numbering: {numbering}"]
    return "\n".join(lines + [f"({e.type},{e.thread},{e.mailbox},{e.number})" for e in events]) + "\n"


class System:
    """Programs of an example that run together, and sequences of theirs."""

    def __init__(self, bench, ids, program, arguments):
        self.bench = bench
        self.ids = [word for name, first in ids.items() for word in ("--start-id", f"{name}={first}")]
        self.procfile = bench.folder / f"{program}.procfile"
        self.procfile.write_text("".join(f"{name}: {EXAMPLES / program} {argument}\n" for name, argument in zip(ids, arguments)))

    def test(self, name, *texts):
        files = []
        for i, text in enumerate(texts):
            path = self.bench.folder / f"{name}.{i}.seq"
            path.write_text(text)
            files += ["--sequence", path]
        ran = run([REPRISE, "test", *files, *self.ids, "-f", self.procfile, "-o", name, "--json"], self.bench.folder, 280)
        return ran.json() if ran.out else {"verdict": f"exit {ran.code} {ran.err.decode()}"}

    def expect(self, verdict, name, *texts, event=None):
        told = self.test(name, *texts)
        self.bench.expect(told["verdict"] == verdict and event in (None, told.get("event")), f"{name} is {verdict}: {told}", name)

    def expect_replay(self, name):
        self.bench.expect(self.bench.replay(name).code == 0, f"the recording of {name} replays", name)


def printed_again(bench, events, name):
    """A feasible sequence, printed from its recording, has the same events of each thread and each mailbox."""
    ids = [word for process, first in BUFFER.items() for word in ("--start-id", f"{process}={first}")]
    again = events_of(bench.reprise("sequence", name, *ids).out.decode())
    for key in ("thread", "mailbox"):
        for value in {getattr(event, key) for event in events}:
            one, other = ([e for e in some if getattr(e, key) == value] for some in (events, again))
            if key == "thread":
                one, other = (sorted(some, key=lambda e: e.number) for some in (one, other))
            bench.expect(one == other, f"printed, it has the same events of {key} {value}", name)


def buffer_figures(bench):
    buffer = System(bench, BUFFER, "20_bounded_buffer", BUFFER)
    events = events_of(figure("6_25"))
    bench.expect(buffer_feasible(events), "the model finds figure 6.25 feasible")
    buffer.expect("feasible", "f25", figure("6_25"))
    buffer.expect_replay("f25")
    printed_again(bench, events, "f25")
    buffer.expect("feasible", "simple", "".join(f"({event.thread})\n" for event in events))
    as_printed = re.search(r'figure_6_26 =\s*"(.*?)";', FIGURES, re.S).group(1).replace("\\n", "\n")
    buffer.expect("infeasible", "f26", as_printed, event=10)


def exclusion_figures(bench):
    exclusion = System(bench, EXCLUSION, "21_mutual_exclusion", range(4))
    as_printed = events_of(figure("6_27a"))
    fixed = renumbered(as_printed)
    bench.expect(exclusion_feasible(fixed), "the model finds figure 6.27a renumbered feasible")
    bench.expect(not exclusion_feasible(as_printed), "the model finds figure 6.27a as printed, counted as carc, infeasible")
    exclusion.expect("feasible", "f27", text_of(fixed))
    exclusion.expect_replay("f27")
    exclusion.expect("feasible", "f27ab", text_of(as_printed, "all"), figure("6_27b"))
    exclusion.expect("infeasible", "f27carc", text_of(as_printed), event=25)


def main():
    with Bench("sequences") as bench:
        buffer_figures(bench)
        exclusion_figures(bench)
        bench.finish()


if __name__ == "__main__":
    main()
