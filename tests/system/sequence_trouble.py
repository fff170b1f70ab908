"""Goal    A test of a sequence that cannot be brought to its end says so, gives no verdict, and harms no recording.
Method  Names that are taken, inputs that are damaged, a program without gates, and Ctrl-C while the program hangs outside.
"""
import signal
import subprocess
import time
from pathlib import Path

from _lib import GUESTS, REPRISE, Bench, environment, run

GUEST = GUESTS / "sequence_inputs"
TEXT = "form: total\n" + "".join(f"(sequence_inputs/0,left,{what})\n" for what in ("connection", "arrival", "close", "receive"))
COMMANDS = (["test"], ["replay"])


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def names(bench):
    """A recording that is there stays as it is, unless --force is given."""
    before = contents(bench.path("kept"))
    for command in COMMANDS:
        forced = [REPRISE, *command, "--sequence", "one.seq"]
        ran = run([*forced, "-o", "kept", "--", GUEST], bench.folder, env={"PICK": 0})
        bench.expect(ran.code == 2 and b"--force" in ran.err, f"{command}: a name that is taken is refused", "kept", ran)
        ran = run([*forced, "-o", "kept", "--force", "--inputs", "kept", "--", GUEST], bench.folder, env={"PICK": 0})
        bench.expect(ran.code == 2 and b"both --inputs and -o" in ran.err, f"{command}: not both at once", "kept", ran)
        bench.expect(contents(bench.path("kept")) == before, f"{command}: and the recording is as it was", "kept")
        for number in (1, 2):
            ran = run([*forced, "--", GUEST], bench.folder, env={"PICK": 0})
            name = f"{'test' if command == ['test'] else 'forced'}-{number}"
            bench.expect(ran.code == 0 and bench.path(name).exists(), f"{command}: without a name it is {name}", name, ran)
    ran = run([REPRISE, "test", "--sequence", "one.seq", "-o", "kept", "--force", "--", GUEST], bench.folder, env={"PICK": 0})
    bench.expect(ran.code == 0 and contents(bench.path("kept")) != before, "control: --force replaces it", "kept", ran)


def damaged(bench):
    bench.record(GUEST, "torn", env={"PICK": 0})
    log = max(bench.path("torn").rglob("*.log"), key=lambda path: path.stat().st_size)
    whole = bytearray(log.read_bytes())
    whole[len(whole) // 2] ^= 0x40
    log.write_bytes(whole)
    for command in COMMANDS:
        ran = run([REPRISE, *command, "--sequence", "one.seq", "--inputs", "torn", "-o", "new", "--", GUEST], bench.folder)
        bench.expect(ran.code == 5 and b"torn is damaged" in ran.err, f"{command}: damaged inputs are refused", "torn", ran)
        bench.expect(not bench.path("new").exists(), f"{command}: and nothing is left")


def without_gates(bench):
    for command in COMMANDS:
        ran = run([REPRISE, *command, "--sequence", "one.seq", "-o", "new", "--", GUESTS / "no_gates"], bench.folder)
        bench.expect(ran.code == 7 and b"libreprise" in ran.err, f"{command}: a program without gates gets no verdict", "", ran)
        bench.expect(not bench.path("new").exists(), f"{command}: and nothing is left")


def started_by(pid):
    try:
        return [int(word) for task in Path(f"/proc/{pid}/task").iterdir() for word in (task / "children").read_text().split()]
    except OSError:
        return []


def interrupted(bench):
    """The program's last thread has gone into read(2): it sleeps there, and nothing but the user ends it."""
    (bench.folder / "hang.seq").write_text("form: total\n(blocked_outside/0,left,connection)\n")
    for command in COMMANDS:
        words = [REPRISE, *command, "--sequence", "hang.seq", "--inactivity", "600", "-o", "new", "--", str(GUESTS / "blocked_outside")]
        tool = subprocess.Popen(words, cwd=bench.folder, env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)
        patience = time.monotonic() + 30
        while not started_by(tool.pid) and tool.poll() is None and time.monotonic() < patience:
            time.sleep(0.01)
        tool.send_signal(signal.SIGINT)
        out, err = tool.communicate(timeout=60)
        bench.expect(tool.returncode == 130, f"{command}: Ctrl-C ends it with 130, not {tool.returncode}: {out + err}")
        bench.expect(b"nothing was decided" in err and b"feasible" not in out, f"{command}: and no verdict is given: {out + err}")


def main():
    with Bench("sequence_trouble") as bench:
        (bench.folder / "one.seq").write_text(TEXT)
        recorded = bench.record(GUEST, "kept", env={"PICK": 0})
        bench.expect(recorded.code == 0, "it is recorded", "kept", recorded)
        names(bench)
        damaged(bench)
        without_gates(bench)
        interrupted(bench)
        bench.finish()


if __name__ == "__main__":
    main()
