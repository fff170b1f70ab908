"""Goal    Each process of a system replays alone: without the other programs, and without any network.
Method  Systems are recorded at level data (and, once, in groups) from copies of their programs. Then all copies but one are
        deleted, and the one process is replayed in a network namespace of its own, where even loopback is down. Its lines
        must be those it printed when recorded.
        Control: at level order the same is refused.
"""
import shutil
import subprocess

from _lib import GUESTS, REPRISE, Bench, run
from message_lib import lines_of, record

MESSAGES = 60


def has_namespaces():
    return subprocess.run(["unshare", "-n", "true"], capture_output=True, check=False).returncode == 0


def copies(bench, names):
    folder = bench.folder / "programs"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name in names:
        shutil.copy(GUESTS / "message_race", folder / name)
    return {"receiver": [folder / "receiver", "receiver", MESSAGES],
            "anna": [folder / "anna", "sender", "anna", MESSAGES], "bert": [folder / "bert", "sender", "bert", MESSAGES]}


def alone(bench, name, only, said, away, isolated):
    """Replays `only`, with the programs in `away` deleted; `said` are the lines of who is replayed."""
    for path in away:
        path.unlink()
    command = [*(["unshare", "-n"] if isolated else []), REPRISE, "replay", name, "--only", only]
    ran = run(command, bench.folder, env={"LD_LIBRARY_PATH": GUESTS.parent / "lib"})
    bench.expect(ran.code == 0 and lines_of(ran.out) == said, f"{name}: {only} replays alone: {said}"[:600], name, ran)


def main():
    bench = Bench("message_only")
    isolated = has_namespaces()
    print("in a network namespace" if isolated else "no network namespaces here: with the network")
    names = ("receiver", "anna", "bert")
    for only in names:
        lines = copies(bench, names)
        recorded = record(bench, f"data-{only}", lines, "--level", "data", "--no-image",
                          env={"LD_LIBRARY_PATH": GUESTS.parent / "lib"})
        said = [line for line in lines_of(recorded.out) if line.startswith(only)]
        bench.expect(recorded.code == 0 and len(said) == 1, f"{only}: is recorded", f"data-{only}", recorded)
        alone(bench, f"data-{only}", only, said, [lines[name][0] for name in names if name != only], isolated)
    lines = copies(bench, names)
    recorded = record(bench, "groups", lines, "--group", "receiver,anna", "--group", "bert", "--no-image",
                      env={"LD_LIBRARY_PATH": GUESTS.parent / "lib"})
    said = lines_of(recorded.out)
    bench.expect(recorded.code == 0 and len(said) == 3, "groups: is recorded", "groups", recorded)
    alone(bench, "groups", "anna", [line for line in said if not line.startswith("bert")], [lines["bert"][0]], isolated)
    order = record(bench, "order", copies(bench, names), "--no-image", env={"LD_LIBRARY_PATH": GUESTS.parent / "lib"})
    refused = bench.reprise("replay", "order", "--only", "anna")
    bench.expect(order.code == 0 and refused.code == 7 and b"--level data" in refused.err, "order: is refused", "order",
                 refused)
    bench.finish()


main()
