# label: slow
"""Goal    Racing senders of several processes come in the recorded order, whatever delays them.
Method  Three processes: two send 64-byte messages as fast as they can, the third prints in what order they came. Recorded
        while an adversary delays one sender at each gate, replayed while it delays the other: the replay must be
        identical and print the same. The control: the same programs under the same adversary without the gate come out
        in another order.
"""
from _lib import FULL, GUESTS, Bench
from message_lib import lines_of, record

RECORDINGS = 50 if FULL else 6
REPLAYS = 10 if FULL else 3
MESSAGES = 40
DELAY_US = 300
CONTROL_SHARE_MIN = 0.95


def main():
    bench = Bench("messages")
    guest = GUESTS / "message_race"
    lines = {"receiver": [guest, "receiver", MESSAGES], "anna": [guest, "sender", "anna", MESSAGES],
             "bert": [guest, "sender", "bert", MESSAGES]}
    identical = differ = 0
    for number in range(RECORDINGS):
        slow, other = ("anna", "bert") if number % 2 == 0 else ("bert", "anna")
        name = f"race-{number}"
        recorded = record(bench, name, lines, "--no-image", "--delay", f"{slow}:{DELAY_US}")
        said = lines_of(recorded.out)
        well = bench.expect(recorded.code == 0 and len(said) == 3, f"{name}: is recorded", name, recorded)
        for _ in range(REPLAYS if well else 0):
            replayed = bench.replay(name, "--delay", f"{other}:{DELAY_US}")
            same = replayed.code == 0 and lines_of(replayed.out) == said
            identical += bench.expect(same, f"{name}: replays as recorded:\n  {said}"[:1500], name, replayed)
            well &= same
        control = bench.replay(name, "--gate-off", "--delay", f"{other}:{DELAY_US}")
        differ += lines_of(control.out) != said
        if well:
            bench.drop(name)
    print(f"{identical} of {RECORDINGS * REPLAYS} replays identical; control: {differ} of {RECORDINGS} differ")
    bench.expect(differ >= CONTROL_SHARE_MIN * RECORDINGS, "control: without the gate they differ")
    bench.finish()


main()
