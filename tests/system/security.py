"""Goal    A recording holds what the program saw: nobody else may read it, and names lead nowhere but into the folder.
Method  Recordings are made with a mask that forbids nothing, and their modes looked at; names that lead elsewhere are refused.
"""
import os
import stat
import sys

from _lib import GUESTS, Bench, run


def modes(folder):
    """(path, wanted mode, mode) of everything in a recording."""
    found = [(folder, 0o700)]
    for place, folders, files in os.walk(folder):
        found += [(os.path.join(place, name), 0o700) for name in folders]
        found += [(os.path.join(place, name), 0o600) for name in files]
    return [(str(path), wanted, stat.S_IMODE(os.lstat(path).st_mode)) for path, wanted in found]


def is_private(bench, what, name):
    entries = modes(bench.path(name))
    bench.expect(len(entries) >= 3, f"{what}: there is something to look at: {entries}", name)
    for path, wanted, mode in entries:
        closed = mode & 0o077 == 0 and mode & ~wanted & 0o777 == 0
        bench.expect(closed, f"{what}: {path} has mode {mode:o}, at most {wanted:o} is wanted", name)


def private(bench):
    os.umask(0)
    bench.reprise("record", "-o", "launched", "--", GUESTS / "mutex_contended")
    is_private(bench, "launched", "launched")
    traced = bench.replay("launched", "--trace", "--quiet")
    bench.expect(traced.code == 0, "traced: it is", "launched", traced)
    is_private(bench, "traced", "launched")
    run([GUESTS / "mutex_contended"], bench.folder, env={"REPRISE_RECORD": bench.path("alone")})
    is_private(bench, "no launcher", "alone")
    running = bench.record("self_deadlock", "killed", timeout=0.5)
    bench.expect(running.code == 137, "killed: it is", "killed", running)
    is_private(bench, "killed", "killed")


def names(bench):
    for name in ("../escaped", "a/b", "/absolute", ".hidden", "-dash", "a" * 65, "new\nline", "sp ace", "ä"):
        ran = bench.record("only_end", name)
        bench.expect(ran.code == 2, f"names: {name!r} is refused", "", ran)
    bench.expect(not (bench.folder.parent / "escaped.reprise").exists(), "names: nothing is made elsewhere")
    ran = bench.record("only_end", "a" * 64)
    bench.expect(ran.code == 6, "names: one of 64 letters is allowed", "a" * 64, ran)
    again = bench.record("only_end", "a" * 64)
    bench.expect(again.code == 2, "names: a recording is not overwritten", "a" * 64, again)
    for command in ("replay", "info", "show", "verify", "rm"):
        ran = bench.reprise(command, "../../nothing-there")
        bench.expect(ran.code in (2, 5), f"names: {command} of what is not there", "", ran)


def removal(bench):
    """Only recordings are removed: not what a link leads to, and not a folder that merely has such a name."""
    outside = bench.folder / "outside"
    outside.mkdir()
    (outside / "precious").write_text("kept", encoding="utf-8")
    (bench.folder / "link.reprise").symlink_to(outside)
    ran = bench.reprise("rm", "link")
    bench.expect((outside / "precious").exists(), "rm: what a link leads to stays", "", ran)
    plain = bench.folder / "plain.reprise"
    plain.mkdir()
    (plain / "precious").write_text("kept", encoding="utf-8")
    ran = bench.reprise("rm", "plain")
    bench.expect((plain / "precious").exists(), "rm: a folder that is no recording stays", "", ran)


def main():
    bench = Bench("security")
    for test in (private, names, removal):
        test(bench)
    bench.finish()


if __name__ == "__main__":
    sys.exit(main())
