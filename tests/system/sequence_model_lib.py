"""Models of the two example programs, written from what they do and from nothing of reprise: can this text happen?

An event is (type, thread, mailbox, number). Sends are not listed: they happen as soon as their thread comes to them, since that only
adds to what may arrive. Calls of a monitor are not listed either, and when they happen matters: every moment is tried.
"""
from collections import namedtuple

Event = namedtuple("Event", "type thread mailbox number")


class Net:
    """Messages under way per connection, and queues of mailboxes; values, so that states can be compared."""

    def __init__(self, under_way=(), queues=()):
        self.under_way = dict(under_way)
        self.queues = dict(queues)

    def copy(self):
        return Net(self.under_way, self.queues)

    def key(self):
        return (tuple(sorted((k, v) for k, v in self.under_way.items() if v)),
                tuple(sorted((k, v) for k, v in self.queues.items() if v)))

    def send(self, connection, thread, number, content):
        self.under_way[connection] = self.under_way.get(connection, ()) + ((thread, number, content),)

    def arrive(self, connection, thread, number):
        waiting = self.under_way.get(connection, ())
        if not waiting or waiting[0][:2] != (thread, number):
            return False
        self.under_way[connection] = waiting[1:]
        mailbox = connection[1]
        self.queues[mailbox] = self.queues.get(mailbox, ()) + (waiting[0][2],)
        return True


def buffer_feasible(text):
    """Producer 1, buffer 2, consumer 3: no choice but the order of the text."""
    programs = {1: [("connection", "deposit")] + [("send", "deposit")] * 3 + [("close", "deposit")],
                2: [("connection", "withdraw")] + [("receive", "deposit"), ("send", "withdraw")] * 3 + [("close", "withdraw")],
                3: [("receive", "withdraw")] * 3}
    at = {thread: 0 for thread in programs}
    net = Net()

    def settle():
        for thread, program in programs.items():
            while at[thread] < len(program) and program[at[thread]][0] == "send":
                at[thread] += 1
                net.send((thread, program[at[thread] - 1][1]), thread, at[thread], None)

    settle()
    for event in text:
        if event.thread not in programs:
            return False
        if event.type == "arrival":
            if not net.arrive((event.thread, event.mailbox), event.thread, event.number):
                return False
            continue
        program = programs[event.thread]
        place = at[event.thread]
        if place >= len(program) or program[place] != (event.type, event.mailbox) or event.number != place + 1:
            return False
        if event.type == "close" and net.under_way.get((event.thread, event.mailbox)):
            return False
        if event.type == "receive":
            if not net.queues.get(event.mailbox):
                return False
            net.queues[event.mailbox] = net.queues[event.mailbox][1:]
        at[event.thread] += 1
        settle()
    return all(at[thread] == len(program) for thread, program in programs.items()) and not any(net.under_way.values())


def buffer_simple_feasible(text):
    """Only the threads of `text` count. The k-th event of each is what its program does as its k-th: there is no choice."""
    own = {1: [("connection", "deposit")] + [("arrival", "deposit")] * 3 + [("close", "deposit")],
           2: [("connection", "withdraw")] + [("receive", "deposit"), ("arrival", "withdraw")] * 3 + [("close", "withdraw")],
           3: [("receive", "withdraw")] * 3}
    counts = dict.fromkeys(own, 0)
    events = []
    for thread in (event.thread for event in text):
        if thread not in own or counts[thread] == len(own[thread]):
            return False
        kind, mailbox = own[thread][counts[thread]]
        counts[thread] += 1
        events.append(Event(kind, thread, mailbox, counts[thread]))
    return buffer_feasible(events)


# One process of the mutual exclusion: where main and helper stand, their numbers, and the monitor.
Process = namedtuple("Process", "main main_number helper helper_number request requesting number highest deferred")
COUNT = 4


def others(me):
    return [other for other in range(COUNT) if other != me]


def main_of(me):
    return 1 + 4 * me


def connects(me):
    return [name + str(other) for other in others(me) for name in ("RequestsFor", "RepliesFor")]


