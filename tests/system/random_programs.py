# label: slow
"""Goal    A replay gives the recorded run again for programs that nobody thought of.
Method  A generator writes random scripts (2 to 8 threads; locks, conditions, atomics, semaphores, latches, barriers, futures,
        time-outs, values; hundreds of lines) for the guest random_guest. Each is recorded under one adversary and replayed
        under the opposite one. A script that fails is shrunk: lines are left out while it still fails, and what is left is
        printed with the command that runs it.

    random_programs.py [FIRST [COUNT]]     begins with script number FIRST
    random_programs.py FILE                tries a script from a file, and shrinks it
"""
import os
import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from _lib import FULL, GUESTS, IDENTICAL, OPPOSITE, REPRISE, WORKERS, Bench, run

PROGRAMS = 1000 if FULL else 40
REPLAYS = 2
RECORD_SECONDS = 20
SHRINK_SECONDS = 240
SHRINK_TRIES = 4
GUEST = GUESTS / "random_guest"


class Generator:
    """Writes one script. Numbers of objects are those of random_guest.cc."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.threads = self.random.randint(2, 8)
        self.lines = [f"threads {self.threads}"]
        for thread in range(2, self.threads):
            if self.random.random() < 0.3:
                self.lines.append(f"parent {thread} {self.random.randint(1, thread - 1)}")
        self.counts = {}  # (operation, object) -> how often so far
        self.consumers = [self.random.randrange(self.threads) for _ in range(8)]
        self.closed = set()  # latches that have been waited for
        self.members = [self.some_threads() for _ in range(4)]

    def some_threads(self):
        count = self.random.randint(2, self.threads)
        return sorted(self.random.sample(range(self.threads), count))

    def few(self):
        return self.random.randrange(4)

    def many(self):
        return self.random.randrange(8)

    def add(self, threads, name, *numbers):
        who = ",".join(map(str, threads)) if isinstance(threads, list) else str(threads)
        self.lines.append(" ".join([who, name, *map(str, numbers)]))
        key = (name, numbers[0] if numbers else 0)
        self.counts[key] = self.counts.get(key, 0) + 1

    def so_far(self, name, which):
        return self.counts.get((name, which), 0)

    def plain(self, who):
        pick = self.random.choice
        name = pick(["section", "section", "try_section", "timed", "nest", "share", "share", "cell", "cell", "cell", "slot",
                     "slot", "call", "collect", "once", "outside", "poll", "peek", "try_pass", "await_for"])
        numbers = {"section": [self.few(), self.few()], "timed": [self.few(), pick([0, 1])],
                   "share": [self.few(), pick([0, 1, 1, 1])], "cell": [self.few(), pick(range(7))],
                   "slot": [pick([0, 1]), pick([0, 1, 2])], "call": [self.few(), pick([0, 0, 1, 2])], "collect": [0],
                   "once": [self.many()], "outside": [0, pick([0, 1, 2, 3])], "poll": [self.many(), pick([0, 0, 1])],
                   "peek": [self.many()], "try_pass": [self.many()], "await_for": [self.few(), self.random.randint(0, 9)]}
        if name == "peek":
            who = self.consumers[numbers["peek"][0]]
        self.add(who, name, *numbers.get(name, [self.few()]))

    def together(self, who):
        """Operations by which threads wait for each other."""
        which, small = self.many(), self.few()
        name = self.random.choice(["signal", "signal", "await", "bump", "watch", "give", "give", "take", "arrive", "pass",
                                   "set", "get", "barrier", "stop"])
        if name == "signal":
            self.add(who, name, small, self.random.choice([0, 1]))
        elif name == "await":
            self.add(who, name, small, self.random.randint(0, self.so_far("signal", small)), self.random.choice([0, 1]))
        elif name == "watch":
            self.add(who, name, small, self.random.randint(0, self.so_far("bump", small)))
        elif name == "bump":
            self.add(who, name, small)
        elif name == "take":
            self.add(self.consumers[which], name, which)
        elif name == "arrive" and which not in self.closed:
            self.add(who, name, which)
        elif name == "pass":
            self.closed.add(which)
            self.add(who, name, which)
        elif name == "set":
            self.add(who, name, which, self.random.choice([0, 0, 1]))
        elif name == "barrier" and len(self.members[small]) > 1:
            self.add(list(self.members[small]), name, small, self.random.choice([0, 0, 1]))
            if self.random.random() < 0.2:
                self.members[small].remove(self.random.choice(self.members[small]))
        elif name == "stop" and self.random.random() < 0.2:
            self.add(who, name, 0)
        elif name in ("give", "get"):
            self.add(who, name, which)

    def script(self):
        for _ in range(self.random.randint(50, 600)):
            who = self.random.randrange(self.threads)
            if self.random.random() < 0.3:
                self.together(who)
            else:
                self.plain(who)
        return self.lines


def write(bench, name, lines):
    (bench.folder / f"{name}.script").write_text("\n".join(lines) + "\n", encoding="utf-8")


def try_once(bench, name, favour):
    """Records and replays NAME.script. Returns what went wrong, and the run that shows it."""
    bench.drop(name)
    recorded = bench.record("random_guest", name, f"{name}.script", favour=favour, seconds=RECORD_SECONDS)
    if recorded.hung or recorded.code != 0:
        return "is not recorded", recorded
    if recorded.out == b"":
        return "has no output", recorded
    for _ in range(REPLAYS):
        replayed = bench.replay(name, "--stall-after", 10, favour=OPPOSITE[favour])
        if replayed.code != 0 or replayed.out != recorded.out + IDENTICAL:
            return "does not replay", replayed
    return "", recorded


def fails(bench, name, lines, favour):
    write(bench, name, lines)
    return any(try_once(bench, name, favour)[0] for _ in range(SHRINK_TRIES))


def shrink(bench, lines, favour, name):
    """The fewest lines found in time that still fail."""
    until = time.monotonic() + SHRINK_SECONDS
    head, body = lines[:1], lines[1:]
    size = len(body) // 2
    while size > 0 and time.monotonic() < until:
        at = 0
        while at < len(body) and time.monotonic() < until:
            fewer = body[:at] + body[at + size:]
            if fails(bench, name, head + fewer, favour):
                body = fewer
            else:
                at += size
        size //= 2
    write(bench, name, head + body)
    return head + body


def report(bench, name, lines, favour, what, ran):
    small = shrink(bench, lines, favour, f"{name}-small")
    print(f"{name} {what}; shrunk to {len(small)} lines:\n  " + "\n  ".join(small))
    print(f"  run it with: (cd {bench.folder} && {REPRISE} record --favour {favour} -o again --force -- "
          f"{GUEST} {name}-small.script && {REPRISE} replay again --favour {OPPOSITE[favour]})", flush=True)
    bench.expect(False, f"{name}: {what}", name, ran)


def try_script(bench, name, lines, favour):
    write(bench, name, lines)
    what, ran = try_once(bench, name, favour)
    if what:
        report(bench, name, lines, favour, what, ran)
    else:
        bench.expect(True, name)
        bench.drop(name)
        (bench.folder / f"{name}.script").unlink()
    return ran.out


def control(bench, lines):
    """The adversaries must change what a program does, or a replayer that does nothing would pass."""
    write(bench, "control", lines)
    outs = [run([GUEST, "control.script"], bench.folder, env={"REPRISE_FAVOUR": favour}).out for favour in OPPOSITE]
    (bench.folder / "control.script").unlink()
    return outs[0] != outs[1]


def main():
    bench = Bench("random_programs")
    if sys.argv[1:] and os.path.exists(sys.argv[1]):
        with open(sys.argv[1], encoding="utf-8") as file:
            lines = file.read().splitlines()
        for favour in OPPOSITE:
            try_script(bench, f"given-{favour}", lines, favour)
        bench.finish()
    first = int(sys.argv[1]) if sys.argv[1:] else 0
    count = int(sys.argv[2]) if sys.argv[2:] else PROGRAMS

    def one(number):
        try_script(bench, f"program-{number}", Generator(number).script(), ("first", "last")[number % 2])

    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(one, range(first, first + count)))
    differ = sum(control(bench, Generator(number).script()) for number in range(first, first + 10))
    print(f"{count} programs, {count - len(bench.failures)} identical; control {differ} of 10 differ")
    bench.expect(differ >= 9, "control: the adversaries change what the programs do")
    bench.finish()


main()
