"""Goal    A full disk does not disturb the program: the recording ends with a mark, and replays up to it.
Method  A guest that makes more events than fit is recorded into a small file system, by the launcher, with contents, and
        without it, and under a limit on the size of files; and again where the disk is full at a random point (51 with
        REPRISE_FULL). It must print and end as it does unrecorded, or be refused at its start with one line. The control: on
        a large disk it is recorded to its end.
"""
import random
import resource
import subprocess
import sys

from _lib import FULL, GUESTS, IDENTICAL, REPRISE, Bench, environment, run

SMALL_BYTES = 1 << 20
PAGE_BYTES = 4096
POINTS = 51 if FULL else 6
OWN_FAILURE = 125
EXPECTED_CODE = 9
CONTENTS = ("--level", "data")
EXPECTED_OUTPUT = b"60000 6060000\n"


def small_disk(bench, size=SMALL_BYTES):
    """Mounts a file system of `size` bytes; returns its folder, or None where that is not allowed."""
    folder = bench.folder / "small"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", folder]
    mounted = subprocess.run(command, capture_output=True, text=True, check=False)
    if mounted.returncode != 0:
        print(f"left out: no small disk can be mounted here ({mounted.stderr.strip()})")
        return None
    return folder


def undisturbed(bench, what, ran, name=""):
    bench.expect(ran.code == EXPECTED_CODE and ran.out == EXPECTED_OUTPUT, f"{what}: the program is not disturbed", name, ran)


def ends_with_a_mark(bench, what, env, recorded=None):
    """The recording `full` of the small disk opens, says that it is cut short, and replays to there."""
    home = env["REPRISE_HOME"]
    if recorded is not None:
        bench.expect(b"full" in recorded.err, f"{what}: record says so", "", recorded)
    verified = bench.reprise("verify", f"{home}/full.reprise")
    bench.expect(verified.code == 0, f"{what}: verifies", "", verified)
    steps = bench.process("full", env=env).get("steps", 0)
    bench.expect(steps > 1000, f"{what}: holds what fitted ({steps} steps)")
    replayed = bench.replay("full", env=env)
    bench.expect(replayed.code == 0 and replayed.out.endswith(IDENTICAL), f"{what}: replays to its mark", "", replayed)
    bench.expect(EXPECTED_OUTPUT not in replayed.out, f"{what}: it was cut short before the end", "", replayed)


def by_launcher(bench, folder, *options):
    env = {"REPRISE_HOME": folder}
    what = " ".join(("small disk", *options))
    recorded = bench.record("many_events", "full", options=options, env=env)
    undisturbed(bench, what, recorded)
    ends_with_a_mark(bench, what, env, recorded)


def with_contents(bench, folder):
    by_launcher(bench, folder, *CONTENTS)


def without_launcher(bench, folder):
    env = {"REPRISE_HOME": folder}
    ran = run([GUESTS / "many_events"], bench.folder, env={"REPRISE_RECORD": folder / "full.reprise"})
    undisturbed(bench, "small disk, no launcher", ran)
    ends_with_a_mark(bench, "small disk, no launcher", env)


def under_a_limit(bench):
    """A limit on the size of files says no in another way: by a signal, if one does not ask before."""
    env = {"REPRISE_HOME": bench.folder / "limited"}
    env["REPRISE_HOME"].mkdir()
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (SMALL_BYTES, SMALL_BYTES))
    ran = subprocess.run([REPRISE, "record", "-o", "full", "--no-image", "--", GUESTS / "many_events"], cwd=bench.folder,
                         env=environment(env), preexec_fn=limit, capture_output=True, check=False)
    bench.expect((ran.returncode, ran.stdout) == (EXPECTED_CODE, EXPECTED_OUTPUT),
                 f"limited files: the program is not disturbed ({ran.returncode}, {ran.stdout!r}, {ran.stderr!r})")
    ends_with_a_mark(bench, "limited files", env)


def full_at(bench, folder, size, how):
    """A disk of any size: whatever fits is a recording that replays to its mark; where nothing fits, one line says so."""
    what = f"full after {size} bytes, {how}"
    env = {"REPRISE_HOME": folder}
    if how != "alone":
        ran = bench.record("many_events", "full", options=CONTENTS if how == "with contents" else (), env=env)
    else:
        ran = run([GUESTS / "many_events"], bench.folder, env={"REPRISE_RECORD": folder / "full.reprise"})
    if ran.code == OWN_FAILURE:
        lines = ran.err.decode().splitlines()
        return bench.expect(ran.out == b"" and len(lines) == 1, f"{what}: refused at the start with one line", "", ran)
    undisturbed(bench, what, ran)
    verified = bench.reprise("verify", f"{folder}/full.reprise")
    bench.expect(verified.code == 0, f"{what}: verifies", "", verified)
    replayed = bench.replay("full", env=env)
    return bench.expect(replayed.code == 0 and replayed.out.endswith(IDENTICAL), f"{what}: replays to its mark", "", replayed)


def at_random_points(bench, seed=1):
    chance = random.Random(seed)
    for number in range(POINTS):
        size = PAGE_BYTES * int(2 ** chance.uniform(0, 10.5))
        folder = small_disk(bench, size)
        if folder is None:
            return
        try:
            full_at(bench, folder, size, ("launched", "alone", "with contents")[number % 3])
        finally:
            subprocess.run(["umount", folder], check=False)
            folder.rmdir()


def main():
    bench = Bench("disk")
    large = bench.record("many_events", "large")
    undisturbed(bench, "large disk", large, "large")
    bytes_kept = sum(file.stat().st_size for file in bench.path("large").glob("*.log"))
    replayed = bench.replay("large")
    bench.expect(replayed.out == EXPECTED_OUTPUT + IDENTICAL, "large disk: replays", "large", replayed)
    print(f"on a large disk the recording has {bytes_kept} bytes")
    under_a_limit(bench)
    for test in (by_launcher, with_contents, without_launcher):
        folder = small_disk(bench)
        if folder is None:
            break
        try:
            test(bench, folder)
        finally:
            subprocess.run(["umount", folder], check=False)
            folder.rmdir()
    at_random_points(bench)
    bench.finish()


if __name__ == "__main__":
    sys.exit(main())
