"""Shows that each rule of tools/check can fail, and that it lets good input pass."""
import os
import tempfile
from pathlib import Path

from . import layers, sizes, style, text
from .files import Findings

LONG_BODY = "  if (x) { y(); }\n" * 60
CONSTRUCTOR = "Foo::Foo() : a_{1}, b_{2} {\n" + LONG_BODY + "}\n"
LAMBDA_SCOPE = "namespace a {\nstruct alignas(64) B {\n" + "  int f() { return 1; }\n" * 70 + "};\n}\n"
# (rule, path, bad content, good content)
CASES = [
    (layers.check, "src/analyse/a.cc", '#include "gate/gate.h"\n', '#include "recording/reader.h"\n'),
    (layers.check, "src/drive/a.cc", '#include "session/session.h"\n', '#include "replay/a.h"\n'),
    (layers.check, "src/base/a.cc", "#include <reprise/mutex.h>\n", "#include <reprise/detail/kind.h>\n"),
    (layers.check, "src/record/a.cc", '#include "../gate/a.h"\n', "#include <reprise/detail/gate.h>\n"),
    (layers.check, "include/reprise/a.h", "#include <fmt/core.h>\n", "#include <atomic>\n#include <reprise/b.h>\n"),
    (layers.check, "src/other/a.cc", '#include "base/a.h"\n', ""),
    (sizes.check_file, "a.sh", "\n" * 501, "\n" * 500),
    (sizes.check_functions, "a.cc", "int f(int x) {\n" + LONG_BODY + "}\n", "int f(int x) {\n" + LONG_BODY[:900] + "}\n"),
    (sizes.check_functions, "b.cc", CONSTRUCTOR, LAMBDA_SCOPE),
    (sizes.check_functions, "c.cc", 'TEST(A, B) {\n  f("}", \'}\');  // }\n' + LONG_BODY + "}\n", "enum class A {\n" + "  a,\n" * 90 + "};\n"),
    (sizes.check_functions, "a.py", "def f():\n" + "    pass\n" * 60, "def f():\n" + "    pass\n" * 59),
    (text.check_links, "a.md", "[x](nowhere.md)\n", "[x](here.md#part) [y](https://example.org)\n```\n[x](nowhere.md)\n```\n"),
    (text.check_words, "a.txt", "see /wo" + "rk/shared\n", "a day's /worker/\n"),
    (text.check_words, "b.txt", "https://regis" + "try.example.org/x\n", "https://example.org/x\n"),
    (text.check_unfinished, "a.cc", "// TO" + "DO: later\n", "// done\n"),
]


def failures(rule, path, content):
    findings = Findings()
    rule(path, content, findings)
    return len(findings.lines)


def check_style():
    Path("bad.cc").write_text("int  f( ) {return 1;}\n")
    Path("good.cc").write_text("int f() { return 1; }\n")
    findings = Findings()
    style.check(["bad.cc", "good.cc"], findings, fix=False)
    return findings.outcomes == {("format", "bad.cc"): False, ("format", "good.cc"): True}


def run():
    wrong = []
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        Path("here.md").write_text("")
        for rule, path, bad, good in CASES:
            if not failures(rule, path, bad):
                wrong.append(f"{rule.__name__} lets bad {path} pass")
            if good and failures(rule, path, good):
                wrong.append(f"{rule.__name__} reports good {path}")
        if style.command() and not check_style():
            wrong.append("style.check does not tell bad.cc from good.cc")
        os.chdir(before)
    for line in wrong:
        print(line)
    print(f"self-test: {len(CASES) + 1 - len(wrong)} passed, {len(wrong)} failed")
    return 1 if wrong else 0
