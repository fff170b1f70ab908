"""Goal    A mailbox that is connected to by host:port is recorded, replayed (all, or one process alone), written down and
        forced as one that is found by its name is; whatever comes to its port, it neither crashes nor hangs.
Method  Two senders race for a mailbox at a port, each in a process of its own, recorded while an adversary delays the one and
        replayed while it delays the other. Control: without the gate the order is the adversary's. The recording becomes a
        sequence, which is tested and forced, and so is one that cannot happen. Then the port gets garbage, frames that
        lie, a stop that is not its own, half a frame that never ends, two hundred silent connections: the senders are
        served all the same, and the recording replays. Last, two hosts (network namespaces made here), whose parts are
        merged; without a common run the mailbox refuses.
"""
import os
import random
import shutil
import socket
import struct
import subprocess
import time

from _lib import FULL, GUESTS, REPRISE, Bench, Ran, environment, finish
from message_lib import lines_of, procfile, record

GUEST = GUESTS / "mailbox_hosts"
COUNT = 20
ADVERSARY_US = 300
ROUNDS = 10 if FULL else 2
GARBAGE = 2000 if FULL else 200


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def system(port):
    place = f"127.0.0.1:{port}"
    return {"box": [GUEST, "serve", "box", "127.0.0.1", port, 2 * COUNT],
            "anna": [GUEST, "send", place, "a", COUNT, 10000], "bert": [GUEST, "send", f"localhost:{port}", "b", COUNT, 10000]}


def order_of(ran):
    return next((line for line in lines_of(ran.out) if line.startswith("box got")), "")


def check_processes(bench, number):
    name = f"place-{number}"
    slow, fast = ("anna", "bert") if number % 2 else ("bert", "anna")
    recorded = record(bench, name, system(free_port()), "--no-image", "--level", "data", "--delay", f"{slow}:{ADVERSARY_US}")
    said = lines_of(recorded.out)
    if not bench.expect(recorded.code == 0 and len(order_of(recorded).split()) == 2 + 2 * COUNT, f"{name}: recorded", name, recorded):
        return False
    replayed = bench.replay(name, "--delay", f"{fast}:{ADVERSARY_US}")
    bench.expect(replayed.code == 0 and lines_of(replayed.out) == said, f"{name}: replays as recorded {said}", name, replayed)
    for process in ("box", "anna", "bert"):
        alone = bench.replay(name, "--only", process)
        bench.expect(alone.code == 0 and set(lines_of(alone.out)) <= set(said), f"{name}: {process} alone", name, alone)
    control = bench.replay(name, "--gate-off", "--delay", f"{fast}:{ADVERSARY_US}")
    return order_of(control) != order_of(recorded)


def check_sequence(bench):
    """What was recorded is feasible and can be forced; the receive before its arrival cannot happen."""
    lines = system(free_port())
    recorded = record(bench, "written", lines, "--no-image", "--delay", f"bert:{ADVERSARY_US}")
    text = bench.reprise("sequence", "written", "--form", "total")
    events = text.out.decode()
    if not bench.expect(recorded.code == 0 and "box,arrival" in events, "written: is a sequence", "written", text):
        return
    (bench.folder / "written.seq").write_text(events)
    programs = ["-f", procfile(bench, "forced", lines)]
    tested = bench.reprise("test", "--sequence", "written.seq", "-o", "proof", *programs)
    bench.expect(tested.code == 0, "written: is feasible", "proof", tested)
    again = bench.replay("proof")
    bench.expect(again.code == 0 and order_of(again) == order_of(recorded), "proof: is that very order", "proof", again)
    forced = bench.reprise("replay", "--sequence", "written.seq", "-o", "forced", *programs)
    bench.expect(forced.code == 0 and order_of(forced) == order_of(recorded), "written: is forced", "forced", forced)
    listed = events.splitlines()
    first = next(i for i, line in enumerate(listed) if "arrival" in line)
    receive = next(i for i, line in enumerate(listed) if "receive" in line)
    listed.insert(first, listed.pop(receive))
    (bench.folder / "early.seq").write_text("\n".join(listed) + "\n")
    early = bench.reprise("test", "--sequence", "early.seq", "-o", "early", *programs)
    bench.expect(early.code == 1, "early: a receive before any arrival is infeasible", "early", early)