# main: 0-5 connect, 6 choose, 7-9 receive, 10 reset, 11 join, 12-17 close, 18 done
# helper: -1 not started, 0 receive, 1 decide, ..., 6 done
def settled(processes, net):
    """Starts helpers and joins them, which is no event."""
    result = []
    for me, one in enumerate(processes):
        if one.main >= 6 and one.helper == -1:
            one = one._replace(helper=0)
        if one.main == 11 and one.helper == 6:
            one = one._replace(main=12)
        result.append(one)
    return tuple(result)


def monitor_moves(processes, net):
    for me, one in enumerate(processes):
        if one.main == 6:
            after = net.copy()
            number = one.highest + 1
            count = one.main_number
            for other in others(me):
                count += 1
                after.send((me, f"RequestsFor{other}"), main_of(me), count, (number, me))
            yield me, one._replace(main=7, requesting=True, number=number, main_number=count), after
        if one.main == 10:
            after = net.copy()
            count = one.main_number
            for other in sorted(one.deferred):
                count += 1
                after.send((me, f"RepliesFor{other}"), main_of(me), count, me)
            yield me, one._replace(main=11, requesting=False, deferred=(), main_number=count), after
        if one.helper in (1, 3, 5):
            after = net.copy()
            number, who = one.request
            changed = one._replace(helper=one.helper + 1, request=None, highest=max(one.highest, number))
            if one.requesting and (one.number, me) < (number, who):
                changed = changed._replace(deferred=one.deferred + (who,))
            else:
                changed = changed._replace(helper_number=one.helper_number + 1)
                after.send((me, f"RepliesFor{who}"), main_of(me) + 3, changed.helper_number, me)
            yield me, changed, after


def do_event(processes, net, event):
    me, role = divmod(event.thread - 1, 4)
    if me < 0 or me >= COUNT or role not in (0, 3):
        return None
    after = net.copy()
    if event.type == "arrival":
        return (processes, after) if after.arrive((me, event.mailbox), event.thread, event.number) else None
    one = processes[me]
    if role == 3:
        if event.type != "receive" or one.helper not in (0, 2, 4) or event.mailbox != f"RequestsFor{me}":
            return None
        queue = after.queues.get(event.mailbox, ())
        if not queue or event.number != one.helper_number + 1:
            return None
        after.queues[event.mailbox] = queue[1:]
        changed = one._replace(helper=one.helper + 1, helper_number=event.number, request=queue[0])
    else:
        wanted = None
        if one.main < 6:
            wanted = ("connection", connects(me)[one.main])
        elif 7 <= one.main < 10:
            wanted = ("receive", f"RepliesFor{me}")
        elif 12 <= one.main < 18:
            wanted = ("close", connects(me)[one.main - 12])
        if wanted != (event.type, event.mailbox) or event.number != one.main_number + 1:
            return None
        if event.type == "receive":
            queue = after.queues.get(event.mailbox, ())
            if not queue:
                return None
            after.queues[event.mailbox] = queue[1:]
        if event.type == "close" and after.under_way.get((me, event.mailbox)):
            return None
        changed = one._replace(main=one.main + 1, main_number=event.number)
    return processes[:me] + (changed,) + processes[me + 1:], after


def exclusion_feasible(text):
    """Process n has main 4n+1 and helper 4n+4, numbered by mailbox events."""
    start = tuple(Process(0, 0, -1, 0, None, False, 0, 0, ()) for _ in range(COUNT))
    seen = set()
    open_states = [(0, start, Net())]
    while open_states:
        place, processes, net = open_states.pop()
        processes = settled(processes, net)
        key = (place, processes, net.key())
        if key in seen:
            continue
        seen.add(key)
        moves = list(monitor_moves(processes, net))
        for me, changed, after in moves:
            open_states.append((place, processes[:me] + (changed,) + processes[me + 1:], after))
        if place == len(text):
            ended = all(one.main == 18 for one in processes)
            if ended and not moves and not any(net.under_way.values()):
                return True
            continue
        done = do_event(processes, net, text[place])
        if done:
            open_states.append((place + 1, *done))
    return False
