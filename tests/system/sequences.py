"""Goal    reprise test says whether a sequence can happen; what it says is what the program can do.
Method  The figures of the paper, against models of the two programs that know nothing of reprise (sequence_model_lib.py). A feasible
        one leaves a recording: it is replayed, and printed it is the sequence again. Perturbations: sequence_verdicts.py.
"""
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import os

from sequence_model_lib import Event, buffer_feasible, exclusion_feasible

REPRISE = os.environ["REPRISE"]
EXAMPLES = Path(os.environ["REPRISE_EXAMPLES"])
FIGURES = (Path(os.environ["REPRISE_SOURCE"]) / "src/analyse/sequence/sequence_for_test.h").read_text()
BUFFER = {"producer": 1, "buffer": 2, "consumer": 3}
EXCLUSION = {f"process{i}": 1 + 4 * i for i in range(4)}
failures = []
checks = 0


def check(good, what):
    global checks
    checks += 1
    if not good:
        failures.append(what)
        print("FAILED", what)


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
    def __init__(self, folder, ids, program, arguments):
        self.folder = Path(folder)
        self.ids = [word for name, first in ids.items() for word in ("--start-id", f"{name}={first}")]
        self.procfile = self.folder / f"{program}.procfile"
        self.procfile.write_text("".join(f"{name}: {EXAMPLES / program} {argument}\n" for name, argument in zip(ids, arguments)))

    def test(self, name, *texts):
        files = []
        for i, text in enumerate(texts):
            path = self.folder / f"{name}.{i}.seq"
            path.write_text(text)
            files += ["--sequence", str(path)]
        ran = subprocess.run([REPRISE, "test", *files, *self.ids, "-f", str(self.procfile), "-o", name, "--json"],
                             capture_output=True, text=True, timeout=280, env={**os.environ, "REPRISE_HOME": str(self.folder)})
        return json.loads(ran.stdout) if ran.stdout else {"verdict": f"exit {ran.returncode} {ran.stderr}"}

    def tool(self, *words):
        return subprocess.run([REPRISE, *words], capture_output=True, text=True, timeout=60,
                              env={**os.environ, "REPRISE_HOME": str(self.folder)})


def figures(buffer, exclusion):
    buffer_events = events_of(figure("6_25"))
    check(buffer_feasible(buffer_events), "the model finds figure 6.25 feasible")
    check(buffer.test("f25", figure("6_25"))["verdict"] == "feasible", "figure 6.25 is feasible")
    replayed = buffer.tool("replay", "f25")
    check(replayed.returncode == 0, "its recording replays: " + replayed.stderr)
    ids = [word for name, first in BUFFER.items() for word in ("--start-id", f"{name}={first}")]
    again = events_of(buffer.tool("sequence", "f25", *ids).stdout)
    for key in ("thread", "mailbox"):
        for value in {getattr(event, key) for event in buffer_events}:
            one, other = ([e for e in some if getattr(e, key) == value] for some in (buffer_events, again))
            if key == "thread":
                one, other = (sorted(some, key=lambda e: e.number) for some in (one, other))
            check(one == other, f"printed, it has the same events of {key} {value}")
    simple = "".join(f"({event.thread})\n" for event in buffer_events)
    check(buffer.test("simple", simple)["verdict"] == "feasible", "the simple projection of figure 6.25 is feasible")
    printed = buffer.test("f26", re.search(r'figure_6_26 =\s*"(.*?)";', FIGURES, re.S).group(1).replace("\\n", "\n"))
    check(printed["verdict"] == "infeasible" and printed["event"] == 10, f"figure 6.26 fails at entry 10: {printed}")
    as_printed = events_of(figure("6_27a"))
    fixed = renumbered(as_printed)
    check(exclusion_feasible(fixed), "the model finds figure 6.27a renumbered feasible")
    check(not exclusion_feasible(as_printed), "the model finds figure 6.27a as printed, counted as carc, infeasible")
    check(exclusion.test("f27", text_of(fixed))["verdict"] == "feasible", "figure 6.27a renumbered is feasible")
    check(exclusion.tool("replay", "f27").returncode == 0, "its recording replays")
    both = exclusion.test("f27ab", text_of(as_printed, "all"), figure("6_27b"))
    check(both["verdict"] == "feasible", f"figures 6.27a, numbered all, and 6.27b are feasible: {both}")
    carc = exclusion.test("f27carc", text_of(as_printed))
    check(carc["verdict"] == "infeasible" and carc["event"] == 25, f"figure 6.27a, numbered carc, fails at event 25: {carc}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        buffer = System(folder, BUFFER, "20_bounded_buffer", BUFFER)
        exclusion = System(folder, EXCLUSION, "21_mutual_exclusion", range(4))
        figures(buffer, exclusion)
    print(f"{checks} checks, {len(failures)} failed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
