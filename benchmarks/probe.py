#!/usr/bin/env python3
"""Goal    Recording must not hide the bugs it is there to catch.
Method  examples/01_lost_update fails now and then. Run it in turns recorded and not recorded, and compare how often it fails.

    ./bench probe [--runs N] [--json]           bar: the rates differ by at most a factor of 2
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FACTOR_MAX = 2.0


def fails(program, folder=None):
    """Runs the program once; with a folder, recorded into it. Returns whether it failed."""
    environment = dict(os.environ)
    if folder is not None:
        environment["REPRISE_RECORD"] = str(folder)
    code = subprocess.run([program], env=environment, stdout=subprocess.DEVNULL).returncode
    if code not in (0, 1):
        raise SystemExit(f"probe: {program} ended with {code}")
    if folder is not None:
        shutil.rmtree(folder)
    return code == 1


def factor_between(plain, recorded):
    """How far apart two counts of failures are; each counts as half a failure more, so that none is not infinitely few."""
    low, high = sorted((plain + 0.5, recorded + 0.5))
    return high / low


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=4000, help="of each kind; 1,000 see some ten failures, too few to tell")
    parser.add_argument("--quick", action="store_true", help="a few runs, to see that it works")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    runs = 5 if arguments.quick else arguments.runs
    program = Path(os.environ.get("REPRISE_EXAMPLES", "build/release/examples")) / "01_lost_update"
    plain = recorded = 0
    with tempfile.TemporaryDirectory(prefix="reprise-probe-") as home:
        for run in range(runs):
            for kind in ("plain", "recorded") if run % 2 == 0 else ("recorded", "plain"):
                if kind == "plain":
                    plain += fails(program)
                else:
                    recorded += fails(program, Path(home) / "run.reprise")
    factor = factor_between(plain, recorded)
    if arguments.json:
        print(json.dumps({"runs": runs, "failures": plain, "failures_recorded": recorded, "factor": round(factor, 3),
                          "bar": FACTOR_MAX}))
        return 0
    print(f"# 01_lost_update fails in {plain} of {runs} runs, recorded in {recorded} of {runs}")
    print(f"ratio probe.failures {plain / runs:.4f}")
    print(f"ratio probe.failures.recorded {recorded / runs:.4f}")
    print(f"ratio probe.factor {factor:.3f}")
    verdict = "-" if arguments.quick else "ok" if factor <= FACTOR_MAX else "over"
    print(f"\nprobe.factor {factor:.3f}, bar {FACTOR_MAX}: {verdict}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
