"""The constants that C reads from a .pxd are those that plain Python reads from the .py."""

import ast
import re
from functools import cache

import pytest

from tests.compiled import ROOT, source

ENUM = re.compile(r"^cdef enum:\n((?:[ \t]+.*\n|\n)+)", re.MULTILINE)

MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for top in ("engine", "eval")
    for path in (ROOT / top).rglob("*.pxd")
    if ENUM.search(path.read_text())
)


def declared(name: str) -> dict[str, int]:
    """The constants of the .pxd's enums."""
    lines = "".join(ENUM.findall(source(name, ".pxd").read_text())).splitlines()
    code = "\n".join(line.strip() for line in lines)
    return constants(ast.parse(code))


@cache
def plain(name: str) -> dict[str, int]:
    """The constants of the .py that are set at the top or in its blocks for the plain run."""
    return constants(ast.parse(source(name, ".py").read_text()))


def constants(tree: ast.Module) -> dict[str, int]:
    """What is assigned outside functions and classes and is a number in capitals."""
    found: dict[str, int] = {}
    waiting: list[ast.stmt] = list(tree.body)
    for statement in waiting:  # grows
        if isinstance(statement, ast.If):
            waiting += statement.body + statement.orelse
        elif isinstance(statement, ast.Assign):
            found |= assigned(statement)
    return found


def assigned(statement: ast.Assign) -> dict[str, int]:
    """Names with their numbers, one or several at once."""
    (target,) = statement.targets
    pairs = [(target, statement.value)]
    if isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple):
        pairs = list(zip(target.elts, statement.value.elts, strict=True))
    return {
        name.id: number
        for name, value in pairs
        if isinstance(name, ast.Name) and name.id.isupper() and (number := evaluated(value)) is not None
    }


def evaluated(value: ast.expr) -> int | None:
    """The number that an expression of literals stands for."""
    if any(isinstance(part, ast.Name | ast.Call | ast.Attribute) for part in ast.walk(value)):
        return None
    number = eval(ast.unparse(value))
    return number if isinstance(number, int) else None


def test_constants_are_found() -> None:
    assert {"engine.board.bitboard", "engine.search.parameters", "engine.search.table"} <= {*MODULES}
    assert declared("engine.search.parameters")["MATE"] == 31000
    assert plain("engine.search.parameters")["MATE_BOUND"] == 30500
    assert declared("engine.search.ordering")["LOSING_RANK"] == -(1 << 28)
    assert plain("engine.board.bitboard")["EMPTY"] == 7


@pytest.mark.parametrize("name", MODULES)
def test_constants_are_the_same_in_both_modes(name: str) -> None:
    assert declared(name)
    found = plain(name)
    assert {constant: found.get(constant) for constant in declared(name)} == declared(name)


def test_parameters_are_the_same_both_ways() -> None:
    assert plain("engine.search.parameters") == declared("engine.search.parameters")


def test_parameters_fit_together() -> None:
    number = plain("engine.search.parameters")
    assert number["MAX_PLY"] < 256 - 2  # rows of the lines, ply + 1 included
    assert number["MATE"] - number["MATE_BOUND"] > 2 * number["MAX_PLY"]
    assert number["MATE"] + 2 * number["MAX_PLY"] < number["INFINITE"] < 32768  # the table's field
    most_material = 9 * 900 + 2 * (500 + 300 + 300)
    assert most_material < number["MATE_BOUND"] - 1000
    assert number["FIFTY_CAUTION"] < 100
