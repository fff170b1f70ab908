# label: slow
"""Goal    `kill -9` at any instant loses no event that had passed its gate, and what is left replays to its last event.
Method  A guest of four threads counts its steps in shared memory of its own, after each gate has returned. It is killed
        when that count has reached a random number (seeded, the same in every run of this test): recorded by the
        launcher, with the launcher killed too, without a launcher, and with contents (level data). The recording must be right for `reprise verify`,
        hold at least the counted steps of each thread, and replay.
"""
import mmap
import os
import random
import signal
import struct
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from _lib import FULL, GUESTS, REPRISE, WORKERS, Bench, environment

KILLS = 200 if FULL else 20
VARIANTS = ("launched", "launcher_too", "alone", "with_contents")
THREADS = 4
CACHE_LINE = 64
START_SECONDS_MAX = 60


class Counts:
    """The guest's own count of its steps."""

    def __init__(self, path):
        size = CACHE_LINE * (THREADS + 1)
        path.write_bytes(bytes(size))
        with open(path, "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), size)

    def number(self, line):
        return struct.unpack_from("<Q", self.memory, CACHE_LINE * line)[0]

    def pid(self):
        return self.number(0)

    def steps(self):
        return [self.number(line) for line in range(1, THREADS + 1)]


def start(bench, variant, name, counts_path):
    guest = [str(GUESTS / "counted_steps"), str(counts_path)]
    if variant == "alone":
        return subprocess.Popen(guest, cwd=bench.folder, env=environment({"REPRISE_RECORD": bench.path(name)}),
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    options = ["--level", "data"] if variant == "with_contents" else []
    return subprocess.Popen([REPRISE, "record", "-o", name, "--no-image", *options, "--", *guest], cwd=bench.folder,
                            env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def kill_at(process, counts, target, variant):
    """Kills the guest when it has counted `target` steps. Returns the counts that stood when it was dead."""
    deadline = time.monotonic() + START_SECONDS_MAX
    while counts.pid() == 0 or sum(counts.steps()) < target:
        if process.poll() is not None or time.monotonic() > deadline:
            return None
        os.sched_yield()
    if variant == "launcher_too":
        process.kill()
    os.kill(counts.pid(), signal.SIGKILL)
    process.wait()
    while variant == "launcher_too" and is_alive(counts.pid()):
        os.sched_yield()  # it is somebody else's child now
    return counts.steps()


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def try_kill(bench, number, target):
    variant = VARIANTS[number % len(VARIANTS)]
    name = f"kill-{number}"
    what = f"kill {number} ({variant}, after {target} steps)"
    counts = Counts(bench.folder / f"{name}.counts")
    process = start(bench, variant, name, bench.folder / f"{name}.counts")
    counted = kill_at(process, counts, target, variant)
    if not bench.expect(counted is not None, f"{what}: the guest runs", name):
        process.kill()
        return False
    verified = bench.reprise("verify", name)
    well = bench.expect(verified.code == 0, f"{what}: verifies", name, verified)
    recorded = {thread["path"]: thread["steps"] for thread in bench.process(name).get("threads", [])}
    for thread, steps in enumerate(counted):
        kept = recorded.get(f"0.{thread}", 0)
        well &= bench.expect(kept >= steps, f"{what}: thread 0.{thread} counted {steps} steps, {kept} were kept", name)
    replayed = bench.replay(name, "--quiet", "--stall-after", 30)
    well &= bench.expect(replayed.code == 0, f"{what}: replays to its last event", name, replayed)
    if well:
        bench.drop(name)
    return well


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    chance = random.Random(seed)
    targets = [int(10 ** chance.uniform(0, 5)) for _ in range(KILLS)]
    bench = Bench("kill")
    with ThreadPoolExecutor(WORKERS) as pool:
        survived = sum(pool.map(lambda job: try_kill(bench, *job), enumerate(targets)))
    print(f"seed {seed}: {survived} of {KILLS} kills left a recording that holds every counted step and replays")
    bench.finish()


main()
