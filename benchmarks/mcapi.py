#!/usr/bin/env python3
"""Goal    What recording and replaying an MCAPI program costs, with each technique, beside what the paper on DR-MCAPI reports.
Method  The paper's four sets of programs (benchmarks/mcapi/), with 1,000 times the rounds: as they are they last milliseconds.
        Baseline, record and replay by receiver (R), by sender (S) and with contents (D) take turns, short programs more often;
        what counts is the median of each against that of the baseline. Run time is the CPU time of the nodes between initialize
        and finalize. Each node is bound to one core, in turn: left to the scheduler, the same program takes 33 ms or 60 ms,
        depending on what ran before it (--free shows that). A replay of D is one node alone, against that node's own baseline.
        Before each run as much memory is touched and freed as the largest recording needs: a hypervisor may have taken back what
        was free, and lets whoever touches it first wait 12 us a page (CG 11, D: 1.67 instead of 1.11).
        Memory is the largest sum of the PSS of all nodes, looked at while they run and before they
        finalize, in runs of its own.

    ./bench mcapi [--only BT,CG] [--all] [--rounds N] [--times N] [--free] [--json] [--quick]

The cost of MCAPI itself (mcapi.send) is measured by mcapi.cc.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

BUILD = Path(os.environ.get("REPRISE_BUILD", "build/release")).resolve()
REPRISE = os.environ.get("REPRISE", str(BUILD / "bin" / "reprise"))
PROGRAMS = BUILD / "bench" / "programs"
TECHNIQUES = {"R": "receiver", "S": "sender", "D": "data"}
COLUMNS = [(phase, technique) for phase in ("record", "replay") for technique in TECHNIQUES]
# benchmark -> the sizes of its ten programs, how many nodes one has, how many messages it sends
BENCHMARKS = {
    "BT": (range(3, 22, 2), lambda size: size, lambda size: 15 * (size - 1) // 2 + 5),
    "CG": (range(2, 12), lambda size: size, lambda size: 10 * size * (size - 1)),
    "TN": (range(1, 11), lambda size: 10, lambda size: 90 * size),
    "Bully": (range(3, 13), lambda size: size, lambda size: 31 * size - 58),
}
# What the paper reports: its sections 4.3 and 4.4 for each benchmark, and its own averages.
PAPER = {
    ("time", "record"): {"R": (1.5, 1.3, 1.3, 1.4, 1.4), "S": (2.6, 3.3, 4.2, 2.0, 3.0), "D": (1.8, 1.5, 1.5, 1.9, 1.7)},
    ("time", "replay"): {"R": (2.3, 1.9, 1.8, 1.6, 1.9), "S": (5.6, 4.6, 5.4, 3.5, 4.7), "D": ("<1",) * 5},
    ("memory", "record"): {"R": (2.7, 2.9, 3.0, 2.8, 2.8), "S": (2.1, 2.8, 2.6, 2.0, 2.4), "D": (2.6, 8.0, 7.5, 6.0, 6.0)},
    ("memory", "replay"): {"R": (2.7, 3.1, 3.2, 2.9, 3.0), "S": (3.0, 2.8, 2.6, 2.6, 2.7), "D": (1.3, 2.7, 2.3, 2.7, 2.2)},
    ("bytes", "record"): {"R": (13,) * 5, "S": (10,) * 5, "D": (55, 55, 55, 9, 55)},
}
BYTES_NOTE = ("the paper's table 6 gives 13 bytes for R and 10 for S, as quoted; its text has them the other way round")
# claim -> bar
BARS = {"mcapi.record.R": 1.10, "mcapi.record.S": 1.30, "mcapi.record.D": 1.15,
        "mcapi.replay.R": 1.2, "mcapi.replay.S": 3.0, "mcapi.replay.D": 0.8,
        "mcapi.R": 1.0, "mcapi.S": 1.5, "mcapi.D": 52}
MEMORY_FACTOR, MEMORY_MIB, MEMORY_GROWTH = 1.3, 2.0, 1.05
SECONDS_MAX = 240
ENOUGH_SECONDS = 3.0  # of baselines: a program is run more often than asked for, up to so many times, until it has them
SHORT_ROUNDS = 8
MIB = bytes([1]) * (1 << 20)
BYTES_MAX = 64  # of a recording, for each message


class Memory(threading.Thread):
    """Looks at the memory of all that descends from a process, until it is stopped. The tool's own is left out."""

    def __init__(self, root, tool):
        super().__init__(daemon=True)
        self.root, self.tool, self.peak_kib, self.processes, self._stop_asked = root, tool, 0, 0, False

    def run(self):
        while not self._stop_asked:
            sizes = [size for pid in descendants(self.root) if not (self.tool and pid == self.root) and (size := pss_kib(pid))]
            self.peak_kib = max(self.peak_kib, sum(sizes))
            self.processes = max(self.processes, len(sizes))
            time.sleep(0.005)

    def stop(self):
        self._stop_asked = True
        self.join()


