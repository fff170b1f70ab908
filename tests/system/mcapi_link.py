"""A program that is linked with -lmcapi alone, and does not name libreprise, is recorded and replayed like any other."""
# Goal    "Nothing to add": what libreprise stands before (fork, pthread_create) is seen although libc comes first in the
#         program's list of libraries, with the launcher and without it, and the program's LD_PRELOAD stays its own.
# Method  The paper's figures, linked by hand; recorded while one node is slow, replayed while another is. Control: the
#         linker did leave libreprise out, and without a replay the other order does come out.
import os
import subprocess
import sys

from _lib import BUILD, REPRISE, SOURCE, Bench, environment, run

SLOW = {"8": (1, 3), "28": (1, 3)}


def link(bench):
    program = bench.folder / "figures"
    command = ["c++", "-std=c++20", "-O1", SOURCE / "examples" / "10_mcapi" / "figures.cc", "-o", program,
               f"-I{SOURCE}/include/mcapi", f"-L{BUILD}/lib", "-lmcapi", f"-Wl,-rpath,{BUILD}/lib",
               f"-Wl,-rpath-link,{BUILD}/lib", "-pthread"]
    subprocess.run(command, check=True)
    needed = subprocess.run(["readelf", "-d", program], capture_output=True, text=True, check=True).stdout
    bench.expect("libmcapi" in needed and "libreprise" not in needed, "control: the program does not name libreprise")
    return program


def slow(bench, node):
    (bench.folder / "slow").write_text(str(node))


def lines(out):
    return sorted(line for line in out.decode().splitlines() if line.startswith("node "))


def launched(bench, program, figure, mode):
    name = f"link{figure}-{mode}"
    slow(bench, SLOW[figure][0])
    recorded = bench.record(program, name, figure, mode)
    bench.expect(recorded.code == 0 and len(lines(recorded.out)) > 1, f"{name} is recorded", name, recorded)
    slow(bench, SLOW[figure][1])
    other = bench.record(program, name + "-control", figure, mode)
    bench.expect(lines(other.out) != lines(recorded.out), f"control: {name} depends on who is slow", name, other)
    replayed = bench.replay(name)
    bench.expect(replayed.code == 0, f"{name} replays", name, replayed)
    bench.expect(lines(replayed.out) == lines(recorded.out), f"{name}: the nodes get what they got", name, replayed)


def by_itself(bench, program):
    """REPRISE_RECORD without the launcher; LD_PRELOAD of the user's own is kept, and comes after ours."""
    own = str(BUILD / "lib" / "libmcapi.so.2")
    folder = bench.folder / "itself.reprise"
    slow(bench, 1)
    env = environment({"REPRISE_RECORD": folder, "LD_PRELOAD": own, "MCAPI_RUN": f"test-link-{os.getpid()}"})
    recorded = run([program, "28", "processes"], bench.folder, env=env)
    bench.expect(recorded.code == 0 and len(list(folder.glob("*.live"))) == 5, "all five processes are recorded")
    slow(bench, 3)
    replayed = run([REPRISE, "replay", "itself"], bench.folder, env=environment())
    bench.expect(replayed.code == 0 and lines(replayed.out) == lines(recorded.out), "and replayed", "itself", replayed)


def main():
    with Bench("mcapi_link") as bench:
        program = link(bench)
        for figure in SLOW:
            for mode in ("processes", "threads"):
                launched(bench, program, figure, mode)
        by_itself(bench, program)
        return bench.finish()


if __name__ == "__main__":
    sys.exit(main())
