"""Goal    Everything that the forms can say can be forced: semaphores, monitors (also by entries alone), synchronous mailboxes,
        selective waits with elseDelay; and what cannot happen is found to be so.
Method  Executions of a small guest, written down at random and damaged at random, against models that know nothing of reprise. A
        feasible one leaves a recording: its output must be the model's, and replay as it was. The control: the outputs differ, so it is the
        text that decides and not the machine. Then recordings: printed in each form that holds them, forced, printed again.
"""
import json
import random
from concurrent.futures import ThreadPoolExecutor

from _lib import FULL, GUESTS, REPRISE, WORKERS, Bench, run

ROUNDS = 60 if FULL else 6
GUEST = "sequence_forms"


def thread(path):
    return f"{GUEST}/{path}"


# ---- models: text -> what the program prints, or None if it cannot happen ----

def semaphores(text):
    count, seen, at = 1, "", {"a": 0, "b": 0}
    for who, what in text:
        if at[who] >= 4 or what != "PV"[at[who] % 2] or (what == "P" and count == 0):
            return None
        count += -1 if what == "P" else 1
        seen += who if what == "P" else ""
        at[who] += 1
    return seen if at == {"a": 4, "b": 4} else None


class Cells:
    """Who enters or enters again, one after the other."""

    def __init__(self):
        self.count = {"left": 0, "right": 0}
        self.waiting = {"left": [], "right": []}
        self.signalled = set()
        self.at = {"a": 0, "b": 0}  # how many of its calls it has done
        self.inside = {"a": None, "b": None}  # waits in this cell
        self.waited = {"a": [], "b": []}

    def call(self, who):
        if who == "a":
            calls = ["put left", "put left", "take right"]
        elif self.waited["b"][:1] == [True]:
            calls = ["take left", "put right", "take left"]
        else:
            calls = ["take left", "take left", "put right"]
        return calls[self.at[who]] if self.at[who] < 3 else None

    def enter(self, who):
        call = self.call(who)
        if call is None:
            return False
        what, cell = call.split()
        if self.inside[who]:
            if who not in self.signalled:
                return False
            self.signalled.discard(who)
        if what == "put":
            self.count[cell] += 1
            if self.waiting[cell]:
                self.signalled.add(self.waiting[cell].pop(0))
            self.at[who] += 1
            return True
        if self.count[cell] == 0:
            self.inside[who] = cell
            self.waiting[cell].append(who)
            return True
        self.count[cell] -= 1
        self.waited[who].append(self.inside[who] is not None)
        self.inside[who] = None
        self.at[who] += 1
        return True


def monitors(text):
    cells = Cells()
    if not all(cells.enter(who) for who in text) or cells.at != {"a": 3, "b": 3}:
        return None
    word = {True: "waits", False: "goes"}
    return f"{word[cells.waited['a'][0]]} | {' '.join(word[one] for one in cells.waited['b'])}"


def synchronous(text):
    at, seen = {"a": 0, "b": 0}, ""
    for who, receiver in text:
        if at[who] >= 4 or receiver != ("m" if at[who] in (1, 2) else None):
            return None
        seen += who if receiver else ""
        at[who] += 1
    return seen if at == {"a": 4, "b": 4} else None


def selects(text):
    at, queue, seen, looks, got = {"l": 0, "r": 0}, "", "", 0, 0
    for who in text:
        if who in at:
            if at[who] >= 3:
                return None
            queue += who if at[who] == 1 else ""
            at[who] += 1
            continue
        if looks == 3 and (who == "." or got == 2):
            return None
        if (who == ".") == bool(queue):
            return None
        looks = min(looks + 1, 3)
        got += who == "m"
        seen += queue[0] if who == "m" else "."
        queue = queue[who == "m":]
    return seen if at == {"l": 3, "r": 3} and looks == 3 and got == 2 else None


# ---- their texts ----

def semaphore_text(text):
    return "form: semaphore\n" + "".join(f"({what},{thread('0.' + '01'['ab'.index(who)])},gate)\n" for who, what in text)


def monitor_text(text):
    return f"form: simple_monitor\n{GUEST}:\n" + "".join(f"({thread('0.' + '01'['ab'.index(who)])})\n" for who in text)


def synchronous_text(text):
    names = {"a": thread("0.1"), "b": thread("0.2"), "m": thread("0"), None: "-1"}
    return "form: simple\n" + "".join(f"({names[who]},{names[receiver]})\n" for who, receiver in text)


def select_text(text):
    names = {"l": thread("0.2"), "r": thread("0.3"), "m": thread("0"), ".": "-1," + thread("0")}
    return "form: simple\n" + "".join(f"({names[who]})\n" for who in text)


PARTS = {
    "semaphores": (semaphores, semaphore_text, [(who, what) for who in "ab" for what in "PVPV"], ["semaphore"]),
    "monitors": (monitors, monitor_text, list("aaabbbab"), ["monitor", "simple_monitor"]),
    "synchronous": (synchronous, synchronous_text, [(who, to) for who in "ab" for to in (None, "m", "m", None)],
                    ["object", "thread1", "thread2", "total", "node", "simple"]),
    "selects": (selects, select_text, list("lllrrrmm...."), ["thread2", "simple"]),
}


