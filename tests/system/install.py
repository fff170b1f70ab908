#!/usr/bin/env python3
"""Goal    What `cmake --install` lays down is enough to build, record and replay a project that knows nothing of this tree.
Method  Install into an empty folder; build the same small project by find_package and by pkg-config; record and replay both with the
installed tool. With REPRISE_FULL: the Debian package, installed and run in a clean chroot made by debootstrap."""
import os
import shutil
import subprocess

from _lib import BUILD, FULL, Bench, run

PROGRAM = """\
#include <reprise/reprise.h>
#include <mutex>
int main() {
  reprise::mutex turn;
  int count = 0;
  auto work = [&] { for (int i = 0; i < 100; ++i) { std::lock_guard lock(turn); ++count; } };
  reprise::thread other(work);
  work();
  other.join();
  reprise::out << "counted " << count << '\\n';
}
"""
PROJECT = """\
cmake_minimum_required(VERSION 3.20)
project(downstream CXX)
set(CMAKE_CXX_STANDARD 20)
find_package(reprise REQUIRED)
add_executable(downstream main.cc)
target_link_libraries(downstream PRIVATE reprise::reprise)
"""


def install(bench):
    prefix = bench.folder / "prefix"
    done = run(["cmake", "--install", BUILD, "--prefix", prefix], bench.folder, 300)
    bench.expect(done.code == 0, "cmake --install", ran=done)
    for pattern in ("bin/reprise", "include/reprise/reprise.h", "**/libreprise.so*", "**/reprise-config.cmake", "**/reprise.pc",
                    "**/man1/reprise.1", "**/man7/reprise.7", "**/completions/reprise"):
        bench.expect(any(prefix.glob(pattern)), f"{pattern} is installed")
    return prefix


def record_and_replay(bench, prefix, program, name):
    tool = prefix / "bin" / "reprise"
    library = next(prefix.glob("**/libreprise.so.0")).parent
    env = {"REPRISE_HOME": bench.folder, "LD_LIBRARY_PATH": library}
    recorded = run([tool, "record", "-o", name, "--", program], bench.folder, env=env)
    bench.expect(recorded.code == 0 and recorded.out == b"counted 200\n", f"{name} records", ran=recorded)
    replayed = run([tool, "replay", name, "--times", "3"], bench.folder, env=env)
    bench.expect(replayed.code == 0 and b"replayed 3 of 3 identical" in replayed.out, f"{name} replays", ran=replayed)


def by_cmake(bench, prefix):
    project = bench.folder / "downstream"
    project.mkdir()
    (project / "main.cc").write_text(PROGRAM, encoding="utf-8")
    (project / "CMakeLists.txt").write_text(PROJECT, encoding="utf-8")
    done = run(["cmake", "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={prefix}"], bench.folder, 120)
    bench.expect(done.code == 0, "find_package(reprise) finds it", ran=done)
    done = run(["cmake", "--build", project / "build"], bench.folder, 120)
    bench.expect(done.code == 0, "the project builds", ran=done)
    record_and_replay(bench, prefix, project / "build" / "downstream", "by_cmake")


def by_pkg_config(bench, prefix):
    folder = next(prefix.glob("**/pkgconfig"))
    flags = run(["pkg-config", "--cflags", "--libs", "reprise"], bench.folder, env={"PKG_CONFIG_PATH": folder})
    bench.expect(flags.code == 0, "pkg-config knows it", ran=flags)
    program = bench.folder / "by_pkg_config"
    done = run(["g++", "-std=c++20", bench.folder / "downstream" / "main.cc", "-o", program, *flags.out.decode().split()], bench.folder, 120)
    bench.expect(done.code == 0, "g++ with pkg-config's flags builds it", ran=done)
    record_and_replay(bench, prefix, program, "by_pkg")


def by_package(bench):
    """A package that installs and runs where nothing else is."""
    if shutil.which("debootstrap") is None:
        subprocess.run(["apt-get", "install", "-y", "-qq", "debootstrap"], capture_output=True, check=False)
    done = run(["cpack", "-B", bench.folder / "deb"], BUILD, 600)
    packages = sorted((bench.folder / "deb").glob("*.deb"))
    if not bench.expect(done.code == 0 and len(packages) == 1, "cpack makes one package", ran=done):
        return
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        print("chroot: skipped, it needs root and debootstrap")
        return
    root = bench.folder / "root"
    made = run(["debootstrap", "--variant=minbase", "bookworm", root], bench.folder, 1200)
    if made.code != 0:
        print("chroot: skipped, debootstrap could not fetch a system here")
        return
    shutil.copy(packages[0], root / "reprise.deb")
    done = run(["chroot", root, "sh", "-c", "apt-get update -qq && apt-get install -y -qq /reprise.deb && reprise version && reprise demo --help"],
               bench.folder, 900, env={"DEBIAN_FRONTEND": "noninteractive"})
    bench.expect(done.code == 0, "the package installs and runs in a clean chroot", ran=done)
    program = bench.folder / "by_pkg_config"
    shutil.copy(program, root / "program")
    done = run(["chroot", root, "sh", "-c", "reprise record -o run -- /program && reprise replay run"], bench.folder, 120)
    bench.expect(done.code == 0 and b"identical" in done.out, "a program is recorded and replayed there", ran=done)
    print("chroot: installed, recorded and replayed")


def main():
    with Bench("install") as bench:
        prefix = install(bench)
        by_cmake(bench, prefix)
        by_pkg_config(bench, prefix)
        if FULL:
            by_package(bench)
        bench.finish()


if __name__ == "__main__":
    main()
