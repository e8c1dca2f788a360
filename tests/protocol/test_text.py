"""Numbers and messages of any content."""

from hypothesis import given
from hypothesis import strategies as st

from protocol.text import folded, info_string, integer, quoted


@given(st.integers())
def test_integers_of_any_size(number: int) -> None:
    assert integer(str(number)) == max(-(10**20), min(number, 10**20))


def test_quoted_text_is_printable_and_short() -> None:
    assert quoted("\x00\n\u2028é") == "'\\x00\\n\\u2028\\xe9'"
    assert quoted("x" * 60) == "'" + "x" * 60 + "'"
    assert quoted("x" * 61) == "'" + "x" * 57 + "...'"
    assert len(quoted("\U0001f600" * 1000)) == 62


def test_messages_are_one_printable_line() -> None:
    assert info_string("a\nb\x00c\u2028d é") == r"info string a\nb\x00c\u2028d é"
    assert len(info_string("\x00" * 100_000)) < 320


def test_names_are_the_same_whatever_their_case_spaces_and_accents() -> None:
    assert folded(" JOSE\u0301  Raúl") == folded("josé rau\u0301l")
    assert folded("Jose") != folded("José")
