# label: slow
"""Goal    The sample programs of the CARE paper behave and log as its appendix C says, in every mode there is.
Method  The samples are compiled as C99 and run as a system of three. client1 starts when client2a does, so that their
        messages race at the server. Recorded while an adversary delays one client, replayed while it delays the other.
        The control: the same without the gate comes out in another order. Each process also replays alone, with all
        other programs deleted. Then the modes by CARE_MODE, and by the program's own MODE, without the tool.
        What `show --style care` prints is compared with appendix C: line by line where the program decides, each
        client's messages by themselves where they race (at the server). Host names are ours. The scan of C.5 has 17
        lines for 15 messages, so that the server is compared with what the clients send, as C.6 has it.
"""
import os
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

from _lib import BUILD, FULL, REPRISE, SOURCE, Bench, run
from message_lib import lines_of, record

ROUNDS = 5 if FULL else 2
TIME_OUT = 1000 if FULL else 50  # of client2b's last receive, hundredths of a second; the paper's is 1000
DELAY_US = 5000
WORKERS = 4  # they sleep most of the time
PROGRAMS = ("server", "client1", "client2")
HOST = os.uname().nodename
STRICT = ["-std=c99", "-D_DEFAULT_SOURCE", "-pedantic", "-Wall", "-Wextra", "-Werror"]
LINKED = ["-L", BUILD / "lib", "-lreprise", f"-Wl,-rpath,{BUILD / 'lib'}"]
LIBRARY = {"LD_LIBRARY_PATH": BUILD / "lib"}


def compiled(bench, folder, more=()):
    """The samples as C99, each with the sources `more`."""
    folder.mkdir()
    for name in PROGRAMS:
        source = SOURCE / "examples" / "06_care" / f"{name}.c"
        made = run(["gcc", *STRICT, "-I", SOURCE / "include", source, *more, "-o", folder / name, *LINKED], bench.folder)
        bench.expect(made.code == 0, f"{name} is C99", ran=made)
    return folder


# What appendix C shows, with our host's name.
def capture_log():
    client2a, client2b = [], []
    for version, number in zip(range(1, 10, 2), range(2, 11, 2)):
        client2a += [f"wrote object Number version {version} total readers {0 if version == 1 else 1}",
                     f"read object Number version {version + 1}",
                     f"reply from client2b on host {HOST} to message {number}",
                     f"read object Number version {version + 2}"]
        client2b += [f"from client2a on host {HOST} id {number}",
                     f"wrote object Number version {version + 1} total readers 1"]
    return {"client1_rec": [f"reply from server on host {HOST} to message {number}" for number in range(2, 11, 2)],
            "client2a_rec": client2a, "client2b_rec": [*client2b, "from - on host - id 0"]}


def reply_line(sender, number, text):
    return f"reply from {sender} on host {HOST} to message {number} len {len(text) + 1} - {text}"


def from_line(sender, number, index, kind):
    text = f"This is {sender} message {number}"
    return f"from {sender} on host {HOST} id {number} index {index} type {kind} len {len(text) + 1} - {text}"


def full_log():
    client2a = []
    for version, number in zip(range(1, 10, 2), range(2, 11, 2)):
        client2a += [f"read object Number version {version + 1} contents - {number}",
                     reply_line("client2b", number, f"c2b reply to message {number} from client2a on host {HOST}"),
                     f"read object Number version {version + 2} contents - {50 + version // 2}"]
    client1 = [reply_line("server", number, f"reply to message {number} from client1 on host {HOST}")
               for number in range(2, 11, 2)]
    client2b = [from_line("client2a", number, 0, 2) for number in range(2, 11, 2)]
    return {"client1_rec": client1, "client2a_rec": client2a,
            "client2b_rec": [*client2b, "from - on host - id 0 index 0 type 0 len 0 -"]}


def shown(bench, *recordings):
    """The sections that `show --style care` prints of them, by title."""
    found, lines = {}, []
    for name in recordings:
        for line in bench.reprise("show", name, "--style", "care").out.decode().splitlines():
            if line.endswith("_rec") and " " not in line:
                lines = found[line] = []
            elif line:
                lines.append(line)
    return found


