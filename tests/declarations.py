"""What the .pxd of a module declares, read without Cython, for tests that compare it with the .py."""

import ast
import re
from dataclasses import dataclass, field

_COMMENT = re.compile(r"#.*")
_DECORATOR = re.compile(r"@[\w.]+(\(.*\))?$")
_FUNCTION = re.compile(r"(?:cdef|cpdef) (inline )?[^=]*?(\w+)\((.*)\)[^()]*?(:?)$")
_VARIABLES = re.compile(r"cdef (?:public |readonly )?(.+)$")
_NAME = re.compile(r"(\w+)(?:\[[^\[\]]*\])*$")
_C_ONLY = (
    (re.compile(r"<(?:(?:unsigned|long|const) )*\w+>"), ""),  # casts
    (re.compile(r"\b(0x[0-9A-Fa-f]+|[0-9]+)U?L{1,2}\b"), r"\1"),  # suffixes of literals
    (re.compile(r"^(\s*)cdef (?:\w+ )+(\w+ = )"), r"\1\2"),  # types of local variables
    (re.compile(r"^(\s*)cdef (?:\w+ )+\w+$"), r"\1pass"),
    (re.compile(r"&(?=\w)"), ""),  # addresses
)


@dataclass
class Declared:
    """The names that a module, or a class in it, declares.

    `constants` are those of enums with their values; `functions` have the names of their parameters; `inline`
    are the functions with a body, as Python. `classes` have `variables` and `functions` of their own.
    """

    constants: dict[str, int] = field(default_factory=dict)
    variables: set[str] = field(default_factory=set)
    functions: dict[str, list[str]] = field(default_factory=dict)
    inline: dict[str, str] = field(default_factory=dict)
    classes: dict[str, "Declared"] = field(default_factory=dict)


def declared(text: str) -> Declared:
    """What the text of a .pxd declares. Raises ValueError at a line that is not understood."""
    found = Declared()
    for head, body in _blocks(_logical_lines(text)):
        if head.startswith("cdef class "):
            name = head.removeprefix("cdef class ").partition("(")[0].rstrip(":")
            found.classes[name] = Declared()
            for line, _ in _blocks(body):
                _enter(found.classes[name], line, [])
        elif head == "cdef enum:":
            found.constants |= {name: _number(value) for name, value in (line.split(" = ") for line in body)}
        elif not head.startswith(("cdef extern ", "ctypedef ", "cimport ", "from ")):
            _enter(found, head, body)
    return found


def as_python(line: str) -> str:
    """A line of the body of an inline function without what only C has."""
    for pattern, replacement in _C_ONLY:
        line = pattern.sub(replacement, line)
    return line


def _logical_lines(text: str) -> list[str]:
    """The lines without comments and empty ones, each with what its open brackets go on to."""
    lines: list[str] = []
    depth = 0
    for raw in text.splitlines():
        line = _COMMENT.sub("", raw).rstrip()
        if depth:
            lines[-1] += " " + line.strip()
        elif line:
            lines.append(line)
        depth += sum(map(line.count, "([")) - sum(map(line.count, ")]"))
    return lines


def _blocks(lines: list[str]) -> list[tuple[str, list[str]]]:
    """Each line that is not indented, decorators excepted, with the lines indented below it."""
    blocks: list[tuple[str, list[str]]] = []
    for line in lines:
        if line.startswith("    "):
            blocks[-1][1].append(line[4:])
        elif not _DECORATOR.match(line):
            blocks.append((line, []))
    return blocks


def _enter(found: Declared, line: str, body: list[str]) -> None:
    if line == "pass":
        return
    if function := _FUNCTION.match(line):
        inline, name, parameters, colon = function.groups()
        found.functions[name] = [
            re.split(r"[\s*]+", each.strip())[-1] for each in parameters.split(",") if each.strip()
        ]
        if inline and colon:
            lines = [f"def {name}({', '.join(found.functions[name])}):"]
            found.inline[name] = "\n".join(lines + ["    " + as_python(each) for each in body])
    elif variables := _VARIABLES.match(line):
        for each in variables[1].split(","):
            name = _NAME.search(each.strip())
            if not name:
                raise ValueError(line)
            found.variables.add(name[1])
    else:
        raise ValueError(line)


def _number(text: str) -> int:
    return int(eval(compile(ast.parse(text, mode="eval"), "", "eval"), {}))
