# label: slow
"""Goal    What a sequence does not list is searched: a verdict does not depend on luck, and "infeasible" means that nothing was left to try.
Method  Small programs whose threads meet at mutexes, conditions, atomics and semaphores, and then send where what they saw sends them
        (tests/guests/sequence_search.cc). Each verdict is compared with that of a model that tries all interleavings
        (sequence_search_model_lib.py). By hand: one order in 256, a thread that must come after all others, and what must stay undecided.
"""
import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from _lib import FULL, GUESTS, REPRISE, WORKERS, Bench, run
from sequence_search_model_lib import TYPES, Model


def text_of(boxes, listing):
    """Form object. Threads of the guest come after those of its mailboxes."""
    lines = ["form: object, numbering: carc"]
    for box, events in enumerate(listing):
        lines += [f"box{box}:"] if events else []
        lines += [f"(sequence_search/0.{boxes + thread},{number},{kind})" for kind, thread, number in events]
    return "\n".join(lines) + "\n"


def reprise_test(bench, name, boxes, scripts, listing, *more):
    path = bench.folder / f"{name}.seq"
    path.write_text(text_of(boxes, listing))
    ran = run([REPRISE, "test", "--sequence", path, "-o", name, "--force", "--json", *more, "--", GUESTS / "sequence_search", boxes,
               *scripts], bench.folder, 280)
    return ran.json() if ran.out else {"verdict": f"exit {ran.code} {ran.err.decode()}", "runs": 0}


# ---- random programs ----

FAMILIES = {  # threads, operations each, words
    "locks": (2, 4, ["L0", "L1"]),
    "atomics": (2, 4, ["A0", "A1", "G0", "S03", "C001", "C012"]),
    "three": (3, 2, ["L0", "A0", "G0", "L1", "S02"]),
    "branching": (2, 3, ["L0", "?0L1", "?1A0", "A0", "?2G0", "?1L1"]),
    "nested": (2, 2, ["[0 [1 ]1 ]0", "[1 [0 ]0 ]1", "L0", "[0 A0 ]0"]),
    "sending": (2, 3, ["L0", "!", "[0 ! ]0", "A0"]),
    "conditions": (3, 1, ["W0", "N0", "O0", "L0 N0", "W0 A0"]),
    "semaphores": (3, 2, ["V", "P", "A0", "G0"]),
}
LARGE = {
    "three locks": (3, 3, ["L0", "L1"]),
    "three atomics": (3, 3, ["A0", "G0", "S01", "C013"]),
    "longer": (2, 5, ["L0", "A0", "G1", "A1"]),
    "more conditions": (3, 2, ["W0", "N0", "O0", "L0", "A0"]),
}


def random_program(rng, family):
    threads, length, words = {**FAMILIES, **LARGE}[family]
    boxes = rng.choice([2, 3])
    scripts = [" ".join([rng.choice(words) for _ in range(rng.randint(max(1, length - 1), length))] + ["!"]) for _ in range(threads)]
    return boxes, scripts


def moved(rng, listing):
    """One thread's events at one box happen at another, or two events there change places."""
    boxes = len(listing)
    other = [list(events) for events in listing]
    full = [box for box in range(boxes) if other[box]]
    if not full:
        return other
    box = rng.choice(full)
    if rng.random() < 0.7:
        thread = rng.choice(other[box])[1]
        to = rng.choice([one for one in range(boxes) if one != box])
        other[to] += [event for event in other[box] if event[1] == thread]
        other[to].sort(key=lambda event: event[2] if rng.random() < 0.5 else 0)
        other[box] = [event for event in other[box] if event[1] != thread]
    else:
        i, j = (rng.randrange(len(other[box])) for _ in range(2))
        other[box][i], other[box][j] = other[box][j], other[box][i]
    return other


def random_case(seed):
    rng = random.Random(f"case {seed}")
    names = list(FAMILIES) + (list(LARGE) if FULL else [])
    family = names[seed % len(names)]
    boxes, scripts = random_program(rng, family)
    model = Model(boxes, scripts)
    listing = model.random_run(rng)
    for _ in range(rng.choice([0, 1, 1, 2])):
        listing = moved(rng, listing)
    return family, boxes, scripts, listing, model


