"""Goal    What a closed mailbox ends is no event, and no deviation: forced, a selective wait, a connection or a message ends as it did when
        it was recorded, and a mailbox is not closed before all that is listed has happened there.
Method  Each case (tests/guests/mailbox_closing.cc) is recorded while the close comes first, printed in each form that holds it, and forced
        upon the program, also where nothing but the sequence keeps the close and what it ends apart, under either adversary. The
        control: without a sequence that program does other things.
"""
from _lib import FULL, GUESTS, REPRISE, Bench, run

GUEST = "mailbox_closing"
FORMS = ("object", "thread1", "thread2", "total", "node", "simple")
RACING = ("select", "last", "destroy")
# What no form but those with numbers can say: a message that never arrives.
REFUSED = {"send": {"thread1", "thread2", "total", "simple"}}
ROUNDS = 10 if FULL else 2


def forced(bench, case, form, how, text):
    name = f"{case}-{form}-{how}"
    path = bench.folder / f"{name}.seq"
    path.write_text(text)
    ran = run([REPRISE, "test", "--json", "--sequence", path, "-o", name, "--force", "--", GUESTS / GUEST, case, how], bench.folder)
    told = ran.json() if ran.out else {"verdict": ran.err.decode()}
    # The simple form does not say what a thread does: that is learnt from runs in which the close comes when it comes.
    if form == "simple" and how == "race" and told["verdict"] == "undecided":
        bench.expect("closed while another thread uses it" in told["reason"], f"{name}: undecided by the close: {told}", name, ran)
        return None
    bench.expect(ran.code == 0 and told["verdict"] == "feasible", f"{name} is feasible: {told}", name, ran)
    return name


def one(bench, case):
    recorded = bench.record(GUEST, case, case, "late")
    bench.expect(recorded.code == 0 and recorded.out, f"{case} is recorded", case, recorded)
    held = set()
    for form in FORMS:
        text = run([REPRISE, "sequence", case, "--form", form], bench.folder)
        if text.code == 7:
            bench.expect(form in REFUSED.get(case, ()) or form == "thread2", f"{case} is printed as {form}", case, text)
            continue
        bench.expect(text.code == 0 and form not in REFUSED.get(case, ()), f"{case} as {form}: printed or refused as it should be", case, text)
        held.add(form)
        for how in ("late", "race") if case in RACING else ("late",):
            for _ in range(ROUNDS):
                name = forced(bench, case, form, how, text.out.decode())
            if name is None:
                continue
            again = run([REPRISE, "sequence", name, "--form", form], bench.folder)
            bench.expect(again.out == text.out, f"{name} has the same events:\n{text.out.decode()}---\n{again.out.decode()}", name)
            replayed = bench.replay(name)
            bench.expect(replayed.code == 0 and sorted(recorded.out.split(b"\n")) == sorted(replayed.out.split(b"\n")[:-2] + [b""]),
                         f"{name} replays, and printed what was recorded: {recorded.out}", name, replayed)
    bench.expect({"object", "node"} <= held, f"{case}: forms {held} hold it")


def control(bench):
    """The thread that selects takes the message, unless it comes late."""
    seen = {run([GUESTS / GUEST, "last", "race"], bench.folder).out for _ in range(200)}
    bench.expect(len(seen) > 1 or b"select 6\n" not in seen, f"free, the wait is not always ended by the close: {seen}")


def main():
    with Bench("sequence_closing") as bench:
        for case in ("select", "last", "connect", "call", "send", "destroy"):
            one(bench, case)
        control(bench)
        bench.finish()


if __name__ == "__main__":
    main()
