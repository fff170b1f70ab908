# label: slow
"""Goal    What was recorded on several hosts, over a network that is late and breaks, replays on one host.
Method  Four hosts are network namespaces, made here. Between them there is nothing but a proxy in a fifth one, which delays
        every piece by 20 ms +- 10 ms and breaks connections in the midst of a message (seeded). A hub and three clients,
        one per host, are recorded there, each into a folder of its own; REPRISE_PEERS says who is where. The folders are
        merged, and the whole is replayed here while an adversary delays the one client or the other: it must be
        identical and print the same. Recorded at level data, each process replays alone, too. In a second system the
        server ends and is started again: its clients, who cannot know it, must meet the same incarnation on replay.
        Control: the same programs here without the gate print something else.
        Where namespaces are not permitted nothing is checked, and that is said.
"""
import asyncio
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from _lib import FULL, GUESTS, REPRISE, Bench, Ran, environment
from message_lib import lines_of

RECORDINGS = 10 if FULL else 2
REPLAYS = 5 if FULL else 2
MESSAGES = 60 if FULL else 40
HOSTS = 4
PORT = 7000
DELAY_S, JITTER_S = 0.020, 0.010
BYTES_BEFORE_BREAK = (3_000, 60_000)
SECONDS_MAX = 60
ADVERSARY_US = 500


# ---- the proxy, a program of its own in the middle namespace ----

class Proxy:
    """Forwards PARTY's port at each host's side to the party."""

    def __init__(self, seed):
        self.source = random.Random(seed)
        self.connections = self.broken = 0

    async def forward(self, reader, writer, limit, stop):
        """What comes is due a while later, in order; after `limit` bytes it all ends, in mid-message."""
        pieces = asyncio.Queue()

        async def deliver():
            last = 0.0
            while (piece := await pieces.get()) is not None:
                due, data = piece
                last = max(last, due)
                await asyncio.sleep(max(0.0, last - time.monotonic()))
                writer.write(data)
                await writer.drain()

        async def read():
            left = limit
            while left > 0 and (data := await reader.read(4096)):
                due = time.monotonic() + DELAY_S + self.source.uniform(-JITTER_S, JITTER_S)
                await pieces.put((due, data[:left]))
                left -= len(data)
            self.broken += left <= 0
            await pieces.put(None)

        try:
            await asyncio.gather(deliver(), read())
        except OSError:
            pass
        stop.set()

    async def serve(self, reader, writer, party):
        self.connections += 1
        stop = asyncio.Event()
        try:
            far_reader, far_writer = await asyncio.open_connection(f"10.77.{party}.2", PORT + party)
        except OSError:
            writer.close()
            return
        limit = self.source.randrange(*BYTES_BEFORE_BREAK)
        ways = [asyncio.create_task(self.forward(reader, far_writer, limit, stop)),
                asyncio.create_task(self.forward(far_reader, writer, 1 << 60, stop))]
        await stop.wait()
        writer.close()
        far_writer.close()
        for way in ways:
            way.cancel()

    async def run(self, ready):
        stop = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
        for party in range(HOSTS):
            for host in range(HOSTS):
                if host != party:
                    await asyncio.start_server(lambda r, w, p=party: self.serve(r, w, p), f"10.77.{host}.1", PORT + party)
        Path(ready).write_text("ready")
        await stop.wait()
        print(self.connections, self.broken, flush=True)


# ---- hosts ----

def ip(*words):
    return subprocess.run(["ip", *words], capture_output=True, check=False)


class Hosts:
    """Namespaces HOST-0.. and HOST-net in their midst; removed at the end, however it comes."""

    def __init__(self):
        self.names = [f"reprise{os.getpid()}-{i}" for i in range(HOSTS)]
        self.net = f"reprise{os.getpid()}-net"

    def __enter__(self):
        self.made = shutil.which("ip") is not None and ip("netns", "add", self.net).returncode == 0
        for i, name in enumerate(self.names if self.made else []):
            here, there = f"rp{i}a", f"rp{i}b"
            steps = [("netns", "add", name), ("-n", self.net, "link", "add", here, "type", "veth", "peer", "name", there),
                     ("-n", self.net, "link", "set", there, "netns", name),
                     ("-n", self.net, "addr", "add", f"10.77.{i}.1/24", "dev", here),
                     ("-n", name, "addr", "add", f"10.77.{i}.2/24", "dev", there),
                     ("-n", self.net, "link", "set", here, "up"), ("-n", name, "link", "set", there, "up"),
                     ("-n", name, "link", "set", "lo", "up")]
            self.made &= all(ip(*step).returncode == 0 for step in steps)
        return self

    def __exit__(self, *_):
        for name in [*self.names, self.net] if shutil.which("ip") else []:
            ip("netns", "del", name)

    @staticmethod
    def command(name, words):
        return ["ip", "netns", "exec", name, *(str(word) for word in words)]


def peers_file(bench, name, host, parties):
    path = bench.folder / f"peers-{name}-{host}"
    lines = [f"run {name}"]
    for party, who in enumerate(parties):
        lines.append(f"{who} 10.77.{host}.{2 if party == host else 1}:{PORT + party}")
    path.write_text("\n".join(lines) + "\n")
    return path


def hub_system():
    """{party: program}, one per host."""
    clients = ("anna", "bert", "cleo")
    guest = GUESTS / "message_hosts"
    return {"hub": [guest, "hub", len(clients)],
            **{name: [guest, "client", name, clients[(i + 1) % 3], MESSAGES] for i, name in enumerate(clients)}}


