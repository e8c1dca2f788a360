"""Lines of GTP to requests, and answers to lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.gtp.parser import Request, failure, is_interrupt, parse, success


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("play b E5", Request("", "play", ("b", "E5"))),
        ("  12\tplay  b\tE5  # a comment # of two", Request("12", "play", ("b", "E5"))),
        ("genmove b#at once", Request("", "genmove", ("b",))),
        ("\x00na\x07me\x7f\r", Request("", "name")),
        ("007 name", Request("007", "name")),
        ("9" * 5000 + " name", Request("9" * 5000, "name")),
        ("12", Request("12", "")),
        ("12x", Request("", "12x")),
        ("-1 name", Request("", "-1", ("name",))),
        ("\u0663 name", Request("", "\u0663", ("name",))),
        ("loadsgf Zoë.sgf", Request("", "loadsgf", ("Zoë.sgf",))),
    ],
)
def test_requests(line: str, wanted: Request) -> None:
    assert parse(line) == wanted


@pytest.mark.parametrize("line", ["", " \t ", "# play b E5", "\x01\x02", "\x00 # x"])
def test_lines_that_want_no_answer(line: str) -> None:
    assert parse(line) is None


@pytest.mark.parametrize("line", ["# interrupt", "#interrupt", "  #  interrupt  "])
def test_interrupt(line: str) -> None:
    assert is_interrupt(line)
    assert parse(line) is None


@pytest.mark.parametrize("line", ["interrupt", "name # interrupt", "# interrupted", "# no interrupt"])
def test_what_is_no_interrupt(line: str) -> None:
    assert not is_interrupt(line)


def test_answers() -> None:
    assert success("") == ["=", ""]
    assert success("7", "E5") == ["=7 E5", ""]
    assert success("", "a\n\n \nb\n") == ["= a", "b", ""]
    assert success("1", "\nA B\n") == ["=1", "A B", ""]
    assert failure("7", "illegal move") == ["?7 illegal move", ""]
    assert failure("", "a\nb") == [r"? a\nb", ""]


@given(st.text(), st.booleans())
def test_no_text_forges_the_end_of_an_answer(text: str, good: bool) -> None:
    *told, end = success("3", text) if good else failure("3", text)
    assert end == ""
    assert all(told)
    assert told[0][:2] in ("=3", "?3")
    assert not any("\n" in line or "\r" in line for line in told)


@given(st.text())
def test_any_line_can_be_parsed(line: str) -> None:
    request = parse(line)
    if request is not None:
        assert all(word and not word.isspace() for word in request.arguments)
        assert not request.id or request.id.isdigit()
