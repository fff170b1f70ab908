# label: slow
"""Goal    A peer that is killed and a stranger that sends garbage harm nobody: survivors are told, and it all replays.
Method  Kill: two processes send to and call each other; one is killed with SIGKILL after a random time (seeded). The other
        must get an error and end by itself, and the recording must replay, killed process included.
        Garbage: while two senders are at work, connections with garbage of many kinds are made to the receiver's socket:
        random bytes, damaged greetings, wrong runs, oversized lengths, frames out of turn. The receiver must print what it
        would have printed, neither grow nor keep the connections, and replay amid more garbage.
"""
import json
import os
import random
import signal
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path

from _lib import FULL, GUESTS, REPRISE, Bench, environment
from message_lib import lines_of, procfile, record

KILLS = 100 if FULL else 8
KINDS = 1000 if FULL else 200
SEED = 4
GROWTH_KIB_MAX = 8192


def wait_for(path, seconds=20):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if path.exists() and path.read_text().endswith("\n"):
            return int(path.read_text())
        time.sleep(0.002)
    return None


def kill_one(bench, number, source):
    name = f"kill-{number}"
    told = bench.folder / f"{name}.pid"
    guest = GUESTS / "message_victim"
    file = procfile(bench, name, {"survivor": [guest], "victim": [guest, told]})
    process = subprocess.Popen([REPRISE, "record", "-f", file, "-o", name, "--no-image"], cwd=bench.folder,
                               env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    pid = wait_for(told)
    bench.expect(pid is not None, f"{name}: the victim starts", name)
    time.sleep(source.random() * 0.1)
    if pid is not None:
        os.kill(pid, signal.SIGKILL)
    try:
        out, err = process.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        return bench.expect(False, f"{name}: the survivor ends", name)
    said = lines_of(out)
    well = bench.expect(process.returncode == 128 + signal.SIGKILL and len(said) == 2 and "is gone" in said[0],
                        f"{name}: the survivor is told: {process.returncode} {said} {err[-300:]}", name)
    replayed = bench.replay(name)
    well &= bench.expect(replayed.code == 0 and lines_of(replayed.out) == said, f"{name}: replays: {said}", name, replayed)
    if well:
        bench.drop(name)
    return well


def frame(kind, payload, number=0, length=None, version=1, magic=b"RP", call=0):
    size = len(payload) if length is None else length
    return magic + struct.pack("<BBIQII", version, 0, size & 0xFFFFFFFF, number, 0, call | kind << 24) + payload


def garbage(source, run):
    """One kind of what must not come."""
    greeting = f"reprise {run} receiver stranger 1 stranger host {source.randrange(1 << 40)}".encode()
    cut = source.randrange(len(greeting))
    noise = source.randbytes(source.randrange(1, 3000))
    kinds = [
        lambda: noise,
        lambda: b"",
        lambda: b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        lambda: frame(1, greeting[:cut]),
        lambda: frame(1, greeting)[:source.randrange(24 + len(greeting))],
        lambda: frame(1, greeting.replace(run.encode(), b"0123")),
        lambda: frame(1, greeting.replace(b" receiver ", b" elsewhere ")),
        lambda: frame(1, greeting, version=source.randrange(2, 256)),
        lambda: frame(1, greeting, magic=source.randbytes(2)),
        lambda: frame(source.randrange(6, 256), greeting),
        lambda: frame(1, noise, length=0xFFFFFFFF),
        lambda: frame(2, b"a message without a greeting", number=1),
        lambda: frame(1, greeting) + noise,
        lambda: frame(1, greeting) + frame(2, b"", number=1, length=(64 << 20) + 1 + source.randrange(1 << 20)),
        lambda: frame(1, greeting) + frame(2, b"a frame that is cut", number=1, length=1000),
        lambda: frame(1, greeting) + frame(2, b"out of turn", number=source.randrange(2, 1 << 60)),
        lambda: frame(1, greeting) + frame(4, b"a reply", number=1, call=7),
        lambda: frame(1, greeting) + frame(1, greeting, number=1),
        lambda: bytes(byte ^ (source.random() < 0.02) for byte in frame(1, greeting)),
    ]
    return source.choice(kinds)()


def status(pid):
    text = open(f"/proc/{pid}/status", encoding="ascii").read()
    return int(text.split("VmRSS:")[1].split()[0]), len(os.listdir(f"/proc/{pid}/fd"))


def throw(told, kinds):
    """A program of the system: throws garbage at the receiver while it lives, and tells how that grew meanwhile."""
    folder = Path(os.environ["REPRISE_RUN"])
    while not list(folder.glob("receiver*.socket")):
        time.sleep(0.005)
    os.chdir(folder)  # a socket's path is short
    (path,) = folder.glob("receiver*.socket")
    run = (folder / "run").read_text()
    source = random.Random(SEED)
    growth = []
    for number in range(kinds):
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as stranger:
                stranger.settimeout(10)
                stranger.connect(path.name)
                receiver = struct.unpack("iII", stranger.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
                stranger.sendall(garbage(source, run))
                if number % 4 == 0:
                    time.sleep(0.001)
                if number in (kinds // 10, kinds - 1):
                    growth.append(status(receiver))
        except (BrokenPipeError, ConnectionResetError):
            continue
        except OSError:
            break  # the receiver has ended
    Path(told).write_text(json.dumps(growth))


def garbage_on_the_port(bench):
    messages = 8000
    told = bench.folder / "growth.json"
    guest = GUESTS / "message_race"
    lines = {"receiver": [guest, "receiver", messages], "anna": [guest, "sender", "anna", messages],
             "bert": [guest, "sender", "bert", messages],
             "stranger": ["/usr/bin/python3", Path(__file__).resolve(), "throw", told, KINDS]}
    env = {"PYTHONPATH": Path(__file__).resolve().parent}
    recorded = record(bench, "garbage", lines, "--no-image", "--delay", f"anna:{400 if FULL else 100}", env=env)
    said = lines_of(recorded.out)
    bench.expect(recorded.code == 0 and len(said) == 3, "garbage: all end well", "garbage", recorded)
    order = said[-1].split()[-1]
    bench.expect(order.count("anna") == messages + 1 == order.count("bert"), "garbage: every message came once, no other")
    growth = json.loads(told.read_text())
    if bench.expect(len(growth) == 2, "garbage: all of it was thrown in time"):
        (before, _), (after, files) = growth
        print(f"garbage: {KINDS} kinds, {before} KiB before, {after} KiB after, {files} open files")
        bench.expect(after - before < GROWTH_KIB_MAX and files < 120, f"garbage: nothing grows {growth}")
    replayed = bench.replay("garbage", env=env)
    bench.expect(replayed.code == 0 and lines_of(replayed.out) == said, "garbage: replays, amid more of it", "garbage",
                 replayed)


def main():
    bench = Bench("message_faults")
    source = random.Random(SEED)
    survived = sum(kill_one(bench, number, source) for number in range(KILLS))
    print(f"{survived} of {KILLS} kills: the survivor was told, and the recording replays")
    garbage_on_the_port(bench)
    bench.finish()


if sys.argv[1:2] == ["throw"]:
    throw(sys.argv[2], int(sys.argv[3]))
else:
    main()