def is_server_log(lines, full):
    """Fifteen messages: those of each client in its order, whatever the order among the clients."""
    indexes = {}
    for line in lines:
        indexes.setdefault(line.split()[1], len(indexes))
    expected = {"client1": [(number, 2 if number % 2 == 0 else 0) for number in range(1, 11)],
                "client2a": [(number, 0) for number in range(1, 10, 2)]}
    if sorted(indexes) != sorted(expected) or len(lines) != 15:
        return False
    for sender, messages in expected.items():
        mine = [line for line in lines if line.split()[1] == sender]
        if full and mine != [from_line(sender, number, indexes[sender], kind) for number, kind in messages]:
            return False
        if not full and mine != [f"from {sender} on host {HOST} id {number}" for number, _ in messages]:
            return False
    return True


def check_logs(bench, what, full, *recordings):
    logs = shown(bench, *recordings)
    server = logs.pop("server_rec", [])
    expected = full_log() if full else capture_log()
    bench.expect(logs == expected, f"{what}: the clients' logs are those of appendix C:\n  {logs}\n  {expected}"[:3000],
                 recordings[0])
    bench.expect(is_server_log(server, full), f"{what}: the server's log is like that of appendix C:\n  {server}"[:2000],
                 recordings[0])
    return server


def system(folder):
    """client1 waits as long as client2a does."""
    return {"server": [folder / "server"], "client1": ["sh", "-c", f"'sleep 1; exec {folder / 'client1'}'"],
            "client2": [folder / "client2", TIME_OUT]}


def race(bench, folder, full):
    level = "data" if full else "order"
    differ = 0
    for number in range(ROUNDS):
        slow, other = ("client1", "client2") if number % 2 == 0 else ("client2", "client1")
        name = f"{level}-{number}"
        recorded = record(bench, name, system(folder), "--no-image", "--service", "server", "--level", level, "--delay",
                          f"{slow}:{DELAY_US}")
        said = lines_of(recorded.out)
        bench.expect(recorded.code == 0 and len(said) == 15 + 5 + 20, f"{name}: is recorded", name, recorded)
        check_logs(bench, name, full, name)
        replayed = bench.replay(name, "--delay", f"{other}:{DELAY_US}")
        order = [line for line in recorded.out.splitlines() if line.startswith(b"server")]
        again = [line for line in replayed.out.splitlines() if line.startswith(b"server")]
        bench.expect(replayed.code == 0 and lines_of(replayed.out) == said and order == again,
                     f"{name}: replays as recorded:\n  {order}"[:1500], name, replayed)
        control = run([REPRISE, "record", "-f", f"{name}.procfile", "-o", f"{name}-control", "--no-image", "--service",
                       "server", "--delay", f"{other}:{DELAY_US}"], bench.folder)
        differ += [line for line in control.out.splitlines() if line.startswith(b"server")] != order
    bench.expect(differ == ROUNDS, f"control: under the other adversary {differ} of {ROUNDS} come in another order")


def alone(bench, programs):
    """Each process of a recording at level data, without the other programs."""
    folder = bench.folder / "lonely"
    shutil.copytree(programs, folder)
    recorded = record(bench, "alone", system(folder), "--no-image", "--service", "server", "--level", "data")
    for only, mine in (("server", b"server"), ("client1", b"Reply"), ("client2", (b"2a", b"client2b"))):
        said = [line for line in recorded.out.splitlines() if line.startswith(mine)]
        shutil.rmtree(folder)
        folder.mkdir()
        shutil.copy2(programs / only, folder / only)
        ran = bench.reprise("replay", "alone", "--only", only)
        replayed = [line for line in ran.out.splitlines() if not line.startswith(b"replayed")]
        bench.expect(ran.code == 0 and replayed == said and len(said) >= 5, f"{only} replays alone", "alone", ran)


