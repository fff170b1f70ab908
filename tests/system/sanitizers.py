# label: sanitize
"""Goal    Recording and replaying are clean for the address, undefined-behaviour and thread sanitizers.
Method  Each guest is recorded and replayed once in whatever build this is; a report of a sanitizer is a failure, and so is a
        replay that is not identical. Guests that crash on purpose keep their crash.
"""
import re
import sys
from concurrent.futures import ThreadPoolExecutor

from _lib import BUILD, IDENTICAL, WORKERS, Bench, guests

REPORT = re.compile(rb"(WARNING|ERROR): (Thread|Address|Leak|Memory)Sanitizer|runtime error: ")
# What a sanitizer finds in the guest itself is the guest's trait, not a finding.
ENVIRONMENT = {"TSAN_OPTIONS": "report_thread_leaks=0 handle_segv=0 handle_abort=0 detect_deadlocks=0",
               "ASAN_OPTIONS": "handle_segv=0 handle_abort=0 detect_leaks=0", "UBSAN_OPTIONS": "print_stacktrace=1"}
REPORTED = {"crash_race",      # a null pointer is written through, which is reported before it crashes
            "refused_cancel"}  # cancelled in sleep(), a thread's locks are no longer followed by the thread sanitizer
# A thread that waits for an initialisation which throws is never woken under the thread sanitizer of g++ 12, std alone.
HANGS_ITSELF = {"static_guard_throws"} if BUILD.name == "tsan" else set()
HANG_SECONDS = 2


def try_guest(bench, guest):
    name = guest.name
    recorded = bench.record(name, name, timeout=HANG_SECONDS if "hangs" in guest.labels else None, env=ENVIRONMENT, seconds=120)
    well = bench.expect(not recorded.hung and recorded.code != 125, f"{name}: is recorded", name, recorded)
    well &= bench.expect(name in REPORTED or not REPORT.search(recorded.err), f"{name}: is clean while recording", name, recorded)
    replayed = bench.replay(name, "--stall-after", 60, env=ENVIRONMENT, seconds=120)
    well &= bench.expect(name in REPORTED or not REPORT.search(replayed.err), f"{name}: is clean while replaying", name, replayed)
    if "refused" in guest.labels:
        well &= bench.expect(replayed.code == 7, f"{name}: is refused", name, replayed)
    else:
        well &= bench.expect(replayed.code == 0 and replayed.out == recorded.out + IDENTICAL, f"{name}: replays", name, replayed)
    if well:
        bench.drop(name)
    return well


def main():
    wanted = [guest for guest in guests() if not sys.argv[1:] or guest.name in sys.argv[1:]]
    wanted = [guest for guest in wanted if guest.name not in HANGS_ITSELF]
    bench = Bench("sanitizers")
    with ThreadPoolExecutor(WORKERS) as pool:
        clean = sum(pool.map(lambda guest: try_guest(bench, guest), wanted))
    print(f"{clean} of {len(wanted)} guests are clean")
    bench.finish()


main()
