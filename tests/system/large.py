# label: slow
"""Goal    Large recordings are made, sealed, verified, shown and replayed without being held in memory; many threads and many
        objects replay like few.
Method  A guest takes bytes from outside (1 GiB with REPRISE_FULL), and the most that any process of each command had resident
        is compared with the size of the log; others start threads over time, threads at once, and meet many objects
        (100,000, 10,000 and 1,000,000 with REPRISE_FULL). Each is recorded, verified and replayed.
"""
import os
import resource
import subprocess
import sys

from _lib import FULL, GUESTS, IDENTICAL, REPRISE, Bench, environment

MEBIBYTES = 1024 if FULL else 160
PEAK_MEBIBYTES_MAX = 64
COUNTS = {"threads": 100_000, "at_once": 10_000, "objects": 1_000_000} if FULL else {
    "threads": 2_000, "at_once": 500, "objects": 50_000}
COMMAND_SECONDS_MAX = 600
NO_THREADS = 77


def measured(bench, *words, output=None):
    """Runs a command; returns its code, its output, and the most MiB that it or a process it waited for had resident."""
    with open(bench.folder / "output", "w+b") as out, open(bench.folder / "errors", "w+b") as err:
        process = subprocess.Popen([REPRISE, *map(str, words)], cwd=bench.folder, env=environment(), stdin=subprocess.DEVNULL,
                                   stdout=output or out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        return process.returncode, out.read(1000), err.read(2000), usage.ru_maxrss / 1024


def large(bench):
    """Recording includes sealing: it is the launcher that does it."""
    guest = [GUESTS / "large_run", "mebibytes", MEBIBYTES]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    code, out, err, peak = measured(bench, "record", "-o", "large", "--no-image", "--", *guest)
    said = out
    size = sum(file.stat().st_size for file in bench.path("large").glob("*.log")) / (1 << 20)
    bench.expect(code == 0 and not list(bench.path("large").glob("*.live")), f"large: recorded and sealed ({code}, {err!r})", "large")
    bench.expect(size > MEBIBYTES / 3, f"large: the log has {size:.0f} MiB")
    peaks = {"record": peak}
    with open(os.devnull, "wb") as nowhere:
        for command, words, wanted in (("verify", (), 0), ("info", (), 0), ("show", ("--kind", "lock"), 0), ("show", (), 0)):
            code, _, err, peak = measured(bench, command, "large", *words, output=nowhere)
            peaks[" ".join((command, *words))] = peak
            bench.expect(code == wanted, f"large: {command} ({code}, {err!r})", "large")
    code, out, err, peaks["replay"] = measured(bench, "replay", "large")
    bench.expect(code == 0 and out == said + IDENTICAL, f"large: replays ({code}, {out!r}, {err!r})", "large")
    print(f"{size:.0f} MiB on disk; resident at most, in MiB: " + ", ".join(f"{name} {peak:.0f}" for name, peak in peaks.items()) +
          f" (children before: {before:.0f})")
    for name, peak in peaks.items():
        bench.expect(peak <= PEAK_MEBIBYTES_MAX, f"large: {name} had {peak:.0f} MiB resident, {PEAK_MEBIBYTES_MAX} are allowed", "large")
    bench.drop("large")


def many(bench, kind, count):
    recorded = bench.record("large_run", kind, kind, count, seconds=COMMAND_SECONDS_MAX)
    if recorded.code == NO_THREADS:
        print(f"left out: the system does not give {count} threads at once")
        return
    what = f"{count} {kind}"
    bench.expect(recorded.code == 0 and recorded.out.startswith(kind.encode()), f"{what}: recorded", kind, recorded)
    verified = bench.reprise("verify", kind, seconds=COMMAND_SECONDS_MAX)
    bench.expect(verified.code == 0, f"{what}: verifies", kind, verified)
    replayed = bench.replay(kind, seconds=COMMAND_SECONDS_MAX)
    bench.expect(replayed.code == 0 and replayed.out == recorded.out + IDENTICAL, f"{what}: replays", kind, replayed)
    bench.drop(kind)


def main():
    bench = Bench("large")
    large(bench)
    for kind, count in COUNTS.items():
        many(bench, kind, count)
    bench.finish()


if __name__ == "__main__":
    sys.exit(main())
