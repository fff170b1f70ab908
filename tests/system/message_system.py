# label: slow
"""Goal    A system replays with what happens to systems: services that are stopped, programs that are started again,
        receivers that die in the midst of a message; and `show` tells whose message came.
Method  service   A server that never ends and two clients that race for its answers. It is stopped with SIGTERM.
        restart   The server ends three times and is started again; clients lose calls and find the next incarnation.
        cut       A receiver kills itself while an 8 MiB message is on its way, twice; the sender is told and finds the next
                  incarnation.
        show      The sender that `show` names for each message is the one whose message the receiver printed.
        The others are recorded while an adversary delays one process and replayed while it delays another: identical, and the same
        lines. Controls: the second prints something else without the gate; in the third the faults must have come.
"""
import json
import re

from _lib import FULL, GUESTS, Bench
from message_lib import lines_of, record

RECORDINGS = 20 if FULL else 2
REPLAYS = 5 if FULL else 2
DELAY_US = 2000
GUEST = GUESTS / "message_restart"
ASKERS = {"anna": [GUEST, "ask", "anna", 8], "bert": [GUEST, "ask", "bert", 8]}


def again(counts, role):
    return [f"/bin/sh -c 'for count in {counts}; do {GUEST} {role} $count; done'"]


def check(bench, kind, number, lines, expected, options=()):
    """Returns (replays that were identical, does the control differ)."""
    name = f"{kind}-{number}"
    slow, other = list(lines)[-1 - number % 2], list(lines)[-2 + number % 2]
    recorded = record(bench, name, lines, "--no-image", "--delay", f"{slow}:{DELAY_US}", *options)
    said = lines_of(recorded.out)
    well = bench.expect(recorded.code == 0 and expected(said), f"{name}: is recorded: {said}"[:900], name, recorded)
    identical = 0
    for _ in range(REPLAYS if well else 0):
        replayed = bench.replay(name, "--delay", f"{other}:{DELAY_US}")
        same = replayed.code == 0 and lines_of(replayed.out) == said
        identical += bench.expect(same, f"{name}: replays as recorded:\n  {said}"[:1500], name, replayed)
    control = bench.replay(name, "--gate-off", "--delay", f"{other}:{DELAY_US}", seconds=30) if kind == "restart" else None
    return identical, control is not None and lines_of(control.out) != said


def has_processes(bench, name, wanted):
    found = {process["process"] for process in bench.info(name)["processes"]}
    return bench.expect(wanted <= found, f"{name}: holds {wanted}: {found}", name)


def shown_senders(bench, name, order):
    """What `show` says of each receive that is written, against the order that the receiver printed."""
    shown = bench.reprise("show", name, "--process", "receiver", "--kind", "receive", "--json")
    events = shown.json() if shown.out.startswith(b"{") else json.loads(shown.out)
    wrong = [event for event in events if event["from"]["party"] != order[event["order"] - 1]
             or event["from"]["message"] != order[:event["order"]].count(event["from"]["party"])
             or event["from"]["message_of_thread"] != event["from"]["message"]
             or f"from {event['from']['party']}, thread 0, message {event['from']['message']}" not in event["text"]]
    bench.expect(events and not wrong, f"{name}: show names the senders: {wrong[:3]}", name, shown)
    return len(events)


def check_show(bench):
    guest, count = GUESTS / "message_race", 30
    lines = {"receiver": [guest, "receiver", count], "anna": [guest, "sender", "anna", count],
             "bert": [guest, "sender", "bert", count]}
    recorded = record(bench, "shown", lines, "--no-image", "--delay", "anna:50")
    order = re.findall("anna|bert", lines_of(recorded.out)[-1].split()[-1])
    written = shown_senders(bench, "shown", order)
    traced = bench.replay("shown", "--trace")
    every = shown_senders(bench, "shown", order)
    bench.expect(traced.code == 0 and every == len(order) and 1 < written <= every, f"show: {written} {every}", "shown", traced)


def main():
    bench = Bench("message_system")
    check_show(bench)
    identical = differ = 0
    for number in range(RECORDINGS):
        service = {"server": [GUEST, "serve", 0], **ASKERS}
        count, _ = check(bench, "service", number, service, lambda said: len(said) == 2, ["--service", "server"])
        identical += count
        restart = {"server": again("5 5 6", "serve"), **ASKERS}
        count, differs = check(bench, "restart", number, restart,
                               lambda said: len(said) == 2 and "server#3" in "".join(said))
        has_processes(bench, f"restart-{number}", {"server", "server#2", "server#3"})
        identical += count
        differ += differs
        cut = {"receiver": again("3 4 0", "swallow") + ["2>/dev/null"], "sender": [GUEST, "feed", 2]}
        count, _ = check(bench, "cut", number, cut, lambda said: len(said) == 2 and said[1].endswith("faults 2"))
        has_processes(bench, f"cut-{number}", {"receiver", "receiver#2", "receiver#3", "sender"})
        identical += count
    print(f"{identical} of {RECORDINGS * REPLAYS * 3} replays identical; control: {differ} of {RECORDINGS} differ")
    bench.expect(differ == RECORDINGS, "control: without the gate they differ")
    bench.finish()


main()
