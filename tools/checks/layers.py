"""The layers: each include of src/ and include/ against the table below."""
import re

from .files import CPP

EVERYTHING = {"base", "recording", "gate", "record", "replay", "program", "analyse", "drive"}
# Nobody includes session/: it is linked.
ALLOWED = {
    "base": set(),
    "recording": {"base"},
    "gate": {"base", "recording"},
    "record": {"base", "recording", "gate"},
    "replay": {"base", "recording", "gate"},
    "session": {"base", "recording", "gate", "record", "replay"},
    "program": {"base", "recording", "gate"},
    "analyse": {"base", "recording"},
    "drive": EVERYTHING,
}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def target_layer(name):
    """The layer an included header belongs to; None for what lies outside the project."""
    if name in ("reprise/detail/kind.h", "reprise/detail/mailed.h", "reprise/detail/slot.h"):
        return "base"  # shared by the program's side and the format
    if name.startswith("reprise/detail/"):
        return "gate"  # the inline half of the gate
    if name.startswith("reprise/"):
        return "program"
    first = name.split("/", 1)[0]
    return first if first in ALLOWED and "/" in name else None


def check(path, content, findings):
    if not path.endswith(CPP) or path.endswith("_test.cc"):
        return
    parts = path.split("/")
    public = path.startswith("include/reprise/")
    if not public and (parts[0] != "src" or len(parts) < 3):
        return
    findings.checked("layers", path)
    for number, line in enumerate(content.splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        quote, name = match.groups()
        if public:
            if quote == '"' or not (name.startswith("reprise/") or re.fullmatch(r"[a-z_]+", name)):
                findings.add("layers", path, number, f"a public header may include <reprise/...> and std headers only, not {name}")
            continue
        check_one(path, number, parts[1], name, findings)


def check_one(path, number, layer, name, findings):
    if layer not in ALLOWED:
        findings.add("layers", path, number, f"src/{layer} is no layer")
    elif ".." in name.split("/"):
        findings.add("layers", path, number, f"include by the path from src/, not {name}")
    else:
        target = target_layer(name)
        if target and target != layer and target not in ALLOWED[layer]:
            findings.add("layers", path, number, f"{layer} may not include {name}")
