"""Groups of MCAPI nodes: inside a group order is recorded, across groups contents too; a group replays without the others."""
# Goal    Every group of nodes is replayed for real while no other node runs, also over channels, also if who connected them
#         is in none of them; whoever is in no group is one of its own; nodes of one process go together; groups of a Procfile
#         by the names of its lines. All together replay as ever.
# Method  Recorded while one node rests, replayed while another would. Only the nodes of the group may say anything. Control:
#         without a group such a replay is refused; with all in one group no contents are recorded, otherwise some are.
import subprocess
import sys

from _lib import BUILD, FULL, SOURCE, Bench

EXAMPLE = BUILD / "examples" / "10_mcapi"
PROGRAMS = BUILD / "bench" / "programs"
RELAY = BUILD / "mcapi" / "relay"
# name -> command, nodes, groups, the node that is slow when recorded, and the one that is slow when replayed
SUBJECTS = {
    "figure2": ([EXAMPLE, "2"], 4, ["0/1,0/2", "0/3"], 1, 3),
    "figure8": ([EXAMPLE, "8"], 5, ["0/1,0/4", "0/3,0/5"], 1, 3),
    "figure28": ([EXAMPLE, "28"], 4, ["0/2,0/3"], 1, 3),
    "relay-ends": ([RELAY], 3, ["0/1,0/2"], 1, 2),
    "relay-middle": ([RELAY], 3, ["0/2,0/3"], 2, 1),
    "relay-outer": ([RELAY], 3, ["0/1,0/3"], 1, 2),
    "bt": ([PROGRAMS / "bt", "5"], 5, ["0/1,0/2,0/3"], 0, 0),
    "cg": ([PROGRAMS / "cg", "4"], 4, ["0/1,0/3", "0/2,0/4"], 0, 0),
    "bully": ([PROGRAMS / "bully", "4"], 4, ["0/1,0/2", "0/3,0/4"], 0, 0),
}
RECORDINGS, REPLAYS = (20, 5) if FULL else (1, 1)


def slow(bench, node):
    (bench.folder / "slow").write_text(str(node))


def lines(ran):
    return sorted(line for line in ran.out.decode().splitlines() if line.startswith("node "))


def of_nodes(said, nodes):
    return [line for line in said if any(line.startswith(f"node {node}:") for node in nodes)]


def contents(bench, recording):
    """How many contents a recording holds."""
    names = [process["process"] for process in bench.info(recording)["processes"]]
    return sum(bench.reprise("show", recording, "--process", name, "--json").out.count(b'"kind":"content"') for name in names)


def flags(groups):
    return [word for group in groups for word in ("--group", group)]


def each_group(bench, name):
    command, nodes, groups, first, second = SUBJECTS[name]
    for number in range(RECORDINGS):
        recording = f"{name}-{number}"
        slow(bench, first)
        recorded = bench.record(*command[:1], recording, *command[1:], options=flags(groups))
        said = lines(recorded)
        bench.expect(recorded.code == 0 and len(said) == nodes, f"{recording} is recorded", recording, recorded)
        bench.expect(contents(bench, recording) > 0, f"{recording}: what crosses the border is recorded", recording)
        slow(bench, second)
        whole = bench.replay(recording)
        bench.expect(whole.code == 0 and lines(whole) == said, f"{recording}: all replay", recording, whole)
        for node in range(1, nodes + 1):
            group = next((each for each in groups if f"0/{node}" in each.split(",")), f"0/{node}")
            members = [member.split("/")[1] for member in group.split(",")]
            for _ in range(REPLAYS):
                replayed = bench.replay(recording, "--only", f"0/{node}")
                bench.expect(replayed.code == 0, f"{recording}: the group of node {node} replays", recording, replayed)
                bench.expect(lines(replayed) == of_nodes(said, members),
                             f"{recording}: only the group of node {node} runs, and gets what it got", recording, replayed)


def one_group_for_all(bench):
    slow(bench, 1)
    recorded = bench.record(EXAMPLE, "whole", "8", options=["--group", "0/1,0/2,0/3,0/4,0/5"])
    bench.expect(recorded.code == 0 and contents(bench, "whole") == 0, "control: inside a group there are no contents", "whole")
    bench.record(EXAMPLE, "none", "8")
    refused = bench.replay("none", "--only", "0/4")
    bench.expect(refused.code == 7, "control: without groups no node is replayed alone", "none", refused)
    usage = bench.record(EXAMPLE, "sender", "8", options=["--group", "0/1", "--technique", "sender"])
    bench.expect(usage.code == 2, "no groups by sender", "", usage)


def threads_of_a_process(bench):
    slow(bench, 1)
    recorded = bench.record(EXAMPLE, "threads", "28", "threads", options=["--group", "0/1", "--group", "0/2"])
    slow(bench, 3)
    replayed = bench.replay("threads", "--only", "0/1")
    bench.expect(replayed.code == 0 and lines(replayed) == lines(recorded) and len(lines(recorded)) == 4,
                 "nodes of one process go together", "threads", replayed)


def programs_of_a_procfile(bench):
    program = bench.folder / "one_node"
    command = ["cc", "-std=gnu11", "-O1", SOURCE / "tests" / "foreign" / "one_node.c", f"-I{SOURCE}/include/mcapi", "-o", program,
               f"-L{BUILD}/lib", "-lmcapi", f"-Wl,-rpath,{BUILD}/lib", f"-Wl,-rpath-link,{BUILD}/lib"]
    subprocess.run([str(word) for word in command], check=True)
    procfile = bench.folder / "Procfile"
    procfile.write_text("".join(f"{name}: {program} {node}\n" for node, name in enumerate("abc", 1)))
    slow(bench, 2)
    recorded = bench.reprise("record", "-o", "lines", "--no-image", "--group", "a,b", "--group", "c", "-f", procfile)
    said = lines(recorded)
    bench.expect(recorded.code == 0 and len(said) == 12, "lines: recorded", "lines", recorded)
    slow(bench, 3)
    other = bench.reprise("record", "-o", "lines-control", "--no-image", "-f", procfile)
    received = [line for line in other.out.splitlines() if line.startswith(b"node 1:")]
    bench.expect(received != [line for line in recorded.out.splitlines() if line.startswith(b"node 1:")],
                 "control: the lines depend on who is slow", "lines", other)
    whole = bench.replay("lines")
    bench.expect(whole.code == 0 and lines(whole) == said, "lines: all replay", "lines", whole)
    for only, nodes in {"a": (1, 2), "0/2": (1, 2), "c": (3,)}.items():
        replayed = bench.replay("lines", "--only", only)
        bench.expect(replayed.code == 0 and lines(replayed) == of_nodes(said, nodes), f"lines: the group of {only}", "lines", replayed)


def main():
    with Bench("mcapi_groups") as bench:
        for name in SUBJECTS:
            each_group(bench, name)
        one_group_for_all(bench)
        threads_of_a_process(bench)
        programs_of_a_procfile(bench)
        return bench.finish()


if __name__ == "__main__":
    sys.exit(main())
