"""Packet and scalar channels of a foreign MCAPI library are recorded and replayed, with contents each node alone."""
# Goal    R: requests of channels come to their end as they did, attribute reads give what they gave. D: also the bytes of
#         packets and scalars, which differ from run to run (they name a process), also for one node with no other running.
#         With 1.063 and 2.015, and with the library inside the program (-Wl,--wrap).
# Method  A second build of our runtime is the foreign library. Control: two runs have other bytes.
import re
import subprocess
import sys

from _lib import BUILD, FULL, REPRISE, SOURCE, Bench, run

FOREIGN = BUILD / "foreign"
HEADERS = {1: "mcapi1", 2: "mcapi"}
RECORDINGS, REPLAYS = (50, 10) if FULL else (2, 2)


def compile_program(bench, version, name, libraries):
    command = ["cc", "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", f"-DCHANNELS_{version}",
               SOURCE / "tests" / "foreign" / "channels.c", f"-I{FOREIGN}/{HEADERS[version]}", "-o", bench.folder / name,
               *libraries]
    subprocess.run([str(word) for word in command], check=True)
    return bench.folder / name


def lines(ran):
    return sorted(line for line in ran.out.decode().splitlines() if line.startswith("node "))


def outcomes(ran):
    """What a replay by receiver gives again: all but the bytes."""
    return [re.sub(r"of \d+'|scalar \d+", "", line) for line in lines(ran)]


def one(bench, program, name, options, seen):
    for number in range(RECORDINGS):
        recording = f"{name}-{number}"
        recorded = bench.record(program, recording, options=options)
        bench.expect(recorded.code == 0 and len(lines(recorded)) == 12, f"{recording} is recorded", recording, recorded)
        for _ in range(REPLAYS):
            replayed = bench.replay(recording)
            bench.expect(replayed.code == 0, f"{recording} replays", recording, replayed)
            bench.expect(seen(replayed) == seen(recorded), f"{recording}: the nodes get what they got", recording, replayed)
    return recording, recorded


def each_node_alone(bench, recording, recorded):
    for node in (1, 2):
        alone = bench.replay(recording, "--only", f"0/{node}")
        expected = [line for line in lines(recorded) if line.startswith(f"node {node}:")]
        bench.expect(alone.code == 0 and lines(alone) == expected, f"{recording}: node {node} alone", recording, alone)


def library_inside(bench, version, profile):
    static = [FOREIGN / f"libmcapi_plain{version}.a", "-lstdc++", "-lm", "-pthread"]
    program = compile_program(bench, version, f"inside{version}", static)
    refused = run([REPRISE, "record", "--mcapi", profile, "--", program], bench.folder)
    said = re.search(rb"or add (.*) and record it without --mcapi", refused.err)
    if not bench.expect(refused.code == 7 and said is not None, "a library inside is refused", "", refused):
        return
    line = said[1].decode().split()
    program = compile_program(bench, version, f"wrapped{version}",
                              [*line[:-2], *static, f"-L{BUILD}/lib", *line[-2:], f"-Wl,-rpath,{BUILD}/lib"])
    recording, recorded = one(bench, program, f"wrapped{version}", ["--technique", "data"], lines)
    each_node_alone(bench, recording, recorded)


def main():
    with Bench("mcapi_foreign_channels") as bench:
        for version, headers in HEADERS.items():
            library = FOREIGN / f"libmcapi_plain{version}.so"
            profile = bench.folder / f"profile{version}.so"
            made = run([REPRISE, "mcapi-profile", "--include", FOREIGN / headers, "--lib", library, "-o", profile], bench.folder)
            bench.expect(made.code == 0, f"the profile for {library} is made", "", made)
            program = compile_program(bench, version, f"channels{version}",
                                      [f"-L{FOREIGN}", f"-lmcapi_plain{version}", f"-Wl,-rpath,{FOREIGN}"])
            runs = [run([program], bench.folder) for _ in range(2)]
            bench.expect(lines(runs[0]) != lines(runs[1]), "control: two runs have other bytes")
            one(bench, program, f"receiver{version}", ["--mcapi", profile], outcomes)
            recording, recorded = one(bench, program, f"data{version}", ["--mcapi", profile, "--technique", "data"], lines)
            each_node_alone(bench, recording, recorded)
            library_inside(bench, version, profile)
        return bench.finish()


if __name__ == "__main__":
    sys.exit(main())
