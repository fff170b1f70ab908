"""What is checked (the files git knows or would add) and where findings are gathered."""
import subprocess
from pathlib import Path

CPP = (".cc", ".h")


def git(*arguments):
    """Returns git's output as a list of lines, or None when git fails."""
    result = subprocess.run(["git", *arguments], capture_output=True, text=True)
    return result.stdout.splitlines() if result.returncode == 0 else None


def list_files():
    names = git("ls-files", "--cached", "--others", "--exclude-standard") or []
    return sorted({name for name in names if Path(name).is_file()})


def read(path):
    """Returns the text of a file, or None for binary data."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None


def language(path, content):
    """The ending of a file, or what its first line says for scripts without one."""
    ending = Path(path).suffix
    if ending or not content.startswith("#!"):
        return ending
    first = content.split("\n", 1)[0]
    return ".py" if "python" in first else ".sh"


class Findings:
    """Counts rule x file; a rule that met at least one problem in a file has failed there."""

    def __init__(self):
        self.lines = []
        self.outcomes = {}

    def checked(self, rule, path):
        self.outcomes.setdefault((rule, path), True)

    def add(self, rule, path, line, what):
        self.outcomes[(rule, path)] = False
        self.lines.append((path, line, rule, what))

    def report(self):
        for path, line, rule, what in sorted(set(self.lines)):
            print(f"{path}:{line}: {rule}: {what}")
        failed = sum(not passed for passed in self.outcomes.values())
        print(f"{len(self.outcomes) - failed} passed, {failed} failed")
        return 1 if failed else 0
