# label: slow
"""Goal    Every verdict of reprise test is right, and none is undecided.
Method  Perturbations of figure 6.25, of its simple projection and of figure 6.27a renumbered: two events swapped, one dropped, one
        doubled, a wrong thread, a wrong number. Each verdict is compared with that of a brute-force model of the program, which
        knows nothing of reprise (sequence_model_lib.py). Of those that cannot happen, at least half have all events of the figure
        with each thread's own in their order: only causality between threads forbids them.
"""
import random
import sys
from concurrent.futures import ThreadPoolExecutor

from _lib import FULL, WORKERS, Bench
from sequence_model_lib import buffer_feasible, buffer_simple_feasible, exclusion_feasible
from sequences import BUFFER, EXCLUSION, System, events_of, figure, renumbered, text_of

KINDS = ["near"] * 7 + ["move"] * 11 + ["far", "drop", "double", "thread", "number"]


def swapped(events, rng, how):
    """near: neighbours of different threads; move: further apart, but no thread overtakes itself; far: any two."""
    while True:
        i = rng.randrange(len(events) - 1)
        j = i + 1 if how == "near" else min(len(events) - 1, i + rng.randint(2, 8)) if how == "move" else rng.randrange(len(events))
        i, j = min(i, j), max(i, j)
        between = {event.thread for event in events[i + 1:j]}
        one, other = events[i].thread, events[j].thread
        if how == "far" and i != j or one != other and one not in between and other not in between:
            return events[:i] + [events[j]] + events[i + 1:j] + [events[i]] + events[j + 1:]


def perturbed(events, rng, threads, kinds):
    how = rng.choice(kinds)
    i = rng.randrange(len(events))
    if how in ("near", "move", "far"):
        return how, swapped(events, rng, how)
    events = list(events)
    if how == "drop":
        del events[i]
    elif how == "double":
        events.insert(rng.randrange(i, len(events)) + 1, events[i])
    elif how == "thread":
        events[i] = events[i]._replace(thread=rng.choice([thread for thread in threads if thread != events[i].thread]))
    else:
        number = events[i].number + rng.choice([-1, 1, 2])
        events[i] = events[i]._replace(number=number if number > 0 else 2)
    return how, events


def only_causality(events, original):
    """All events of the figure, and no thread's own order is touched: an arrival needs what its thread did before its send."""
    if sorted(events) != sorted(original):
        return False
    for thread in {event.thread for event in events}:
        own = [event for event in events if event.thread == thread]
        for i, event in enumerate(own):
            if any(later.type != "arrival" and later.number < event.number for later in own[i + 1:]):
                return False
    return True


class Kind:
    def __init__(self, name, system, events, model, threads, rounds, is_simple=False):
        self.name, self.system, self.events, self.model, self.threads = name, system, events, model, threads
        self.rounds = rounds
        self.is_simple = is_simple

    def text(self, events):
        return "".join(f"({event.thread})\n" for event in events) if self.is_simple else text_of(events)

    def is_only_causality(self, events):
        if self.is_simple:
            return sorted(event.thread for event in events) == sorted(event.thread for event in self.events)
        return only_causality(events, self.events)

    def one(self, case):
        number, (how, events) = case
        tested = self.system.test(f"{self.name}-{number}", self.text(events))
        return how, events, "feasible" if self.model(events) else "infeasible", tested

    def run(self):
        rng = random.Random(self.name)
        kinds = [kind for kind in KINDS if not (self.is_simple and kind == "number")]
        cases = [perturbed(self.events, rng, self.threads, kinds) for _ in range(self.rounds)]
        tally = {"feasible": 0, "infeasible": 0, "causality": 0, "wrong": 0, "undecided": 0, "runs": 0}
        with ThreadPoolExecutor(WORKERS) as pool:
            for how, events, expected, tested in pool.map(self.one, enumerate(cases)):
                tally[expected] += 1
                tally["causality"] += expected == "infeasible" and self.is_only_causality(events)
                tally["runs"] += tested.get("runs", 0)
                tally["undecided"] += tested["verdict"] == "undecided"
                is_right = self.system.bench.expect(
                    tested["verdict"] == expected,
                    f"{self.name}, {how}: the model says {expected}, reprise {tested}\n{self.text(events)}")
                tally["wrong"] += not is_right
        print(f"{self.name}: {self.rounds} perturbations, {tally['feasible']} feasible, {tally['infeasible']} not "
              f"({tally['causality']} by causality only), {tally['runs']} runs, {tally['wrong']} wrong, "
              f"{tally['undecided']} undecided", flush=True)
        return tally


def main():
    with Bench("sequence_verdicts") as bench:
        buffer = System(bench, BUFFER, "20_bounded_buffer", BUFFER)
        exclusion = System(bench, EXCLUSION, "21_mutual_exclusion", range(4))
        figure_25 = events_of(figure("6_25"))
        figure_27 = renumbered(events_of(figure("6_27a")))
        mains_and_helpers = [1, 4, 5, 8, 9, 12, 13, 16]
        kinds = [Kind("buffer", buffer, figure_25, buffer_feasible, [1, 2, 3], 200 if FULL else 20),
                 Kind("projection", buffer, figure_25, buffer_simple_feasible, [1, 2, 3], 200 if FULL else 16, is_simple=True),
                 Kind("exclusion", exclusion, figure_27, exclusion_feasible, mains_and_helpers, 200 if FULL else 8)]
        for kind in kinds:
            if sys.argv[1:] and kind.name not in sys.argv[1:]:
                continue
            tally = kind.run()
            if FULL:
                bench.expect(tally["feasible"] >= 0.3 * kind.rounds, f"{kind.name}: at least 30 % of the perturbations are feasible")
                bench.expect(tally["causality"] >= 0.5 * tally["infeasible"],
                             f"{kind.name}: at least half of the infeasible ones are so by causality only")
        bench.finish()


if __name__ == "__main__":
    main()