def check_closed(bench):
    """A port of the system's choice, and a receive that a close ends: it is no event, so the sequence is feasible."""
    recorded = bench.record("mailbox_place", "closed", favour="first")
    (bench.folder / "closed.seq").write_bytes(bench.reprise("sequence", "closed", "--form", "node").out)
    tested = bench.reprise("test", "--sequence", "closed.seq", "-o", "again", "--", GUESTS / "mailbox_place")
    bench.expect(recorded.code == 0 and tested.code == 0, "closed: is feasible", "again", tested)
    replayed = bench.replay("again")
    bench.expect(replayed.code == 0 and b"\nclosed 6\n" in replayed.out, "again: ends by the close", "again", replayed)


# ---- what may come to a port ----

def frame(kind, payload, length=None, number=0):
    head = b"RP\x01\x00" + struct.pack("<IQII", len(payload) if length is None else length, number, 0, kind << 24)
    return head + payload


def hostile(source):
    """One piece of input that no sender would send."""
    kinds = [lambda: source.randbytes(source.randrange(1, 3000)),
             lambda: b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
             lambda: frame(source.randrange(256), source.randbytes(source.randrange(60))),
             lambda: frame(1, b"reprise ? box ghost 1 ghost here 1"),
             lambda: frame(6, b"some run") * 3,
             lambda: frame(6, b"x", length=0xFFFFFFF0),
             lambda: frame(6, b"some run") + frame(1, b"reprise some run box box 1 box here 1") + frame(2, b"x", number=1),
             lambda: frame(6, b"some run") + frame(2, b"sx#0 1 1\nhello", number=1),
             lambda: frame(6, b"")[:source.randrange(1, 24)]]
    return source.choice(kinds)()


def attack(port, source, count):
    """Returns the connections that are left open."""
    left = []
    for _ in range(count):
        one = socket.socket()
        one.settimeout(0.2)
        try:
            one.connect(("127.0.0.1", port))
            one.sendall(hostile(source))
            if source.random() < 0.2:
                one.recv(4096)
        except OSError:  # nobody listens yet, or it was closed at once, as it should be
            time.sleep(0.001)
        if source.random() < 0.5:
            left.append(one)
        else:
            one.close()
    return left


def serve(bench, name, port, count, recorded=True):
    command = [GUEST, "serve", "box", "127.0.0.1", port, count]
    if recorded:
        command = [REPRISE, "record", "-o", name, "--no-image", "--process", "box", "--", *command]
    process = subprocess.Popen([str(word) for word in command], cwd=bench.folder, env=environment(),
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    process.stdout.readline()
    return process


def check_garbage(bench):
    source = random.Random(7)
    port = free_port()
    server = serve(bench, "open", port, COUNT, recorded=False)
    left = attack(port, source, GARBAGE)
    sender = subprocess.run([str(GUEST), "send", f"127.0.0.1:{port}", "a", str(COUNT), "10000"], cwd=bench.folder,
                            env=environment({"REPRISE_RUN": ""}), capture_output=True, timeout=30, check=False)
    ran = finish(server)
    bench.expect(b"sent" in sender.stdout, "garbage: a sender is served all the same", "",
                 Ran(sender.returncode, sender.stdout, sender.stderr))
    wanted = "box got " + "".join(f"a{i} " for i in range(COUNT)) + "\n"
    bench.expect(ran.code == 0 and ran.out.decode() == wanted, "garbage: the mailbox got what was sent and nothing else", "", ran)
    for one in left:
        one.close()
    check_garbage_recorded(bench, source)


def check_garbage_recorded(bench, source):
    """The mailbox and its sender are one recording, with garbage at the port from the start to the end."""
    port = free_port()
    path = procfile(bench, "hostile", system(port))
    command = [str(REPRISE), "record", "-f", path, "-o", "hostile", "--no-image", "--delay", "anna:20000"]
    process = subprocess.Popen(command, cwd=bench.folder, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               start_new_session=True)
    left = []
    while process.poll() is None and len(left) < 800:
        left += attack(port, source, 5)
    recorded = finish(process)
    for one in left:
        one.close()
    well = bench.expect(recorded.code == 0 and b"box got" in recorded.out and len(left) > 5, "hostile: is recorded", "hostile", recorded)
    replayed = bench.replay("hostile")
    bench.expect(well and replayed.code == 0 and lines_of(replayed.out) == lines_of(recorded.out), "hostile: replays", "hostile", replayed)


# ---- two hosts ----

class TwoHosts:
    """Namespaces NEAR (10.78.0.1) and FAR (10.78.0.2); removed at the end, however it comes."""

    def __init__(self):
        self.near, self.far = (f"reprise{os.getpid()}-{side}" for side in ("near", "far"))

    def __enter__(self):
        steps = [("netns", "add", self.near), ("netns", "add", self.far),
                 ("-n", self.near, "link", "add", "rpn", "type", "veth", "peer", "name", "rpf"),
                 ("-n", self.near, "link", "set", "rpf", "netns", self.far),
                 ("-n", self.near, "addr", "add", "10.78.0.1/24", "dev", "rpn"),
                 ("-n", self.far, "addr", "add", "10.78.0.2/24", "dev", "rpf")]
        steps += [("-n", name, "link", "set", device, "up")
                  for name, device in ((self.near, "rpn"), (self.far, "rpf"), (self.near, "lo"), (self.far, "lo"))]
        self.made = shutil.which("ip") is not None and all(
            subprocess.run(["ip", *step], capture_output=True, check=False).returncode == 0 for step in steps)
        return self

    def __exit__(self, *_):
        for name in (self.near, self.far) if shutil.which("ip") else ():
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)


