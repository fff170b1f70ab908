# label: slow
"""Goal    What was recorded on several hosts, over a network that is late and breaks, replays on one host.
Method  Four hosts are network namespaces, made here. Between them there is nothing but a proxy in a fifth one, which delays
        every piece by 20 ms +- 10 ms and breaks connections in the midst of a message (seeded). A hub and three clients,
        one per host, are recorded there, each into a folder of its own; REPRISE_PEERS says who is where. The folders are
        merged, and the whole is replayed here while an adversary delays the one client or the other: it must be
        identical and print the same. Recorded at level data, each process replays alone, too.
        Control: the same programs here without the gate print something else.
        Where namespaces are not permitted nothing is checked, and that is said.
"""
import asyncio
import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

from _lib import FULL, GUESTS, REPRISE, Bench, Ran, environment
from message_lib import lines_of

RECORDINGS = 10 if FULL else 2
REPLAYS = 5 if FULL else 2
MESSAGES = 60 if FULL else 40
PARTIES = ("hub", "anna", "bert", "cleo")
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
        for party in range(len(PARTIES)):
            for host in range(len(PARTIES)):
                if host != party:
                    await asyncio.start_server(lambda r, w, p=party: self.serve(r, w, p), f"10.77.{host}.1", PORT + party)
        Path(ready).write_text("ready")
        while True:
            await asyncio.sleep(0.1)
            Path(ready + ".count").write_text(f"{self.connections} {self.broken}")


# ---- hosts ----

def ip(*words):
    return subprocess.run(["ip", *words], capture_output=True, check=False)


class Hosts:
    """Namespaces HOST-0.. and HOST-net in their midst; removed at the end, however it comes."""

    def __init__(self):
        self.names = [f"reprise{os.getpid()}-{i}" for i in range(len(PARTIES))]
        self.net = f"reprise{os.getpid()}-net"

    def __enter__(self):
        self.made = ip("netns", "add", self.net).returncode == 0
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
        for name in [*self.names, self.net]:
            ip("netns", "del", name)

    @staticmethod
    def command(name, words):
        return ["ip", "netns", "exec", name, *(str(word) for word in words)]


def peers_file(bench, number, host):
    path = bench.folder / f"peers-{number}-{host}"
    lines = [f"run recording-{number}"]
    for party, name in enumerate(PARTIES):
        lines.append(f"{name} 10.77.{host}.{2 if party == host else 1}:{PORT + party}")
    path.write_text("\n".join(lines) + "\n")
    return path


def program(name):
    clients = PARTIES[1:]
    if name == "hub":
        return [GUESTS / "message_hosts", "hub", len(clients)]
    following = clients[(clients.index(name) + 1) % len(clients)]
    return [GUESTS / "message_hosts", "client", name, following, MESSAGES]


def start_proxy(bench, hosts, seed):
    ready = bench.folder / f"proxy-{seed}"
    command = Hosts.command(hosts.net, [sys.executable, Path(__file__).resolve(), "proxy", seed, ready])
    proxy = subprocess.Popen(command, env=environment({"PYTHONPATH": Path(__file__).resolve().parent}))
    deadline = time.monotonic() + 20
    while not ready.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    return proxy, ready


def record(bench, hosts, number, level):
    """All hosts at once; the folders are PARTY-NUMBER. Returns what all of them printed, or nothing."""
    proxy, ready = start_proxy(bench, hosts, number)
    processes = []
    for host, name in enumerate(PARTIES):
        command = [REPRISE, "record", "-o", f"{name}-{number}", "--process", name, "--no-image", "--level", level, "--",
                   *program(name)]
        env = environment({"REPRISE_PEERS": peers_file(bench, number, host)})
        processes.append(subprocess.Popen(Hosts.command(hosts.names[host], command), cwd=bench.folder, env=env,
                                          stdout=subprocess.PIPE, stderr=subprocess.PIPE))
    said, well = [], True
    for name, process in zip(PARTIES, processes):
        try:
            out, err = process.communicate(timeout=SECONDS_MAX)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
        said += lines_of(out)
        well &= bench.expect(process.returncode == 0, f"{name}-{number}: is recorded", f"{name}-{number}",
                             Ran(process.returncode, out, err))
    connections, broken = (int(word) for word in Path(f"{ready}.count").read_text().split())
    proxy.kill()
    proxy.wait()
    print(f"recording {number}: {connections} connections, {broken} of them broken", flush=True)
    well &= bench.expect(broken > 0, f"recording {number}: connections break")
    return sorted(said) if well and len(said) == len(PARTIES) else None


def check(bench, hosts, number):
    level = "data" if number % 2 else "order"
    said = record(bench, hosts, number, level)
    if not bench.expect(said is not None, f"recording {number}: everybody prints a line"):
        return 0, False
    name = f"all-{number}"
    merged = bench.reprise("merge", name, *(f"{party}-{number}" for party in PARTIES))
    bench.expect(merged.code == 0, f"{name}: is merged", name, merged)
    identical = 0
    for turn in range(REPLAYS):
        slow = PARTIES[1 + (number + turn) % 3]
        replayed = bench.replay(name, "--delay", f"{slow}:{ADVERSARY_US}")
        same = replayed.code == 0 and lines_of(replayed.out) == said
        identical += bench.expect(same, f"{name}: replays on one host as recorded:\n  {said}"[:1500], name, replayed)
    for party in PARTIES if level == "data" else ():
        alone = bench.replay(name, "--only", party)
        mine = [line for line in said if line.startswith(party)]
        bench.expect(alone.code == 0 and lines_of(alone.out) == mine, f"{name}: {party} replays alone", name, alone)
    control = bench.replay(name, "--gate-off", "--delay", f"anna:{ADVERSARY_US}")
    return identical, lines_of(control.out) != said


def main():
    bench = Bench("hosts")
    with Hosts() as hosts:
        if shutil.which("ip") is None or not hosts.made:
            print("SKIPPED: network namespaces (ip netns) are not permitted here")
            sys.exit(0)
        results = [check(bench, hosts, number) for number in range(RECORDINGS)]
    identical = sum(result[0] for result in results)
    differ = sum(result[1] for result in results)
    print(f"{identical} of {RECORDINGS * REPLAYS} replays identical; control: {differ} of {RECORDINGS} differ")
    bench.expect(differ == RECORDINGS, "control: without the gate they differ")
    bench.finish()


if sys.argv[1:2] == ["proxy"]:
    asyncio.run(Proxy(int(sys.argv[2])).run(sys.argv[3]))
else:
    main()
