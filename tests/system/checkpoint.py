# label: slow
"""Goal    A replay from a checkpoint is the rest of the recorded run, again and again, whatever became of the process.
Method  Runs that leave checkpoints are recorded under one adversary, and each checkpoint is replayed three times under the
        other: what it prints must be the end of what was recorded. The control: woken without the gate it prints something
        else. Processes are killed with SIGKILL; their peers must see that at once, though copies of them stand. What is
        refused says why; what is cleaned is gone; a process that only has the number of a checkpoint is left alone.
"""
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

from _lib import FULL, GUESTS, REPRISE, Bench, environment
from message_lib import procfile

ROUNDS = 5 if FULL else 1
AGAIN = 3
GUEST = GUESTS / "checkpoints"


def lines_of(ran):
    return [line for line in ran.out.decode().splitlines() if not line.startswith("replayed ")]


def standing(bench, name):
    return bench.info(name)["checkpoints"]["standing"]


def start_of(pid):
    """In ticks since the machine was started."""
    return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[19])


def is_there(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def are_gone(pids, seconds=5):
    deadline = time.monotonic() + seconds
    while any(is_there(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not any(is_there(pid) for pid in pids)


def replay_all(bench, name, recorded, favour="last", process=""):
    """Each checkpoint, three times: the end of what was recorded. Returns the longest end."""
    longest = []
    checkpoints = [one for one in standing(bench, name) if not process or one["process"] == process]
    bench.expect(len(checkpoints) >= 2, f"{name}: has checkpoints", name)
    for one in checkpoints:
        for _ in range(AGAIN):
            ran = bench.replay(name, "--from-checkpoint", str(one["number"]), favour=favour)
            said = lines_of(ran)
            bench.expect(ran.code == 0 and said == recorded[len(recorded) - len(said):],
                         f"{name}: checkpoint {one['number']} replays the rest", name, ran)
            longest = max(longest, said, key=len)
    return longest


def race(bench, number):
    """One thread; others come later and race. The whole process goes on from its checkpoint."""
    name = f"race-{number}"
    recorded = bench.record("checkpoints", name, "race", 6, options=["--checkpoint", "7"], favour="first")
    said = lines_of(recorded)
    bench.expect(recorded.code == 3 and len(said) == 12, f"{name}: is recorded", name, recorded)
    longest = replay_all(bench, name, said)
    bench.expect(len(longest) >= 4, f"{name}: the checkpoints have a future: {longest}", name)
    first = standing(bench, name)[0]["number"]
    control = bench.replay(name, "--from-checkpoint", str(first), "--gate-off", favour="last")
    mine = [line for line in lines_of(control) if line.startswith("order")]
    bench.expect(len(mine) >= 2 and mine != [line for line in said if line.startswith("order")][-len(mine):],
                 f"{name}: control: without the gate another order comes", name, control)
    many = bench.replay(name, "--from-checkpoint", "--times", "3")
    bench.expect(many.code == 0 and b"replayed 3 of 3 identical" in many.out, f"{name}: --times 3", name, many)
    bench.expect(bench.replay(name).code == 0, f"{name}: replays from its start too", name)


def share(bench, number):
    """Two threads that share one object; each goes on without the other."""
    name = f"share-{number}"
    recorded = bench.record("checkpoints", name, "share", 100, options=["--checkpoint", "60"])
    said = lines_of(recorded)
    bench.expect(recorded.code == 0 and len(said) == 100, f"{name}: is recorded", name, recorded)
    bench.expect({one["thread"] for one in standing(bench, name)} == {"0.0", "0.1"}, f"{name}: of both threads", name)
    longest = replay_all(bench, name, said)
    bench.expect(len(longest) >= 10, f"{name}: the reader has a future", name)
    bench.expect(bench.replay(name).code == 0, f"{name}: replays from its start too", name)


def start(bench, name, *words):
    return subprocess.Popen([REPRISE, "record", "-o", name, "--no-image", *[str(word) for word in words]], cwd=bench.folder,
                            env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)


def pid_in(path, seconds=20):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if path.exists() and path.read_text().endswith("\n"):
            return int(path.read_text())
        time.sleep(0.005)
    return None


def killed(bench, number):
    """A process that is killed: the rest of it is replayed from its last checkpoint, or from its start."""
    for interval, name in (("150", f"killed-{number}"), ("100000000", f"early-{number}")):
        told = bench.folder / f"{name}.pid"
        process = start(bench, name, "--checkpoint", interval, "--keep-checkpoints", 2, "--", GUEST, "alone", told, 20)
        pid = pid_in(told)
        time.sleep(0.5)
        if bench.expect(pid is not None, f"{name}: starts"):
            os.kill(pid, signal.SIGKILL)
        out, _ = process.communicate(timeout=30)
        said = out.decode().splitlines()
        bench.expect(process.returncode == 128 + signal.SIGKILL and len(said) > 20, f"{name}: is killed", name)
        checkpoints = standing(bench, name)
        if name.startswith("killed"):
            bench.expect(len(checkpoints) == 2 and all(one["alive"] for one in checkpoints), f"{name}: two are kept", name)
            replay_killed(bench, name, said)
        else:
            ran = bench.replay(name, "--from-checkpoint")
            bench.expect(not checkpoints and ran.code == 0 and lines_of(ran)[:len(said)] == said,
                         f"{name}: it ended before its first checkpoint, and goes from its start", name, ran)


def replay_killed(bench, name, said):
    """What had passed the gate may not have been written when it was killed: the last line may be one more."""
    for index, one in enumerate(standing(bench, name)):
        for _ in range(AGAIN):
            ran = bench.replay(name, "--from-checkpoint", str(one["number"]))
            again = lines_of(ran)
            known = [line for line in again if line in said]
            has_future = again or index > 0  # the last one may have been made just before
            bench.expect(ran.code == 0 and has_future and len(again) - len(known) <= 1 and
                         said[len(said) - len(known):] == known, f"{name}: checkpoint {one['number']}", name, ran)


def served(bench, number):
    """A server is killed. Its clients see it, though copies of it stand; it goes on without them."""
    name = f"served-{number}"
    told = bench.folder / f"{name}.pid"
    file = procfile(bench, name, {"server": [GUEST, "serve", told], "one": [GUEST, "ask", "one"],
                                  "two": [GUEST, "ask", "two"]})
    process = start(bench, name, "-f", file, "--checkpoint", "300")
    pid = pid_in(told)
    time.sleep(0.7)
    if bench.expect(pid is not None, f"{name}: starts"):
        os.kill(pid, signal.SIGKILL)
    began = time.monotonic()
    out, err = process.communicate(timeout=30)
    seconds = time.monotonic() - began
    said = out.decode().splitlines()
    bench.expect(seconds < 10 and sum("lost the server" in line for line in said) == 2,
                 f"{name}: both clients see the end of the server, after {seconds:.1f} s", name)
    alive = [one for one in standing(bench, name) if one["alive"] and one["process"] == "server"]
    bench.expect(len(alive) == 3, f"{name}: copies of the server stand meanwhile: {err.decode()}", name)
    mine = [line for line in said if line[0].isdigit()]
    longest = []
    for one in alive:
        for _ in range(AGAIN):
            ran = bench.replay(name, "--from-checkpoint", str(one["number"]))
            again = lines_of(ran)
            known = [line for line in again if line in mine]
            longest = max(longest, known, key=len)
            bench.expect(ran.code == 0 and len(again) - len(known) <= 1 and mine[len(mine) - len(known):] == known,
                         f"{name}: checkpoint {one['number']} of the server", name, ran)
    bench.expect(len(longest) > 10, f"{name}: the server has a future", name)
    for client in ("one", "two"):
        ran = bench.replay(name, "--from-checkpoint", "--only", client)
        bench.expect(ran.code == 0 and lines_of(ran)[-1:] == [line for line in said if line.startswith(client)],
                     f"{name}: {client}", name, ran)


def bounded(bench):
    """With --keep-checkpoints the log is kept from the oldest one on: it does not grow with the run."""
    sizes = {}
    for rounds in (5000, 50000):
        name = f"bounded-{rounds}"
        recorded = bench.record("checkpoints", name, "steady", rounds,
                                options=["--checkpoint", "1000", "--keep-checkpoints", "2"])
        said = lines_of(recorded)
        bench.expect(recorded.code == 0 and len(said) == rounds // 10, f"{name}: is recorded", name, recorded)
        file = os.stat(bench.path(name) / "checkpoints.live")
        sizes[rounds] = file.st_blocks * 512
        bench.expect(len(standing(bench, name)) == 2, f"{name}: two stand", name)
        replay_all(bench, name, said)
        start = bench.replay(name)
        bench.expect(start.code == 7 and b"--from-checkpoint" in start.err, f"{name}: not from its start", name, start)
        verified = bench.reprise("verify", name)
        bench.expect(verified.code == 0, f"{name}: is a good log", name, verified)
    whole = bench.record("checkpoints", "unbounded", "steady", 50000, options=["--checkpoint", "1000"])
    all_of_it = (bench.path("unbounded") / "checkpoints.log").stat().st_size
    bench.expect(whole.code == 0 and sizes[50000] <= sizes[5000] + (64 << 10) and sizes[50000] < all_of_it,
                 f"the disk is bounded: {sizes}, all of it {all_of_it}")


def refused(bench):
    recorded = bench.record("checkpoints", "undeclared", "undeclared", 100, options=["--checkpoint", "50"])
    ran = bench.replay("undeclared", "--from-checkpoint")
    bench.expect(recorded.code == 0 and b"allow_checkpoints" in recorded.err, "undeclared: is said", ran=recorded)
    bench.expect(ran.code == 7 and b"allow_checkpoints" in ran.err, "undeclared: is refused", "undeclared", ran)
    bench.expect(bench.replay("undeclared").code == 0, "undeclared: replays from its start", "undeclared")
    recorded = bench.record("checkpoints", "broken", "broken", 100, options=["--checkpoint", "20"])
    told = bench.info("broken")["checkpoints"]["refused"]
    bench.expect(recorded.code == 0 and any("between" in one["reason"] for one in told),
                 f"broken: what is shared is named: {told}", "broken", recorded)
    for one in standing(bench, "broken"):
        ran = bench.replay("broken", "--from-checkpoint", str(one["number"]))
        bench.expect(ran.code == 0, f"broken: what still stands holds: {one}", "broken", ran)
    for wrong in ("0", "x", "5m"):
        ran = bench.record("checkpoints", "wrong", "share", 10, options=["--checkpoint", wrong])
        bench.expect(ran.code == 2 and b"--checkpoint" in ran.err, f"--checkpoint {wrong}: is refused", ran=ran)


def cleaned(bench):
    recorded = bench.record("checkpoints", "cleaned", "race", 6, options=["--checkpoint", "7"])
    checkpoints = standing(bench, "cleaned")
    pids = [one["pid"] for one in checkpoints]
    bench.expect(recorded.code == 3 and len(pids) == 3 and all(is_there(pid) for pid in pids), "cleaned: they stand")
    bench.expect(all(one["alive"] and one["resident_bytes"] > 0 for one in checkpoints), f"cleaned: {checkpoints}")
    # A number that somebody else has now: the entry of the first names a process of ours, started at another tick.
    entry = bench.path("cleaned") / "checkpoints" / str(checkpoints[0]["number"])
    other = subprocess.Popen(["sleep", "60"])
    while f"started {start_of(other.pid)}\n" in entry.read_text():
        other.kill()
        other.wait()
        other = subprocess.Popen(["sleep", "60"])
    entry.write_text(entry.read_text().replace(f"pid {pids[0]}\n", f"pid {other.pid}\n"))
    bench.expect(not standing(bench, "cleaned")[0]["alive"], "cleaned: another process with its number is not it")
    bench.expect(are_gone(pids[:1]), "cleaned: whom no entry names does not stand")
    ran = bench.reprise("clean", "cleaned", "--json", env={"TMPDIR": bench.folder})
    bench.expect(ran.code == 0 and ran.json()["checkpoints"] == 2, "cleaned: two are ended", ran=ran)
    bench.expect(are_gone(pids) and not standing(bench, "cleaned"), "cleaned: none is left")
    bench.expect(other.poll() is None, "cleaned: the other process lives")
    other.kill()
    other.wait()
    gone = bench.replay("cleaned", "--from-checkpoint")
    bench.expect(gone.code == 0 and b"from its start" in gone.err, "cleaned: then it goes from its start", ran=gone)
    for name, how in (("removed", lambda: bench.reprise("rm", "removed")),
                      ("deleted", lambda: shutil.rmtree(bench.path("deleted")))):
        bench.record("checkpoints", name, "race", 6, options=["--checkpoint", "7"])
        pids = [one["pid"] for one in standing(bench, name)]
        how()
        bench.expect(len(pids) == 3 and are_gone(pids), f"{name}: its checkpoints end with it")


def left_behind(bench):
    """A tool that is killed leaves a folder; `clean` removes it when its program is gone too."""
    temporary = bench.folder / "temporary"
    temporary.mkdir()
    told = bench.folder / "left.pid"
    process = subprocess.Popen([REPRISE, "record", "-o", "left", "--no-image", "--", GUEST, "serve", told],
                               cwd=bench.folder, env=environment({"TMPDIR": temporary}), stdout=subprocess.DEVNULL)
    pid = pid_in(told)
    process.kill()
    process.wait()
    early = bench.reprise("clean", "--json", env={"TMPDIR": temporary})
    bench.expect(pid is not None and early.json()["folders"] == 0, "left: its party still uses the folder", ran=early)
    os.kill(pid, signal.SIGKILL)
    are_gone([pid])
    ran = bench.reprise("clean", "--json", env={"TMPDIR": temporary})
    bench.expect(ran.json()["folders"] == 1 and not list(temporary.iterdir()), "left: nothing remains", ran=ran)


def main():
    bench = Bench("checkpoint")
    for number in range(ROUNDS):
        for part in (race, share, killed, served):
            part(bench, number)
    bounded(bench)
    refused(bench)
    cleaned(bench)
    left = [one["pid"] for path in bench.folder.glob("*.reprise") for one in standing(bench, path.stem)]
    ran = bench.reprise("clean", env={"TMPDIR": bench.folder})
    bench.expect(ran.code == 0 and len(left) >= 10 and are_gone(left), f"clean ends all {len(left)}", ran=ran)
    left_behind(bench)
    bench.finish()


main()