def start(bench, host, name, process, words, env):
    command = ["ip", "netns", "exec", host, REPRISE, "record", "-o", name, "--process", process, "--no-image", "--", *words]
    return subprocess.Popen([str(word) for word in command], cwd=bench.folder, env=environment(env), stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, start_new_session=True)


def run_hosts(bench, hosts, name, peers):
    """Records the mailbox on the one host and its sender on the other; returns how both ended."""
    env = {"REPRISE_PEERS": peers} if peers else {}
    box = start(bench, hosts.far, f"{name}-box", "box", [GUEST, "serve", "box", "0.0.0.0", 7100, COUNT], env)
    anna = start(bench, hosts.near, f"{name}-anna", "anna", [GUEST, "send", "10.78.0.2:7100", "a", COUNT, 10000], env)
    sent = finish(anna)
    if not peers:
        box.terminate()
    return finish(box), sent


def check_hosts(bench):
    with TwoHosts() as hosts:
        if not hosts.made:
            print("skipped: network namespaces (ip netns) are not permitted here")
            return
        peers = bench.folder / "peers"
        peers.write_text("run monday\n")
        box, anna = run_hosts(bench, hosts, "hosts", peers)
        apart_box, apart = run_hosts(bench, hosts, "apart", None)
    if not bench.expect(box.code == 0 and anna.code == 0 and b"a sent" in anna.out, "hosts: recorded", "hosts-anna", anna):
        return
    lone = bench.replay("hosts-anna", "--stall-after", "2")
    bench.expect(lone.code == 7 and b"reprise merge" in lone.err, "hosts: a part alone is refused", "hosts-anna", lone)
    merged = bench.reprise("merge", "hosts", "hosts-box", "hosts-anna")
    replayed = bench.replay("hosts")
    said = sorted(lines_of(box.out) + lines_of(anna.out))
    bench.expect(merged.code == 0 and replayed.code == 0 and lines_of(replayed.out) == said, "hosts: replay on one", "hosts", replayed)
    bench.expect(b"fault 4" in apart.out and b"another run" in apart.out, "apart: another run is refused", "apart-anna", apart)
    again = bench.replay("apart-anna")
    bench.expect(again.code == 0 and again.out.startswith(apart.out), "apart: the refusal is replayed", "apart-anna", again)
    bench.expect(not apart_box.hung, "apart: the mailbox ends", "apart-box", apart_box)


def main():
    bench = Bench("mailbox_place")
    differ = sum(check_processes(bench, number) for number in range(ROUNDS))
    bench.expect(differ > 0, f"control: without the gate the order is another ({differ} of {ROUNDS})")
    check_sequence(bench)
    check_closed(bench)
    check_garbage(bench)
    check_hosts(bench)
    bench.finish()


main()
