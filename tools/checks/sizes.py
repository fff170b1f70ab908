"""Sizes: files of at most 500 lines, functions of at most 60."""
import ast
import re

from .files import CPP, language

FILE_MAX = 500
FUNCTION_MAX = 60
TOKENS = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<tag>[^()\s]*)\(.*?\)(?P=tag)"|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])\'(?:\\.|[^\'\\\n])*\'', re.S)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.M)
SCOPE = re.compile(r"^(?:template\s*<.*>\s*)?(?:inline\s+)?(?:typedef\s+)?(?:class|struct|union|enum|namespace|extern)\b(?!.*\)\s*(?:const|noexcept)?$)", re.S)
LABEL = re.compile(r"^(?:(?:public|private|protected)\s*:\s*)+")
INITIALISERS = re.compile(r"\)\s*(?:noexcept(?:\([^)]*\))?\s*)?:(?!:)")


def check_file(path, content, findings):
    if language(path, content) not in (".cc", ".h", ".py", ".sh", ".ts"):
        return
    findings.checked("file_size", path)
    lines = len(content.splitlines())
    if lines > FILE_MAX:
        findings.add("file_size", path, FILE_MAX + 1, f"{lines} lines, at most {FILE_MAX}")


def check_functions(path, content, findings):
    if path.endswith(CPP):
        functions = cpp_functions(content)
    elif language(path, content) == ".py":
        functions = python_functions(path, content, findings)
    else:
        return
    findings.checked("function_size", path)
    for name, start, end in functions:
        if end - start + 1 > FUNCTION_MAX:
            findings.add("function_size", path, start, f"{name} has {end - start + 1} lines, at most {FUNCTION_MAX}")


def python_functions(path, content, findings):
    try:
        tree = ast.parse(content)
    except SyntaxError as error:
        findings.add("function_size", path, error.lineno or 1, f"not python: {error.msg}")
        return []
    return [(node.name, node.lineno, node.end_lineno) for node in ast.walk(tree)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]


def strip(content):
    """Blanks comments, literals and directives, keeping every line break."""
    def blank(match):
        token = match.group()
        breaks = "\n" * token.count("\n")
        return breaks if token.startswith("/") else '""' + breaks
    return DIRECTIVE.sub(lambda match: "\n" * match.group().count("\n"), TOKENS.sub(blank, content))


def is_function(head):
    """Does the text before a `{` open a function (or a lambda at namespace scope)?"""
    return "(" in head and not head.endswith(("=", ",", "(")) and not SCOPE.match(head)


def is_initialiser(head):
    """Is this the brace of `a_{1}` in a constructor's list, rather than that of its body?"""
    return bool(INITIALISERS.search(head)) and head[-1] not in ")}"


def function_name(head):
    names = re.findall(r"([~\w:]+)\s*\(", head)
    return names[0] if names else "function"


def cpp_functions(content):
    """Finds the outermost functions as (name, first line, last line), by counting braces."""
    code = strip(content)
    found = []
    head, head_line, line = "", 1, 1
    depth, open_at, name, start = 0, None, "", 0  # open_at: the depth at which the current function opened
    initialiser = None  # the depth at which a constructor's `a_{` opened
    for character in code:
        if character == "{":
            depth += 1
            stripped = LABEL.sub("", head.strip())
            if open_at is None and initialiser is None:
                if stripped and is_function(stripped) and is_initialiser(stripped):
                    initialiser = depth
                elif is_function(stripped):
                    open_at, name, start = depth, function_name(stripped), head_line
                else:
                    head = ""
        elif character == "}":
            if open_at == depth:
                found.append((name, start, line))
                open_at, head = None, ""
            elif initialiser == depth:
                initialiser, head = None, head + "}"
            elif open_at is None and initialiser is None:
                head = ""
            depth -= 1
        elif character == ";" and open_at is None and initialiser is None:
            head = ""
        elif open_at is None and initialiser is None:
            if not head.strip() and not character.isspace():
                head, head_line = "", line
            head += character
        line += character == "\n"
    return found
