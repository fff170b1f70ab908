"""Goal    Each process of a system replays alone: without the other programs, and without any network.
Method  Systems are recorded at level data (and, once, in groups) from copies of their programs. Then all copies but one are
        deleted, and the one process is replayed in a network namespace of its own, where even loopback is down. Its lines
        must be those it printed when recorded. The same for every process of every example.
        Control: at level order the same is refused.
"""
import os
import re
import shutil
import subprocess
from pathlib import Path

from _lib import GUESTS, REPRISE, SOURCE, Bench, run
from message_lib import lines_of, record

EXAMPLES = Path(os.environ.get("REPRISE_EXAMPLES", "examples"))
MESSAGES = 60
# Examples that are one program: what they are given, if anything.
ARGUMENTS = {"10_mcapi": ["8", "threads"]}


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


def replay_alone(bench, name, only, isolated):
    command = [*(["unshare", "-n"] if isolated else []), REPRISE, "replay", name, "--only", only]
    return run(command, bench.folder, env={"LD_LIBRARY_PATH": GUESTS.parent / "lib"})


def alone(bench, name, only, said, away, isolated):
    """Replays `only`, with the programs in `away` deleted; `said` are the lines of who is replayed."""
    for path in away:
        path.unlink()
    ran = replay_alone(bench, name, only, isolated)
    bench.expect(ran.code == 0 and lines_of(ran.out) == said, f"{name}: {only} replays alone: {said}"[:600], name, ran)


def copy_of(bench, program, name):
    """A copy that can be deleted, beside what the example itself is."""
    target = bench.folder / "programs" / name
    target.parent.mkdir(exist_ok=True)
    target.unlink(missing_ok=True)
    shutil.copy(program, target)
    return target


def example_lines(bench, procfile):
    """The programs of an example, as copies: {process: words}, and the services among them."""
    lines, services = {}, []
    for line in procfile.read_text().splitlines():
        if line.startswith("#"):
            services += re.findall(r"--service (\S+)", line)
            continue
        name, command = line.split(":", 1)
        program, *words = command.split()
        lines[name] = [copy_of(bench, EXAMPLES / program.split("/examples/", 1)[1], name), *words]
    return lines, services


def check_example(bench, folder, isolated):
    """Every process of one example; returns how many there were."""
    name = folder.name
    env = {"LD_LIBRARY_PATH": GUESTS.parent / "lib"}
    if (folder / "Procfile").exists():
        lines, services = example_lines(bench, folder / "Procfile")
        options = [word for service in services for word in ("--service", service)]
        recorded = record(bench, name, lines, "--level", "data", "--no-image", *options, env=env)
    else:
        lines = {"alone": [copy_of(bench, EXAMPLES / name, "alone"), *ARGUMENTS.get(name, [])]}
        recorded = bench.record(lines["alone"][0], name, *lines["alone"][1:], options=["--level", "data"], timeout=2, env=env)
    bench.expect(not recorded.hung and b"recorded" in recorded.err, f"{name}: is recorded", name, recorded)
    everything = lines_of(recorded.out)
    heard = []
    for only, words in lines.items():
        kept = bench.folder / "kept"
        (bench.folder / "programs").rename(kept)
        (bench.folder / "programs").mkdir()
        shutil.copy(kept / only, words[0])  # the only one that is left
        ran = replay_alone(bench, name, only, isolated)
        bench.expect(ran.code == 0 and b"1 of 1 identical" in ran.out, f"{name}: {only} replays alone", name, ran)
        heard += lines_of(ran.out)
        shutil.rmtree(bench.folder / "programs")
        kept.rename(bench.folder / "programs")
    bench.expect(sorted(heard) == everything, f"{name}: all said again what they said: {everything} {heard}"[:900], name)
    shutil.rmtree(bench.folder / "programs")
    return len(lines)


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
    shutil.rmtree(bench.folder / "programs")
    examples = sorted(folder for folder in (SOURCE / "examples").glob("[0-9]*") if folder.is_dir())
    count = sum(check_example(bench, folder, isolated) for folder in examples)
    print(f"{count} processes of {len(examples)} examples, each alone")
    bench.expect(len(examples) >= 5, "examples: there are some")
    bench.finish()


main()
