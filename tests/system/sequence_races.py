"""Goal    Where listed events depend on a race that is not listed (a mutex), reprise test finds the run that yields them, and when no
        order of the race does, it has tried them all.
Method  Two threads race for a mutex, and who comes first sends to another mailbox than who comes second. Both orders are feasible; that
        both come first is not, nor what the numbers alone forbid.
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from _lib import GUESTS, REPRISE

WHO = {1: "mailbox_mutex/0.2", 2: "mailbox_mutex/0.3"}
failures = []


def text(first, second):
    """Threads of which one comes first and one second; each closes both."""
    lines = ["form: object, numbering: carc"]
    for number, (mailbox, sender) in enumerate((("first", first), ("second", second)), 1):
        lines.append(f"{mailbox}:")
        lines += [f"({WHO[who]},{number},connection)" for who in (1, 2)]
        lines += [f"({WHO[sender]},3,arrival)", f"(mailbox_mutex/0,{number},receive)"]
        for who in (1, 2):
            lines.append(f"({WHO[who]},{3 + number},close)")
    return "\n".join(lines) + "\n"


def test(folder, name, sequence):
    file = Path(folder) / f"{name}.seq"
    file.write_text(sequence)
    ran = subprocess.run([REPRISE, "test", "--sequence", str(file), "-o", name, "--json", "--", str(GUESTS / "mailbox_mutex")],
                         capture_output=True, text=True, timeout=120, env={**os.environ, "REPRISE_HOME": folder})
    return ran.returncode, json.loads(ran.stdout) if ran.stdout else {"verdict": ran.stderr}


def expect(folder, name, sequence, code, verdict):
    found, said = test(folder, name, sequence)
    print(name, found, said["verdict"], said.get("runs"), said.get("reason"))
    if (found, said["verdict"]) != (code, verdict):
        failures.append(f"{name}: {verdict} expected, {said}\n{sequence}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        expect(folder, "one-first", text(1, 2), 0, "feasible")
        expect(folder, "two-first", text(2, 1), 0, "feasible")
        expect(folder, "both-first", text(1, 1), 1, "infeasible")  # one thread has two events with one number
        expect(folder, "elsewhere", text(1, 2).replace("second:", "third:"), 1, "infeasible")  # before the race
        late = f"({WHO[2]},3,arrival)\n"
        both = text(1, 2).replace(late + "(mailbox_mutex/0,2,receive)\n", "").replace("(mailbox_mutex/0,1,receive)\n",
                                                                                     "(mailbox_mutex/0,1,receive)\n" + late)
        expect(folder, "each-first", both, 1, "infeasible")
    for failure in failures:
        print("FAILED", failure)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
