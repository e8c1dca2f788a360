"""What C reads from a .pxd is what plain Python reads from the .py; and what parameters can be set to."""

import ast
import re
from functools import cache
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.search.parameters import NUMBERS, TECHNIQUES, ParameterError, Parameters, changes
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
    assert {"engine.board.bitboard", "engine.search.constants", "engine.search.table"} <= {*MODULES}
    assert declared("engine.search.constants")["MATE"] == 31000
    assert plain("engine.search.constants")["MATE_BOUND"] == 30500
    assert declared("engine.search.ordering")["LOSING_RANK"] == -(1 << 28)
    assert plain("engine.board.bitboard")["EMPTY"] == 7


@pytest.mark.parametrize("name", MODULES)
def test_constants_are_the_same_in_both_modes(name: str) -> None:
    assert declared(name)
    found = plain(name)
    assert {constant: found.get(constant) for constant in declared(name)} == declared(name)


def test_scale_of_scores_is_the_same_both_ways() -> None:
    assert plain("engine.search.constants") == declared("engine.search.constants")


def test_constants_fit_together() -> None:
    number = plain("engine.search.constants")
    assert number["MAX_PLY"] < 256 - 2  # rows of the lines, ply + 1 included
    assert number["MATE"] - number["MATE_BOUND"] > 2 * number["MAX_PLY"]
    assert number["MATE"] + 2 * number["MAX_PLY"] < number["INFINITE"] < number["UNKNOWN"] < 32768  # 16 bits
    most_material = 9 * 900 + 2 * (500 + 300 + 300)
    assert most_material < number["MATE_BOUND"] - 1000
    assert number["FIFTY_CAUTION"] < 100


# The table of parameters.


def test_every_parameter_has_its_attribute_and_no_other() -> None:
    """In C they are declared one by one, techniques as truths, numbers as integers, in the table's order."""
    declarations = source("engine.search.parameters", ".pxd").read_text()
    found = re.findall(r"cdef public (bint|int) (\w+)$", declarations, re.MULTILINE)
    assert found == [*(("bint", name) for name in TECHNIQUES), *(("int", name) for name in NUMBERS)]


def test_table_makes_sense() -> None:
    assert not {*TECHNIQUES} & {*NUMBERS}
    for name, number in NUMBERS.items():
        assert 0 <= number.low < number.high < 1 << 15, name
        assert number.low <= number.default <= number.high, name
    for name in ("null_divisor", "null_margin", "reduction_slope"):
        assert NUMBERS[name].low > 0, "it divides"
    about = [*(each.about for each in TECHNIQUES.values()), *(each.about for each in NUMBERS.values())]
    assert all(0 < len(words) < 100 for words in about)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        ("  \t ", {}),
        ("null_move=off", {"null_move": 0}),
        ("null_move=on", {"null_move": 1}),
        ("null_move=off late_depth=6", {"null_move": 0, "late_depth": 6}),
        ("  late_depth=6   null_move=off ", {"late_depth": 6, "null_move": 0}),
        ("late_depth=6 late_depth=7", {"late_depth": 7}),
        ("late_depth=007", {"late_depth": 7}),
        *(
            (f"{name}={end}", {name: end})
            for name in NUMBERS
            for end in (NUMBERS[name].low, NUMBERS[name].high)
        ),
    ],
)
def test_changes_are_read(text: str, expected: dict[str, int]) -> None:
    assert changes(text) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("magic=on", "no parameter is called 'magic'"),
        ("null_move", "null_move is on or off"),
        ("null_move=", "null_move is on or off"),
        ("null_move=1", "null_move is on or off"),
        ("null_move=ON", "null_move is on or off"),
        ("null_move = off", "null_move is on or off"),
        ("null_move=off=on", "null_move is on or off"),
        ("=", "no parameter is called ''"),
        ("late_depth", "late_depth is from 3 to 14"),
        ("late_depth=on", "late_depth is from 3 to 14"),
        ("late_depth=2", "late_depth is from 3 to 14"),
        ("late_depth=15", "late_depth is from 3 to 14"),
        ("late_depth=-6", "late_depth is from 3 to 14"),
        ("late_depth=6.0", "late_depth is from 3 to 14"),
        ("late_depth=²", "late_depth is from 3 to 14"),
        ("late_depth=٦", "late_depth is from 3 to 14"),
        ("late_depth=" + "9" * 5000, "late_depth is from 3 to 14"),
        ("null_move=off late_depth=99", "late_depth is from 3 to 14"),
        ("Null_move=off", "no parameter is called 'Null_move'"),
    ],
)
def test_other_changes_are_refused_in_one_line(text: str, reason: str) -> None:
    with pytest.raises(ParameterError) as caught:
        changes(text)
    assert str(caught.value) == reason


words = st.sampled_from([*TECHNIQUES, *NUMBERS, "on", "off", "=", " ", "7", "-", "\n", "null_move=off "])


@given(st.text() | st.lists(words).map("".join))
def test_any_text_is_read_or_refused(text: str) -> None:
    reason = ""
    try:
        Parameters().reset(changes(text))
    except ParameterError as error:
        reason = str(error)
    assert reason.isprintable()
    assert len(reason) < 300  # an escape takes ten characters


@pytest.mark.parametrize("slope", [NUMBERS["reduction_slope"].low, NUMBERS["reduction_slope"].high])
def test_reductions_follow_their_numbers(slope: int) -> None:
    """They can be seen in plain Python alone, where they have to be filled anew after each change."""
    use = Parameters()
    if not hasattr(use, "reductions"):
        pytest.skip("a C array")
    usual = list(use.reductions)
    use.reset({"reduction_slope": slope, "reduction_base": 10})
    assert use.reductions[64 + 1] == 10
    assert use.reductions[20 * 64 + 30] == int(10 + 12800 * log(20) * log(30) / slope)
    assert use.reductions[63 * 64 + 63] < 1 << 15
    use.reset({})
    assert list(use.reductions) == usual
