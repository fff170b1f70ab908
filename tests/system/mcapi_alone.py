"""One MCAPI node is replayed with no other node running: its messages, packets and scalars come from the recording."""
# Goal    D-Replay of each single node is identical, also under the adversary, also with channels.
# Method  Programs whose nodes are processes, recorded with contents while one node rests, replayed node by node while
#         another would. Only the chosen node may say anything. Control: a recording without contents is refused, and
#         the programs do depend on who rests (mcapi_replay.py for the figures, here for the channels).
import sys

from _lib import BUILD, FULL, Bench

EXAMPLE = BUILD / "examples" / "10_mcapi"
PROGRAMS = BUILD / "bench" / "programs"
RELAY = BUILD / "mcapi" / "relay"
# name -> command, nodes, the node that is slow when recorded, and the one that is slow when replayed
SUBJECTS = {
    "figure2": ([EXAMPLE, "2"], 4, 1, 3),
    "figure3": ([EXAMPLE, "3"], 3, 2, 3),
    "figure4": ([EXAMPLE, "4"], 2, 2, 1),
    "figure8": ([EXAMPLE, "8"], 5, 1, 3),
    "figure28": ([EXAMPLE, "28"], 4, 1, 3),
    "relay": ([RELAY], 3, 1, 2),
    "bt": ([PROGRAMS / "bt", "5"], 5, 0, 0),
    "cg": ([PROGRAMS / "cg", "4"], 4, 0, 0),
    "tn": ([PROGRAMS / "tn", "1"], 10, 0, 0),
    "bully": ([PROGRAMS / "bully", "3"], 3, 0, 0),
}
RECORDINGS, REPLAYS = (50, 10) if FULL else (1, 1)


def slow(bench, node):
    (bench.folder / "slow").write_text(str(node))


def lines(ran):
    return sorted(line for line in ran.out.decode().splitlines() if line.startswith("node "))


def each_node(bench, name):
    command, nodes, first, second = SUBJECTS[name]
    for number in range(RECORDINGS):
        recording = f"{name}-{number}"
        slow(bench, first)
        recorded = bench.record(*command[:1], recording, *command[1:], options=["--technique", "data"])
        said = lines(recorded)
        bench.expect(recorded.code == 0 and len(said) == nodes, f"{recording} is recorded", recording, recorded)
        slow(bench, second)
        for node in range(1, nodes + 1):
            for _ in range(REPLAYS):
                replayed = bench.replay(recording, "--only", f"0/{node}")
                bench.expect(replayed.code == 0, f"{recording}: node {node} replays alone", recording, replayed)
                expected = [line for line in said if line.startswith(f"node {node}:")]
                bench.expect(lines(replayed) == expected, f"{recording}: only node {node} runs, and gets what it got",
                             recording, replayed)


def main():
    with Bench("mcapi_alone") as bench:
        outcomes = set()
        for node in (1, 2):
            slow(bench, node)
            ran = bench.record(RELAY, f"control-{node}")
            outcomes.add(tuple(lines(ran)))
        bench.expect(len(outcomes) == 2, "control: the relay depends on who is slow")
        refused = bench.replay("control-1", "--only", "0/1")
        bench.expect(refused.code == 7 and b"--level data" in refused.err, "without contents no node replays alone",
                     "control-1", refused)
        for name in SUBJECTS:
            each_node(bench, name)
        missing = bench.replay("relay-0", "--only", "0/4")
        bench.expect(missing.code == 2, "a node that is not there", "relay-0", missing)
        return bench.finish()


if __name__ == "__main__":
    sys.exit(main())