def walk(model, moves, rng, finished):
    """A random text that happens, or nothing: moves are tried as long as the model can go on from there."""
    text = []
    while finished(text) is None:
        rng.shuffle(moves)
        for move in moves:
            if can_begin(model, text + [move]):
                text.append(move)
                break
        else:
            return None
    return text


def can_begin(model, text):
    """Does the model go along with this beginning? It is completed by brute force, which these small programs allow."""
    if model is semaphores:
        rest = [(w, "PV"[k % 2]) for w in "ab" for k in range(sum(1 for x, _ in text if x == w), 4)]
        holder = [w for w in "ab" if sum(1 for x, _ in text if x == w) % 2]
        rest.sort(key=lambda move: move[0] not in holder)
        return model(text + rest) is not None
    if model is monitors:
        cells = Cells()
        return all(cells.enter(who) for who in text)
    if model is synchronous:
        rest = [(w, "m" if k in (1, 2) else None) for w in "ab" for k in range(sum(1 for x, _ in text if x == w), 4)]
        return model(text + rest) is not None
    left = ["l"] * (3 - text.count("l")) + ["r"] * (3 - text.count("r"))
    looks = text.count("m") + text.count(".")
    for dots in range(4):
        tail = left + ["m"] * (2 - text.count("m")) + ["."] * dots
        if looks + len(tail) - len(left) >= 3 and model(text + tail) is not None:
            return True
    return False


def damaged(text, rng):
    text = list(text)
    i = rng.randrange(len(text))
    how = rng.choice(["swap", "drop", "double", "far"])
    if how == "swap" and i:
        text[i - 1], text[i] = text[i], text[i - 1]
    elif how == "far":
        text.insert(rng.randrange(len(text)), text.pop(i))
    elif how == "drop":
        del text[i]
    else:
        text.insert(i, text[i])
    return text


def test(bench, part, name, text):
    path = bench.folder / f"{name}.seq"
    path.write_text(text)
    return run([REPRISE, "test", "--json", "--sequence", path, "-o", name, "--force", "--", GUESTS / GUEST, part], bench.folder)


def written(bench, part, rng):
    model, text_of, moves, _ = PARTS[part]
    outputs, verdicts = set(), {"feasible": 0, "infeasible": 0}
    for k in range(ROUNDS):
        good = walk(model, list(moves), rng, model)
        bench.expect(good is not None, f"{part}: the model ends")
        for text in (good, damaged(good, rng)):
            expected = model(text)
            verdict = "infeasible" if expected is None else "feasible"
            verdicts[verdict] += 1
            ran = test(bench, part, f"{part}{k}", text_of(text))
            told = json.loads(ran.out) if ran.out.startswith(b"{") else {"verdict": ran.err.decode()}
            bench.expect(told["verdict"] == verdict and ran.code == (verdict == "infeasible"),
                         f"{part}: the model says {verdict}, reprise {told}\n{text_of(text)}")
            if expected is None or told["verdict"] != "feasible":
                continue
            outputs.add(expected)
            replayed = run([REPRISE, "replay", f"{part}{k}"], bench.folder)
            bench.expect(replayed.code == 0 and replayed.out.startswith(expected.encode() + b"\n"),
                         f"{part}: forced, it prints {expected}: {replayed}", f"{part}{k}")
    bench.expect(len(outputs) >= 2, f"{part}: the texts decide what is printed: {outputs}")
    bench.expect(verdicts["infeasible"] > 0, f"{part}: some texts cannot happen")
    print(part, verdicts, len(outputs), "outputs")


def printed(bench, part):
    """Round trips of recordings, made while one or the other thread is favoured."""
    for favour in ("first", "last"):
        recorded = bench.record(GUEST, f"{part}-{favour}", part, favour=favour)
        bench.expect(recorded.code == 0, f"{part} is recorded: {recorded.err}")
        for form in PARTS[part][3]:
            text = run([REPRISE, "sequence", f"{part}-{favour}", "--form", form], bench.folder)
            if text.code == 7 and form == "simple":
                continue  # arrivals out of order
            bench.expect(text.code == 0, f"{part} is printed as {form}: {text.err}")
            name = f"{part}-{favour}-{form}"
            told = json.loads(test(bench, part, name, text.out.decode()).out or b'{"verdict": "none"}')
            bench.expect(told["verdict"] == "feasible", f"{part} as {form} is feasible: {told}", name)
            again = run([REPRISE, "sequence", name, "--form", form], bench.folder)
            bench.expect(again.out == text.out, f"{part}, forced by form {form}, has the same events:\n{text.out.decode()}"
                         f"---\n{again.out.decode()}", name)


def main():
    with Bench("sequence_forms") as bench:
        def one(part):
            written(bench, part, random.Random(part))
            printed(bench, part)

        with ThreadPoolExecutor(WORKERS) as pool:
            list(pool.map(one, PARTS))
        bench.finish()


if __name__ == "__main__":
    main()
