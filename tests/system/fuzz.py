"""Goal    No bytes make the reader of logs crash, hang, take more memory than its limit, or break a promise.
Method  libFuzzer (clang 14, address and undefined-behaviour sanitizers) from recordings made here: sealed, live, traced, full,
        level data. 30 seconds; half an hour with REPRISE_FULL. The control: the seeds themselves are read to their end, and
        the fuzzer finds more than they reach.
"""
import os
import re
import shutil
import subprocess
import sys

from _lib import BUILD, FULL, GUESTS, SOURCE, Bench, run

SECONDS = int(os.environ.get("REPRISE_FUZZ_SECONDS", 1800 if FULL else 30))
MEMORY_MB_MAX = 2048
INPUT_BYTES_MAX = 32 << 10


def build(bench):
    """The target, built by its own preset; None where there is no clang 14."""
    if shutil.which("clang++-14") is None:
        print("left out: there is no clang++-14")
        return None
    script = f'source "{SOURCE}/tools/bootstrap.sh"; build_preset fuzz "$(preset_target fuzz)"'
    built = subprocess.run(["bash", "-c", f'root="{SOURCE}"; {script}'], capture_output=True, text=True, check=False)
    bench.expect(built.returncode == 0, f"the target builds: {built.stdout[-2000:]}{built.stderr[-2000:]}")
    return SOURCE / "build" / "fuzz" / "fuzz" / "reader" if built.returncode == 0 else None


def make_seeds(bench):
    names = []
    for name, guest, options, given in (
            ("plain", "mutex_contended", (), {"favour": "first"}), ("values", "values", (), {}), ("queue", "bounded_queue", (), {}),
            ("shared", "shared_mutex", (), {}), ("whole", "atomic_poll", ("--full",), {}), ("killed", "deadlock", (), {"timeout": 0.5}),
            ("data", "shared_contents", ("--level", "data"), {"favour": "first"})):
        bench.record(guest, name, options=options, **given)
        names.append(name)
    bench.replay("values", "--trace", "--quiet")
    run([GUESTS / "mutex_contended"], bench.folder, env={"REPRISE_RECORD": bench.path("alone")})
    names.append("alone")
    seeds = bench.folder / "seeds"
    ran = run([BUILD / "drivers" / "seeds", seeds, *(bench.path(name) for name in names)], bench.folder)
    bench.expect(ran.code == 0 and len(list(seeds.iterdir())) == len(names) + 1, "the seeds are made", "", ran)
    return seeds


def main():
    bench = Bench("fuzz")
    target = build(bench)
    if target is None:
        return 1 if bench.failures else 0
    seeds = make_seeds(bench)
    corpus = bench.folder / "corpus"
    corpus.mkdir()
    env = {"ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=0", "UBSAN_OPTIONS": "print_stacktrace=1"}
    ran = run([target, corpus, seeds, f"-max_total_time={SECONDS}", "-timeout=20", f"-rss_limit_mb={MEMORY_MB_MAX}",
               f"-max_len={INPUT_BYTES_MAX}", "-print_final_stats=1", f"-artifact_prefix={bench.folder}/"], bench.folder,
              SECONDS + 120, env=env)
    bench.expect(ran.code == 0, "nothing is found", "", ran)
    runs = int((re.findall(rb"number_of_executed_units: (\d+)", ran.err) or [b"0"])[-1])
    covered = [int(number) for number in re.findall(rb"cov: (\d+)", ran.err)]
    bench.expect(runs > len(list(seeds.iterdir())), f"other inputs than the seeds were tried: {runs} in all")
    bench.expect(covered and covered[-1] > covered[0], f"it gets further than its seeds: {covered[:1]} to {covered[-1:]} edges")
    print(f"{runs} inputs in {SECONDS} s, {covered[0] if covered else 0} to {covered[-1] if covered else 0} edges")
    bench.finish()
    return 0


sys.exit(main())
