#!/usr/bin/env python3
"""Goal    tools/adopt turns a program that uses std's primitives into one that can be recorded, and changes nothing else.
Method  A small program with every trap, always. With REPRISE_FULL: pzstd, a parallel compressor of 3,700 lines, from Debian's sources
by package name; its own tests are run, recorded and replayed. Skipped with one line where the sources cannot be had."""
import glob
import re
import subprocess
from pathlib import Path

from _lib import BUILD, FULL, SOURCE, Bench, run

ADOPT = SOURCE / "tools" / "adopt"
LINK = ["-I", SOURCE / "include", "-L", BUILD / "lib", f"-Wl,-rpath,{BUILD / 'lib'}", "-lreprise", "-pthread"]

PROGRAM = """\
#include <atomic>
#include <mutex>
#include <thread>
#include <cstdio>
// std::mutex in a comment stays
std::mutex guard;
std::atomic_int count{0};
int main() {
  const char* text = "std::thread in a text stays";
  auto work = [] { for (int i = 0; i < 100; ++i) { std::lock_guard<std::mutex> lock(guard); ++count; } };
  std::thread other(work);
  work();
  other.join();
  std::printf("%s %d\\n", text, count.load());
}
"""


def adopt_small(bench):
    source = bench.folder / "small.cc"
    source.write_text(PROGRAM, encoding="utf-8")
    shown = run([ADOPT, "small.cc"], bench.folder)
    bench.expect(shown.code == 0 and b"+reprise::mutex guard;" in shown.out, "the diff is shown", ran=shown)
    bench.expect(source.read_text(encoding="utf-8") == PROGRAM, "nothing changes without --write")
    run([ADOPT, "--write", "small.cc"], bench.folder)
    text = source.read_text(encoding="utf-8")
    bench.expect("// std::mutex in a comment stays" in text and '"std::thread in a text stays"' in text, "comments and texts stay")
    bench.expect("reprise::atomic<int> count{0};" in text and "#include <reprise/atomic.h>" in text, "aliases and includes")
    again = run([ADOPT, "--write", "small.cc"], bench.folder)
    bench.expect(again.out == b"", "a second time changes nothing", ran=again)
    built = run(["g++", "-std=c++20", "small.cc", "-o", "small", *LINK], bench.folder, 120)
    bench.expect(built.code == 0, "it builds", ran=built)
    recorded = bench.record(bench.folder / "small", "small")
    replayed = bench.replay("small")
    bench.expect(recorded.code == 0 and replayed.code == 0, "it records and replays", "small", replayed)
    bench.expect(b"2 threads" in recorded.err or b"threads" in recorded.err, "gates were met", ran=recorded)


def fetch_sources(folder):
    """Debian's sources of libzstd, by the machine's own package configuration. None where they cannot be had."""
    parts = folder / "parts"
    (folder / "lists" / "partial").mkdir(parents=True)
    parts.mkdir()
    stanzas = []
    for path in glob.glob("/etc/apt/sources.list.d/*.sources"):
        for stanza in Path(path).read_text(encoding="utf-8").split("\n\n"):
            if "debian-archive-keyring" in stanza and "Types: deb" in stanza:
                stanzas.append(re.sub(r"(?m)^Types:.*$", "Types: deb-src", stanza.strip()))
    (parts / "sources.sources").write_text("\n\n".join(stanzas) + "\n", encoding="utf-8")
    own = ["-o", "Dir::Etc::sourcelist=/dev/null", "-o", f"Dir::Etc::sourceparts={parts}", "-o", f"Dir::State::lists={folder / 'lists'}"]
    for words in (["update"], ["source", "libzstd"]):
        if subprocess.run(["apt-get", *own, "-qq", *words], cwd=folder, capture_output=True, check=False).returncode != 0:
            return None
    found = sorted(folder.glob("libzstd-*/contrib/pzstd"))
    return found[0] if found else None


def build_pzstd(bench, pzstd):
    """Adopts and builds; returns the test programs."""
    root = pzstd.parents[1]
    sources = [path for pattern in ("*.cpp", "*.h") for path in pzstd.rglob(pattern)]
    adopted = run([ADOPT, "--write", *sources], bench.folder)
    bench.expect(b" 0 of" not in adopted.err, "pzstd uses std's primitives", ran=adopted)
    include = [word for part in ("lib", "lib/common", "programs", "contrib/pzstd") for word in ("-I", root / part)]
    objects = []
    for source in [root / "programs/util.c", root / "programs/datagen.c", *(pzstd / f"{name}.cpp" for name in ("Options", "Pzstd", "SkippableFrame"))]:
        objects.append(bench.folder / f"{source.stem}.o")
        compiler = ["gcc"] if source.suffix == ".c" else ["g++", "-std=c++20", "-I", SOURCE / "include"]
        built = run([*compiler, "-O1", "-w", *include, "-c", source, "-o", objects[-1]], bench.folder, 300)
        bench.expect(built.code == 0, f"{source.name} builds", ran=built)
    programs = []
    for test in sorted([*pzstd.glob("utils/test/*Test.cpp"), *pzstd.glob("test/*Test.cpp")]):
        if test.stem == "RoundTripTest":
            continue  # a program of its own without tests: it runs for ever
        program = bench.folder / test.stem
        built = run(["g++", "-std=c++20", "-O1", "-w", *include, test, *objects, "-o", program, *LINK, "-lgtest", "-lgtest_main",
                     "-lzstd", "-lpthread"], bench.folder, 300)
        bench.expect(built.code == 0, f"{test.name} builds", ran=built)
        programs.append(program)
    return programs


def adopt_real(bench):
    pzstd = fetch_sources(bench.folder / "debian")
    if pzstd is None:
        print("pzstd: skipped, Debian's sources cannot be had here")
        return
    for program in build_pzstd(bench, pzstd):
        name = program.name
        words = ["--gtest_brief=1", "--gtest_filter=-*ExtremelyLarge*"]
        recorded = bench.record(program, name, *words, seconds=300)
        bench.expect(recorded.code == 0, f"{name} passes, recorded", ran=recorded)
        replayed = bench.replay(name, "--times", "3", seconds=300)
        bench.expect(replayed.code == 0, f"{name} replays identically", name, replayed)
        print(f"pzstd {name}: recorded, replayed 3 times")


def main():
    with Bench("adopt") as bench:
        adopt_small(bench)
        if FULL:
            adopt_real(bench)
        bench.finish()


if __name__ == "__main__":
    main()
