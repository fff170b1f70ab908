"""Programs with an MCAPI library that is not ours are recorded and replayed by an interposing library made for it."""
# Goal    R and D of a program with a foreign library, as it is: 1.063, `_t**`, SUCCESS = 0, at most 128 bytes, no hooks.
#         Messages that have no room for a trailer are told apart too, though their bytes differ from run to run.
# Method  A second build of our runtime is the foreign library. One sender is slow when recorded, another when replayed;
#         control: without a replay that does change what the receiver gets. Each node is replayed alone (D). A program
#         with the library inside is refused with the line that links it anew, and that line does what it says.
import re
import subprocess
import sys

from _lib import BUILD, FULL, REPRISE, SOURCE, Bench, environment, run

FOREIGN = BUILD / "foreign"
RECORDINGS, REPLAYS = (50, 10) if FULL else (2, 2)
NODES = 4


def compile_program(bench, name, libraries):
    command = ["cc", "-std=gnu11", "-O1", SOURCE / "tests" / "foreign" / "collect.c", f"-I{FOREIGN}/mcapi1", "-o",
               bench.folder / name, *libraries]
    subprocess.run(command, check=True)
    return bench.folder / name


def slow(bench, node):
    (bench.folder / "slow").write_text(str(node))


def lines(ran):
    return sorted(line for line in ran.out.decode().splitlines() if line.startswith("node "))


def of_receiver(ran):
    return [line for line in ran.out.decode().splitlines() if line.startswith("node 1:")]


def make_profile(bench, headers, library):
    profile = str(bench.folder / f"{headers}.so")
    made = run([REPRISE, "mcapi-profile", "--include", FOREIGN / headers, "--lib", FOREIGN / library, "-o", profile],
               bench.folder, env=environment())
    bench.expect(made.code == 0, f"the profile for {library} is made", "", made)
    return profile


def papers_programs(bench):
    """Figures 8 and 28, and with REPRISE_FULL the four benchmarks, with a foreign 2.015."""
    profile = make_profile(bench, "mcapi", "libmcapi_plain2.so")
    subjects = {"figures": (SOURCE / "examples" / "10_mcapi" / "figures.cc", [["8"], ["28"]])}
    if FULL:
        for name, sizes in {"bt": "3 21", "cg": "2 11", "tn": "1 10", "bully": "3 12"}.items():
            subjects[name] = (SOURCE / "benchmarks" / "mcapi" / f"{name}.cc", [[size] for size in sizes.split()])
    for name, (source, sizes) in subjects.items():
        program = bench.folder / name
        command = ["c++", "-std=c++20", "-O1", source, f"-I{FOREIGN}/mcapi", f"-I{SOURCE}/benchmarks", "-o", program,
                   f"-L{FOREIGN}", "-lmcapi_plain2", f"-Wl,-rpath,{FOREIGN}", "-pthread"]
        subprocess.run(command, check=True)
        for words in sizes:
            for options in (["--mcapi", profile], ["--mcapi", profile, "--technique", "data"]):
                recording = "-".join([name, *words, options[-1] if len(options) > 2 else "receiver"])
                for number in range(RECORDINGS):
                    one_program(bench, program, f"{recording}-{number}", words, options)


def one_program(bench, program, recording, words, options):
    slow(bench, 1)
    recorded = bench.record(program, recording, *words, options=options)
    bench.expect(recorded.code == 0 and len(lines(recorded)) > 1, f"{recording} is recorded", recording, recorded)
    slow(bench, 3)
    for _ in range(REPLAYS):
        replayed = bench.replay(recording)
        bench.expect(replayed.code == 0 and lines(replayed) == lines(recorded), f"{recording} replays", recording, replayed)


def technique(bench, program, name, options):
    for number in range(RECORDINGS):
        recording = f"{name}-{number}"
        slow(bench, 2)
        recorded = bench.record(program, recording, options=options)
        bench.expect(recorded.code == 0 and len(of_receiver(recorded)) > 12, f"{recording} is recorded", recording, recorded)
        slow(bench, 4)
        for _ in range(REPLAYS):
            replayed = bench.replay(recording)
            bench.expect(replayed.code == 0, f"{recording} replays", recording, replayed)
            bench.expect(of_receiver(replayed) == of_receiver(recorded) and lines(replayed) == lines(recorded),
                         f"{recording}: the nodes get what they got", recording, replayed)
    return recorded


def each_node_alone(bench, recording, recorded):
    for node in range(1, NODES + 1):
        alone = bench.replay(recording, "--only", f"0/{node}")
        expected = [line for line in lines(recorded) if line.startswith(f"node {node}:")]
        bench.expect(alone.code == 0 and lines(alone) == expected, f"node {node} alone", recording, alone)


def library_inside(bench, profile):
    static = [FOREIGN / "libmcapi_plain1.a", "-lstdc++", "-lm", "-pthread"]
    program = compile_program(bench, "inside", static)
    refused = run([REPRISE, "record", "--mcapi", profile, "--", program], bench.folder, env=environment())
    said = re.search(rb"or add (.*) and record it without --mcapi", refused.err)
    bench.expect(refused.code == 7 and said is not None, "a library inside is refused", "", refused)
    if said is None:
        return
    line = said[1].decode().split()
    program = compile_program(bench, "wrapped", [*line[:-2], *static, f"-L{BUILD}/lib", *line[-2:], f"-Wl,-rpath,{BUILD}/lib"])
    technique(bench, program, "wrapped", [])


def main():
    with Bench("mcapi_foreign") as bench:
        profile = make_profile(bench, "mcapi1", "libmcapi_plain1.so")
        program = compile_program(bench, "collect", [f"-L{FOREIGN}", "-lmcapi_plain1", f"-Wl,-rpath,{FOREIGN}"])
        seen = set()
        for node in (2, 4):
            slow(bench, node)
            seen.add(tuple(line for line in of_receiver(run([program], bench.folder, env=environment())) if "tests" not in line))
        bench.expect(len(seen) == 2, "control: the receiver's messages depend on who is slow")
        technique(bench, program, "receiver", ["--mcapi", profile])
        recorded = technique(bench, program, "data", ["--mcapi", profile, "--technique", "data"])
        each_node_alone(bench, f"data-{RECORDINGS - 1}", recorded)
        library_inside(bench, profile)
        papers_programs(bench)
        wrong = run([REPRISE, "mcapi-profile", "--include", SOURCE, "--lib", FOREIGN / "libmcapi_plain1.so"], bench.folder,
                    env=environment())
        bench.expect(wrong.code != 0 and b"mcapi.h" in wrong.err, "no header there", "", wrong)
        return bench.finish()


if __name__ == "__main__":
    sys.exit(main())