def restart_system():
    guest = GUESTS / "message_restart"
    return {"server": ["/bin/sh", "-c", f"for count in 5 5 6; do {guest} serve $count; done"],
            "anna": [guest, "ask", "anna", 8], "bert": [guest, "ask", "bert", 8]}


def start_proxy(bench, hosts, name, seed):
    ready = bench.folder / f"proxy-{name}"
    command = Hosts.command(hosts.net, [sys.executable, Path(__file__).resolve(), "proxy", seed, ready])
    proxy = subprocess.Popen(command, env=environment({"PYTHONPATH": Path(__file__).resolve().parent}),
                             stdout=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 20
    while not ready.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    return proxy


def run_hosts(bench, hosts, name, system, level):
    """Records one program per host, all at once, into NAME-PARTY. Returns how each ended."""
    processes = []
    for host, (party, words) in enumerate(system.items()):
        command = [REPRISE, "record", "-o", f"{name}-{party}", "--process", party, "--no-image", "--level", level, "--",
                   *words]
        env = environment({"REPRISE_PEERS": peers_file(bench, name, host, system)})
        processes.append(subprocess.Popen(Hosts.command(hosts.names[host], command), cwd=bench.folder, env=env,
                                          stdout=subprocess.PIPE, stderr=subprocess.PIPE))
    results = []
    for process in processes:
        try:
            out, err = process.communicate(timeout=SECONDS_MAX)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
        results.append(Ran(process.returncode, out, err))
    return results


def record(bench, hosts, name, system, level, seed):
    """Returns what all hosts printed, or nothing."""
    proxy = start_proxy(bench, hosts, name, seed)
    try:
        results = run_hosts(bench, hosts, name, system, level)
    finally:
        proxy.terminate()
        counts = proxy.communicate()[0].split()
    well = bench.expect(len(counts) == 2, f"{name}: the proxy ends")
    for party, ran in zip(system, results):
        well &= bench.expect(ran.code == 0, f"{name}-{party}: is recorded", f"{name}-{party}", ran)
    connections, broken = (int(count) for count in counts)
    print(f"{name}: {connections} connections, {broken} of them broken", flush=True)
    well &= bench.expect(broken > 0 or "restart" in name, f"{name}: connections break")
    return sorted(line for ran in results for line in lines_of(ran.out)) if well else None


def check_refusals(bench, name, parties):
    """What cannot be merged is refused and leaves nothing; without what merge has learnt there is no replay."""
    part = f"{name}-{parties[0]}"
    twice = bench.reprise("merge", "twice", part, part)
    bench.expect(twice.code != 0 and b"both hold a process" in twice.err, f"{name}: twice the same is refused", "", twice)
    taken = bench.reprise("merge", name, part)
    bench.expect(taken.code != 0 and not bench.path("twice").exists(), f"{name}: a name that is taken is refused", "", taken)
    alone = bench.replay(part)
    bench.expect(alone.code == 7 and b"reprise merge" in alone.err, f"{name}: a part alone is refused", part, alone)
    less = bench.reprise("merge", "less", part)
    bench.expect(less.code == 0 and b"merge its recording too" in less.err, f"{name}: a missing part is told", "", less)
    lines = (bench.path(name) / "routes").read_text()
    bench.expect(any(line.split()[2] == "3" for line in lines.splitlines()), f"{name}: somebody met server#3")
    (bench.path(name) / "routes").unlink()
    lost = bench.replay(name, "--stall-after", "2")
    bench.expect(lost.code != 0, f"{name}: control: does not replay without its routes", name, lost)
    (bench.path(name) / "routes").write_text(lines)


def check(bench, hosts, name, system, level, seed):
    """Returns (replays that were identical, does the control differ)."""
    said = record(bench, hosts, name, system, level, seed)
    if not bench.expect(bool(said), f"{name}: is recorded"):
        return 0, False
    merged = bench.reprise("merge", name, *(f"{name}-{party}" for party in system))
    bench.expect(merged.code == 0, f"{name}: is merged", name, merged)
    parties = list(system)
    identical = 0
    for turn in range(REPLAYS):
        slow = parties[1 + (seed + turn) % (len(parties) - 1)]
        replayed = bench.replay(name, "--delay", f"{slow}:{ADVERSARY_US}")
        same = replayed.code == 0 and lines_of(replayed.out) == said
        identical += bench.expect(same, f"{name}: replays on one host as recorded:\n  {said}"[:1500], name, replayed)
    for party in parties if level == "data" else ():
        alone = bench.replay(name, "--only", party)
        mine = [line for line in said if line.startswith(party)]
        bench.expect(alone.code == 0 and lines_of(alone.out) == mine, f"{name}: {party} replays alone", name, alone)
    if name == "restart-0":
        check_refusals(bench, name, parties)
    control = bench.replay(name, "--gate-off", "--delay", f"anna:{ADVERSARY_US}")
    return identical, lines_of(control.out) != said


def main():
    with Hosts() as hosts:
        if not hosts.made:
            print("skipped: network namespaces (ip netns) are not permitted here")
            return
        bench = Bench("hosts")
        results = []
        for number in range(RECORDINGS):
            level = "data" if number % 2 else "order"
            results.append(check(bench, hosts, f"hosts-{number}", hub_system(), level, number))
            results.append(check(bench, hosts, f"restart-{number}", restart_system(), level, number))
    identical, differ = (sum(column) for column in zip(*results))
    print(f"{identical} of {len(results) * REPLAYS} replays identical; control: {differ} of {len(results)} differ")
    bench.expect(differ == len(results), "control: without the gate they differ")
    bench.finish()


if sys.argv[1:2] == ["proxy"]:
    asyncio.run(Proxy(int(sys.argv[2])).run(sys.argv[3]))
else:
    main()
