"""Goal    Forms object and thread1 do not say in which order messages came to the mailboxes of a selective wait. A sequence in them is
        feasible if any such order yields it, and infeasible if none does: there is nothing undecided.
Method  Random senders and guarded waits (tests/guests/select_guards.cc). A model that tries all orders of the arrivals judges random
        executions and what becomes of them when receives change places. A feasible one leaves a recording: printed, it has
        the same events at each mailbox, and it replays.
"""
import random
from concurrent.futures import ThreadPoolExecutor

from _lib import FULL, GUESTS, REPRISE, WORKERS, Bench, run

GUEST = "select_guards"
ROUNDS = 400 if FULL else 40
BOXES = 3


class Model:
    """What senders and the main thread do, one event of a mailbox after the other. Threads: 0 is main, then the senders."""

    def __init__(self, guards, scripts):
        self.guards = [int(digit) for digit in guards]
        self.programs = []
        for script in scripts:
            used = sorted(set(script))
            kinds = [("connection", box) for box in used] + [("arrival", box) for box in script] + [("close", box) for box in used]
            self.programs.append([(kind, int(box)) for kind, box in kinds])

    def enabled(self, done, queue, received):
        """Events that may come next: (box, thread, number, kind). `done`: numbers of each sender's events so far."""
        for thread, program in enumerate(self.programs, 1):
            finished = done[thread - 1]
            for index, (kind, box) in enumerate(program):
                if index + 1 in finished:
                    continue
                earlier = range(1, index + 1)
                waits = [n for n in earlier if n not in finished and (program[n - 1][0] != "arrival" or program[n - 1][1] == box)]
                if not waits:
                    yield box, thread, index + 1, kind
        if received < len(self.guards):
            box = next((box for box in queue if self.guards[received] >> box & 1), None)
            if box is not None:
                yield box, 0, received + 1, "receive"

    @staticmethod
    def after(event, done, queue, received):
        box, thread, number, kind = event
        if kind == "receive":
            at = queue.index(box)
            return done, queue[:at] + queue[at + 1:], received + 1
        done = done[:thread - 1] + (done[thread - 1] | {number},) + done[thread:]
        return done, queue + (box,) if kind == "arrival" else queue, received

    def start(self):
        return tuple(frozenset() for _ in self.programs), (), 0

    def random_run(self, rng):
        state, listing = self.start(), [[] for _ in range(BOXES)]
        while events := list(self.enabled(*state)):
            event = rng.choice(events)
            listing[event[0]].append(event[1:])
            state = self.after(event, *state)
        return listing

    def is_feasible(self, listing):
        seen = set()

        def search(at, state):
            if (at, state) in seen:
                return False
            seen.add((at, state))
            events = list(self.enabled(*state))
            if all(place == len(listing[box]) for box, place in enumerate(at)):
                return not events
            for event in events:
                box = event[0]
                if at[box] < len(listing[box]) and listing[box][at[box]] == event[1:]:
                    if search(at[:box] + (at[box] + 1,) + at[box + 1:], self.after(event, *state)):
                        return True
            return False

        return search((0,) * BOXES, self.start())


def thread_name(thread):
    return f"{GUEST}/0" if thread == 0 else f"{GUEST}/0.{BOXES + thread - 1}"


def text_of(form, listing):
    lines = [f"form: {form}, numbering: carc"]
    if form == "object":
        for box, events in enumerate(listing):
            lines += [f"box{box}:"] if events else []
            lines += [f"({thread_name(thread)},{number},{kind})" for thread, number, kind in events]
    else:
        threads = {}
        for box, events in enumerate(listing):
            for place, (thread, number, kind) in enumerate(events, 1):
                threads.setdefault(thread, []).append((number, f"(box{box},{place},{kind})"))
        for thread, events in sorted(threads.items()):
            lines += [f"{thread_name(thread)}:"] + [event for _, event in sorted(events)]
    return "\n".join(lines) + "\n"


def damaged(rng, listing):
    """Two receives change their numbers, or two neighbours at a mailbox their places."""
    listing = [list(events) for events in listing]
    receives = [(box, i) for box, events in enumerate(listing) for i, event in enumerate(events) if event[2] == "receive"]
    if rng.random() < 0.6 and len(receives) > 1:
        (a, i), (b, j) = rng.sample(receives, 2)
        listing[a][i], listing[b][j] = listing[b][j], listing[a][i]
    else:
        box = rng.choice([box for box in range(BOXES) if len(listing[box]) > 1])
        i = rng.randrange(len(listing[box]) - 1)
        listing[box][i], listing[box][i + 1] = listing[box][i + 1], listing[box][i]
    return listing


def random_case(seed):
    rng = random.Random(f"selects {seed}")
    scripts = ["".join(rng.choice("012") for _ in range(rng.randint(1, 4))) for _ in range(rng.randint(2, 3))]
    total = sum(len(script) for script in scripts)
    guards = "".join(str(rng.choice([1, 2, 3, 3, 4, 5, 5, 6, 6, 7, 7, 7])) for _ in range(rng.randint(total - 1, total + 1)))
    model = Model(guards, scripts)
    listing = model.random_run(rng)
    for _ in range(rng.choice([0, 1, 1, 2])):
        listing = damaged(rng, listing)
    return guards, scripts, listing, model.is_feasible(listing)


def one(bench, seed):
    """Returns the model's verdict and how many runs reprise needed for its own."""
    guards, scripts, listing, is_feasible = random_case(seed)
    form = ("object", "thread1")[seed % 2]
    expected, name = "feasible" if is_feasible else "infeasible", f"case{seed}"
    path = bench.folder / f"{name}.seq"
    path.write_text(text_of(form, listing))
    ran = run([REPRISE, "test", "--json", "--sequence", path, "-o", name, "--force", "--", GUESTS / GUEST, guards, *scripts], bench.folder)
    told = ran.json() if ran.out else {"verdict": ran.err.decode(), "runs": 0}
    bench.expect(told["verdict"] == expected and ran.code == (not is_feasible),
                 f"{seed}: {guards} {scripts}: the model says {expected}, reprise {told}\n{path.read_text()}", name)
    if is_feasible and told["verdict"] == "feasible":
        again = run([REPRISE, "sequence", name, "--form", "object"], bench.folder).out.decode()
        parts = {part.split(":")[0]: part for part in again.replace("\nbox", "\n\nbox").split("\n\n")[1:]}
        wanted = {part.split(":")[0]: part for part in text_of("object", listing).replace("\nbox", "\n\nbox").split("\n\n")[1:]}
        bench.expect({key: part.strip() for key, part in parts.items()} == {key: part.strip() for key, part in wanted.items()},
                     f"{seed}: forced, it has the same events:\n{text_of('object', listing)}---\n{again}", name)
        bench.expect(bench.replay(name).code == 0, f"{seed}: the forced run replays", name)
    bench.drop(name)
    return expected, told["runs"]


def main():
    with Bench("sequence_selects") as bench:
        with ThreadPoolExecutor(WORKERS) as pool:
            told = list(pool.map(lambda seed: one(bench, seed), range(ROUNDS)))
        for verdict in ("feasible", "infeasible"):
            runs = sorted(runs for said, runs in told if said == verdict)
            bench.expect(len(runs) >= 0.2 * ROUNDS, f"{verdict} is common: {len(runs)} of {ROUNDS}")
            print(f"{verdict}: {len(runs)}, runs for a verdict: median {runs[len(runs) // 2]}, most {runs[-1]}")
        bench.expect(any(runs > 1 for said, runs in told if said == "feasible"), "the first order was not always the right one")
        bench.finish()


if __name__ == "__main__":
    main()
