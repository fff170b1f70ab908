"""kill -9 of an MCAPI node at a random instant, while it is recorded: the others end, the next run is clean, it replays."""
# Goal    Every call that does not depend on the dead node completes; a run of the same name right after it finds nothing
#         of it; the recording replays, with the death where it was.
# Method  Nodes that send to each other with priorities and messages of several blocks; one of them, in turn, is killed
#         after a random time, with each technique in turn. Control: a fair share of the kills come while the node is at work, and change what the
#         others get. The seed is printed.
import os
import random
import shutil
import signal
import subprocess
import sys
import time

from _lib import BUILD, FULL, REPRISE, Bench, environment, run

PROGRAM = BUILD / "mcapi" / "survivors"
NODES, MESSAGES = 4, 1500
ROUNDS = 100 if FULL else 10
TECHNIQUES = ("receiver", "data", "sender")


def lines(out):
    return sorted(line for line in out.decode().splitlines() if line.startswith("node "))


def pid_of(bench, node):
    """Waits until the node has said which process it is."""
    path = bench.folder / "pids" / str(node)
    for _ in range(2000):
        if path.exists():
            return int(path.read_text())
        time.sleep(0.001)
    return 0


def record_and_kill(bench, name, technique, node, after_s, env):
    shutil.rmtree(bench.folder / "pids", ignore_errors=True)
    (bench.folder / "pids").mkdir()
    command = [REPRISE, "record", "-o", name, "--technique", technique, "--", str(PROGRAM), str(NODES), str(MESSAGES)]
    recording = subprocess.Popen(command, cwd=bench.folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    pid = pid_of(bench, node)
    if after_s is not None:
        time.sleep(after_s)
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    try:
        out, err = recording.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        recording.kill()
        out, err = recording.communicate()
        err += b"\nit does not end"
        return -1, out, err
    return recording.returncode, out, err


def main():
    seed = int(os.environ.get("SEED", random.randrange(1 << 30)))
    chance = random.Random(seed)
    print(f"SEED={seed}")
    with Bench("mcapi_kill") as bench:
        env = environment({"MCAPI_RUN": f"test-kill-{os.getpid()}", "MCAPI_REPORT": "off"})
        early = 0
        begin = time.monotonic()
        record_and_kill(bench, "alive", TECHNIQUES[0], 1, None, env)
        within_s = 0.7 * (time.monotonic() - begin)  # how long nodes are at work depends on the machine
        for number in range(ROUNDS):
            name = f"kill-{number}"
            node = number % NODES + 1
            code, out, err = record_and_kill(bench, name, TECHNIQUES[number % 3], node, chance.uniform(0, within_s), env)
            left = [line for line in lines(out) if not line.startswith(f"node {node}:")]
            bench.expect(code == 0 and len(left) == NODES - 1, f"{name}: the other nodes end: {code} {left} {err}", name)
            early += any(not line.endswith("without none") for line in left)
            replayed = run([REPRISE, "replay", name], bench.folder, env=env)
            same = [line for line in lines(replayed.out) if not line.startswith(f"node {node}:")]
            bench.expect(replayed.code == 0 and same == left, f"{name}: replays", name, replayed)
            clean = run([PROGRAM, str(NODES), "20"], bench.folder, env=env)
            whole = [line for line in lines(clean.out) if f"got {21 * (NODES - 1)} " in line]
            bench.expect(len(whole) == NODES, f"{name}: the next run is clean: {lines(clean.out)}", name, clean)
        print(f"{early} of {ROUNDS} died at work")
        bench.expect(early * 10 >= ROUNDS, "control: the kills come while the nodes are at work")
        left = [name for name in os.listdir("/dev/shm") if name.endswith(f"-test-kill-{os.getpid()}")]
        bench.expect(not left, f"nothing is left in /dev/shm: {left}")
        return bench.finish()


if __name__ == "__main__":
    sys.exit(main())
