"""The scale of scores, and what parameters can be set to."""

import re
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.search.parameters import CLOCK, NUMBERS, TECHNIQUES, ParameterError, Parameters, changes
from tests.compiled import source
from tests.declarations import defined


def test_constants_fit_together() -> None:
    number = defined(source("engine.search.constants", ".py").read_text()).constants
    assert number["MAX_PLY"] < 256 - 2  # rows of the lines, ply + 1 included
    assert number["MATE"] - number["MATE_BOUND"] > 2 * number["MAX_PLY"]
    assert number["MATE"] + 2 * number["MAX_PLY"] < number["INFINITE"] < number["UNKNOWN"] < 32768  # 16 bits
    most_material = 9 * 900 + 2 * (500 + 300 + 300)
    assert most_material < number["TABLEBASE_BOUND"] - 1000
    assert number["TABLEBASE_BOUND"] < number["TABLEBASE_WIN"] - number["MAX_PLY"]
    assert number["TABLEBASE_WIN"] + number["MAX_PLY"] < number["MATE_BOUND"]
    assert defined(source("eval.network", ".py").read_text()).constants["LARGEST"] < number["TABLEBASE_BOUND"]
    assert number["FIFTY_CAUTION"] < 100


# The table of parameters.


def test_every_parameter_has_its_attribute_and_no_other() -> None:
    """In C they are declared one by one, techniques as truths, numbers as integers, in the table's order."""
    declarations = source("engine.search.parameters", ".pxd").read_text()
    found = re.findall(r"cdef public (bint|int) (\w+)$", declarations, re.MULTILINE)
    assert found == [*(("bint", name) for name in TECHNIQUES), *(("int", name) for name in NUMBERS)]


def test_table_makes_sense() -> None:
    assert len({*TECHNIQUES, *NUMBERS, *CLOCK}) == len(TECHNIQUES) + len(NUMBERS) + len(CLOCK)
    for name, number in {**NUMBERS, **CLOCK}.items():
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
        ("null_move=off", {"null_move": 0}),
        ("  late_depth=6   null_move=off ", {"late_depth": 6, "null_move": 0}),
        ("late_depth=6 late_depth=7", {"late_depth": 7}),
        ("late_depth=007", {"late_depth": 7}),
        *(
            (f"{name}={end}", {name: end})
            for name, number in {**NUMBERS, **CLOCK}.items()
            for end in (number.low, number.high)
        ),
    ],
)
def test_changes_are_read(text: str, expected: dict[str, int]) -> None:
    assert changes(text) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("magic=on", "unknown parameter 'magic'"),
        ("null_move", "null_move must be on or off, not ''"),
        ("null_move=1", "null_move must be on or off, not '1'"),
        ("null_move=off=on", "null_move must be on or off, not 'off=on'"),
        ("late_depth=on", "late_depth must be from 3 to 14, not 'on'"),
        ("late_depth=2", "late_depth must be from 3 to 14, not '2'"),
        ("late_depth=15", "late_depth must be from 3 to 14, not '15'"),
        ("late_depth=²", "late_depth must be from 3 to 14, not '\\xb2'"),
        ("late_depth=٦", "late_depth must be from 3 to 14, not '\\u0666'"),
        ("late_depth=" + "9" * 5000, "late_depth must be from 3 to 14, not '99999999999999999999'"),
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
    """They can be seen in plain Python alone, which has to refill them after each change."""
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
