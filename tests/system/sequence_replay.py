"""Goal    replay --sequence makes happen what was written, from the text alone, and says what does otherwise; sequence --files writes
        files that test and replay read back as the same run.
Method  The bounded buffer with a text in each form; the same text with one event moved, one left out, one too many; files of a
        recording, forced, printed again, and their vector timestamps against the causality of the program.
"""
import re
from pathlib import Path
import os

from _lib import GUESTS, Bench, run, REPRISE

EXAMPLES = Path(os.environ["REPRISE_EXAMPLES"])
HEAD = "start-id: producer=1, start-id: buffer=2, start-id: consumer=3"
ORDER = [2, 1, 1, 2, 2, 3, 1, 2, 1, 2, 2, 1, 2, 2, 3, 3]  # figure 6.25, who


def procfile(bench):
    path = bench.folder / "Procfile"
    path.write_text("".join(f"{name}: {EXAMPLES}/20_bounded_buffer {name}\n" for name in ("producer", "buffer", "consumer")))
    return path


def replay(bench, text, *options):
    (bench.folder / "one.seq").write_text(text)
    return run([REPRISE, "replay", "--sequence", "one.seq", "-o", "forced", "--force", *options, "-f", procfile(bench)], bench.folder)


def simple(order):
    return f"form: simple, {HEAD}\n" + "".join(f"({who})\n" for who in order)


def forced(bench):
    ran = replay(bench, simple(ORDER))
    bench.expect(ran.code == 0 and ran.out.startswith(b"forced as written (16 events"), "a simple sequence is forced", "forced", ran)
    bench.expect(b"Consumed 2\n" in ran.out, "what the program prints is shown", "forced", ran)
    again = run([REPRISE, "sequence", "forced", "--form", "simple", "--start-id", "producer=1", "--start-id", "buffer=2",
                 "--start-id", "consumer=4"], bench.folder)
    events = [int(who) for who in re.findall(r"\((\d+)\)", again.out.decode())]
    count = {who: events.count(4 if who == 3 else who) for who in (1, 2, 3)}
    bench.expect(count == {who: ORDER.count(who) for who in (1, 2, 3)}, f"each thread has its events: {count}")
    bench.expect(len(events) == 16, f"all events are there: {events}")

    swapped = ORDER[:]
    swapped[2], swapped[3] = swapped[3], swapped[2]  # the buffer receives before anything arrived
    ran = replay(bench, simple(swapped), "--json")
    bench.expect(ran.code == 4 and ran.json()["event"] == 3 and ran.json()["verdict"] == "stalled",
                 "a receive before its arrival stalls at event 3", "forced", ran)
    ran = replay(bench, simple(ORDER[:-1]), "--json")
    bench.expect(ran.code == 3 and any("consumer/0" in line for line in ran.json()["instead"]),
                 "a sequence that is too short diverges: the consumer would receive once more", "forced", ran)
    ran = replay(bench, f"form: total, {HEAD}\n(1,withdraw,connection)\n", "--json")
    bench.expect(ran.code == 3 and any(line.startswith("producer/0: connection deposit") for line in ran.json()["instead"]),
                 "a wrong mailbox diverges, and what the thread does instead is named", "forced", ran)
    ran = replay(bench, "form: simple\n(1\n")
    bench.expect(ran.code == 2 and b"one.seq:3:1: expected" in ran.err, "a text that is none says where", "", ran)
    ran = replay(bench, "form: simple\n(1)\n")
    bench.expect(ran.code == 2 and b"--start-id" in ran.err, "numbers need processes", "", ran)


def commands(bench):
    for words, why in ((["replay", "--sequence", "one.seq"], b"no program"), (["replay", "x", "--", "true"], b"nothing may follow"),
                       (["replay", "x", "--sequence", "one.seq", "--", "true"], b"not both"), (["replay", "-f", "x"], b"needs --sequence")):
        ran = run([REPRISE, *words], bench.folder)
        bench.expect(ran.code == 2 and why in ran.err, f"{words} is refused", "", ran)


