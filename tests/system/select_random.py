"""Goal    What a selective wait took, and that it took otherwise or after, is recorded and comes again on replay.
Method  Random waits (select_random SEED) against racing senders, recorded while the adversary favours one end of the threads and replayed
        while it favours the other. No message is lost, doubled, out of its sender's order or taken through a closed guard. Controls:
        runs of one seed differ when nothing is replayed, and both kinds of outcome occur.
"""
import os
import random
import subprocess
import sys
import tempfile

from _lib import FULL, GUESTS, OPPOSITE, REPRISE

SEEDS = 60 if FULL else 12
failures = []


def tool(folder, *words):
    return subprocess.run([REPRISE, *words], capture_output=True, text=True, timeout=60, env={**os.environ, "REPRISE_HOME": folder})


def main():
    rng = random.Random(11)
    outcomes, differing = {"taken": 0, "nothing": 0}, 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in (rng.randrange(1 << 31) for _ in range(SEEDS)):
            lines = {}
            for favour in OPPOSITE:
                name = f"{seed}-{favour}"
                recorded = tool(folder, "record", "-o", name, "--no-image", "--favour", favour, "--", str(GUESTS / "select_random"), str(seed))
                lines[favour] = recorded.stdout.splitlines()
                replayed = tool(folder, "replay", name, "--favour", OPPOSITE[favour])
                if recorded.returncode or "WRONG" in recorded.stdout or sum(line != "." for line in lines[favour]) != 18:
                    failures.append(f"{name}: {recorded.returncode} {recorded.stdout}")
                if replayed.returncode or not replayed.stdout.startswith(recorded.stdout):
                    failures.append(f"{name}: replayed {replayed.returncode}: {recorded.stdout}became {replayed.stdout}{replayed.stderr}")
                outcomes["nothing"] += lines[favour].count(".")
                outcomes["taken"] += len(lines[favour]) - lines[favour].count(".")
            differing += lines["first"] != lines["last"]
    print(f"{SEEDS} seeds, {2 * SEEDS} recordings, {outcomes}, {differing} seeds ran in two ways")
    if min(outcomes.values()) == 0 or differing == 0:
        failures.append("there was nothing to replay")
    for failure in failures[:10]:
        print("FAILED", failure)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
