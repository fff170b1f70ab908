"""Goal    However a program ends, the recording says how, and a replay brings it to the same end.
Method  Guests that exit, crash, hang, are interrupted, killed and stopped by a time limit; with the launcher and without;
        two at once; a failing run among many; a program that was rebuilt, and one that is gone.
"""
import os
import re
import shutil
import signal
import subprocess
import time

from _lib import GUESTS, IDENTICAL, REPRISE, Bench, environment, run

START_SECONDS_MAX = 60
TRIES = 20


def ends_as_recorded(bench):
    """The program's own code is passed through, and the manifest says how it ended."""
    cases = [("only_end", 6, "exit", 6), ("main_returns", 5, "exit", 5), ("abort_guest", 134, "signal", 6),
             ("uncaught_exception", 134, "signal", 6), ("killed_holding", 137, "signal", 9),
             ("terminated", 143, "signal", 15), ("self_deadlock", 137, "time_limit", 9)]
    for guest, code, kind, number in cases:
        name = f"end-{guest}"
        recorded = bench.record(guest, name, timeout=0.5 if guest == "self_deadlock" else None)
        bench.expect(recorded.code == code, f"{guest}: record passes {code} through", name, recorded)
        end = bench.info(name)["end"]
        bench.expect((end["kind"], end["code"]) == (kind, number), f"{guest}: ends by {kind} {number}, said {end}", name)
        replayed = bench.replay(name)
        bench.expect(replayed.code == 0 and replayed.out == recorded.out + IDENTICAL, f"{guest}: replays", name, replayed)


def explains_deadlock(bench):
    recorded = bench.record("deadlock", "deadlock", timeout=0.5)
    blocked = bench.process("deadlock")["blocked"]
    names = {waiter["object"] for waiter in blocked["waiters"] if waiter["kind"] == "lock"}
    bench.expect(names == {"left", "right"}, f"deadlock: both locks are named in {blocked}", "deadlock", recorded)
    bench.expect(len(blocked["deadlocks"]) == 1, f"deadlock: the circle is shown in {blocked}", "deadlock", recorded)


def wait_for(condition):
    deadline = time.monotonic() + START_SECONDS_MAX
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.001)
    return True


def guest_pid(counts):
    """The pid that counted_steps has written, once its threads run."""
    return int.from_bytes(counts.read_bytes()[:8], "little") if counts.exists() else 0


def stopped_from_outside(bench):
    """Ctrl-C to the launcher, and signals to the program itself, also such as a crash would raise."""
    cases = [("launcher", signal.SIGINT, 130), ("launcher", signal.SIGTERM, 143), ("program", signal.SIGTERM, 143),
             ("program", signal.SIGABRT, 134), ("program", signal.SIGSEGV, 139)]
    for whom, number, code in cases:
        name = f"stop-{whom}-{number.name}"
        counts = bench.folder / f"{name}.counts"
        with subprocess.Popen([REPRISE, "record", "-o", name, "--no-image", "--", GUESTS / "counted_steps", counts],
                              cwd=bench.folder, env=environment(), stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE) as process:
            wait_for(lambda: guest_pid(counts) > 0)
            if bench.expect(guest_pid(counts) > 0, f"{name}: the guest runs", name):
                os.kill(guest_pid(counts) if whom == "program" else process.pid, number)
            process.communicate()
        bench.expect(process.returncode == code, f"{name}: ends with {code}, not {process.returncode}", name)
        kind = bench.info(name)["end"]["kind"]
        bench.expect(kind == ("interrupted" if whom == "launcher" else "signal"), f"{name}: is {kind}", name)
        replayed = bench.replay(name, "--quiet")
        bench.expect(replayed.code == 0, f"{name}: replays", name, replayed)


def same_signal_twice(bench):
    """Two threads run into the same fatal signal: the one that came first when recorded ends the process, also if it comes last."""
    late = bench.folder / "late"

    def crashed(name):
        steps = {thread["path"]: thread["steps"] for thread in bench.process(name)["threads"]}
        return max(("0.0", "0.1"), key=steps.get)

    for first, last in (("0.0", 2), ("0.1", 1)):
        name = f"twice-{first}"
        late.write_text(str(last), encoding="utf-8")
        for _ in range(TRIES):  # on a busy machine who rests is not always the last
            bench.drop(name)
            recorded = bench.record("broken_pipe", name, late)
            if crashed(name) == first:
                break
        bench.expect(recorded.code == 141 and crashed(name) == first, f"{name}: {first} comes first", name, recorded)
        for again in (last, 3 - last):
            late.write_text(str(again), encoding="utf-8")
            replayed = bench.replay(name)
            bench.expect(replayed.code == 0 and replayed.out == recorded.out + IDENTICAL, f"{name}: replays while {again} is late",
                         name, replayed)


def without_gates(bench):
    recorded = bench.record("no_gates", "gateless")
    bench.expect(recorded.code == 0 and b"no gate was met" in recorded.err, "no gates: record says so", "gateless", recorded)
    info = bench.reprise("info", "gateless")
    bench.expect(b"no gate was met" in info.out + info.err, "no gates: info says so", "gateless", info)
    replayed = bench.replay("gateless")
    bench.expect(replayed.code == 5 and b"no gate was met" in replayed.err, "no gates: replay says so", "gateless", replayed)


