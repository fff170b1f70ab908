"""Nodes that wait for each other share a core on replay, and nothing that they start inherits it."""
# Goal    A replay keeps nodes that do little but wait on one core. A thread or process that such a node starts has all cores,
#         and so has the node when it is finalized. How many processors there are is recorded: a program that asks gets the
#         same answer where there are others.
# Method  A node says what the kernel lets it use, while it plays with another one and where it must have left. Control: as
#         recorded it is never on one core; without the inputs, on one core, the program is told of one.
import os
import sys

from _lib import BUILD, REPRISE, Bench, run

PROGRAM = BUILD / "mcapi" / "cores"
ALL = len(os.sched_getaffinity(0))


def said(ran):
    """who -> what it said, in order"""
    found = {}
    for line in ran.out.decode().splitlines():
        who, colon, what = line.partition(": ")
        if colon and " " not in who:  # the rest is what the tool says
            found.setdefault(who, []).append(what)
    return found


def replay_on_one_core(bench, recording):
    return run(["taskset", "-c", min(os.sched_getaffinity(0)), REPRISE, "replay", recording], bench.folder)


def shares(bench, technique):
    recorded = bench.record(PROGRAM, technique, options=["--technique", technique])
    every = [str(ALL)]
    expected = {"node": every * 3, "thread": every, "child": every, "end": every, "told": said(recorded)["told"]}
    bench.expect(recorded.code == 0 and said(recorded) == expected, f"{technique}: recorded on all cores", technique, recorded)
    replayed = bench.replay(technique)
    expected["node"] = ["1"] * 3
    bench.expect(replayed.code == 0 and said(replayed) == expected, f"{technique}: replayed on one, what it starts on all", technique,
                 replayed)


def processors_are_recorded(bench):
    for inputs in ("on", "off"):
        recorded = bench.record(PROGRAM, inputs, env={"MCAPI_INPUTS": inputs})
        replayed = replay_on_one_core(bench, inputs)
        same = said(replayed).get("told") == said(recorded)["told"]
        bench.expect(same == (inputs == "on" or ALL == 1), f"inputs {inputs}: what it is told of processors", inputs, replayed)
        bench.expect(said(replayed)["end"] == ["1"], f"inputs {inputs}: there is one", inputs, replayed)


def main():
    with Bench("mcapi_cores") as bench:
        for technique in ("receiver", "sender"):
            shares(bench, technique)
        processors_are_recorded(bench)
        return bench.finish()


if __name__ == "__main__":
    sys.exit(main())
