"""Goal    A recording that ends before its program does not disturb the program.
Method  A guest does what cannot be replayed while its threads change an atomic; afterwards some threads are frozen and some
        are not yet. No change may be lost.
"""
from _lib import FULL, Bench

RECORDINGS = 200 if FULL else 30


def main():
    bench = Bench("undisturbed")
    for number in range(RECORDINGS):
        recorded = bench.record("stopped_sum", f"run-{number}")
        if bench.expect(recorded.code == 0, f"recording {number} loses no change", f"run-{number}", recorded):
            bench.drop(f"run-{number}")
    bench.finish()


main()
