"""Clocks, random numbers and standard input of MCAPI programs that know nothing of reprise are recorded."""
# Goal    What a program of plain libc and MCAPI calls reads from outside comes back on replay: clock_gettime, gettimeofday,
#         time, clock, getrandom, getentropy, /dev/urandom, rand seeded by a clock and shared by threads, stdin by stdio and
#         by read; in C++ std::chrono, std::random_device, std::cin. With R, S and D, nodes as processes and as threads, our
#         library and a foreign one.
# Method  The programs decide by these inputs what they send and how long they ask; each prints all of it. Recorded with one
#         standard input, replayed with another, later. Control: with MCAPI_INPUTS=off the replay is not the recorded run.
import re
import subprocess
import sys

from _lib import BUILD, FULL, REPRISE, SOURCE, Bench, Ran, environment, run

FOREIGN = BUILD / "foreign"
REPLAYS = 10 if FULL else 1
RECORDINGS = 10 if FULL else 1
RECORDED = b"first line\nx42\nmore\n"
OTHER = b"another\ny7\nless\nor more\n"


def compile_program(bench, name, source, include, libraries):
    compiler = ["cc", "-std=c99", "-D_DEFAULT_SOURCE", "-Wall", "-Wextra", "-Werror"] if source.endswith(".c") else ["c++"]
    command = [*compiler, "-O1", SOURCE / "tests" / "foreign" / source, f"-I{include}", "-o", bench.folder / name, *libraries,
               "-pthread"]
    subprocess.run([str(word) for word in command], check=True)
    return bench.folder / name


def with_input(bench, text, *words, env=None):
    """Runs the tool with `text` as standard input."""
    try:
        ran = subprocess.run([str(word) for word in (REPRISE, *words)], input=text, capture_output=True, cwd=bench.folder,
                             env=environment(env), timeout=60, check=False)
        return Ran(ran.returncode, ran.stdout, ran.stderr)
    except subprocess.TimeoutExpired as late:
        return Ran(-9, late.stdout or b"", late.stderr or b"", hung=True)


def lines(ran):
    return sorted(line for line in ran.out.decode().splitlines() if line.startswith("node "))


def record(bench, name, program, words, options, env=None):
    recorded = with_input(bench, RECORDED, "record", "-o", name, "--no-image", *options, "--", program, *words, env=env)
    bench.expect(recorded.code == 0 and len(lines(recorded)) > 2, f"{name} is recorded", name, recorded)
    return recorded


def one(bench, name, program, words, options):
    """Recorded and replayed; the last recording."""
    for number in range(RECORDINGS):
        recording = f"{name}-{number}"
        recorded = record(bench, recording, program, words, options)
        bench.expect(any("line first line" in line or "line 1 first line" in line for line in lines(recorded)),
                     f"{recording} read its standard input", recording, recorded)
        for _ in range(REPLAYS):
            replayed = with_input(bench, OTHER, "replay", recording)
            bench.expect(replayed.code == 0, f"{recording} replays", recording, replayed)
            bench.expect(lines(replayed) == lines(recorded), f"{recording}: the same values come", recording, replayed)
    return recording, recorded


def control(bench, name, program, words, options=()):
    """Without the inputs a replay does something else, and says so or shows it."""
    recorded = record(bench, name, program, words, options, env={"MCAPI_INPUTS": "off"})
    replayed = with_input(bench, OTHER, "replay", name, "--stall-after", "2")
    bench.expect(lines(replayed) != lines(recorded), f"control: {name} depends on its inputs", name, replayed)


def each_node_alone(bench, recording, recorded):
    for node in (1, 2, 3):
        alone = with_input(bench, OTHER, "replay", recording, "--only", f"0/{node}")
        expected = [line for line in lines(recorded) if line.startswith(f"node {node}:")]
        bench.expect(alone.code == 0 and lines(alone) == expected, f"{recording}: node {node} alone", recording, alone)


def our_library(bench):
    link = [f"-L{BUILD}/lib", "-lmcapi", f"-Wl,-rpath,{BUILD}/lib", f"-Wl,-rpath-link,{BUILD}/lib"]
    program = compile_program(bench, "inputs", "inputs.c", SOURCE / "include" / "mcapi", link)
    for mode in ("processes", "threads"):
        control(bench, f"control-{mode}", program, [mode])
        for technique in ("receiver", "sender", "data"):
            recording, recorded = one(bench, f"{mode}-{technique}", program, [mode], ["--technique", technique])
        if mode == "processes":
            each_node_alone(bench, recording, recorded)
    program = compile_program(bench, "cxx", "inputs_of_cxx.cc", SOURCE / "include" / "mcapi", link)
    for words in ([], ["unsynced"]):
        name = "-".join(["cxx", *words])
        control(bench, f"control-{name}", program, words)
        one(bench, name, program, words, [])


def foreign_library(bench):
    profile = bench.folder / "theirs.so"
    made = run([REPRISE, "mcapi-profile", "--include", FOREIGN / "mcapi", "--lib", FOREIGN / "libmcapi_plain2.so", "-o", profile],
               bench.folder)
    bench.expect(made.code == 0, "the profile is made", "", made)
    program = compile_program(bench, "theirs", "inputs.c", FOREIGN / "mcapi",
                              [f"-L{FOREIGN}", "-lmcapi_plain2", f"-Wl,-rpath,{FOREIGN}"])
    control(bench, "control-foreign", program, ["processes"], ["--mcapi", profile])
    for mode in ("processes", "threads"):
        one(bench, f"foreign-{mode}", program, [mode], ["--mcapi", profile])
    recording, recorded = one(bench, "foreign-data", program, ["processes"], ["--mcapi", profile, "--technique", "data"])
    each_node_alone(bench, recording, recorded)
    library_inside(bench, profile)


def library_inside(bench, profile):
    """The line that links such a program anew has what its inputs need."""
    static = [FOREIGN / "libmcapi_plain2.a", "-lstdc++", "-lm"]
    program = compile_program(bench, "inside", "inputs.c", FOREIGN / "mcapi", static)
    refused = run([REPRISE, "record", "--mcapi", profile, "--", program], bench.folder)
    said = re.search(rb"or add (.*) and record it without --mcapi", refused.err)
    if not bench.expect(refused.code == 7 and said is not None, "a library inside is refused", "", refused):
        return
    line = said[1].decode().split()
    program = compile_program(bench, "wrapped", "inputs.c", FOREIGN / "mcapi",
                              [*line[:-2], *static, f"-L{BUILD}/lib", *line[-2:], f"-Wl,-rpath,{BUILD}/lib"])
    one(bench, "wrapped", program, ["processes"], [])


def main():
    with Bench("mcapi_inputs") as bench:
        our_library(bench)
        foreign_library(bench)
        return bench.finish()


if __name__ == "__main__":
    sys.exit(main())