def random_programs(bench, seeds):
    tally = {"feasible": 0, "infeasible": 0, "undecided": 0, "wrong": 0}
    runs = {"feasible": [], "infeasible": []}

    def one(seed):
        family, boxes, scripts, listing, model = random_case(seed)
        if not any(listing):
            return None
        expected = "feasible" if model.is_feasible(listing) else "infeasible"
        return seed, family, scripts, listing, expected, reprise_test(bench, f"r{seed}", boxes, scripts, listing, "--search", "5000")

    with ThreadPoolExecutor(WORKERS) as pool:
        for case in filter(None, pool.map(one, seeds)):
            seed, family, scripts, listing, expected, tested = case
            tally[expected] += 1
            tally["undecided"] += tested["verdict"] == "undecided"
            runs[expected].append(tested["runs"])
            what = f"{seed} {family} {scripts} {listing}: the model says {expected}, reprise {tested}"
            if bench.expect(tested["verdict"] == expected, what, f"r{seed}"):
                bench.drop(f"r{seed}")
            else:
                tally["wrong"] += 1
    print(f"random programs: {tally}; runs for a verdict: " +
          ", ".join(f"{verdict} median {sorted(one)[len(one) // 2]}, most {max(one)}" for verdict, one in runs.items() if one), flush=True)
    least = 0.25 * len(seeds)
    bench.expect(tally["feasible"] >= least and tally["infeasible"] >= least, f"both verdicts are common: {tally}")


# ---- by hand ----

def sent(box, *threads):
    """Each of these threads sends once, one after the other, all to one box."""
    return [[(kind, thread, number + 1) for thread in threads for number, kind in enumerate(TYPES)] if one == box else []
            for one in range(box + 1)]


def sum_of(seen):
    total = 0
    for value in seen:
        total = (total * 5 + value + 1) % 9973
    return total


def expect(bench, name, boxes, scripts, listing, verdict, *more):
    began = time.time()
    expected = "feasible" if Model(boxes, scripts).is_feasible(listing) else "infeasible"
    tested = reprise_test(bench, name, boxes, scripts, listing, *more)
    print(f"{name}: {tested['verdict']}, {tested['runs']} runs, {time.time() - began:.1f} s", flush=True)
    bench.expect(verdict in (expected, "undecided"), f"{name}: the model says {expected}")
    bench.expect(tested["verdict"] == verdict, f"{name}: {verdict}, reprise says {tested}")
    return tested


def by_search(bench, name, test):
    """A first run may have the wanted order by chance, so a test that a search is needed for is repeated; not ten times in a row."""
    runs = []
    while len(runs) < 10 and max(runs, default=0) <= 1:
        runs.append(test())
    bench.expect(runs[-1] > 1, f"{name}: found by a search, runs: {runs}")


def every_other(races):
    """The scripts of two threads that race at several atomics. The first one sends only if it lost at every other one, and nowhere else."""
    words = " ".join(f"A{i}" for i in range(races))
    total = sum_of([2 * (i % 2) for i in range(races)])
    return [f"{words} E{total} !", words]


def one_order_in_many(bench, races):
    name = f"one-in-{2 ** races}"
    scripts = every_other(races)
    by_search(bench, name, lambda: expect(bench, name, 1, scripts, sent(0, 0), "feasible", "--search", "2000")["runs"])


def after_all_others(bench):
    """The first thread sends only if it comes after all that the others do, though it is the first to start."""
    scripts = ["A0 E" + str(sum_of([2 * 2 + 3 * 2 + 4 * 2])) + " !", "A0 A0", "A0 A0", "A0 A0"]
    expect(bench, "after-all", 1, scripts, sent(0, 0), "feasible")
    scripts = ["[0 ]0 L1 E" + str(sum_of([4, 4, 4])) + " !", "L0 L1", "L0 L1"]
    expect(bench, "after-all-locked", 1, scripts, sent(0, 0), "infeasible")


def across_processes(bench):
    """Who waits selectively for another process waits for what happens there: its races are searched."""
    words = " ".join(f'"{script}"' for script in every_other(3))
    (bench.folder / "two.procfile").write_text(f"taker: {GUESTS / 'select_guards'} 1\nracer: {GUESTS / 'sequence_search'} 0 {words}\n")
    events = ["(connection,racer/0.0,box0,1)", "(arrival,racer/0.0,box0,2)", "(receive,taker/0,box0,1)", "(close,racer/0.0,box0,3)"]
    (bench.folder / "two.seq").write_text("\n".join(["form: node", *events]) + "\n")

    def test():
        ran = bench.reprise("test", "--sequence", "two.seq", "-f", "two.procfile", "-o", "two", "--force", "--json")
        bench.expect(ran.code == 0, "a select waits for a race of another process: feasible", "two", ran)
        return ran.json()["runs"] if ran.out else 0

    by_search(bench, "two", test)