def without_launcher(bench):
    folder = bench.path("alone")
    guest = GUESTS / "mutex_contended"
    recorded = run([guest], bench.folder, env={"REPRISE_RECORD": folder, "REPRISE_FAVOUR": "first"})
    bench.expect(recorded.code == 0, "no launcher: it runs", "alone", recorded)
    verified = bench.reprise("verify", "alone")
    bench.expect(verified.code == 0, "no launcher: verifies", "alone", verified)
    replayed = bench.replay("alone", favour="last")
    bench.expect(replayed.code == 0 and replayed.out == recorded.out + IDENTICAL, "no launcher: replays", "alone", replayed)
    replayed = run([guest], bench.folder, env={"REPRISE_REPLAY": folder, "REPRISE_FAVOUR": "last"})
    bench.expect((replayed.code, replayed.out) == (0, recorded.out), "no launcher: replays without one too", "alone", replayed)
    plain = run([guest], bench.folder, env={"REPRISE_FAVOUR": "last"})
    bench.expect(plain.out != recorded.out, "no launcher, control: not replayed it is another run", "alone", plain)
    again = run([guest], bench.folder, env={"REPRISE_RECORD": folder})
    bench.expect(again.code == 125 and b"not there yet" in again.err, "no launcher: no recording is overwritten", "alone", again)
    for guest, code in (("exit_at_once", (31, 32)), ("abort_guest", (-6,)), ("killed_holding", (-9,))):
        name = f"alone-{guest}"
        recorded = run([GUESTS / guest], bench.folder, env={"REPRISE_RECORD": bench.path(name)})
        bench.expect(recorded.code in code, f"no launcher: {guest} ends as it does", name, recorded)
        replayed = bench.replay(name)
        bench.expect(replayed.code == 0 and replayed.out == recorded.out + IDENTICAL, f"no launcher: {guest} replays", name,
                     replayed)


def two_at_once(bench):
    command = [REPRISE, "record", "--no-image", "--", str(GUESTS / "atomic_wait")]
    both = [subprocess.Popen(command, cwd=bench.folder, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            for _ in range(4)]
    outputs = [process.communicate()[0] for process in both]
    names = sorted(path.name.removesuffix(".reprise") for path in bench.folder.glob("atomic_wait-*.reprise"))
    bench.expect(len(names) == 4 and not any(process.returncode for process in both), f"at once: four recordings: {names}")
    replayed = sorted(bench.replay(name).out for name in names)
    bench.expect(replayed == sorted(output + IDENTICAL for output in outputs), "at once: each replays as it was")


def until_failure(bench):
    count = bench.folder / "runs"
    guest = GUESTS / "fails_third"
    kept = bench.reprise("record", "-o", "third", "--until-failure", 10, "--", guest, count)
    bench.expect(kept.code == 17 and b"run 3: balance is wrong\n" in kept.out, "until failure: the third run", "third", kept)
    bench.expect(b"run 1" not in kept.out, "until failure: only the failing run is shown", "third", kept)
    replayed = bench.replay("third")
    bench.expect(replayed.out == b"run 3: balance is wrong\n" + IDENTICAL, "until failure: replays", "third", replayed)
    bench.expect(len(count.read_bytes()) == 3, "until failure: the replay asks nobody outside", "third")
    count.unlink()
    grepped = bench.reprise("record", "-o", "grepped", "--until-failure", 10, "--grep", "run 2", "--", guest, count)
    bench.expect(grepped.code == 0 and b"run 2" in grepped.out, "until failure: by its text", "grepped", grepped)
    none = bench.reprise("record", "-o", "none", "--until-failure", 3, "--", GUESTS / "atomic_wait")
    bench.expect(none.code == 0 and not bench.path("none").exists(), "until failure: none failed, none is kept", "", none)


def then_live(bench):
    file = bench.folder / "go"
    recorded = bench.record("waits_for_file", "live", file, timeout=0.5)
    bench.expect(recorded.code == 137 and recorded.out == b"before\n", "then live: the time limit ends it", "live", recorded)
    replayed = bench.replay("live")
    bench.expect(replayed.code == 0 and replayed.out == b"before\n" + IDENTICAL, "then live: replays", "live", replayed)
    file.write_text("", encoding="utf-8")
    lives = bench.replay("live", "--then", "live")
    bench.expect(lives.code == 0 and b"before\nafter 3\n" in lives.out and b"exit code 3" in lives.out + lives.err,
                 "then live: it goes on by itself", "live", lives)


def other_build(bench):
    """Another build id warns and goes on; a program that is gone is replaced by the copy that the recording keeps."""
    program = bench.folder / "program"
    shutil.copy(GUESTS / "mutex_contended", program)
    recorded = bench.reprise("record", "-o", "build", "--favour", "first", "--", program)
    notes = subprocess.run(["readelf", "-n", program], capture_output=True, text=True, check=True).stdout
    build_id = bytes.fromhex(re.search(r"Build ID: ([0-9a-f]+)", notes)[1])
    program.write_bytes(program.read_bytes().replace(build_id, bytes(255 - byte for byte in build_id)))
    rebuilt = bench.replay("build", favour="last")
    bench.expect(rebuilt.code == 0 and rebuilt.out == recorded.out + IDENTICAL, "another build: goes on", "build", rebuilt)
    bench.expect(b"another build" in rebuilt.err, "another build: warns", "build", rebuilt)
    program.unlink()
    gone = bench.replay("build", favour="last")
    bench.expect(gone.code == 0 and gone.out == recorded.out + IDENTICAL, "program gone: the copy runs", "build", gone)


def main():
    bench = Bench("ends")
    for test in (ends_as_recorded, explains_deadlock, stopped_from_outside, same_signal_twice, without_gates, without_launcher, two_at_once,
                 until_failure, then_live, other_build):
        start = time.monotonic()
        test(bench)
        print(f"{test.__name__}: {time.monotonic() - start:.1f} s", flush=True)
    bench.finish()


main()
