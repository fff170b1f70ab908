#!/usr/bin/env python3
# label: sanitize
"""MCAPI without recording: headers, every function and status, a run that leaves nothing behind, and kill -9.

Goal    The library does what its table says, on threads and on processes, and no death of a node hurts another.
Method  The programs of tests/mcapi, one process and one MCAPI run per case.
"""
import os
import re
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


def programs(names, observed):
    failed = 0
    for name in names:
        env = dict(os.environ, MCAPI_OBSERVED=str(observed))
        result = subprocess.run([PROGRAMS / name], env=env, capture_output=True, text=True, timeout=300)
        print(f"{name}: {result.stdout.strip()}")
        if result.returncode != 0:
            print(result.stderr)
            failed += 1
    return failed


def statuses(observed):
    """Each status of the table was returned, by nodes that are threads and by nodes that are processes, and no other was."""
    table = {}
    for line in (SOURCE / "docs" / "guide" / "mcapi_status.md").read_text().splitlines():
        if row := re.match(r"\| `(mcapi_\w+)` \| ([A-Z_, ]+) \|", line):
            table[row[1]] = set(row[2].split(", "))
    failed = 0
    for mode in ("threads", "processes"):
        found = {}
        for line in observed.read_text().splitlines():
            of, function, status = line.split()
            if of == mode:
                found.setdefault(function, set()).add(re.sub("^MCAPI_(ERR_)?", "", status))
        for function in sorted(set(table) | set(found)):
            wanted, got = table.get(function, set()), found.get(function, set())
            if wanted != got:
                print(f"{function}, {mode}: never returned {sorted(wanted - got)}, not in the table {sorted(got - wanted)}")
                failed += 1
    print(f"{sum(map(len, table.values()))} statuses of {len(table)} functions")
    return failed if len(table) == 48 else failed + 1


UNFINISHED = """#include <mcapi.h>
#include <pthread.h>
int main(void) {
  mcapi_status_t status; mcapi_info_t info; mcapi_request_t receive, get; mcapi_endpoint_t found; int value = 0; size_t size;
  mcapi_initialize(0, 1, 0, 0, &info, &status);
  mcapi_endpoint_t one = mcapi_endpoint_create(1, &status), two = mcapi_endpoint_create(2, &status);
  mcapi_msg_recv_i(two, &value, sizeof value, &receive, &status);
  mcapi_endpoint_get_i(0, 7, 7, &found, &get, &status);
  mcapi_msg_send(one, one, &value, sizeof value, 0, &status);
  mcapi_wait(&receive, &size, 1300, &status);
  void* wait_for_ever(void*); pthread_t waiter;
  pthread_create(&waiter, 0, wait_for_ever, &two);
  mcapi_wait(&receive, &size, 200, &status);
  mcapi_finalize(&status);
  pthread_join(waiter, 0);
  return 0;
}
void* wait_for_ever(void* endpoint) {
  mcapi_status_t status; int value; size_t size;
  mcapi_msg_recv(*(mcapi_endpoint_t*)endpoint, &value, sizeof value, &size, &status);
  return 0;
}
"""


def sanitizer():
    """What the library was built for: a program that uses it must be built for the same."""
    found = re.search(r"^REPRISE_SANITIZE:\w+=(.+)$", (BUILD / "CMakeCache.txt").read_text(), re.MULTILINE)
    return found.group(1) if found else None


def reports():
    """What a node leaves, and what it waits for, is said with file and line; nothing is said when it is not wanted."""
    built_for = sanitizer()
    if built_for == "thread":
        print("reports: left out, the thread sanitizer must stand behind the library")
        return 0
    flags = [f"-fsanitize={built_for}"] if built_for else []
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "unfinished.c"
        source.write_text(UNFINISHED)
        program = Path(folder) / "unfinished"
        subprocess.run(["cc", "-g", "-pthread", *flags, source, f"-I{SOURCE}/include/mcapi", f"-L{BUILD}/lib", "-lmcapi",
                        f"-Wl,-rpath,{BUILD}/lib", f"-Wl,-rpath-link,{BUILD}/lib", "-o", program], check=True)
        env = dict(os.environ, MCAPI_RUN=f"test-{os.getpid()}", MCAPI_STALL="1")
        said = subprocess.run([program], env=env, capture_output=True, text=True, timeout=60).stderr
        quiet = subprocess.run([program], env=dict(env, MCAPI_REPORT="off", MCAPI_STALL="0"), capture_output=True, text=True,
                               timeout=60).stderr
    wanted = ["mcapi_wait of .*unfinished.c:10 has waited for 1 s", "mcapi_msg_recv of .*unfinished.c:20 was still waiting",
              "unfinished.c:7 is still pending", "unfinished.c:8 is still pending", "port 1: 1 messages were never received"]
    missing = [text for text in wanted if not re.search(text, said)]
    if missing or said.count("unfinished.c:7") != 2 or quiet:
        print(f"the reports lack {missing}, or say too much: {said} {quiet}")
        return 1
    return 0


def left_behind():
    return {name for name in os.listdir("/dev/shm") if name.startswith(f"mcapi-{os.getuid()}-test-")}


def main():
    before = left_behind()
    with tempfile.TemporaryDirectory() as folder:
        observed = Path(folder) / "observed"
        failed = headers() + programs(["conformance", "messages", "channels", "limits", "old_interface", "deaths"], observed)
        failed += statuses(observed) + reports()
    left = left_behind() - before
    # Cases that are killed on purpose may leave one; the next starter of any run removes it.
    if len(left) > 4:
        print(f"left in /dev/shm: {sorted(left)}")
        failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
