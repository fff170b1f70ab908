# label: slow
"""Goal    A replay gives the recorded run again, whatever the scheduler wants: for every guest.
Method  Each guest is recorded while the adversary favours the first (or the last) thread, and replayed while it favours
        the other: the replay must be identical and its output the same bytes. The control: the same program under the
        same opposite adversary, but with the gate disabled, gives another output; without that, a replayer that does
        nothing would pass too. The adversary keeps threads off the fast ways through the gate, so each guest is also
        recorded calmly, in full, with contents and with chaos.
"""
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from _lib import FULL, IDENTICAL, OPPOSITE, WORKERS, Bench, guests

RECORDINGS = 20 if FULL else 3
REPLAYS = 10 if FULL else 2
CALM = {"calm": (), "full": ("--full",), "contents": ("--level", "data"), "chaos": ("--chaos", "7")}
CALM_ROUNDS = 5 if FULL else 1
HANG_SECONDS = 2
CONTROL_SECONDS = 2
CONTROL_SHARE_MIN = 0.95


@dataclass
class Tally:
    recordings: int = 0
    replays: int = 0
    identical: int = 0
    controls: int = 0
    differ: int = 0

    def add(self, other):
        for field in self.__dataclass_fields__:
            setattr(self, field, getattr(self, field) + getattr(other, field))


def control(bench, guest, name, favour, recorded):
    """Does the program itself, without replay, behave in another way under the opposite adversary?"""
    ran = bench.replay(name, "--gate-off", favour=favour, seconds=CONTROL_SECONDS if "hangs" in guest.labels else 30)
    return ran.out != recorded.out or ("hangs" not in guest.labels and ran.code != recorded.code)


def record(bench, guest, name, tally, **given):
    recorded = bench.record(guest.name, name, timeout=HANG_SECONDS if "hangs" in guest.labels else None, **given)
    tally.recordings += 1
    well = bench.expect(recorded.code != 125 and not recorded.hung, f"{guest.name}: is recorded", name, recorded)
    if "refused" not in guest.labels:
        well &= bench.expect(recorded.out != b"", f"{guest.name}: has an output to compare", name, recorded)
    return recorded, well


def replay(bench, guest, name, recorded, tally, favour):
    tally.replays += 1
    replayed = bench.replay(name, "--stall-after", 30, favour=favour)
    if "refused" in guest.labels:
        same = bench.expect(replayed.code == 7, f"{guest.name}: is refused", name, replayed)
    else:
        same = bench.expect(replayed.code == 0 and replayed.out == recorded.out + IDENTICAL,
                            f"{guest.name}: replays as recorded (replay favours {favour}), recorded:\n"
                            f"  {recorded.out!r}"[:800], name, replayed)
    tally.identical += same
    return same


def record_calmly(bench, guest, kind, number, tally):
    name = f"{guest.name}-{kind}-{number}"
    recorded, well = record(bench, guest, name, tally, options=CALM[kind])
    well = well and replay(bench, guest, name, recorded, tally, ("first", "last")[number % 2])
    if well:
        bench.drop(name)
    return well


def record_and_replay(bench, guest, number, tally):
    favour = ("first", "last")[number % 2]
    name = f"{guest.name}-{number}"
    recorded, well = record(bench, guest, name, tally, favour=favour)
    for _ in range(REPLAYS if well else 0):
        well &= replay(bench, guest, name, recorded, tally, OPPOSITE[favour])
    if guest.labels & {"racing", "outside"}:
        tally.controls += 1
        tally.differ += control(bench, guest, name, OPPOSITE[favour], recorded)
    if well:
        bench.drop(name)
    return well


def try_guest(bench, guest):
    tally = Tally()
    for number in range(RECORDINGS):
        if not record_and_replay(bench, guest, number, tally):
            break  # its recording is kept; more of the same tell nothing new
    for kind in CALM:
        for number in range(CALM_ROUNDS):
            if not record_calmly(bench, guest, kind, number, tally):
                break
    share = f", control {tally.differ} of {tally.controls} differ" if tally.controls else ""
    print(f"{guest.name}: {tally.recordings} recordings, {tally.identical} of {tally.replays} replays identical{share}",
          flush=True)
    return guest, tally


def check_control(bench, label, tallies):
    total = Tally()
    for guest, tally in tallies:
        if label in guest.labels:
            total.add(tally)
    share = total.differ / total.controls if total.controls else 0
    print(f"control ({label}): {total.differ} of {total.controls} differ ({100 * share:.1f} %)")
    bench.expect(share >= CONTROL_SHARE_MIN, f"control ({label}): at least {CONTROL_SHARE_MIN:.0%} differ")


def main():
    wanted = [guest for guest in guests() if not sys.argv[1:] or guest.name in sys.argv[1:]]
    bench = Bench("guests")
    with ThreadPoolExecutor(WORKERS) as pool:
        tallies = list(pool.map(lambda guest: try_guest(bench, guest), wanted))
    total = Tally()
    for guest, tally in tallies:
        bench.expect(guest.trait != "", f"{guest.name}: says its trait")
        total.add(tally)
    verdict = "all identical" if total.identical == total.replays else f"{total.identical} identical"
    print(f"{len(wanted)} guests: {total.recordings} recordings, {total.replays} replays, {verdict}")
    for label in ("racing", "outside"):
        if any(label in guest.labels for guest in wanted):
            check_control(bench, label, tallies)
    bench.finish()


main()
