"""A model of tests/guests/sequence_search.cc that tries all interleavings. It knows nothing of reprise.

A listing is, for each box, the events there in their order: (type, thread, number), thread from 0.
"""

TYPES = ("connection", "arrival", "close")


class Model:
    def __init__(self, boxes, scripts):
        self.boxes = boxes
        self.scripts = [script.split() for script in scripts]

    def start(self):
        """Per thread: place in its script, what it saw last, its sum, its events so far, what it waits for; then what is shared."""
        threads = tuple((0, 0, 0, 0, "") for _ in self.scripts)
        return threads, (None,) * 10, (0,) * 10, (0,) * 10, 0

    @staticmethod
    def set_at(values, i, value):
        return values[:i] + (value,) + values[i + 1:]

    def steps(self, state):
        """Each way to go on: (thread, what it does at a box or None, the state then)."""
        for thread in range(len(self.scripts)):
            yield from self.steps_of(state, thread)

    def next_word(self, me, thread):
        """What the thread does next: its place in the script, and the word without its condition."""
        place, seen, total = thread[:3]
        script = self.scripts[me]
        while place < len(script):
            word = script[place]
            if word[0] == "E":
                place = place + 1 if total == int(word[1:]) else len(script)
            elif word[0] == "?" and seen != int(word[1]):
                place += 1
            else:
                return place, word[2:] if word[0] == "?" else word
        return place, ""

    def steps_of(self, state, me):
        threads, holders, counts, atomics, permits = state
        _, seen, total, events, waits = threads[me]
        place, word = self.next_word(me, threads[me])
        if not word or waits.startswith("sleeps"):
            return
        what, i = word[0], int(word[1]) if len(word) > 1 else 0
        done = None

        def after(new_seen, **changed):
            now = {"holders": holders, "counts": counts, "atomics": atomics, "permits": permits, "threads": threads, **changed}
            one = (place + 1, new_seen, (total * 5 + new_seen + 1) % 9973, now.pop("events", events), "")
            return (self.set_at(now["threads"], me, one), now["holders"], now["counts"], now["atomics"], now["permits"])

        changed = (counts[i] * 2 + me + 1) % 5
        if what in "LNOW[" and holders[i] is not None:
            pass
        elif what == "L":
            yield me, done, after(counts[i], counts=self.set_at(counts, i, changed))
        elif what == "[":
            yield me, done, after(counts[i], holders=self.set_at(holders, i, me))
        elif what == "]":
            yield me, done, after(seen, counts=self.set_at(counts, i, changed), holders=self.set_at(holders, i, None))
        elif what == "W" and counts[i] > 0:
            yield me, done, after(counts[i], counts=self.set_at(counts, i, counts[i] - 1))
        elif what == "W":
            one = (place, seen, total, events, f"sleeps{i}")
            yield me, done, (self.set_at(threads, me, one), holders, counts, atomics, permits)
        elif what in "NO":
            asleep = [other for other, one in enumerate(threads) if one[4] == f"sleeps{i}"]
            for woken in [[other] for other in asleep] or [[]] if what == "N" else [asleep]:
                awake = threads
                for other in woken:
                    awake = self.set_at(awake, other, awake[other][:4] + ("woken",))
                yield me, done, after(seen, counts=self.set_at(counts, i, counts[i] + 1), threads=awake)
        elif what == "A":
            yield me, done, after(atomics[i], atomics=self.set_at(atomics, i, atomics[i] + me + 1))
        elif what == "S":
            yield me, done, after(seen, atomics=self.set_at(atomics, i, int(word[2])))
        elif what == "T" or what == "U" and atomics[i] == int(word[2]):
            yield me, done, after(seen)
        elif what == "X" and atomics[i] == 0 or what == "Y":  # flags: atomics that nothing else is done with
            yield me, done, after(seen, atomics=self.set_at(atomics, i, int(what == "X")))
        elif what == "G":
            yield me, done, after(atomics[i])
        elif what == "C":
            fits = atomics[i] == int(word[2])
            yield me, done, after(int(fits), atomics=self.set_at(atomics, i, int(word[3])) if fits else atomics)
        elif what == "V":
            yield me, done, after(seen, permits=permits + 1)
        elif what == "P" and permits > 0:
            yield me, done, after(seen, permits=permits - 1)
        elif what == "!":
            kind = TYPES[events % 3]
            done = (total % self.boxes, kind, me, events + 1)
            if kind == "close":
                yield me, done, after(seen, events=events + 1)
            else:
                one = (place, seen, total, events + 1, waits)
                yield me, done, (self.set_at(threads, me, one), holders, counts, atomics, permits)

    def random_run(self, rng):
        """What happens at each box in a run by chance."""
        state = self.start()
        listing = [[] for _ in range(self.boxes)]
        while ways := list(self.steps(state)):
            _, done, state = rng.choice(ways)
            if done:
                listing[done[0]].append(done[1:])
        return listing

    def is_feasible(self, listing):
        """Is there a run in which just this happens, and then nothing more at any box?"""
        first = (self.start(), (0,) * self.boxes)
        open_states, known = [first], {first}
        while open_states:
            state, at = open_states.pop()
            is_over = True
            for _, done, then in self.steps(state):
                is_over = False
                now = at
                if done:
                    box = done[0]
                    if at[box] >= len(listing[box]) or listing[box][at[box]] != done[1:]:
                        continue
                    now = self.set_at(at, box, at[box] + 1)
                if (then, now) not in known:
                    known.add((then, now))
                    open_states.append((then, now))
            if is_over and all(i == len(events) for i, events in zip(at, listing)):
                return True
        return False
