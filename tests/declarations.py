"""What a .pxd declares and what its .py defines, both read without Cython, so that tests can compare them."""

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

_COMMENT = re.compile(r"#.*")
_LOCALS = re.compile(r"@cython\.locals\((.*)\)$")
_FUNCTION = re.compile(r"(?:cdef |cpdef )?(inline )?[^=]*?(\w+)\(([^()]*)\)[^()]*?:?$")
_EXTERN = re.compile(r'(\w+)(?: "\w+")?\(')
_VARIABLES = re.compile(r"(?:cdef (?:public |readonly )?)?(.+)$")
_VARIABLE = re.compile(r"(\w+)(?:\[(\w[^]]*)\])?$")
_CIMPORT = re.compile(r"^from ([\w.]+) cimport (.+)$", re.MULTILINE)
_C_ONLY = (
    (re.compile(r"<(?:(?:unsigned|long|const) )*\w+>"), ""),  # casts
    (re.compile(r"\b(0x[0-9A-Fa-f]+|[0-9]+)U?L{1,2}\b"), r"\1"),  # suffixes of literals
    (re.compile(r"^(\s*)cdef (?:\w+ )+(\w+ = )"), r"\1\2"),  # types of local variables
    (re.compile(r"^(\s*)cdef (?:\w+ )+\w+$"), r"\1pass"),
    (re.compile(r"&(?=\w)"), ""),  # addresses
)
_WIDTHS = {"u64", "i64", "i32"}


@dataclass
class Names:
    """The names of a module, or of a class in it.

    `constants` have their values, `variables` the number of their entries, or None; `functions` their
    parameters, `bodies` what they do, as Python. `local`: typed (@cython.locals) or assigned variables of
    functions. `externs`: C's functions. `open`: the class has attributes whose names stand nowhere.
    """

    constants: dict[str, int] = field(default_factory=dict)
    variables: dict[str, int | None] = field(default_factory=dict)
    functions: dict[str, list[str]] = field(default_factory=dict)
    bodies: dict[str, str] = field(default_factory=dict)
    local: dict[str, set[str]] = field(default_factory=dict)
    externs: set[str] = field(default_factory=set)
    imports: set[str] = field(default_factory=set)
    classes: dict[str, "Names"] = field(default_factory=dict)
    base: str = ""
    open: bool = False


def declared(text: str, known: Mapping[str, int] | None = None) -> Names:
    """What the text of a .pxd declares; `known` are numbers that it cimports.

    Raises ValueError at a line that is not understood.
    """
    found = Names()
    env = dict(known or {})
    for head, body, typed in _blocks(_logical_lines(text)):
        if head.startswith(("cdef class ", "cdef struct ")):
            name, _, base = head.split(" ", 2)[2].rstrip(":").partition("(")
            found.classes[name] = Names(base=base.rstrip(")"))
            for line, _, typed_inside in _blocks(body):
                _enter(found.classes[name], line, [], typed_inside, env)
        elif head == "cdef enum:":
            found.constants |= {name: _number(value) for name, value in (line.split(" = ") for line in body)}
            env |= found.constants
        elif head.startswith("cdef extern "):
            found.externs |= {match[1] for line in body if (match := _EXTERN.search(line))}
        elif not head.startswith(("ctypedef ", "cimport ", "from ")):
            _enter(found, head, body, typed, env)
    return found


def defined(text: str, known: Mapping[str, int] | None = None) -> Names:
    """What the text of a .py defines, for the plain run too; `known` are numbers that it imports."""
    found = Names()
    env = dict(known or {})
    for node in _statements(ast.parse(text).body):
        if isinstance(node, ast.FunctionDef):
            _enter_function(found, node)
        elif isinstance(node, ast.ImportFrom):
            found.imports |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.ClassDef):
            found.classes[node.name] = _class(node, env)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            for name, value in _assigned(node):
                number = _evaluated(value, env)
                if number is not None:
                    env[name] = found.constants[name] = number
                found.variables[name] = _entries(value, env)
    return found


def imported(text: str) -> list[tuple[str, str]]:
    """The modules that a .py imports from, each with a name that it does not change."""
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom) and node.module]
    return [(str(node.module), alias.name) for node in nodes for alias in node.names if not alias.asname]


def cimported(text: str) -> list[tuple[str, str]]:
    pairs = ((module, names.split("#")[0]) for module, names in _CIMPORT.findall(text))
    return [(module, name.strip()) for module, names in pairs for name in names.split(",")]


def _logical_lines(text: str) -> list[str]:
    """The lines without comments and empty ones, each with what its open brackets go on to."""
    lines: list[str] = []
    depth = 0
    for raw in re.sub(r'""".*?"""', "", text, flags=re.DOTALL).splitlines():
        line = _COMMENT.sub("", raw).rstrip()
        if depth:
            lines[-1] += " " + line.strip()
        elif line:
            lines.append(line)
        depth += sum(map(line.count, "([")) - sum(map(line.count, ")]"))
    return lines


