"""A .pxd and its .py cannot drift apart: the names, numbers and bodies that stand in both are the same.

Cython itself refuses some differences, and takes most of them in silence.
"""

from functools import cache

import pytest

from tests.compiled import ROOT, source
from tests.declarations import Names, cimported, declared, defined, imported
from tests.test_layout import HEADERS_ONLY

MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for top in ("engine", "eval")
    for path in (ROOT / top).rglob("*.pxd")
    if path.stem != "__init__"
)
WRAPS = {"u64"}  # what plain Python must do, and C does by itself
PADDING = {"_before", "_between", "_after"}
"""Cache lines that are never written to; Python has no need of them."""


@cache
def header(name: str) -> Names:
    text = source(name, ".pxd").read_text()
    ours = [(module, constant) for module, constant in cimported(text) if source(module, ".pxd").exists()]
    numbers = {constant: header(module).constants.get(constant) for module, constant in ours}
    return declared(text, {constant: number for constant, number in numbers.items() if number is not None})


@cache
def plain(name: str) -> Names:
    text = source(name, ".py").read_text()
    ours = [(module, constant) for module, constant in imported(text) if source(module, ".py").exists()]
    numbers = {constant: plain(module).constants.get(constant) for module, constant in ours}
    return defined(text, {constant: number for constant, number in numbers.items() if number is not None})


@cache
def externs() -> frozenset[str]:
    return frozenset().union(*(header(name).externs for name in MODULES))


def attributes(names: Names, classes: dict[str, Names]) -> set[str]:
    own = {*names.variables}
    return own | attributes(classes[names.base], classes) if names.base in classes else own


def drifts(c: Names, python: Names, classes: dict[str, Names], c_only: frozenset[str]) -> list[str]:
    """Where a .pxd and its .py differ, one line each.

    `classes` are those of all .pxd, `c_only` the functions of C.
    """
    found = [
        f"{name} is {number}, and {python.constants.get(name)} in Python"
        for name, number in c.constants.items()
        if python.constants.get(name) != number
    ]
    found += functions_that_differ(c, python)
    for name, entries in c.variables.items():
        if name not in python.variables:
            if not python.open and name not in PADDING:
                found.append(f"{name} is not in Python")
        elif entries is not None and python.variables[name] not in (entries, None):
            found.append(f"{name} has {entries} entries, and {python.variables[name]} in Python")
    for name, body in c.bodies.items():
        calls_c = any(f"{extern}(" in body for extern in c_only)
        if body != python.bodies.get(name) and not calls_c and name not in WRAPS:
            found.append(f"{name} does something else in Python: {body!r}, {python.bodies.get(name)!r}")
    for name, names in c.classes.items():
        if name not in python.classes:
            found.append(f"class {name} is not in Python")
            continue
        twin = python.classes[name]
        inside = drifts(names, twin, classes, c_only)
        undeclared = {*twin.variables} - attributes(names, classes) - {*twin.functions}
        inside += [f"{attribute} is not declared" for attribute in sorted(undeclared)]
        found += [f"{name}: {each}" for each in inside]
    return found


def functions_that_differ(c: Names, python: Names) -> list[str]:
    """Functions that are missing or have other parameters, and local variables with a type and no use."""
    found = []
    for name, parameters in c.functions.items():
        if name in python.imports:
            continue
        if name not in python.functions:
            found.append(f"{name}() is not in Python")
        elif python.functions[name] != parameters:
            found.append(f"{name}({', '.join(parameters)}) has other parameters in Python")
        else:
            unused = c.local[name] - python.local[name] - {*parameters}
            found += [f"{name}() has no variable {each} in Python" for each in sorted(unused)]
    return found


@pytest.mark.parametrize("name", MODULES)
def test_twins_are_the_same(name: str) -> None:
    classes = {each: names for module in MODULES for each, names in header(module).classes.items()}
    assert not drifts(header(name), plain(name), classes, externs())


@pytest.mark.parametrize("name", sorted(HEADERS_ONLY))
def test_a_module_that_is_never_compiled_has_no_numbers_of_its_own(name: str) -> None:
    assert plain(name).constants == header(name).constants


def test_twins_are_found() -> None:
    """What the comparison rests on is read at all."""
    assert {"engine.board.move", "engine.search.alphabeta", "engine.games.fast.solver"} <= {*MODULES}
    assert header("engine.search.constants").constants["MATE"] == 31000
    for read in (header, plain):
        assert read("engine.search.ordering").constants["LOSING_RANK"] == -(1 << 28)
        assert read("engine.board.position").classes["Position"].variables["undo_key"] == 1024
    assert "pv" in header("engine.search.alphabeta").classes["Searcher"].local["search"]
    assert header("engine.board.move").bodies["target"] == "return move >> 6 & 63"
    assert "atomic_load" in externs()


HEADER = """
cdef enum:
    SIZE = 4
cdef int TABLE[4]
@cython.final
cdef class Thing(Base):
    cdef int many[4]
    cdef public int one
    @cython.locals(n=int)
    cdef int f(self, int x) noexcept nogil
cdef inline int low(U64 word) noexcept nogil:
    cdef U64 shifted = word >> 8
    return <int>(shifted & 0xFFULL)
"""
PYTHON = '''
SIZE = 4
TABLE = [0] * SIZE
class Thing(Base):
    def __init__(self):
        self.many = [0] * 4
        self.one = 1
    def f(self, x):
        n = x
        return n
def low(word):
    """The low byte."""
    shifted = word >> 8
    return i32(shifted & 0xFF)
'''


def test_twins_that_are_the_same_have_no_drift() -> None:
    assert not drifts(declared(HEADER), defined(PYTHON), {}, frozenset())


@pytest.mark.parametrize(
    ("old", "new", "drift"),
    [
        ("SIZE = 4", "SIZE = 5", "SIZE is 4, and 5 in Python"),
        ("TABLE = [0] * SIZE", "TABLE = [0] * 8", "TABLE has 4 entries, and 8 in Python"),
        ("TABLE =", "TABEL =", "TABLE is not in Python"),
        ("self.many = [0] * 4", "self.many = [0] * 3", "Thing: many has 4 entries, and 3 in Python"),
        ("self.one = 1", "self.two = 1", "Thing: one is not in Python"),
        ("self.one = 1", "self.one = self.two = 1", "Thing: two is not declared"),
        ("def f(self, x)", "def f(self, y)", "Thing: f(self, x) has other parameters in Python"),
        ("n = x", "m = x", "Thing: f() has no variable n in Python"),
        ("class Thing", "class Other", "class Thing is not in Python"),
        ("def low", "def high", "low() is not in Python"),
        ("shifted & 0xFF", "shifted & 0xF", "low does something else in Python"),
    ],
)
def test_a_planted_drift_is_found(old: str, new: str, drift: str) -> None:
    assert old in PYTHON
    found = drifts(declared(HEADER), defined(PYTHON.replace(old, new)), {}, frozenset())
    assert any(line.startswith(drift) for line in found), found
