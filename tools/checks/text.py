"""Text: links that resolve, words that must not stand in the repository, nothing left unfinished."""
import re
from pathlib import Path

LINK = re.compile(r"!?\[[^\]\n]*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
FENCE = re.compile(r"^\s*(```|~~~)")
# Written in pieces, so that this file does not meet its own rules.
WORDS = [
    (re.compile(r"(?<![\w.$}])/wo" r"rk/"), "a path of one machine"),
    (re.compile(r"/tmp/" r"w/"), "a path of one machine"),
    (re.compile(r"sub" r"agent", re.I), "how it is made"),
    (re.compile(r"https?://[^\s/]*(?:regis" r"try|mirr" r"or|artif" r"act|nex" r"us|py" r"pi|np" r"m)[^\s/]*", re.I), "a package host"),
]
UNFINISHED = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X)\b")


def check_links(path, content, findings):
    if not path.endswith(".md"):
        return
    findings.checked("links", path)
    fenced = False
    for number, line in enumerate(content.splitlines(), 1):
        if FENCE.match(line):
            fenced = not fenced
        if fenced:
            continue
        for target in LINK.findall(re.sub(r"`[^`]*`", "", line)):
            target = target.split("#", 1)[0]
            if not target or re.match(r"[a-z][a-z0-9+.-]*:", target):
                continue
            if not (Path(path).parent / target).exists():
                findings.add("links", path, number, f"{target} does not exist")


def check_words(path, content, findings):
    findings.checked("words", path)
    for number, line in enumerate(content.splitlines(), 1):
        for pattern, why in WORDS:
            if match := pattern.search(line):
                findings.add("words", path, number, f"'{match.group()}' names {why}")


def check_unfinished(path, content, findings):
    findings.checked("unfinished", path)
    for number, line in enumerate(content.splitlines(), 1):
        if match := UNFINISHED.search(line):
            findings.add("unfinished", path, number, f"{match.group()}: finish it, or open an issue")
