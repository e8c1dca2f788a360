"""Endgame tables inside the search: which positions are asked, what is passed to C, and what comes of it."""

import ctypes
from collections.abc import Callable, Iterator
from typing import Any

import chess
import pytest

from engine.board.fen import parse_fen
from engine.search.constants import TABLEBASE_BOUND, TABLEBASE_WIN, UNKNOWN
from engine.search.probing import Prober
from engine.search.report import REPORTED_WIN, reported

TYPE = ctypes.CFUNCTYPE(ctypes.c_uint, *[ctypes.c_uint64] * 8, ctypes.c_uint, ctypes.c_bool)
FEN = "8/8/3k4/2rPp3/8/1n1B4/4K3/q7 w - e6 0 1"


def prober(function: Callable[..., int], **options: Any) -> Iterator[Prober]:
    called = TYPE(function)
    yield Prober(ctypes.cast(called, ctypes.c_void_p).value or 0, owner=called, **options)


def test_what_is_passed() -> None:
    heard: list[tuple[object, ...]] = []

    def tell(*arguments: object) -> int:
        heard.append(arguments)
        return 2

    for asked in prober(tell, men=7):
        assert asked.score(parse_fen(FEN), 5) == 0
        assert asked.score(parse_fen("8/8/8/3k4/8/8/8/K6Q b - - 0 1"), 5) == 0

    def bits(*squares: str) -> int:
        return sum(1 << chess.parse_square(square) for square in squares)

    assert heard == [
        (
            bits("d5", "d3", "e2"),
            bits("d6", "c5", "e5", "b3", "a1"),
            bits("d6", "e2"),
            bits("a1"),
            bits("c5"),
            bits("d3"),
            bits("b3"),
            bits("d5", "e5"),
            44,
            True,
        ),
        (bits("a1", "h1"), bits("d5"), bits("a1", "d5"), bits("h1"), 0, 0, 0, 0, 0, False),
    ]


@pytest.mark.parametrize(
    ("result", "with_rule", "without"),
    [
        (0, 7 - TABLEBASE_WIN, 7 - TABLEBASE_WIN),
        (1, -2, 7 - TABLEBASE_WIN),
        (2, 0, 0),
        (3, 2, TABLEBASE_WIN - 7),
        (4, TABLEBASE_WIN - 7, TABLEBASE_WIN - 7),
        (5, UNKNOWN, UNKNOWN),
        (0xFFFFFFFF, UNKNOWN, UNKNOWN),
    ],
)
def test_scores(result: int, with_rule: int, without: int) -> None:
    for fifty_moves, score in ((True, with_rule), (False, without)):
        for asked in prober(lambda *_: result, men=7, fifty_moves=fifty_moves):
            assert asked.score(parse_fen(FEN), 7) == score


@pytest.mark.parametrize(
    ("fen", "depth", "asked"),
    [
        ("8/8/8/3k4/8/8/8/KBN5 w - - 0 1", 5, True),
        ("8/8/8/3k4/8/8/8/KBN5 w - - 0 1", 4, False),
        ("8/8/8/3k4/8/8/8/K6R w - - 0 1", 1, True),
        ("8/8/8/3k4/8/8/8/K6R w - - 1 1", 9, False),
        ("8/8/8/3k4/8/8/8/KBNN4 w - - 0 1", 9, False),
        ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", 9, False),
    ],
)
def test_which_positions_are_asked(fen: str, depth: int, asked: bool) -> None:
    assert Prober(0, men=4, depth=5).is_asked(parse_fen(fen), depth) is asked
    assert not Prober().is_asked(parse_fen(fen), depth)


def test_how_a_win_is_reported() -> None:
    assert reported(TABLEBASE_WIN - 3) == (REPORTED_WIN - 3, True)
    assert reported(3 - TABLEBASE_WIN) == (3 - REPORTED_WIN, True)
    for score in (0, 2, -300, TABLEBASE_BOUND, -TABLEBASE_BOUND, 30990, -30990):
        assert reported(score) == (score, False)