def descendants(pid):
    found = [pid]
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            for child in Path(f"/proc/{pid}/task/{task}/children").read_text().split():
                found += descendants(int(child))
    except OSError:
        pass
    return found


def pss_kib(pid):
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0


class Runner:
    """Runs one program in each of the ways, in a folder of its own."""

    def __init__(self, home, bound):
        self.home, self.bound = Path(home), bound
        self.file = self.home / "nodes"
        self.number = 0
        self.touched_mib = 0  # before each run

    def run(self, command, watched=False):
        """Returns the CPU time of each node, what the tool took itself, and with `watched` the memory."""
        self.file.unlink(missing_ok=True)
        self.touch()
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("REPRISE", "MCAPI"))}
        self.number += 1
        environment.update(MCAPI_BENCH=str(self.file), MCAPI_RUN=f"bench-{os.getpid()}-{self.number}")
        if self.bound:
            environment["MCAPI_BENCH_BIND"] = "1"
        if watched:
            environment["MCAPI_BENCH_HOLD"] = "100"
        with open(self.home / "said", "wb") as said:
            process = subprocess.Popen(command, cwd=self.home, env=environment, stdout=said, stderr=said)
            memory = Memory(process.pid, command[0] == REPRISE)
            if watched:
                memory.start()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = status
            if watched:
                memory.stop()
        if status != 0:
            raise SystemExit(f"mcapi: {' '.join(map(str, command))} ended with {status}: {(self.home / 'said').read_text()[-500:]}")
        nodes = {}
        everything = 0.0
        for line in self.file.read_text().splitlines():
            number, took_ns, rest = line.split()
            if number == "all":
                everything = int(took_ns) / 1e9
            else:
                nodes[int(number)] = int(took_ns) / 1e9
        tool = usage.ru_utime + usage.ru_stime - everything
        return nodes, tool, memory

    def touch(self):
        """As a recorder would: in files."""
        file = self.home / "touched"
        with open(file, "wb") as out:
            for _ in range(self.touched_mib):
                out.write(MIB)
        file.unlink()

    def plain(self, program, watched=False):
        return self.run([*program], watched)

    def record(self, program, technique, watched=False):
        name = f"{technique}.reprise"
        shutil.rmtree(self.home / name, ignore_errors=True)
        return self.run([REPRISE, "record", "-o", technique, "--no-image", "--technique", TECHNIQUES[technique], "--", *program],
                        watched)

    def replay(self, technique, node=None, watched=False):
        alone = ["--only", f"0/{node}"] if node else []
        return self.run([REPRISE, "replay", technique, "--quiet", *alone], watched)

    def bytes(self, technique):
        return sum(log.stat().st_size for log in (self.home / f"{technique}.reprise").glob("*.log"))


