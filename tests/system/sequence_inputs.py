"""Goal    Values from outside come from --inputs, or are those of the first run; which they are is said.
Method  A guest that sends to one mailbox or another by a value from outside: the text wants one, the world offers the other.
"""
from _lib import GUESTS, REPRISE, Bench, run

GUEST = GUESTS / "sequence_inputs"
MAIN = "sequence_inputs/0"


def test(bench, box, *options, pick):
    text = "form: total\n" + "".join(f"({MAIN},{box},{what})\n" for what in ("connection", "arrival", "close", "receive"))
    (bench.folder / "one.seq").write_text(text)
    return run([REPRISE, "test", "--json", "--sequence", "one.seq", "-o", "test", "--force", *options, "--", GUEST], bench.folder, env={"PICK": pick})


def main():
    with Bench("sequence_inputs") as bench:
        for pick in "01":
            bench.record(GUEST, f"pick{pick}", env={"PICK": pick})
        boxes = ("left", "right")
        for pick in (0, 1):
            ran = test(bench, boxes[pick], pick=pick)
            bench.expect(ran.code == 0, "control: it is feasible as the world has it", "test", ran)
            ran = test(bench, boxes[pick], pick=1 - pick)
            bench.expect(ran.code == 1, "control: it is not as the world has it otherwise", "test", ran)
            ran = test(bench, boxes[pick], "--inputs", f"pick{pick}", pick=1 - pick)
            bench.expect(ran.code == 0, "the value comes from the recording, not from the world", "test", ran)
            bench.expect(ran.json()["values"] == {"clock": 1, "pick": 1}, "what was held constant is said", "test", ran)
            bench.expect(f"as in pick{pick}".encode() in ran.err, "and from where", "test", ran)
            recorded, replayed = (bench.replay(name).out for name in (f"pick{pick}", "test"))
            bench.expect(recorded == replayed, "also the clock's", "test")
            ran = test(bench, boxes[pick], "--inputs", f"pick{1 - pick}", pick=pick)
            bench.expect(ran.code == 1, "and the other way round", "test", ran)
        ran = test(bench, "left", "--inputs", "nothing", pick=0)
        bench.expect(ran.code == 5, "a recording that is not there is refused", "", ran)
        simple = bench.folder / "simple.seq"
        simple.write_text("form: simple\n" + f"({MAIN})\n" * 4)
        for i in range(10):  # the free run and those after it pick at random, unless it is held constant
            ran = run([REPRISE, "test", "--json", "--search", "2", "--sequence", "simple.seq", "-o", "test", "--force", "--", GUEST], bench.folder)
            bench.expect(ran.code == 0 and ran.json()["runs"] == 2, "what the first run was given holds for the next", "test", ran)
        bench.finish()


if __name__ == "__main__":
    main()
