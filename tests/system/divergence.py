# label: slow
"""Goal    A program that was changed in one step is told from the recorded one at that very step of that very thread; or
        the step is bracketed, and named exactly once the recording has been traced.
Method  The guest does what a script says, and the script stands for the program. A random script is recorded; one step of
        it is changed (another kind, another object, one left out, one more); the replay must end with 3 and name the first
        step of the changed thread that is another one. A bracket must hold that step, and after `replay --trace` with the
        script as it was, the changed one must be named without a bracket. The control: the script as it was replays.
"""
import random
import sys
from concurrent.futures import ThreadPoolExecutor

from _lib import FULL, WORKERS, Bench

PROGRAMS = 100 if FULL else 20
THREADS = 3
OBJECTS = 4
LENGTH = 40
SINGLE = ("add", "load", "store", "compare", "notify", "notify_all", "value", "clock", "sleep", "output")
SPLIT_AT = {"lock": "mutex", "unlock": "mutex", "notify": "condition", "notify_all": "condition",
            "add": "atomic", "load": "atomic", "store": "atomic", "compare": "atomic", "value": "value"}


def event_of(step):
    """What the gate sees of a step: its kind, and its object where it has one."""
    kind, number = step
    return (kind, number) if kind in SPLIT_AT else (kind, 0)


def first_difference(before, after):
    """The how-manyth step of a thread is the first one that is another (the end of a thread is a step), or None."""
    left = [event_of(step) for step in before] + [("end", 0)]
    right = [event_of(step) for step in after] + [("end", 0)]
    for number, pair in enumerate(zip(left, right), 1):
        if pair[0] != pair[1]:
            return number
    return None


def make_thread(chance):
    """A random list of steps; a lock is held over a few steps at most, and never while another one is taken."""
    steps = []
    while len(steps) < LENGTH:
        if chance.random() < 0.3:
            number = chance.randrange(OBJECTS)
            inside = [make_single(chance) for _ in range(chance.randrange(3))]
            steps += [("lock", number), *inside, ("unlock", number)]
        else:
            # Now and then the same step several times, so that there is something to predict.
            steps += [make_single(chance)] * chance.choice((1, 1, 1, 3))
    return steps


def make_single(chance):
    return (chance.choice(SINGLE), chance.randrange(OBJECTS))


def other(chance, step):
    """Another step than `step`, of another kind or at another object."""
    while True:
        kind, number = step
        if chance.random() < 0.5:
            number = chance.randrange(OBJECTS)
        else:
            kind, number = make_single(chance)
        if event_of((kind, number)) != event_of(step):
            return (kind, number)


def change(chance, steps):
    """Changes one step. Returns the new steps and what was done."""
    steps = list(steps)
    at = chance.randrange(len(steps))
    kind, number = steps[at]
    if kind in ("lock", "unlock"):
        # A lock and its unlock are one thing: both move to another mutex.
        first = at if kind == "lock" else max(i for i in range(at) if steps[i] == ("lock", number))
        last = steps.index(("unlock", number), first)
        new = (number + 1 + chance.randrange(OBJECTS - 1)) % OBJECTS
        steps[first], steps[last] = ("lock", new), ("unlock", new)
        return steps, "another mutex"
    how = chance.choice(("replaced", "dropped", "inserted"))
    if how == "replaced":
        steps[at] = other(chance, steps[at])
    elif how == "dropped":
        del steps[at]
    else:
        steps.insert(at, make_single(chance))
    return steps, how


def make_case(chance):
    """A script, a changed one, the thread that was changed, its first other step, and what was done."""
    script = [make_thread(chance) for _ in range(THREADS)]
    while True:
        thread = chance.randrange(THREADS)
        steps, how = change(chance, script[thread])
        step = first_difference(script[thread], steps)
        if step is not None:  # a change that no gate sees is none
            changed = [steps if number == thread else script[number] for number in range(THREADS)]
            return script, changed, thread, step, how


def write_script(path, script):
    lines = [f"{thread} {kind} {number}" for thread, steps in enumerate(script) for kind, number in steps]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def named(bench, name, what, favour):
    """Replays a changed program and returns its divergence, or None when it did not diverge."""
    replayed = bench.replay(name, "--json", "--quiet", favour=favour)
    if not bench.expect(replayed.code == 3, f"{what}: diverges", name, replayed):
        return None
    return replayed.json()["divergence"]


def is_right(bench, divergence, what, name, thread, step):
    if divergence is None:
        return False
    where = f"named thread {divergence['thread']} step {divergence['step']}"
    if not divergence["bracketed"]:
        return bench.expect(divergence["thread"] == f"0.{thread}" and divergence["step"] == step, f"{what}: {where}", name)
    inside = divergence["step_after"] < step <= divergence["step"]
    return bench.expect(divergence["thread"] == f"0.{thread}" and inside,
                        f"{what}: {where} at the latest and after {divergence['step_after']}", name)


def try_change(bench, number):
    """Returns how the change was found: exact, traced or None."""
    chance = random.Random(number)
    script, changed, thread, step, how = make_case(chance)
    name = f"script-{number}"
    path = bench.folder / f"{name}.txt"
    what = f"program {number} ({how} in thread 0.{thread} at step {step})"
    favour = (None, "first", "last")[number % 3]
    write_script(path, script)
    recorded = bench.record("script_guest", name, path, favour=favour)
    if not bench.expect(recorded.code == 0, f"{what}: is recorded", name, recorded):
        return None
    same = bench.replay(name, "--quiet")
    bench.expect(same.code == 0, f"{what}: replays as long as it is not changed", name, same)
    write_script(path, changed)
    divergence = named(bench, name, what, favour)
    found = "exact"
    if not is_right(bench, divergence, what, name, thread, step):
        return None
    if divergence["bracketed"]:
        found = "traced"
        write_script(path, script)
        traced = bench.replay(name, "--trace", "--quiet")
        bench.expect(traced.code == 0, f"{what}: is traced", name, traced)
        write_script(path, changed)
        divergence = named(bench, name, f"{what}, traced", favour)
        if divergence is not None:
            bench.expect(not divergence["bracketed"], f"{what}: is exact after tracing", name)
        if not is_right(bench, divergence, f"{what}, traced", name, thread, step):
            return None
    bench.drop(name)
    return found


def main():
    numbers = [int(word) for word in sys.argv[1:]] or range(PROGRAMS)
    bench = Bench("divergence")
    with ThreadPoolExecutor(WORKERS) as pool:
        found = list(pool.map(lambda number: try_change(bench, number), numbers))
    print(f"{len(found)} changed programs: {found.count('exact')} named at once, {found.count('traced')} bracketed and then "
          f"named by --trace, {found.count(None)} wrong")
    bench.finish()


main()
