"""What follows a pattern costs nothing: a sender that comes after the same two as before is expected."""
# Goal    Of messages whose senders take turns in a round that repeats, a recording holds only the first few; those that are sent
#         freely replay all the same, and so does a recording that expects the last sender again.
# Method  A round in which the last sender does not say who comes next, the last two do. Control: in the sample that was made when
#         the last sender was expected (format/samples, mcapi) nearly every message of the round is written. It replays in
#         samples.py, against both adversaries. Left alone, what is sent freely comes in another order.
import json
import sys

from _lib import BUILD, SOURCE, Bench

PROGRAM = BUILD / "mcapi" / "turns"
SAMPLE = SOURCE / "format" / "samples" / "v1" / "mcapi.reprise"
IN_TURN = 64
FREELY = 36


def received(bench, recording):
    """The receives that are written, of the main thread, which is node 1."""
    shown = bench.reprise("show", recording, "--json")
    if not bench.expect(shown.code == 0, f"{recording} is shown", ran=shown):
        return 0
    return sum(1 for event in json.loads(shown.out) if event["thread"] == "0" and event["kind"] == "mcapi_recv")


def senders(ran):
    return [line.split()[3:] for line in ran.out.decode().splitlines() if line.startswith("node 1 got ")]


def control(bench):
    """On a quiet machine not at the first try."""
    seen = set()
    for number in range(50):
        seen.update(tuple(got) for got in senders(bench.record(PROGRAM, f"control-{number}")))
        if len(seen) > 1:
            break
    bench.expect(len(seen) > 1, "control: the order depends on who is first")


def main():
    with Bench("mcapi_expected") as bench:
        written = received(bench, SAMPLE)
        bench.expect(written > IN_TURN * 3 // 4, f"control: where the last sender is expected, {written} of {IN_TURN} are written")
        control(bench)
        for technique in ("receiver", "sender", "data"):
            recorded = bench.record(PROGRAM, technique, options=["--technique", technique], favour="first")
            got = senders(recorded)
            bench.expect(recorded.code == 0 and len(got) == 1 and len(got[0]) == IN_TURN + FREELY, f"{technique}: is recorded",
                         technique, recorded)
            bench.expect(got[0][:IN_TURN] == ["2", "3", "2", "4"] * (IN_TURN // 4), f"{technique}: they take turns: {got}")
            written = received(bench, technique)
            bench.expect(0 < written < FREELY + IN_TURN // 4, f"{technique}: {written} are written")
            for favour in ("first", "last"):
                replayed = bench.replay(technique, favour=favour)
                bench.expect(replayed.code == 0 and senders(replayed) == got, f"{technique}: replays while the {favour} thread is favoured",
                             technique, replayed)
        return bench.finish()


if __name__ == "__main__":
    sys.exit(main())
