#!/usr/bin/env python3
# label: sanitize
"""MCAPI without recording: headers, every function and status, a run that leaves nothing behind, and kill -9.

Goal    The library does what its table says, on threads and on processes, and no death of a node hurts another.
Method  The programs of tests/mcapi, one process and one MCAPI run per case.
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

BUILD = Path(os.environ["REPRISE_BUILD"])
SOURCE = Path(os.environ["REPRISE_SOURCE"])
PROGRAMS = BUILD / "mcapi"


def headers():
    """Both interfaces compile as C99 and C++, and have all functions."""
    failed = 0
    for folder, library, count in (("mcapi", "libmcapi.so", 49), ("mcapi1", "libmcapi1.so", 43)):
        for compiler in (["cc", "-std=c99", "-pedantic", "-x", "c"], ["c++", "-std=c++11", "-x", "c++"]):
            command = [*compiler, "-Wall", "-Wextra", "-Werror", f"-I{SOURCE}/include/{folder}", "-fsyntax-only", "-"]
            text = "#include <mcapi.h>\nint main(void) { mcapi_status_t s; mcapi_finalize(&s); return 0; }\n"
            result = subprocess.run(command, input=text, text=True, capture_output=True)
            if result.returncode != 0:
                print(f"{folder} as {compiler[-1]}: {result.stderr}")
                failed += 1
        names = subprocess.run(["nm", "-D", "--defined-only", BUILD / "lib" / library], capture_output=True, text=True)
        found = {line.split()[-1] for line in names.stdout.splitlines() if " T mcapi_" in line}
        found.discard("mcapi_wait_any_pointers")
        if len(found) != count:
            print(f"{library} has {len(found)} functions, not {count}")
            failed += 1
    return failed


def programs(names):
    failed = 0
    for name in names:
        result = subprocess.run([PROGRAMS / name], capture_output=True, text=True, timeout=300)
        print(f"{name}: {result.stdout.strip()}")
        if result.returncode != 0:
            print(result.stderr)
            failed += 1
    return failed


def left_behind():
    return {name for name in os.listdir("/dev/shm") if name.startswith(f"mcapi-{os.getuid()}-test-")}


def main():
    before = left_behind()
    failed = headers() + programs(["conformance", "messages", "channels", "limits", "old_interface", "deaths"])
    left = left_behind() - before
    # Cases that are killed on purpose may leave one; the next starter of any run removes it.
    if len(left) > 4:
        print(f"left in /dev/shm: {sorted(left)}")
        failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
