"""Formatting, by clang-format and the .clang-format of the root."""
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

from .files import CPP

LINE = re.compile(r"^(.+?):(\d+):\d+: (?:error|warning): ")


def command():
    return shutil.which("clang-format-14") or shutil.which("clang-format")


def unformatted(paths):
    """Returns {path: first line that is not formatted}."""
    result = subprocess.run([command(), "--dry-run", "-Werror", *paths], capture_output=True, text=True)
    found = {}
    for line in result.stderr.splitlines():
        if match := LINE.match(line):
            found.setdefault(match.group(1), int(match.group(2)))
    return found


def check(files, findings, fix):
    paths = [path for path in files if path.endswith(CPP)]
    if not paths:
        return
    if not command():
        findings.add("format", ".clang-format", 1, "clang-format is missing: apt-get install clang-format")
        return
    if fix:
        subprocess.run([command(), "-i", *paths], check=True)
    chunks = [paths[start:start + 16] for start in range(0, len(paths), 16)]
    with ThreadPoolExecutor(2) as pool:
        for found in pool.map(unformatted, chunks):
            for path, number in found.items():
                findings.add("format", path, number, "not formatted: tools/check --fix")
    for path in paths:
        findings.checked("format", path)
