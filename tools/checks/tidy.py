"""clang-tidy: on every compiled file in CI; by hand on what changed since origin/main or else the commit before."""
import json
import os
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .files import git

BUILD = Path("build/release")
OWN = Path("build/tidy")  # the same commands, without the headers that g++ compiled beforehand: clang cannot read those
LINE = re.compile(r"^(/.+?):(\d+):\d+: (?:warning|error): (.*?)(?: \[([\w.,-]+)\])?$")


def changed_files():
    base = git("merge-base", "origin/main", "HEAD")
    if not base or base == git("rev-parse", "HEAD"):
        base = git("rev-parse", "--verify", "--quiet", "HEAD~1")
    if not base:
        return []
    names = git("diff", "--name-only", "--diff-filter=d", base[0]) or []
    return names + (git("ls-files", "--others", "--exclude-standard") or [])


def own_commands(entries):
    """Writes the compile commands to OWN, each precompiled header replaced by a copy that has no compiled form."""
    OWN.mkdir(parents=True, exist_ok=True)
    copies = {}

    def copy_of(match):
        header = match.group(1)
        if header not in copies:
            copies[header] = OWN.resolve() / f"before_{len(copies)}.h"
            shutil.copyfile(header, copies[header])
        return f"-include {copies[header]}"

    for entry in entries:
        entry["command"] = re.sub(r"-include (/\S+/cmake_pch\.hxx)\b", copy_of, entry["command"])
        entry["command"] = re.sub(r" -flto=auto| -fno-fat-lto-objects", "", entry["command"])
    (OWN / "compile_commands.json").write_text(json.dumps(entries))


def run_one(path):
    tool = shutil.which("clang-tidy-14") or shutil.which("clang-tidy")
    result = subprocess.run([tool, "-p", str(OWN), "--quiet", path], capture_output=True, text=True)
    return path, result.stdout.splitlines(), result.returncode


def check(files, findings):
    database = BUILD / "compile_commands.json"
    if not database.exists():
        print("clang-tidy: left out, no build/release/compile_commands.json")
        return
    root = Path.cwd()
    entries = json.loads(database.read_text())
    compiled = {Path(entry["directory"], entry["file"]).resolve() for entry in entries}
    wanted = set(files) if os.environ.get("CI") else set(changed_files()) & set(files)
    paths = [path for path in sorted(wanted) if (root / path).resolve() in compiled]
    if not paths:
        print("clang-tidy: left out, no compiled file changed")
        return
    if not shutil.which("clang-tidy"):
        findings.add("tidy", ".clang-tidy", 1, "clang-tidy is missing: apt-get install clang-tidy")
        return
    own_commands(entries)
    with ThreadPoolExecutor(2) as pool:
        for path, lines, status in pool.map(run_one, paths):
            findings.checked("tidy", path)
            matches = [match for line in lines if (match := LINE.match(line))]
            for match in matches:
                where = Path(match.group(1)).resolve()
                shown = where.relative_to(root) if where.is_relative_to(root) else path
                findings.add("tidy", str(shown), int(match.group(2)), f"{match.group(3)} [{match.group(4)}]")
            if status and not matches:
                findings.add("tidy", path, 1, "clang-tidy failed: " + " ".join(lines[:1]))
