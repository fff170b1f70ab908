"""Goal    Errors of mailboxes are outcomes: `--exceptions simulate`, the default, throws them on replay where they were recorded;
        `trace-only` lets them come by themselves, and tells what is not as recorded, without hanging.
Method  A sender finds nobody at a port. Then somebody listens there: by simulation the exception comes again; by trace-only it
        does not, and that is the divergence. Control: with nobody there trace-only replays identically. The same with an
        unknown host, with a mailbox that never came by its name, with a connection that broke, with a port that was taken. What
        the recording says (record --exceptions) holds where the replay says nothing.
"""
import socket
import subprocess

from _lib import GUESTS, Bench, environment
from message_lib import procfile, record

GUEST = GUESTS / "mailbox_hosts"
TRACE_ONLY = ("--exceptions", "trace-only")
MARK = b"(--exceptions trace-only)"


def reserved():
    """A socket whose port nobody else gets, and where nobody listens."""
    one = socket.socket()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    one.bind(("127.0.0.1", 0))
    return one, one.getsockname()[1]


def start_mailbox(bench, port):
    process = subprocess.Popen([str(GUEST), "serve", "box", "127.0.0.1", str(port), "1"], cwd=bench.folder,
                               env=environment(), stdout=subprocess.PIPE)
    process.stdout.readline()
    return process


def same(bench, name, recorded, what, *options):
    ran = bench.replay(name, *options, seconds=20)
    bench.expect(ran.code == 0 and ran.out.startswith(recorded.out), f"{name}: {what}", name, ran)


def other(bench, name, what, text, *options):
    ran = bench.replay(name, *options, seconds=20)
    told = ran.code == 3 and MARK in ran.out and text in ran.out and not ran.hung
    bench.expect(told, f"{name}: {what} is told as the difference", name, ran)


def check_refused(bench):
    guard, port = reserved()
    place = f"127.0.0.1:{port}"
    recorded = bench.record(GUEST, "refused", "send", place, "a", 3, 50)
    kept = bench.record(GUEST, "policy", "send", place, "a", 3, 50, options=TRACE_ONLY)
    for ran, name in ((recorded, "refused"), (kept, "policy")):
        bench.expect(ran.code == 0 and b"fault 4" in ran.out, f"{name}: nobody listens", name, ran)
    same(bench, "refused", recorded, "control: trace-only, and still nobody there", *TRACE_ONLY)
    guard.close()
    server = start_mailbox(bench, port)
    same(bench, "refused", recorded, "simulated, though somebody listens now")
    other(bench, "refused", "a mailbox that answers now", b"box of process", *TRACE_ONLY)
    other(bench, "policy", "the policy of the recording: it", b"box of process")
    same(bench, "policy", kept, "the policy of the replay comes first", "--exceptions", "simulate")
    server.terminate()
    server.wait()
    with socket.create_server(("127.0.0.1", port)):
        other(bench, "refused", "one that listens and says nothing", b"does not answer", *TRACE_ONLY)


def check_others(bench):
    name = "x" * 100  # too long for a name: nobody is asked for it
    recorded = bench.record(GUEST, "unknown", "send", f"{name}:1", "a", 3, 50)
    bench.expect(b"fault 10" in recorded.out, "unknown: there is no such host", "unknown", recorded)
    same(bench, "unknown", recorded, "simulated")
    same(bench, "unknown", recorded, "trace-only: it comes of itself", *TRACE_ONLY)
    broken = bench.record(GUEST, "broken", "broken")
    bench.expect(b"fault 5" in broken.out, "broken: the mailbox is gone", "broken", broken)
    same(bench, "broken", broken, "simulated")
    ran = bench.replay("broken", *TRACE_ONLY, seconds=20)
    bench.expect(not ran.hung and (ran.code == 0 or (ran.code == 3 and MARK in ran.out)),
                 "broken: comes of itself, or is told", "broken", ran)


def check_taken(bench):
    """A mailbox that cannot listen: another has its port."""
    guard, port = reserved()
    guard.listen()
    recorded = bench.record(GUEST, "taken", "serve", "box", "127.0.0.1", port, 1)
    bench.expect(recorded.code == 134, "taken: nobody catches it", "taken", recorded)
    same(bench, "taken", recorded, "control: trace-only, and still taken", *TRACE_ONLY)
    guard.close()
    same(bench, "taken", recorded, "simulated, though the port is free now")
    other(bench, "taken", "a port that is free now", b"now it can", *TRACE_ONLY)


def check_late(bench):
    """By name: the sender gives up before the mailbox comes. On replay it is there, or not: told, or identical."""
    lines = {"late": ["/bin/sh", "-c", f"'sleep 1; exec {GUEST} serve box 127.0.0.1 0 0'"],
             "early": [GUEST, "send", "box", "a", 1, 100]}
    recorded = record(bench, "late", lines, "--no-image")
    bench.expect(b"fault 2" in recorded.out, "late: nobody came in time", "late", recorded)
    ran = bench.replay("late", seconds=20)
    bench.expect(ran.code == 0 and b"fault 2" in ran.out, "late: simulated", "late", ran)
    procfile(bench, "late", lines)
    ran = bench.replay("late", *TRACE_ONLY, seconds=20)
    bench.expect(not ran.hung and (ran.code == 0 or (ran.code == 3 and MARK in ran.out)), "late: of itself, or told", "late", ran)


def main():
    bench = Bench("exceptions")
    check_refused(bench)
    check_others(bench)
    check_taken(bench)
    check_late(bench)
    wrong = bench.reprise("replay", "refused", "--exceptions", "perhaps")
    bench.expect(wrong.code == 2 and b"simulate" in wrong.err, "a policy that there is not is refused", "", wrong)
    bench.finish()


main()
