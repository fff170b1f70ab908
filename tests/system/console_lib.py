"""Runs the commands of a document and compares what they print with what stands there.

A document is Markdown. Every block of the form

    ```console
    $ reprise replay lost
    replayed 1 of 1 identical
    ```

is run: lines with `$ ` are commands (`> ` continues one), the lines below a command are what it prints, on either stream. All commands
of a document run in one shell. Whatever is shown must come, and nothing else may: every difference is a failure. Blanks count as one.

What may differ from run to run is said beforehand, in comments that a reader does not see:

    <!-- varies: 345 83.1 "order 3" -->    in the next block each of these may show other numbers (a phrase in quotes: all of its numbers)
    <!-- varies: numbers -->               in the next block every number may be another (also those that are `same` elsewhere)
    <!-- same: 300 -->                     from here on 300 stands for one number, whatever it is (said again, for another one)
    <!-- file: racy.cc -->                 the next block, of whatever language, is the content of this file

A line `...` stands for any lines, also none.
"""
import os
import re
import shlex
import signal
import subprocess
import threading

FENCE = re.compile(r"^```(\w*)\s*$")
COMMENT = re.compile(r"^<!--\s*(varies|same|file):\s*(.*?)\s*-->$")
ANY_NUMBER = r"-?\d+(?:[.,:]\d+)*"
NUMBER = re.compile(ANY_NUMBER)
MARK = "console-lib-end-of-command"
SECONDS_MAX = 300


class Mismatch(Exception):
    """A document that does not tell the truth."""


class Block:
    def __init__(self, language, line):
        self.language, self.line, self.lines = language, line, []
        self.varies, self.same, self.file = [], [], None


def blocks(text):
    """The fenced blocks of a document, each with the comments that stand before it."""
    found, current, pending = [], None, {"varies": [], "same": [], "file": []}
    for number, line in enumerate(text.splitlines(), 1):
        fence = FENCE.match(line)
        if current is not None:
            if fence:
                found.append(current)
                current = None
            else:
                current.lines.append(line)
        elif comment := COMMENT.match(line):
            pending[comment.group(1)] += shlex.split(comment.group(2))
        elif fence:
            current = Block(fence.group(1), number)
            current.varies, current.same = pending["varies"], pending["same"]
            current.file = pending["file"][0] if pending["file"] else None
            pending = {"varies": [], "same": [], "file": []}
    if current is not None:
        raise Mismatch(f"line {current.line}: a block without an end")
    return found


def commands(block):
    """The commands of a block: (line, command, expected lines)."""
    found = []
    for offset, line in enumerate(block.lines, 1):
        if line.startswith("$ "):
            found.append((block.line + offset, line[2:], []))
        elif not found:
            raise Mismatch(f"line {block.line + offset}: output without a command")
        elif line.startswith("> ") and not found[-1][2]:
            number, command, expected = found.pop()
            found.append((number, command + "\n" + line[2:], expected))
        else:
            found[-1][2].append(line)
    return found


def squeeze(line):
    return " ".join(line.split())


class Matcher:
    """Compares expected lines with printed ones; remembers what the numbers declared as `same` turned out to be."""

    def __init__(self):
        self.names = set()
        self.bound = {}

    def declare(self, block):
        for name in block.same:
            self.names.add(name)
            self.bound.pop(name, None)

    def matches(self, expected, printed, varies):
        groups = {}
        pattern = ""
        for line in expected:
            pattern += r"(?:.*\n)*?" if line == "..." else self.line_pattern(squeeze(line), varies, groups) + r"\n"
        match = re.fullmatch(pattern, "".join(squeeze(line) + "\n" for line in printed))
        if match:
            self.bound.update({name: match.group(group) for name, group in groups.items()})
        return match is not None

    def line_pattern(self, line, varies, groups):
        pattern, at = "", 0
        spans = variable_spans(line, varies)
        for number in NUMBER.finditer(line):
            name, start, end = number.group(), number.start(), number.end()
            if name in self.names and "numbers" not in varies:
                piece = self.same_pattern(name, groups)
            elif any(first <= start and end <= last for first, last in spans):
                piece = ANY_NUMBER
            else:
                continue
            pattern += re.escape(line[at:start]) + piece
            at = end
        return pattern + re.escape(line[at:])

    def same_pattern(self, name, groups):
        if name in self.bound:
            return re.escape(self.bound[name])
        if name in groups:
            return f"(?P={groups[name]})"
        groups[name] = f"same_{len(groups)}"
        return f"(?P<{groups[name]}>{ANY_NUMBER})"


def variable_spans(line, varies):
    """Where the numbers of a line may be others."""
    if "numbers" in varies:
        return [(0, len(line))]
    spans = []
    for phrase in varies:
        spans += [match.span() for match in re.finditer(r"(?<![\w.])" + re.escape(squeeze(phrase)) + r"(?![\w]|\.\d)", line)]
    return spans


class Shell:
    """One bash for all commands of a document."""

    def __init__(self, folder, environment):
        self.process = subprocess.Popen(["bash", "--norc", "--noprofile"], cwd=folder, env=environment, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                                        start_new_session=True)

    def run(self, command):
        # In a group with its own input, so that nobody reads the commands that follow.
        script = f"{{ {command}\n}} < /dev/null\nstatus=$?; printf '\\n%s\\n' {MARK}; (exit $status)\n"
        self.process.stdin.write(script)
        self.process.stdin.flush()
        watch = threading.Timer(SECONDS_MAX, os.killpg, (self.process.pid, signal.SIGKILL))
        watch.start()
        lines = []
        for line in self.process.stdout:
            if line.rstrip("\n") == MARK:
                break
            lines.append(line.rstrip("\n"))
        else:
            raise Mismatch(f"the shell ended (after {SECONDS_MAX} s it is ended) in: {command}")
        watch.cancel()
        while lines and not lines[-1]:
            lines.pop()
        return lines

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=SECONDS_MAX)


def run_document(text, folder, environment):
    """Runs all of a document's commands. Returns how many there were. Raises Mismatch at the first difference."""
    shell, matcher, count = Shell(folder, environment), Matcher(), 0
    try:
        for block in blocks(text):
            if block.file:
                (folder / block.file).parent.mkdir(parents=True, exist_ok=True)
                (folder / block.file).write_text("\n".join(block.lines) + "\n")
            matcher.declare(block)
            for line, command, expected in commands(block) if block.language == "console" else []:
                printed = shell.run(command)
                count += 1
                if not matcher.matches(expected, printed, block.varies):
                    raise Mismatch(f"line {line}: $ {command}\n--- expected\n" + "\n".join(expected) + "\n--- printed\n" +
                                   "\n".join(printed))
    finally:
        shell.close()
    return count