def files(bench):
    recorded = run([REPRISE, "record", "-o", "buffer", "-f", procfile(bench)], bench.folder)
    bench.expect(recorded.code == 0, "the buffer is recorded", "buffer", recorded)
    written = run([REPRISE, "sequence", "buffer", "--files"], bench.folder)
    folder = bench.folder / "buffer.sequence"
    names = {f"Node1_channel-{what}.txt" for what in ("replay", "test", "trace")} | {
        f"{name}_ThreadID.txt" for name in ("producer", "buffer", "consumer")}
    bench.expect(written.code == 0 and {path.name for path in folder.iterdir()} == names, "the files are there", "buffer", written)
    for command, wanted in (("test", b"feasible"), ("replay", b"forced as written")):
        ran = run([REPRISE, command, "--sequence", "buffer.sequence", "-o", f"{command}ed", "-f", procfile(bench)], bench.folder)
        bench.expect(ran.code == 0 and ran.out.startswith(wanted), f"{command} reads them back", f"{command}ed", ran)
        again = run([REPRISE, "sequence", f"{command}ed", "--files", "again"], bench.folder)
        for path in sorted(folder.glob("*.txt")):
            bench.expect(path.read_text() == (bench.folder / "again" / path.name).read_text(),
                         f"{command}ed, {path.name} is the same again", f"{command}ed", again)
    timestamps(bench, (folder / "Node1_channel-trace.txt").read_text())
    # The control: without the last line the same folder is no whole run any more.
    test = folder / "Node1_channel-test.txt"
    test.write_text("\n".join(test.read_text().rstrip().split("\n")[:-1]) + "\n")
    ran = run([REPRISE, "test", "--sequence", "buffer.sequence", "-o", "less", "-f", procfile(bench)], bench.folder)
    bench.expect(ran.code == 1, "with an event less it is infeasible", "less", ran)


def timestamps(bench, text):
    """The i-th receive at deposit knows the i-th arrival there, and an arrival at withdraw the receive before it."""
    rows = re.findall(r"\((\w+),(\d+),(\w+),(\d+)\) // sender (\d+), time \[([\d,]+)\]", text)
    time = {}
    for kind, thread, box, number, sender, stamp in rows:
        stamp = [int(one) for one in stamp.split(",")]
        bench.expect(len(stamp) == 5, "an entry for each of three threads and two mailboxes")
        bench.expect(kind == "receive" or sender == thread, "who sent")
        time.setdefault((kind, box), []).append((int(number), stamp))
    known = lambda early, late: all(one <= other for one, other in zip(early, late)) and early != late
    for box in ("deposit", "withdraw"):
        for (_, came), (_, got) in zip(time["arrival", box], time["receive", box]):
            bench.expect(known(came, got) and not known(got, came), f"a receive from {box} comes after its arrival")
    for (_, got), (_, came) in zip(time["receive", "deposit"], time["arrival", "withdraw"]):
        bench.expect(known(got, came), "an arrival at withdraw comes after the receive before its send")
    bench.expect(len(rows) == 16, "all events have one")


def processes(bench):
    """Monitors, semaphores, synchronous mailboxes and selective waits at once: by the files, too."""
    guest = GUESTS / "sequence_forms"
    recorded = run([REPRISE, "record", "-o", "all", "--", guest], bench.folder)
    written = run([REPRISE, "sequence", "all", "--files"], bench.folder)
    bench.expect(written.code == 0 and (bench.folder / "all.sequence" / "sequence_forms_monitorID.txt").read_text().split() ==
                 ["1", "left", "2", "right"], "monitors have numbers", "all", written)
    for command in ("test", "replay"):
        ran = run([REPRISE, command, "--sequence", "all.sequence", "-o", "allof", "--force", "--", guest], bench.folder)
        shown = ran if command == "replay" else run([REPRISE, "replay", "allof"], bench.folder)
        bench.expect(ran.code == 0 and recorded.out in shown.out, f"{command} makes the program print the same", "allof", shown)


def main():
    with Bench("sequence_replay") as bench:
        forced(bench)
        commands(bench)
        files(bench)
        processes(bench)
        bench.finish()


if __name__ == "__main__":
    main()
