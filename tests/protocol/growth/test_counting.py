"""The measures see what they say that they see: otherwise the tests of the formats would prove nothing."""

import pytest

from tests.protocol.growth.counting import MOST_PER_DOUBLING, Read, assert_time_grows_linearly, growth


def make(size: int) -> str:
    return "".join(f"{number} " for number in range(10**6, 10**6 + size))


def linear(text: str) -> object:
    return [word.upper() for word in text.split()]


def pairs(text: str) -> object:
    """Each with each."""
    words = text.split()
    return [first < second for first in words for second in words]


def copies(text: str) -> object:
    """The rest is copied after each word."""
    while text:
        text = text.partition(" ")[2]
    return text


def look_ups(text: str) -> object:
    """Each is looked for among those before it: one operator of Python, and much work in C."""
    words = tuple(text.split())
    return [word for word in words if f"{word}0" in words]


def test_what_is_linear_passes() -> None:
    assert max(growth(linear, make, 100)) < MOST_PER_DOUBLING
    assert_time_grows_linearly(linear, make, 1000)


@pytest.mark.parametrize("read", [pairs, copies])
def test_what_is_quadratic_is_seen(read: Read) -> None:
    assert min(growth(read, make, 100)) > MOST_PER_DOUBLING


@pytest.mark.slow
def test_operators_between_texts_are_seen_by_time_alone() -> None:
    assert max(growth(look_ups, make, 100)) < MOST_PER_DOUBLING
    with pytest.raises(AssertionError, match="times as long"):
        assert_time_grows_linearly(look_ups, make, 500)
