"""What the system tests share: where things lie, how to record and replay a guest, how to report a failure.

    with Bench("guests") as bench:                     # a folder of its own for recordings
        recorded = bench.record("mutex_contended", "run", favour="first")
        replayed = bench.replay("run", favour="last")
        bench.expect(replayed.code == 0, "replays", "run")

A bench that met a failure keeps its folder and prints the command that replays the recording; otherwise it is removed.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

REPRISE = os.environ.get("REPRISE", "reprise")
GUESTS = Path(os.environ.get("REPRISE_GUESTS", "guests"))
BUILD = Path(os.environ.get("REPRISE_BUILD", "."))
SOURCE = Path(os.environ.get("REPRISE_SOURCE", "."))
FULL = bool(os.environ.get("REPRISE_FULL"))
WORKERS = 2
RUN_SECONDS_MAX = 60
OPPOSITE = {"first": "last", "last": "first"}
IDENTICAL = b"replayed 1 of 1 identical\n"


@dataclass
class Guest:
    """A program of tests/guests: `// Trait:` and `// Label:` in its first lines say what it is."""
    name: str
    trait: str
    labels: frozenset

    @property
    def path(self):
        return GUESTS / self.name


def guests():
    """Every guest that runs without arguments, by name."""
    found = []
    for source in sorted((SOURCE / "tests" / "guests").glob("*.cc")):
        head = source.read_text(encoding="utf-8").split("\n", 5)[:5]
        said = {match[1]: match[2] for line in head if (match := re.match(r"// (Trait|Label): (.*)", line))}
        if any("Label:" in line for line in head) != ("Label" in said):
            raise SystemExit(f"FAILED {source.name}: `// Label:` stands on a line of its own")
        guest = Guest(source.stem, said.get("Trait", ""), frozenset(said.get("Label", "").split()))
        if "helper" not in guest.labels:
            found.append(guest)
    return found


@dataclass
class Ran:
    """How a command ended."""
    code: int
    out: bytes
    err: bytes
    hung: bool = False

    def json(self):
        """The report of a command run with --json, which stands after what the program itself has printed."""
        start = 0 if self.out.startswith(b"{") else self.out.rfind(b"\n{") + 1
        return json.loads(self.out[start:])


def environment(extra=None):
    """The environment without what would steer a recording, plus `extra`."""
    kept = ("REPRISE", "REPRISE_GUESTS", "REPRISE_EXAMPLES", "REPRISE_BUILD", "REPRISE_SOURCE", "REPRISE_FULL")
    plain = {name: value for name, value in os.environ.items() if not name.startswith("REPRISE") or name in kept}
    plain.update({name: str(value) for name, value in (extra or {}).items()})
    return plain


def run(command, folder, seconds=RUN_SECONDS_MAX, env=None):
    """Runs a command to its end. One that does not end in time is killed with all it started."""
    process = subprocess.Popen([str(word) for word in command], cwd=folder, env=environment(env), stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    return finish(process, seconds)


def finish(process, seconds=RUN_SECONDS_MAX):
    """Waits for a process that leads a session. One that does not end in time is killed with all it started."""
    try:
        out, err = process.communicate(timeout=seconds)
        return Ran(process.returncode, out, err)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        return Ran(process.returncode, out, err, hung=True)


class Bench:
    """A folder for recordings, and the count of what was expected there. Threads: any."""

    def __init__(self, name):
        root = BUILD / "left_by_tests"
        root.mkdir(parents=True, exist_ok=True)
        self.folder = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=root))
        self.failures = []
        self.checks = 0
        self._lock = threading.Lock()

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is None and not self.failures:
            shutil.rmtree(self.folder, ignore_errors=True)
        return False

    def record(self, guest, name, *arguments, options=(), **given):
        """Records `guest` as `name`. Given: favour, timeout, seconds, env."""
        program = guest if "/" in str(guest) else GUESTS / guest
        command = [REPRISE, "record", "-o", name, "--no-image", *options, *self._favour(given)]
        if given.get("timeout"):
            command += ["--timeout", given["timeout"]]
        command += ["--", program, *arguments]
        return run(command, self.folder, given.get("seconds", RUN_SECONDS_MAX), given.get("env"))

    def replay(self, name, *options, **given):
        """Replays `name`. Given: favour, seconds, env."""
        command = [REPRISE, "replay", name, *options, *self._favour(given)]
        return run(command, self.folder, given.get("seconds", RUN_SECONDS_MAX), given.get("env"))

    def reprise(self, *words, **given):
        return run([REPRISE, *words], self.folder, given.get("seconds", RUN_SECONDS_MAX), given.get("env"))

    def info(self, name, **given):
        return self.reprise("info", name, "--json", **given).json()

    def process(self, name, **given):
        """What `info` says of the first process of a recording; nothing when it cannot be read."""
        ran = self.reprise("info", name, "--json", **given)
        return ran.json()["processes"][0] if self.expect(ran.code == 0, f"{name}: opens", name, ran) else {}

    def path(self, name):
        return self.folder / f"{name}.reprise"

    def drop(self, name):
        shutil.rmtree(self.path(name), ignore_errors=True)

    @staticmethod
    def _favour(given):
        return ["--favour", given["favour"]] if given.get("favour") else []

    def expect(self, holds, what, name="", ran=None):
        """Notes a failure unless `holds`; returns it. `name` is the recording that shows it, `ran` the last command."""
        with self._lock:
            self.checks += 1
            if holds:
                return True
            self.failures.append(what)
        lines = [f"FAILED {what}"]
        if name:
            lines.append(f"  replay it with: (cd {self.folder} && {REPRISE} replay {name})")
        if ran is not None:
            lines.append(f"  it ended with {ran.code}{' (hung)' if ran.hung else ''}")
            lines += [f"  stdout: {shown(ran.out)}", f"  stderr: {shown(ran.err)}"]
        print("\n".join(lines), flush=True)
        return False

    def finish(self):
        """Prints the totals and ends the script."""
        print(f"{self.checks} checks, {len(self.failures)} failed")
        if self.checks == 0:
            print("FAILED nothing was checked")
        self.__exit__(None, None, None)
        sys.exit(1 if self.failures or self.checks == 0 else 0)


def shown(data, limit=1500):
    text = data.decode("utf-8", "replace")
    return text if len(text) <= limit else text[:limit // 2] + " [...] " + text[-limit // 2:]
