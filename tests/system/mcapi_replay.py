"""MCAPI programs replay as recorded, whichever node is slow, on threads and on processes, with each technique."""
# Goal    A replay gives every receive its message, every wait_any its index, every test its outcome.
# Method  The paper's figures, recorded while one sender rests before it sends (a file named `slow` says which), replayed
#         while another does. Control: without a replay the other order does come out. Threads are also held back at the
#         gate (favour). The paper's four benchmarks likewise, smallest and largest: what they print depends on the order of
#         arrivals, and the adversary is a load that delays whatever node it meets. A replay by receiver is equivalent, one by
#         sender or with contents identical; each node gets what it got in either case.
import sys
from concurrent.futures import ThreadPoolExecutor

from _lib import BUILD, FULL, WORKERS, Bench

PROGRAM = BUILD / "examples" / "10_mcapi"
# figure -> the node that is slow when recorded, and the one that is slow when replayed
FIGURES = {"2": (1, 3), "3": (2, 3), "4": (2, 1), "8": (1, 3), "28": (1, 3)}
RACY = ("2", "3", "8", "28")  # their output depends on who is slow
RECORDINGS, REPLAYS = (50, 10) if FULL else (2, 2)
# benchmark -> smallest and largest size, and whether its output can differ
BENCHMARKS = {"bt": (3, 21), "cg": (2, 11), "tn": (1, 10), "bully": (3, 12)}
BENCHMARK_RECORDINGS, BENCHMARK_REPLAYS = (50, 10) if FULL else (2, 1)


def slow(bench, node):
    (bench.folder / "slow").write_text(str(node))


def lines(ran):
    return sorted(line for line in ran.out.decode().splitlines() if line.startswith("node "))


def one_figure(bench, figure, mode, technique):
    first, second = FIGURES[figure]
    for number in range(RECORDINGS):
        name = f"figure{figure}-{mode}-{technique}-{number}"
        slow(bench, first)
        favour = {"favour": "first"} if mode == "threads" else {}
        recorded = bench.record(PROGRAM, name, figure, mode, options=["--technique", technique], **favour)
        bench.expect(recorded.code == 0 and len(lines(recorded)) > 1, f"{name} is recorded", name)
        slow(bench, second)
        favour = {"favour": "last"} if mode == "threads" else {}
        for _ in range(REPLAYS):
            replayed = bench.replay(name, **favour)
            bench.expect(replayed.code == 0 and not replayed.hung, f"{name} replays", name)
            bench.expect(lines(replayed) == lines(recorded), f"{name}: the nodes get what they got", name)


def one_benchmark(bench, name, size, technique):
    """Several of these run at once, which is the adversary: each delays the nodes of the others."""
    seen = set()
    for number in range(BENCHMARK_RECORDINGS):
        recording = f"{name}{size}-{technique}-{number}"
        recorded = bench.record(BUILD / "bench" / "programs" / name, recording, size, options=["--technique", technique])
        bench.expect(recorded.code == 0 and len(lines(recorded)) > 1, f"{recording} is recorded", recording, recorded)
        seen.add(tuple(lines(recorded)))
        for _ in range(BENCHMARK_REPLAYS):
            replayed = bench.replay(recording)
            bench.expect(replayed.code == 0 and not replayed.hung, f"{recording} replays", recording, replayed)
            bench.expect(lines(replayed) == lines(recorded), f"{recording}: the nodes get what they got", recording, replayed)
        bench.drop(recording)
    return seen


def benchmarks(bench):
    """Control: the largest of each came out in several ways while they were recorded."""
    for name, sizes in BENCHMARKS.items():
        for size in sizes:
            with ThreadPoolExecutor(2 * WORKERS) as pool:
                work = [pool.submit(one_benchmark, bench, name, size, technique) for technique in ("receiver", "sender", "data")]
                seen = set().union(*(each.result() for each in work))
            if size == sizes[-1]:
                bench.expect(len(seen) > 1, f"control: {name} {size} depends on the order of arrivals")


def busy(bench):
    """By sender, nodes that do little but wait for their turns are put on one core after some hundred messages each."""
    seen = set()
    for number in range(3):
        name = f"busy-{number}"
        recorded = bench.record(BUILD / "bench" / "programs" / "tn", name, "2", "40", options=["--technique", "sender"])
        bench.expect(recorded.code == 0 and len(lines(recorded)) == 10, f"{name} is recorded", name, recorded)
        seen.add(tuple(lines(recorded)))
        replayed = bench.replay(name)
        bench.expect(replayed.code == 0 and lines(replayed) == lines(recorded), f"{name} replays", name, replayed)
    bench.expect(len(seen) > 1, "control: busy nodes depend on the order of arrivals")


def control(bench, figure, mode):
    """Left alone, the program comes out in another way when another node is slow: on a busy machine, not at the first try."""
    seen = set()
    for i in range(20):
        for node in FIGURES[figure]:
            slow(bench, node)
            ran = bench.record(PROGRAM, f"control{figure}-{mode}-{node}-{i}", figure, mode)
            seen.add(tuple(line.split(" failed=")[0] for line in lines(ran)))
        if len(seen) > 1:
            break
    bench.expect(len(seen) > 1, f"control: figure {figure} on {mode} depends on who is slow")


def failed_assertion(bench):
    """Figure 8's assertion fails when node 1's message comes first; the trace is kept and replays."""
    slow(bench, 3)
    recorded = bench.record(PROGRAM, "assertion", "8", "threads", "assert")
    bench.expect(recorded.code == 134, "figure 8's assertion fails", "assertion")
    slow(bench, 1)
    replayed = bench.replay("assertion")
    bench.expect(replayed.code == 0, "and fails again", "assertion")


def main():
    with Bench("mcapi_replay") as bench:
        for mode in ("threads", "processes"):
            for figure in RACY:
                control(bench, figure, mode)
            for technique in ("receiver", "sender", "data"):
                for figure in FIGURES:
                    one_figure(bench, figure, mode, technique)
        failed_assertion(bench)
        busy(bench)
        benchmarks(bench)
        return bench.finish()


if __name__ == "__main__":
    sys.exit(main())