def nodes_alone(count):
    """The nodes whose replay alone is measured: the first, one in the middle, the last."""
    return sorted({1, (count + 1) // 2, count})


def measure_time(runner, program, count, rounds):
    """Ratios of CPU time by (phase, technique), seconds of the baseline, and what the tool took."""
    took, tools, chosen = {}, {}, nodes_alone(count)

    def note(key, nodes, tool=0.0):
        took.setdefault(key, []).append(sum(nodes))
        tools.setdefault(key, []).append(tool)

    def again():
        plain = took.get(("plain", ""), [])
        return len(plain) < 2 * rounds or (sum(plain) < ENOUGH_SECONDS and len(plain) < 2 * rounds * SHORT_ROUNDS)

    while again():
        for _ in range(2):
            base, _, _ = runner.plain(program)
            note(("plain", ""), base.values())
            note(("plain", "chosen"), (base[node] for node in chosen))
        for technique in TECHNIQUES:
            nodes, tool, _ = runner.record(program, technique)
            note(("record", technique), nodes.values(), tool)
        for technique in ("R", "S"):
            nodes, tool, _ = runner.replay(technique)
            note(("replay", technique), nodes.values(), tool)
        alone = {node: runner.replay("D", node) for node in chosen}
        note(("replay", "D"), (nodes[node] for node, (nodes, _, _) in alone.items()),
             statistics.mean(tool for _, tool, _ in alone.values()))
    seconds = {key: statistics.median(values) for key, values in took.items()}
    ratios = {key: seconds[key] / seconds["plain", "chosen" if key == ("replay", "D") else ""] for key in COLUMNS}
    return ratios, seconds["plain", ""], {key: statistics.median(values) for key, values in tools.items()}


def measure_memory(runner, program, count):
    """Peak in MiB by (phase, technique), and how many processes there are."""
    _, _, plain = runner.plain(program, watched=True)
    peaks = {("plain", ""): plain.peak_kib / 1024}
    for technique in TECHNIQUES:
        _, _, memory = runner.record(program, technique, watched=True)
        peaks["record", technique] = memory.peak_kib / 1024
        nodes = nodes_alone(count)[-1:] if technique == "D" else [None]
        _, _, memory = runner.replay(technique, nodes[0], watched=True)
        peaks["replay", technique] = memory.peak_kib / 1024
    return peaks


def measure(runner, name, size, times, rounds):
    _, nodes_of, messages_of = BENCHMARKS[name]
    count = nodes_of(size)
    program = [str(PROGRAMS / name.lower()), str(size), str(times)]
    messages = messages_of(size) * times
    runner.touched_mib = messages * BYTES_MAX // len(MIB) + 1
    ratios, seconds, tools = measure_time(runner, program, count, rounds)
    sizes = {technique: runner.bytes(technique) / messages for technique in TECHNIQUES}
    return {"benchmark": name, "size": size, "nodes": count, "messages": messages, "seconds": seconds, "time": ratios,
            "tool": tools, "bytes": sizes}


def add_memory(runner, row, times):
    program = [str(PROGRAMS / row["benchmark"].lower()), str(row["size"])]
    row["memory"] = measure_memory(runner, [*program, str(max(times // 10, 1))], row["nodes"])
    row["memory_10x"] = measure_memory(runner, [*program, str(times)], row["nodes"])


# ---- what is told ----

def mean(values):
    return statistics.mean(list(values))


def memory_claim(rows, phase, technique):
    """The mean ratio, the mean MiB more per process, and the mean growth at ten times the messages."""
    ratios, more, growth = [], [], []
    for row in rows:
        plain, peak = row["memory_10x"]["plain", ""], row["memory_10x"][phase, technique]
        processes = 2 if (phase, technique) == ("replay", "D") else row["nodes"] + 1
        ratios.append(peak / plain)
        more.append((peak - plain) / processes)
        growth.append(peak / row["memory"][phase, technique])
    return mean(ratios), mean(more), mean(growth)


def claims(rows):
    """Every claim with its figure, its bar, whether it is kept, and the paper's figure."""
    found = []
    for phase in ("record", "replay"):
        for technique in TECHNIQUES:
            name = f"mcapi.{phase}.{technique}"
            value = mean(row["time"][phase, technique] for row in rows)
            found.append(("ratio", name, value, BARS[name], value <= BARS[name], PAPER["time", phase][technique][-1], ""))
    for technique in TECHNIQUES:
        name = f"mcapi.{technique}"
        value = mean(row["bytes"][technique] for row in rows if row["benchmark"] != "Bully" or len(rows) == 1)
        found.append(("bytes_per_event", name, value, BARS[name], value <= BARS[name], PAPER["bytes", "record"][technique][-1], ""))
    if all("memory" in row for row in rows):
        for phase in ("record", "replay"):
            for technique in TECHNIQUES:
                ratio, more, growth = memory_claim(rows, phase, technique)
                kept = (ratio <= MEMORY_FACTOR or more <= MEMORY_MIB) and growth <= MEMORY_GROWTH
                said = f"{more:+.2f} MiB per process, {growth:.3f} with ten times the messages"
                found.append(("ratio", f"mcapi.memory.{phase}.{technique}", ratio, MEMORY_FACTOR, kept,
                              PAPER["memory", phase][technique][-1], said))
    return found


def table(title, head, lines):
    print(f"\n{title}")
    widths = [max(len(line[i]) for line in [head, *lines]) for i in range(len(head))]
    for line in [head, *lines]:
        print("  ".join(text.rjust(width) for text, width in zip(line, widths)))


def print_tables(rows, times):
    for place, name in enumerate(BENCHMARKS):
        mine = [row for row in rows if row["benchmark"] == name]
        if not mine:
            continue
        head = ["program", "messages", "baseline", *(f"{phase} {technique}" for phase, technique in COLUMNS)]
        paper = lambda quantity: [str(PAPER[quantity, phase][technique][place]) for phase, technique in COLUMNS]  # noqa: E731
        table(f"{name}: CPU time of the nodes, {times} times the rounds; baseline in seconds, the rest as ratios", head,
              [[f"{name} {row['size']}", str(row["messages"]), f"{row['seconds']:.3f}",
                *(f"{row['time'][key]:.2f}" for key in COLUMNS)] for row in mine] + [["paper", "", "", *paper("time")]])
        table(f"{name}: what the tool itself took beside that, in seconds of CPU", head,
              [[f"{name} {row['size']}", str(row["messages"]), "", *(f"{row['tool'][key]:.2f}" for key in COLUMNS)] for row in mine])
        if all("memory" in row for row in mine):
            table(f"{name}: largest memory (PSS of all nodes); baseline in MiB, the rest as ratios", head,
                  [[f"{name} {row['size']}", str(row["messages"]), f"{row['memory_10x']['plain', '']:.1f}",
                    *(f"{row['memory_10x'][key] / row['memory_10x']['plain', '']:.2f}" for key in COLUMNS)] for row in mine] +
                  [["paper", "", "", *paper("memory")]])
        table(f"{name}: bytes of the recording for each message", ["program", "messages", *TECHNIQUES],
              [[f"{name} {row['size']}", str(row["messages"]), *(f"{row['bytes'][each]:.2f}" for each in TECHNIQUES)] for row in mine] +
              [["paper", "", *(str(PAPER["bytes", "record"][each][place]) for each in TECHNIQUES)]])


def print_claims(found, judged):
    print()
    for unit, name, value, _, _, _, _ in found:
        print(f"{unit} {name} {value:.4f}")
    print(f"\n# {BYTES_NOTE}")
    print(f"{'name':28} {'measured':>10} {'bar':>8} {'paper':>7}")
    for _, name, value, bar, kept, paper, said in found:
        print(f"{name:28} {value:10.3f} {bar:8.2f} {paper!s:>7}  {'-' if not judged else 'ok' if kept else 'over':5}{said}")


def as_json(rows, found, own, judged):
    key_text = lambda table: {".".join(part for part in key if part): round(value, 5) for key, value in table.items()}  # noqa: E731
    programs = [{**row, **{field: key_text(row[field]) for field in ("time", "tool", "memory", "memory_10x") if field in row}}
                for row in rows]
    figures = [{"name": name, "unit": unit, "value": round(value, 6), "bar": bar, "paper": paper, "said": said,
                "verdict": "-" if not judged else "ok" if kept else "over"} for unit, name, value, bar, kept, paper, said in found]
    return json.dumps({"figures": own["figures"] + figures, "programs": programs, "note": BYTES_NOTE})


def arguments_of():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    parser.add_argument("--only", default=",".join(BENCHMARKS), help="these benchmarks, separated by commas")
    parser.add_argument("--all", action="store_true", help="all ten programs of each, not just the smallest and the largest")
    parser.add_argument("--rounds", type=int, default=9, help="how often everything takes its turn")
    parser.add_argument("--times", type=int, default=1000, help="by how much the paper's rounds are multiplied")
    parser.add_argument("--free", action="store_true", help="nodes are not bound to cores")
    parser.add_argument("--no-memory", action="store_true", help="leave out the runs that look at memory")
    parser.add_argument("--no-send", action="store_true", help="leave out mcapi.send")
    parser.add_argument("--quick", action="store_true", help="the smallest programs once, to see that it works")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def main():
    asked = arguments_of()
    names = [name for name in BENCHMARKS if name.lower() in asked.only.lower().split(",")]
    times, rounds = (10, 1) if asked.quick else (asked.times, asked.rounds)
    own = {"figures": []}
    if not asked.no_send:
        command = [BUILD / "bench" / "mcapi", *(["--quick"] if asked.quick else []), *(["--json"] if asked.json else [])]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        own = json.loads(text) if asked.json else own
        print("" if asked.json else text, end="", flush=True)
    rows = []
    with tempfile.TemporaryDirectory(prefix="reprise-mcapi-") as home:
        runner = Runner(home, not asked.free)
        for name in names:
            sizes = BENCHMARKS[name][0]
            for size in [sizes[0]] if asked.quick else sizes if asked.all else (sizes[0], sizes[-1]):
                row = measure(runner, name, size, times, rounds)
                if not asked.no_memory:
                    add_memory(runner, row, times)
                rows.append(row)
                print(f"mcapi: {name} {size} done", file=sys.stderr, flush=True)
    found = claims(rows)
    if asked.json:
        print(as_json(rows, found, own, not asked.quick))
        return 0
    print_tables(rows, times)
    print_claims(found, not asked.quick)
    return 0


if __name__ == "__main__":
    sys.exit(main())