def no_order(bench):
    """What no order yields: the search ends."""
    words = " ".join(f"A{i}" for i in range(4))
    expect(bench, "no-order-of-16", 1, [f"{words} E{sum_of([0, 2, 0, 1])} !", words], sent(0, 0), "infeasible")
    # Who locks the second mutex only after a race that the first thread has no part in must be found all the same.
    hidden = ["L1 E" + str(sum_of([3])) + " !", "A0", "A0 ?2L1"]
    expect(bench, "race-behind-a-race", 1, hidden, sent(0, 0), "feasible")
    alone = ["L0 L0 L0 L0 L0 L0 L0 L0 E1 !", "A0 A0", "A1 A1"]
    expect(bench, "nobody-else", 1, alone, sent(0, 0), "infeasible")


def not_decided(bench):
    """What makes a search unsound, or endless, keeps it from a verdict, and is named."""
    attempts = expect(bench, "attempt", 1, ["A0 T0 E9 !", "L0 A0"], sent(0, 0), "undecided")
    bench.expect("attempt" in attempts["reason"], f"a try_lock is the reason: {attempts}")
    spinning = expect(bench, "spin", 1, ["U01 A0 E9 !", "S01"], sent(0, 0), "undecided", "--search", "100")
    bench.expect("again and again" in spinning["reason"] or "explored" in spinning["reason"], f"a spinning loop is the reason: {spinning}")
    expect(bench, "spin-feasible", 1, ["U01 A0 !", "S01"], sent(0, 0), "feasible")
    locked = expect(bench, "spin-lock", 1, ["X9 A0 Y9 E99 !", "X9 A0 Y9"], sent(0, 0), "undecided", "--search", "100")
    bench.expect("again and again" in locked["reason"] or "explored" in locked["reason"], f"a spinning lock is the reason: {locked}")
    expect(bench, "spin-lock-feasible", 1, ["X9 A0 Y9 E" + str(sum_of([0, 2, 2])) + " !", "X9 A0 Y9"], sent(0, 0), "feasible")
    words = " ".join(f"A{i}" for i in range(5))
    spent = expect(bench, "spent", 1, [f"{words} E{sum_of([1])} !", words], sent(0, 0), "undecided", "--search", "5")
    bench.expect(spent["runs"] == 5 and spent["left"] > 0 and "explored" in spent["reason"], f"what was tried and what is left is told: {spent}")


def at_rest(bench):
    """Who spins or waits for good is at rest: nothing is left to the clock."""
    began = time.time()
    expect(bench, "spins-for-good", 1, ["X9 !", "A0 X9 !"], sent(0, 0), "feasible", "--inactivity", "60")
    expect(bench, "waits-at-an-own-mutex", 1, ["Q !", "!"], sent(0, 1), "feasible", "--inactivity", "60")
    bench.expect(time.time() - began < 50, "nobody waited until time was over")


def held(bench):
    """A thread that only the search holds back could go on: then the run proves nothing. One that waits by itself could not."""
    expect(bench, "held-by-the-search", 2, ["L0 A0 !", "L0 W0 !", "W0 O0 !"], [[], *sent(0, 0)], "infeasible")
    expect(bench, "one-permit", 3, ["P A0 !", "A0 V !", "P A0 !"], [*sent(0, 1), [], *sent(0, 2)], "feasible")


def by_hand(bench):
    held(bench)
    at_rest(bench)
    one_order_in_many(bench, 8)
    after_all_others(bench)
    across_processes(bench)
    no_order(bench)
    not_decided(bench)


def main():
    """sequence_search.py [FIRST LAST]: the random programs of these seeds only."""
    began = time.time()
    with Bench("sequence_search") as bench:
        if sys.argv[1:]:
            random_programs(bench, range(int(sys.argv[1]), int(sys.argv[2]) + 1))
        else:
            by_hand(bench)
            random_programs(bench, range(480 if FULL else 64))
        print(f"{time.time() - began:.1f} s")
        bench.finish()


if __name__ == "__main__":
    main()
