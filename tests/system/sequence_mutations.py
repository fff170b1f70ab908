# label: sanitize
"""Goal    Whatever a sequence file holds, the command gives a clear error or a verdict: no crash, no hang, no finding of a sanitizer.
Method  Recordings of the bounded buffer and of a guest with semaphores, monitors, synchronous mailboxes and selective waits are
        printed in every form. These files are mutated (bytes, pieces, whole events) and given to `reprise test` or `reprise replay
        --sequence`, which run the program where the text can be read: with few runs, little time, and a limit that nobody may reach.
        An error must name file, line and column. Some of each outcome must come, else nothing was tested.
        sequence_mutations.py [FROM TO]: these mutations only.
"""
import os
import random
import re
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from _lib import FULL, GUESTS, REPRISE, WORKERS, Bench, run
from message_lib import procfile

EXAMPLES = Path(os.environ["REPRISE_EXAMPLES"])
MUTATIONS = 10_000 if FULL else 60
SECONDS_MAX = 60
LIMITS = ("--search", "3", "--inactivity", "2")
REPORT = re.compile(rb"(ERROR|WARNING): \w*Sanitizer|runtime error: |terminate called|Assertion|CHECK")
PIECES = ["(", ")", ",", ".", ":", '"', "//", "\n", "-1", "...", "form: total\n", "form: thread1\n1: ", "numbering: all\n",
          "18446744073709551616", "\\", "\0", "\xff", "elseDelay", "SRsynchronization", "P", "0", "1", "4", "deposit", "\x7f", "\x1b[31m"]
FORMS = {"buffer": ("object", "thread1", "thread2", "total", "node", "simple"), "semaphores": ("semaphore",),
         "monitors": ("monitor", "simple_monitor"), "synchronous": ("object", "thread1", "total", "node", "simple"),
         "selects": ("thread2", "simple")}


def record(bench, part):
    """The words that run a part's program, after its recording was made."""
    if part == "buffer":
        lines = {name: [EXAMPLES / "20_bounded_buffer", name] for name in ("producer", "buffer", "consumer")}
        words = ["-f", procfile(bench, "buffer", lines)]
    else:
        words = ["--", GUESTS / "sequence_forms", part]
    ran = run([REPRISE, "record", "-o", part, "--no-image", *words], bench.folder)
    bench.expect(ran.code == 0, f"{part}: is recorded", part, ran)
    return words


def seeds(bench):
    """(text, words that run its program)."""
    found = []
    for part, forms in FORMS.items():
        words = record(bench, part)
        for form in forms:
            for ids in ((), ("--start-id", "producer=1", "--start-id", "buffer=2", "--start-id", "consumer=3")):
                if ids and part != "buffer":
                    continue
                printed = run([REPRISE, "sequence", part, "--form", form, *ids], bench.folder)
                if bench.expect(printed.code == 0, f"{part}: has form {form}", part, printed):
                    found.append((printed.out.decode("latin-1"), words))
    return found


def change_bytes(text, rng):
    at = rng.randrange(len(text))
    kind = rng.randrange(5)
    if kind == 0:
        return text[:at] + text[at + rng.randrange(1, 12):]
    if kind == 1:
        return text[:at] + rng.choice(PIECES) + text[at:]
    if kind == 2:
        return text[:at] + chr(rng.randrange(256)) + text[at + 1:]
    if kind == 3:
        start = rng.randrange(len(text))
        return text[:at] + text[start:start + rng.randrange(60)] + text[at:]
    return text[:at]


def change_events(text, rng):
    """What stays a sequence, mostly: lines and fields change places, or are doubled, dropped, replaced."""
    lines = text.split("\n")
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    kind = rng.randrange(5)
    if kind == 0:
        lines[one], lines[other] = lines[other], lines[one]
    elif kind == 1:
        lines.insert(one, lines[other])
    elif kind == 2:
        del lines[one]
    else:
        fields = re.findall(r"[^\s(),]+", text)
        mine = re.findall(r"[^\s(),]+", lines[one])
        if mine:
            new = rng.choice(fields) if kind == 3 else str(rng.randrange(9))
            lines[one] = lines[one].replace(rng.choice(mine), new, 1)
    return "\n".join(lines)


def mutated(text, rng):
    for _ in range(rng.choice((1, 1, 1, 2, 3, 4))):
        text = (change_bytes if rng.random() < 0.5 else change_events)(text, rng) or " "
    return text


def outcome(command, ran, name):
    """What came of it, or None where it must not."""
    if ran.hung or ran.code < 0 or REPORT.search(ran.err) or REPORT.search(ran.out):
        return None
    if ran.code == 2:
        lines = ran.err.decode("latin-1").splitlines()
        is_clear = len(lines) >= 1 and lines[0].startswith("reprise: ") and len(lines[0]) < 600
        is_placed = re.match(rf"reprise: {name}:\d+:\d+: ", lines[0]) if lines else None
        return None if not is_clear else "an error with its place" if is_placed else "an error of the whole"
    if command == "test":
        return {0: "feasible", 1: "infeasible", 6: "undecided"}.get(ran.code)
    return {0: "feasible", 3: "infeasible", 4: "infeasible", 6: "undecided"}.get(ran.code)


def mutate(bench, files, number):
    rng = random.Random(number)
    text, words = files[rng.randrange(len(files))]
    name = f"m{number}.seq"
    (bench.folder / name).write_bytes(mutated(text, rng).encode("latin-1"))
    command = "test" if number % 4 else "replay"
    start = time.monotonic()
    ran = run([REPRISE, command, "--sequence", name, "-o", f"m{number}", "--force", *LIMITS, *words], bench.folder, SECONDS_MAX)
    seconds = time.monotonic() - start
    came = outcome(command, ran, name)
    if bench.expect(came is not None, f"mutation {number}: {command} {bench.folder / name}: an error or a verdict", "", ran):
        (bench.folder / name).unlink()
    bench.drop(f"m{number}")
    whole = ran.err.split(b"\n")[0].decode("latin-1") if came == "an error of the whole" else ""
    return came, seconds, re.sub(r"\d+", "N", whole.replace(name, "FILE"))


def main():
    bench = Bench("sequence_mutations")
    first, last = (int(word) for word in sys.argv[1:3]) if len(sys.argv) == 3 else (0, MUTATIONS)
    files = seeds(bench)
    start = time.monotonic()
    with ThreadPoolExecutor(WORKERS) as pool:
        results = list(pool.map(lambda number: mutate(bench, files, number), range(first, last)))
    counts = Counter(came for came, _, _ in results)
    print(f"{len(results)} mutations of {len(files)} files in {time.monotonic() - start:.0f} s, the longest "
          f"{max(seconds for _, seconds, _ in results):.1f} s")
    for came, count in counts.most_common():
        print(f"  {came}: {count}")
    for text, count in Counter(text for _, _, text in results if text).most_common(20):
        print(f"    {count} x {text[:160]}")
    for came in ("an error with its place", "feasible", "infeasible"):
        bench.expect(counts[came] > 0, f"some mutations are {came}")
    bench.finish()


main()
