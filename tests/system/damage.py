# label: sanitize
"""Goal    Whatever happened to a recording, no command that reads it crashes, hangs, or takes it for another good one.
Method  Recordings of several kinds (sealed, live, traced, full, killed, level data, packed) are mutated by chance: bits,
        cuts, repetitions, swapped blocks, hostile lengths, with and without checksums that are made right again. A
        driver puts each through verify, info, show, diff, replay and unpack in its own process; some go through the
        command line. Where the checksums are not right again every mutation of a log or a pack must end with 5, also a
        replay; repaired, it must verify and replay. Elsewhere another good recording may come of it, which replays,
        diverges or stalls. The control: each recording is good before, and replays.
"""
import os
import random
import re
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from _lib import BUILD, FULL, GUESTS, IDENTICAL, WORKERS, Bench, run

MUTATIONS = 10_000 if FULL else 500
SLICE = 500 if FULL else 125
REPLAY_EVERY = 5
COMMANDS = 200 if FULL else 10
DRIVER = BUILD / "drivers" / "damage"
ASAN = {"ASAN_OPTIONS": "detect_leaks=0:handle_segv=1:allocator_may_return_null=0", "UBSAN_OPTIONS": "print_stacktrace=1"}
REPORT = re.compile(rb"(ERROR|WARNING): (Address|Leak|Thread)Sanitizer|runtime error: ")
SLICE_SECONDS_MAX = 1000


def make_recordings(bench):
    """The recordings to be damaged, each of a kind of its own."""
    made = []
    for name, guest, options, given in (
            ("plain", "mutex_contended", (), {"favour": "first"}), ("queue", "bounded_queue", (), {}),
            ("values", "values", (), {}), ("whole", "atomic_poll", ("--full",), {}),
            ("data", "shared_contents", ("--level", "data"), {"favour": "first"}), ("killed", "deadlock", (), {"timeout": 0.5})):
        recorded = bench.record(guest, name, options=options, **given)
        bench.expect(recorded.code in (0, 137), f"{name}: is recorded", name, recorded)
        made.append(name)
    traced = bench.replay("values", "--trace", "--quiet")
    bench.expect(traced.code == 0 and list(bench.path("values").glob("*.trace")), "values: is traced", "values", traced)
    for name, guest in (("alone", "mutex_contended"), ("alone_waits", "condition_turns")):
        run([GUESTS / guest], bench.folder, env={"REPRISE_RECORD": bench.path(name)})
        bench.expect(list(bench.path(name).glob("*.live")), f"{name}: stays live without a launcher", name)
        made.append(name)
    for name in made:
        replayed = bench.replay(name)
        bench.expect(replayed.code == 0 and replayed.out.endswith(IDENTICAL), f"{name}: replays before it is damaged", name, replayed)
    return made


def drive(bench, scratch, names, seed, first):
    """A slice of the mutations. One that crashes or hangs the driver is named."""
    place = scratch / f"slice-{first}"
    folders = [str(bench.path(name)) for name in names]
    # Its own home is set by the driver. What a replayed guest prints goes nowhere: --quiet.
    command = [str(DRIVER), str(place), str(seed), str(first), str(SLICE), str(REPLAY_EVERY), *folders]
    ran = run(command, bench.folder, SLICE_SECONDS_MAX, env=ASAN)
    at = (place / "at").read_text(errors="replace") if (place / "at").exists() else "none"
    clean = not REPORT.search(ran.err) and not REPORT.search(ran.out)
    well = bench.expect(ran.code == 0 and clean and b"\nok " in ran.out, f"mutations from {first}: the last was {at}", "", ran)
    if not well:
        kept = bench.folder / f"slice-{first}"
        shutil.copytree(place, kept, dirs_exist_ok=True)
        print(f"  what was damaged is in {kept}")
    return ran.out.decode(errors="replace")


def totals(outputs):
    """What the slices counted, together."""
    sums = {}
    for output in outputs:
        for what, count in re.findall(r"^([a-z]+(?: \d+)?): (\d+)$", output, re.MULTILINE):
            sums[what] = sums.get(what, 0) + int(count)
    return sums


def by_command(bench, scratch, names, seed):
    """The same through the command line: bits of files that checksums cover."""
    chance = random.Random(seed)
    for number in range(COMMANDS):
        name = chance.choice([name for name in names if list(bench.path(name).glob("*.log"))])
        broken = scratch / f"broken-{number}.reprise"
        shutil.copytree(bench.path(name), broken)
        file = chance.choice(sorted(broken.glob("*.log")) + sorted(broken.glob("*.trace")))
        data = bytearray(file.read_bytes())
        bit = chance.randrange(len(data) * 8)
        data[bit // 8] ^= 1 << bit % 8
        file.write_bytes(data)
        for command in (["verify"], ["replay", "--quiet", "--stall-after", "5"], ["info"], ["show"]):
            ran = bench.reprise(command[0], str(broken), *command[1:], env=ASAN)
            wanted = (5, 7) if command[0] in ("verify", "replay") else (0, 5, 7)
            good = ran.code in wanted and not ran.hung and not REPORT.search(ran.err)
            bench.expect(good, f"bit {bit} of {name}'s {file.name}: {command[0]}", name, ran)
        shutil.rmtree(broken)


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    bench = Bench("damage")
    names = make_recordings(bench)
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="reprise-damage-", dir=place) as folder:
        scratch = Path(folder)
        with ThreadPoolExecutor(WORKERS) as pool:
            outputs = list(pool.map(lambda first: drive(bench, scratch, names, seed, first), range(0, MUTATIONS, SLICE)))
        by_command(bench, scratch, names, seed)
    sums = totals(outputs)
    print(f"seed {seed}: " + ", ".join(f"{what}: {count}" for what, count in sorted(sums.items())))
    made = sum(sums.get(part, 0) for part in ("log", "live", "trace", "manifest", "pack"))
    bench.expect(made >= MUTATIONS * 0.95, f"{made} mutations were put to use, {MUTATIONS} were wanted")
    for what in ("verify 5", "show 5", "replay 3", "replay 5", "unpack 5", "repair 0"):
        bench.expect(sums.get(what, 0) > 0, f"some mutation led to {what}")
    bench.finish()


main()
