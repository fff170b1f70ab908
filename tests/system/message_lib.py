"""What the tests of messages share: systems of several programs."""
from _lib import REPRISE, run


def procfile(bench, name, lines):
    """Writes a Procfile from {name: [words]}; returns its name."""
    path = bench.folder / f"{name}.procfile"
    path.write_text("".join(f"{line}: {' '.join(str(word) for word in words)}\n" for line, words in lines.items()))
    return path.name


def record(bench, name, lines, *options, seconds=60, env=None):
    command = [REPRISE, "record", "-f", procfile(bench, name, lines), "-o", name, *options]
    return run(command, bench.folder, seconds, env)


def lines_of(output):
    """The lines of a run: their order among processes is nobody's, so they are sorted. What the tool says is left out."""
    return sorted(line for line in output.decode().splitlines() if not line.startswith("replayed "))