def together(folder, programs, mode, stops_server):
    """The three programs without the tool; what each printed. The server is stopped, or ends by itself on replay."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("REPRISE")} | LIBRARY | mode
    started = {}
    for name in PROGRAMS:
        words = [programs / name, *([str(TIME_OUT)] if name == "client2" else [])]
        started[name] = subprocess.Popen(words, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    said = {}
    for name in ("client1", "client2", "server"):
        if name == "server" and stops_server:
            time.sleep(0.2)  # the last message of client1 was a call; those of client2a came long before its time-out
            started[name].terminate()
        try:
            out, err = started[name].communicate(timeout=40)
        except subprocess.TimeoutExpired:
            started[name].kill()
            out, err = b"hung", started[name].communicate()[1]
        said[name] = (out, err)
    return said


def modes(bench, programs, setting):
    """The modes of the paper, without the tool; `setting` makes an environment and programs of a mode's name."""
    folder = bench.folder / f"modes-{programs.name}"
    folder.mkdir()
    for capture, replay in (("CAPTURE", "REPLAY"), ("FULL_CAPTURE", "REPLAY_ONE")):
        captured = together(folder, *setting(capture), True)
        lines = len(captured["server"][0].splitlines())
        bench.expect(lines == 15 and not any(err for _, err in captured.values()), f"{capture}: {captured}"[:2000])
        check_logs(bench, capture, capture == "FULL_CAPTURE", *(folder / f"{name}_rec.reprise" for name in PROGRAMS))
        replayed = together(folder, *setting(replay), False)
        bench.expect(replayed == captured, f"{replay}: {replayed}\n  {captured}"[:3000])


def checkpoints(bench, programs, setting):
    """The sixth mode: each process goes on from its last checkpoints, again and again, when all of them are gone."""
    folder = bench.folder / f"checkpoints-{programs.name}"
    folder.mkdir()
    captured = together(folder, *setting("CHECKPOINT"), True)
    bench.expect(len(captured["server"][0].splitlines()) == 15 and not any(err for _, err in captured.values()),
                 f"CHECKPOINT: {captured}"[:2000])
    check_logs(bench, "CHECKPOINT", True, *(folder / f"{name}_rec.reprise" for name in PROGRAMS))
    said_again = 0
    for name in PROGRAMS:
        recording = folder / f"{name}_rec.reprise"
        standing = bench.info(recording)["checkpoints"]["standing"]
        bench.expect(len(standing) >= 1 and all(one["alive"] for one in standing), f"CHECKPOINT: {name}: {standing}")
        said = captured[name][0].splitlines()
        for one in standing:
            for _ in range(2):
                ran = bench.reprise("replay", recording, "--from-checkpoint", str(one["number"]))
                rest = [line for line in ran.out.splitlines() if not line.startswith(b"replayed")]
                said_again += len(rest)
                bench.expect(ran.code == 0 and all(line in said for line in rest), f"CHECKPOINT: {name} goes on", ran=ran)
        ended = bench.reprise("clean", recording, "--json", env={"TMPDIR": folder})
        bench.expect(ended.json()["checkpoints"] == len(standing), f"CHECKPOINT: {name}: all are ended", ran=ended)
    bench.expect(said_again >= 4, f"CHECKPOINT: the samples have a future: {said_again} lines")


def refusals(bench, programs):
    ran = run([programs / "server"], bench.folder, 20, LIBRARY | {"CARE_MODE": "SOMETHING"})
    bench.expect(ran.code == 1 and b"no such mode" in ran.err and not ran.hung, "SOMETHING: is refused", ran=ran)


def with_variable(bench):
    """Programs whose own MODE says the mode, one set per mode."""
    made = {}
    for mode in ("CAPTURE", "REPLAY", "FULL_CAPTURE", "REPLAY_ONE", "CHECKPOINT"):
        config = bench.folder / f"{mode}.c"
        config.write_text(f"#include <reprise/care.h>\nint MODE = {mode};\nint CP_COUNT = 15;\n")
        made[mode] = compiled(bench, bench.folder / f"own-{mode}", [config])
    return made


def main():
    bench = Bench("care")
    programs = compiled(bench, bench.folder / "programs")
    normal = together(bench.folder, programs, {}, True)
    bench.expect(len(normal["server"][0].splitlines()) == 15, f"NORMAL: {normal}"[:2000])
    refusals(bench, programs)
    own = with_variable(bench)
    with ThreadPoolExecutor(WORKERS) as pool:
        tasks = [pool.submit(race, bench, programs, full=False), pool.submit(race, bench, programs, full=True),
                 pool.submit(alone, bench, programs),
                 pool.submit(modes, bench, programs, lambda mode: (programs, {"CARE_MODE": mode})),
                 pool.submit(modes, bench, own["CAPTURE"], lambda mode: (own[mode], {})),
                 pool.submit(checkpoints, bench, programs,
                             lambda mode: (programs, {"CARE_MODE": mode, "CARE_CP_COUNT": "12"})),
                 pool.submit(checkpoints, bench, own["CHECKPOINT"], lambda mode: (own[mode], {}))]
    for task in tasks:
        task.result()
    bench.finish()


main()
