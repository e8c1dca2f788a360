"""What is left of an input is what makes the thing happen."""

from collections.abc import Sequence

from scripts.laboratory.fuzzing.work import minimised, needed


def test_lines_and_characters_that_are_needed() -> None:
    lines = [f"line {number}".encode() for number in range(40)]
    lines[7], lines[31] = b"some text with a needle in it", b"and the eye of it"

    def happens(left: Sequence[bytes]) -> bool:
        return any(b"needle" in line for line in left[:-1]) and b"eye" in left[-1]

    assert minimised(lines[:32], happens, 2000) == [b"needle", b"eye"]


def test_one_item_is_left_at_least() -> None:
    assert needed(b"abcdefgh", bool, 100) == b"h"


def test_tries_are_counted() -> None:
    tried = []

    def happens(left: bytes) -> bool:
        tried.append(left)
        return False

    assert needed(b"x" * 1000, happens, 17) == b"x" * 1000
    assert len(tried) == 17
