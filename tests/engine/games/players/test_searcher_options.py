"""Options: texts become values of the right kind, or one clear line says why not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.games.searchers import Option, OptionError, Value, read_options

OPTIONS = (
    Option("depth", 4, "plies", 1, 20),
    Option("exploration", 1.0, "c", 0, 10),
    Option("reuse", True, "the tree"),
    Option("rule", "visits", "the final move", choices=("visits", "rate")),
    Option("file", "none", "any name"),
)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("depth", "7", 7),
        ("Depth", " 20 ", 20),
        ("exploration", "0.5", 0.5),
        ("exploration", "2", 2.0),
        ("reuse", "false", False),
        ("reuse", "ON", True),
        ("rule", "Rate", "rate"),
        ("file", " My.Table ", "My.Table"),
    ],
)
def test_good_texts(name: str, text: str, value: Value) -> None:
    read = read_options(OPTIONS, {name: text})[name.lower()]
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("depth", "0", "depth must be a whole number from 1 to 20, not '0'"),
        ("depth", "1.5", "whole number"),
        ("depth", "9" * 5_000, "whole number"),
        ("depth", "", "whole number"),
        ("exploration", "nan", "a number from 0 to 10"),
        ("exploration", "inf", "a number from 0 to 10"),
        ("reuse", "maybe", "reuse must be true or false, not 'maybe'"),
        ("rule", "best", "rule must be one of visits, rate, not 'best'"),
        ("file", " ", "file must be a name, not ''"),
        ("colour", "red", "unknown option 'colour'; known options: depth, exploration, reuse, rule, file"),
    ],
)
def test_bad_texts(name: str, text: str, message: str) -> None:
    with pytest.raises(OptionError, match=message) as error:
        read_options(OPTIONS, {name: text})
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 150


def test_defaults() -> None:
    assert read_options(OPTIONS) == {
        "depth": 4,
        "exploration": 1.0,
        "reuse": True,
        "rule": "visits",
        "file": "none",
    }


@given(st.sampled_from(OPTIONS), st.text(max_size=20))
def test_no_text_does_anything_else(option: Option, text: str) -> None:
    try:
        value = option.read(text)
    except OptionError:
        return
    assert isinstance(value, type(option.default))
