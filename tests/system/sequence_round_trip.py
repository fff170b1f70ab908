# label: slow
"""Goal    What was recorded, printed as a sequence in any form that can hold it, read back and forced upon the program, is what
        happens again: each thread does the same events in the same order, and so does each object.
Method  Random runs (chaos) of six programs: asynchronous mailboxes, synchronous ones, a selective wait, a monitor, semaphores, and
        processes. Every form is asked for; what the exporter refuses must say that the form cannot hold it. A control: the runs of
        a program are not all the same, so that forcing has something to force.
"""
import os
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from _lib import FULL, GUESTS, REPRISE, WORKERS

EXAMPLES = Path(os.environ["REPRISE_EXAMPLES"])
MAILBOX_FORMS = ("object", "thread1", "thread2", "total", "node", "simple")
# What says all of an execution: by object and by thread.
WHOLE = ("object", "thread1", "thread2", "monitor", "semaphore")
RUNS = 100 if FULL else 2
failures = []


def guest(name):
    return {name: str(GUESTS / name)}


PROGRAMS = {
    "asynchronous": (guest("mailbox_race"), MAILBOX_FORMS),
    "synchronous": (guest("mailbox_sync"), MAILBOX_FORMS),
    # Simple: what a select takes follows from all arrivals before it, which the threads' own events do not tell (not yet forced).
    "selective": (guest("mailbox_select"), MAILBOX_FORMS[:-1]),
    "monitor": (guest("monitor_buffer"), ("monitor",)),
    "semaphores": (guest("semaphore_named"), ("semaphore",)),
    "processes": ({f"process{i}": f"{EXAMPLES / '21_mutual_exclusion'} {i}" for i in range(4)}, MAILBOX_FORMS),
}


class Trip:
    def __init__(self, folder, name, lines, forms):
        self.folder, self.name, self.forms = Path(folder), name, forms
        self.procfile = self.folder / f"{name}.procfile"
        self.procfile.write_text("".join(f"{process}: {command}\n" for process, command in lines.items()))

    def tool(self, *words):
        return subprocess.run([REPRISE, *words], capture_output=True, text=True, timeout=120,
                              env={**os.environ, "REPRISE_HOME": str(self.folder), "NO_COLOR": "1"})

    def printed(self, recording, form):
        """The parts of the text, sorted: the order of threads and objects in it means nothing."""
        ran = self.tool("sequence", recording, "--form", form)
        if ran.returncode != 0:
            return None
        lines = ran.stdout.splitlines()[1:]
        found, part = {}, ""
        for line in lines:
            if line.endswith(":"):
                part = line
            found.setdefault(part, []).append(line)
        return found

    def whole(self, recording):
        return {form: self.printed(recording, form) for form in WHOLE}

    def monitors(self, recording, form):
        """Where mailbox events are listed and a process has a monitor, its events are listed too."""
        text = self.tool("sequence", recording, "--form", "monitor").stdout
        if form == "monitor" or "(" not in text:
            return []
        file = self.folder / f"{recording}.monitors.seq"
        file.write_text(text)
        return ["--sequence", str(file)]

    def fail(self, seed, form, what):
        failures.append(f"{self.name}, seed {seed}, form {form}: {what}")

    def one(self, seed):
        """Returns what happened, and how many forms it went through."""
        recording = f"{self.name}-{seed}"
        recorded = self.tool("record", "-f", str(self.procfile), "-o", recording, "--no-image", "--chaos", str(seed))
        if recorded.returncode != 0:
            self.fail(seed, "-", f"recording ended with {recorded.returncode}: {recorded.stderr}")
            return None, 0
        expected = self.whole(recording)
        trips = 0
        for form in self.forms:
            text = self.tool("sequence", recording, "--form", form)
            if text.returncode != 0:
                if "cannot print" not in text.stderr:
                    self.fail(seed, form, f"is refused without a reason: {text.stderr}")
                continue
            trips += 1
            file = self.folder / f"{recording}.{form}.seq"
            file.write_text(text.stdout)
            forced = f"{recording}-{form}"
            tested = self.tool("test", "--sequence", str(file), *self.monitors(recording, form), "-f", str(self.procfile), "-o",
                               forced)
            if tested.returncode != 0:
                self.fail(seed, form, f"is not feasible: {tested.stdout}{tested.stderr}")
                continue
            again = self.whole(forced)
            compared = [kind for kind in WHOLE if (kind == form if form in ("monitor", "semaphore") else
                                                   kind not in ("monitor", "semaphore"))]
            for kind in compared:
                if again[kind] != expected[kind]:
                    self.fail(seed, form, f"is another execution, in form {kind}: {expected[kind]} became {again[kind]}")
            if form == self.forms[0] and self.tool("replay", forced).returncode != 0:
                self.fail(seed, form, "the forced run does not replay")
        return str(expected), trips


def main():
    rng = random.Random(int(os.environ.get("REPRISE_SEED", "7")))
    with tempfile.TemporaryDirectory() as folder:
        for name, (lines, forms) in PROGRAMS.items():
            if sys.argv[1:] and name not in sys.argv[1:]:
                continue
            trip = Trip(folder, name, lines, forms)
            with ThreadPoolExecutor(WORKERS) as pool:
                ran = list(pool.map(trip.one, [rng.randrange(1 << 32) for _ in range(RUNS)]))
            different = len({what for what, _ in ran})
            trips = sum(count for _, count in ran)
            print(f"{name}: {RUNS} runs, {different} different, {trips} forced", flush=True)
            if trips == 0:
                failures.append(f"{name}: no form holds it")
            if FULL and different < RUNS // 4:
                failures.append(f"{name}: its runs hardly differ")
    for failure in failures[:20]:
        print("FAILED", failure[:3000])
    print(f"{len(failures)} failed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
