"""The documents tell the truth: their commands run as they stand there, and print what stands there."""
# Goal    Whoever follows README.md, the guide or an example by copy and paste sees what they show.
# Method  Run the console blocks of each document in an empty folder that looks like the repository's root, and compare
#         (console_lib.py says how). First the comparison itself is tried on outputs that are wrong.
import os
import sys
import tempfile
from pathlib import Path

import console_lib

SOURCE = Path(os.environ.get("REPRISE_SOURCE", Path(__file__).resolve().parents[2]))
BUILD = Path(os.environ.get("REPRISE_BUILD", SOURCE / "build" / "release"))

SHOWN = """<!-- same: 300 -->
<!-- varies: 7 "order 3" -->
```console
$ first
run 7 of 20 lost 300 at order 3
...
3 threads
$ second
lost 300
```
"""
RIGHT = [["run 9 of 20 lost 100 at order 12", "more", "3 threads"], ["lost 100"]]
WRONG = [
    [["run 9 of 21 lost 100 at order 12", "3 threads"], ["lost 100"]],     # a number that may not vary
    [["run 9 of 20 lost 100 at order 12", "4 threads"], ["lost 100"]],     # the same number as one that may, elsewhere
    [["run 9 of 20 lost 100 at order 12", "3 threads"], ["lost 200"]],     # two numbers that must be the same
    [["run x of 20 lost 100 at order 12", "3 threads"], ["lost 100"]],     # no number
    [["run 9 of 20 lost 100 at order 12", "3 threads", "oops"], ["lost 100"]],  # a line too many
    [["run 9 of 20 lost 100 at order 12"], ["lost 100"]],                  # a line too few
    [["run 9 of 20 lost 100 at order 12", "3 threads"], []],               # nothing
]


def is_accepted(outputs):
    matcher = console_lib.Matcher()
    (block,) = console_lib.blocks(SHOWN)
    matcher.declare(block)
    shown = console_lib.commands(block)
    return all(matcher.matches(expected, printed, block.varies) for (_, _, expected), printed in zip(shown, outputs))


def check_comparison():
    assert is_accepted(RIGHT), "the comparison refuses a right output"
    for outputs in WRONG:
        assert not is_accepted(outputs), f"the comparison accepts {outputs}"


def look_like_root(folder):
    """The paths that documents use, and nothing else."""
    (folder / "build").mkdir()
    (folder / "build" / "release").symlink_to(BUILD)
    (folder / "reprise").symlink_to(BUILD / "bin" / "reprise")
    for name in ("include", "examples", "docs"):
        (folder / name).symlink_to(SOURCE / name)


def environment(scratch):
    """`scratch` is this document's own: what other runs left in the common one would be counted by `reprise clean`."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("REPRISE")}
    return plain | {"NO_COLOR": "1", "LC_ALL": "C.UTF-8", "TMPDIR": scratch}


def run(document):
    with tempfile.TemporaryDirectory() as name, tempfile.TemporaryDirectory() as scratch:
        folder = Path(name)
        look_like_root(folder)
        return console_lib.run_document(document.read_text(), folder, environment(scratch))


def main():
    check_comparison()
    wanted = sys.argv[1:]
    documents = [SOURCE / "README.md", *sorted(SOURCE.glob("examples/*/README.md")), *sorted(SOURCE.glob("docs/guide/*.md"))]
    failed = 0
    for document in documents:
        shown = str(document.relative_to(SOURCE))
        if wanted and not any(word in shown for word in wanted):
            continue
        try:
            count = run(document)
            print(f"{shown}: {count} commands")
            if count == 0 and "examples/" in shown:
                raise console_lib.Mismatch("no command in it")
        except console_lib.Mismatch as mismatch:
            failed += 1
            print(f"{shown}: {mismatch}\nagain: python3 tests/system/examples.py {shown}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