def _blocks(lines: list[str]) -> list[tuple[str, list[str], set[str]]]:
    """Each line that is not indented, with the lines indented below it and the locals typed above it."""
    blocks: list[tuple[str, list[str], set[str]]] = []
    typed: set[str] = set()
    for line in lines:
        if line.startswith("    "):
            blocks[-1][1].append(line[4:])
        elif types := _LOCALS.match(line):
            typed = {each.partition("=")[0].strip() for each in types[1].split(",")}
        elif not line.startswith("@"):
            blocks.append((line, [], typed))
            typed = set()
    return blocks


def _enter(found: Names, line: str, body: list[str], typed: set[str], env: Mapping[str, int]) -> None:
    if line == "pass":
        return
    if function := _FUNCTION.match(line):
        inline, name, parameters = function.groups()
        found.functions[name] = [
            re.split(r"[\s*]+", each.strip())[-1] for each in parameters.split(",") if each.strip()
        ]
        found.local[name] = typed
        if inline and body:
            code = "\n".join([f"def {name}():", *(f"    {_as_python(each)}" for each in body)])
            found.bodies[name] = _body(ast.parse(code).body[0])
    elif variables := _VARIABLES.match(line):
        for each in variables[1].split(","):
            variable = _VARIABLE.search(each.strip())
            if not variable:
                raise ValueError(line)
            found.variables[variable[1]] = _size(variable[2], env)


def _as_python(line: str) -> str:
    """A line of the body of an inline function without what only C has."""
    for pattern, replacement in _C_ONLY:
        line = pattern.sub(replacement, line)
    return line


def _size(text: str | None, env: Mapping[str, int]) -> int | None:
    """The entries of an array; None if it is none, or their number is not known."""
    return _evaluated(ast.parse(text, mode="eval").body, env) if text else None


def _number(text: str) -> int:
    number = _evaluated(ast.parse(text, mode="eval").body, {})
    if number is None:
        raise ValueError(text)
    return number


def _statements(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements of a module, those under conditions, such as for the plain run, included."""
    found: list[ast.stmt] = []
    for node in body:
        found += _statements(node.body + node.orelse) if isinstance(node, ast.If) else [node]
    return found


def _assigned(node: ast.Assign | ast.AnnAssign) -> list[tuple[str, ast.expr]]:
    """Names, or attributes of self, with what is assigned to them, one or several at once."""
    if node.value is None:
        return []
    found = []
    for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
        pairs = [(target, node.value)]
        if isinstance(target, ast.Tuple):
            values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value] * len(target.elts)
            pairs = list(zip(target.elts, values, strict=True))
        for place, value in pairs:
            name = place.attr if isinstance(place, ast.Attribute) else getattr(place, "id", "")
            of_self = isinstance(place, ast.Attribute) and ast.unparse(place.value) == "self"
            if name and (of_self or isinstance(place, ast.Name)):
                found.append((f"self.{name}" if of_self else name, value))
    return found


def _evaluated(value: ast.expr, env: Mapping[str, int]) -> int | None:
    """The number that an expression of literals and known names stands for; None for anything else."""
    try:
        number = eval(ast.unparse(value), {"__builtins__": {}}, dict(env))
    except Exception:  # noqa: BLE001 - it is no such expression
        return None
    return number if type(number) is int else None


def _entries(value: ast.expr, env: Mapping[str, int]) -> int | None:
    """How many entries a list has: `[0] * 64`, `[1, 2]`, `[x for i in range(64)]`."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult) and isinstance(value.left, ast.List):
        times = _evaluated(value.right, env)
        return None if times is None else times * len(value.left.elts)
    if isinstance(value, ast.List):
        return len(value.elts)
    if isinstance(value, ast.ListComp) and isinstance(value.generators[0].iter, ast.Call):
        return _evaluated(value.generators[0].iter.args[-1], env)
    return None


def _class(node: ast.ClassDef, env: Mapping[str, int]) -> Names:
    base = ast.unparse(node.bases[0]) if node.bases else ""
    found = Names(base=base, open="setattr(" in ast.unparse(node))
    for part in node.body:
        if isinstance(part, ast.FunctionDef):
            _enter_function(found, part)
            for inside in ast.walk(part):
                if isinstance(inside, ast.Assign | ast.AnnAssign):
                    for name, value in _assigned(inside):
                        if name.startswith("self."):
                            entries = _entries(value, env)
                            found.variables[name[5:]] = entries or found.variables.get(name[5:])
        elif isinstance(part, ast.AnnAssign):
            found.variables[ast.unparse(part.target)] = None
    return found


def _enter_function(found: Names, node: ast.FunctionDef) -> None:
    found.functions[node.name] = [each.arg for each in node.args.posonlyargs + node.args.args]
    found.bodies[node.name] = _body(node)
    found.local[node.name] = {
        each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }


class _Widthless(ast.NodeTransformer):
    """Takes away what only says how wide a number is in C."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        return node.args[0] if isinstance(node.func, ast.Name) and node.func.id in _WIDTHS else node


def _body(node: ast.stmt) -> str:
    assert isinstance(node, ast.FunctionDef)
    kept = [
        each
        for each in node.body
        if not isinstance(each, ast.Pass)
        and not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
    ]
    return "\n".join(ast.unparse(_Widthless().visit(each)) for each in kept)
