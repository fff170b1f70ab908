"""Goal    Trouble with the folder of a recording is not trouble for the program: it goes on undisturbed, or is refused at its start
        with one line.
Method  The folder is removed, or emptied, while a guest runs; it lies on a disk that cannot be written; its name is taken by a
        file; the system lets a process open 200 files, and the guest takes them all. By the launcher and without it.
"""
import os
import resource
import shutil
import subprocess
import sys
import time

from _lib import GUESTS, IDENTICAL, REPRISE, Bench, environment, run

FILES_MAX = 200
OWN_FAILURE = 125
START_SECONDS_MAX = 30
WAITED = (3, b"before\nafter 3\n")


def start(bench, name, launched, go):
    guest = [str(GUESTS / "waits_for_file"), str(go)]
    command = [REPRISE, "record", "-o", name, "--no-image", "--", *guest] if launched else guest
    env = environment({} if launched else {"REPRISE_RECORD": bench.path(name)})
    return subprocess.Popen(command, cwd=bench.folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def removed(bench, launched, whole):
    """The folder, or all files in it, go away while the guest waits."""
    name = f"removed-{int(launched)}-{int(whole)}"
    what = f"{'folder' if whole else 'files'} removed, {'launched' if launched else 'alone'}"
    go = bench.folder / f"{name}.go"
    process = start(bench, name, launched, go)
    deadline = time.monotonic() + START_SECONDS_MAX
    while not list(bench.path(name).glob("*.live")) and time.monotonic() < deadline:
        time.sleep(0.01)
    bench.expect(list(bench.path(name).glob("*.live")), f"{what}: the guest is recorded")
    if whole:
        shutil.rmtree(bench.path(name))
    else:
        for file in bench.path(name).iterdir():
            file.unlink()
    go.touch()
    out, err = process.communicate(timeout=START_SECONDS_MAX)
    bench.expect((process.returncode, out) == WAITED, f"{what}: the program is not disturbed ({process.returncode}, {out!r}, {err!r})")
    if launched:
        lines = [line for line in err.decode().splitlines() if not line.startswith("reprise: next:")]
        bench.expect(len(lines) == 1 and lines[0].startswith("reprise: "), f"{what}: one line says so ({err!r})")
    replayed = bench.replay(name)
    bench.expect(replayed.code == 5, f"{what}: there is nothing to replay", "", replayed)


def refused(bench, what, home, name="run"):
    """Neither by the launcher nor without it; the program does not start."""
    go = bench.folder / "refused.go"
    go.touch()
    commands = (([REPRISE, "record", "-o", name, "--no-image", "--"], {"REPRISE_HOME": home}),
                ([], {"REPRISE_RECORD": f"{home}/{name}.reprise"}))
    for command, env in commands:
        ran = run([*command, GUESTS / "waits_for_file", go], bench.folder, env=env)
        how = f"{what}, {'launched' if command else 'alone'}"
        bench.expect(ran.code == OWN_FAILURE and ran.out == b"", f"{how}: it is refused at the start", "", ran)
        lines = ran.err.decode().splitlines()
        bench.expect(len(lines) == 1 and lines[0].startswith("reprise: "), f"{how}: one line says why", "", ran)


def read_only(bench):
    folder = bench.folder / "read_only"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "none", folder], capture_output=True, text=True, check=False)
    if mounted.returncode != 0 and os.geteuid() == 0:
        print(f"left out: nothing can be mounted here ({mounted.stderr.strip()})")
        return
    if mounted.returncode != 0:
        folder.chmod(0o500)
    try:
        refused(bench, "read-only folder", folder)
    finally:
        if mounted.returncode == 0:
            subprocess.run(["umount", folder], check=False)


def few_files(bench):
    limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (FILES_MAX, FILES_MAX))
    for launched in (True, False):
        name = f"files-{int(launched)}"
        what = f"200 files, {'launched' if launched else 'alone'}"
        command = [REPRISE, "record", "-o", name, "--no-image", "--"] if launched else []
        env = environment({} if launched else {"REPRISE_RECORD": bench.path(name)})
        ran = subprocess.run([*command, GUESTS / "many_files"], cwd=bench.folder, env=env, preexec_fn=limit, capture_output=True, check=False)
        good = ran.returncode == 4 and ran.stdout.startswith(b"all files taken ") and ran.stdout.endswith(b" 1000000\n")
        bench.expect(good, f"{what}: the program is not disturbed ({ran.returncode}, {ran.stdout!r}, {ran.stderr!r})", name)
        replayed = subprocess.run([REPRISE, "replay", name], cwd=bench.folder, env=environment(), preexec_fn=limit,
                                  capture_output=True, check=False)
        bench.expect(replayed.returncode == 0 and replayed.stdout == ran.stdout + IDENTICAL,
                     f"{what}: replays under the same limit ({replayed.returncode}, {replayed.stdout!r}, {replayed.stderr!r})", name)


def main():
    bench = Bench("folder_trouble")
    for launched in (True, False):
        for whole in (True, False):
            removed(bench, launched, whole)
    read_only(bench)
    taken = bench.folder / "taken"
    taken.write_text("a file", encoding="utf-8")
    refused(bench, "a file where the home should be", taken)
    few_files(bench)
    bench.finish()


if __name__ == "__main__":
    sys.exit(main())
