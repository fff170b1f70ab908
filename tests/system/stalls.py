"""Goal    A replay that cannot go on says so, who waits for what, and who should have supplied it; and never hangs.
Method  A guest that becomes another program by what a file says, in ways that no step of its own shows: it leaves out a step
        that another thread waits for (all wait at gates: proven), blocks or computes where no gate sees it (after
        --stall-after). The control: as recorded, it replays; and a recorded deadlock is no stall.
"""
import time

from _lib import GUESTS, Bench, run


def replay_as(bench, mode, text, *options):
    mode.write_text(text, encoding="utf-8")
    start = time.monotonic()
    return bench.replay("stall", "--json", "--quiet", *options), time.monotonic() - start


def proven(bench, mode):
    ran, seconds = replay_as(bench, mode, "skip", "--stall-after", 60)
    if not bench.expect(ran.code == 4 and seconds < 30, "all wait at gates: is stalled, at once", "stall", ran):
        return
    stall = ran.json()["stall"]
    bench.expect(stall["proven"], "all wait at gates: is proven", "stall", ran)
    waiter = [thread for thread in stall["threads"] if thread["thread"] == "0.0"]
    bench.expect(len(waiter) == 1 and "number" in waiter[0]["waits_for"] and waiter[0]["supplier"] == "0",
                 "all wait at gates: says who waits for whom", "stall", ran)
    alone = run([GUESTS / "stalls", mode], bench.folder, env={"REPRISE_REPLAY": bench.path("stall")})
    bench.expect(alone.code == 4 and b"stalled" in alone.err, "all wait at gates: said without a launcher too", "stall", alone)


def unproven(bench, mode, how):
    ran, seconds = replay_as(bench, mode, how, "--stall-after", 1)
    if not bench.expect(ran.code == 4, f"{how}: is stalled", "stall", ran):
        return
    bench.expect(1 <= seconds < 20, f"{how}: after the time that was asked for, not {seconds:.1f} s", "stall", ran)
    stall = ran.json()["stall"]
    bench.expect(not stall["proven"], f"{how}: is not proven", "stall", ran)
    main = [thread for thread in stall["threads"] if thread["thread"] == "0"]
    bench.expect(len(main) == 1 and "0.0" in main[0]["waits_for"], f"{how}: main waits for the other", "stall", ran)


def main():
    bench = Bench("stalls")
    mode = bench.folder / "mode"
    mode.write_text("plain", encoding="utf-8")
    recorded = bench.record("stalls", "stall", mode)
    bench.expect(recorded.code == 0 and recorded.out == b"2\n", "is recorded", "stall", recorded)
    ran, _ = replay_as(bench, mode, "plain")
    bench.expect(ran.code == 0, "control: the program as it was replays", "stall", ran)
    proven(bench, mode)
    for how in ("block", "spin"):
        unproven(bench, mode, how)
    bench.record("deadlock", "deadlock", timeout=0.5)
    ran = bench.replay("deadlock", "--stall-after", 60)
    bench.expect(ran.code == 0, "control: a recorded deadlock is no stall", "deadlock", ran)
    bench.finish()


main()
