"""Splitting Nim: the rules, and the theory of Grundy."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.games.rules.game import SizeError
from engine.games.rules.nim import Nim, NimGame, grundy, position
from engine.games.search.lookup import solve

GAME = NimGame()

# The On-Line Encyclopedia of Integer Sequences, A002188: piles of 0, 1, 2 …
GRUNDY = [0, 0, 0, 1, 0, 2, 1, 0, 2, 1, 0, 2, 1, 3, 2, 1, 3, 2, 4, 3, 0, 4, 3, 0, 4, 3, 0, 4, 1, 2, 3, 1, 2]


def test_grundy_values() -> None:
    assert [grundy(pile) for pile in range(len(GRUNDY))] == GRUNDY


def test_the_mover_loses_from_some_piles() -> None:
    lost = [pile for pile in range(1, 22) if solve(GAME.start(pile))[GAME.start(pile)][0] < 0]
    assert lost == [1, 2, 4, 7, 10, 20]


@given(st.lists(st.integers(1, 9), min_size=1, max_size=3), st.sampled_from((0, 1)))
def test_search_agrees_with_the_theory(piles: list[int], mover: int) -> None:
    state = position(piles, mover)
    xor = 0
    for pile in piles:
        xor ^= grundy(pile)
    assert (solve(state)[state][mover] == 1) == (xor != 0)


def test_moves_split_a_pile_into_two_that_differ() -> None:
    state = GAME.start(7)
    assert [GAME.text(state, move) for move in state.moves()] == ["6-1", "5-2", "4-3"]
    assert state.play((4, 3)) == Nim((4, 3), 1)
    assert state.play((5, 2)) == Nim((5,), 1)  # two cannot be split
    assert list(NimGame(piles="4,4").start().moves()) == [(3, 1)]
    assert NimGame(piles="4,4").start().play((3, 1)) == Nim((4, 3), 1)


def test_piles_and_sizes() -> None:
    assert GAME.parse(GAME.start(10), " 3-7 ") == (7, 3)
    assert GAME.start() == Nim((10,))
    assert NimGame(piles="5+3, 9 1").start() == NimGame(piles=(9, 5, 3)).start() == Nim((9, 5, 3))
    assert NimGame(piles="5").start(8) == Nim((8,))
    for piles in ("", "x", "0", "51", "-3", "3," * 21 + "3", "3.5"):
        with pytest.raises(SizeError):
            NimGame(piles=piles)
    for size in (0, 51, -1):
        with pytest.raises(SizeError):
            GAME.start(size)
    with pytest.raises(SizeError):
        NimGame(players=3)
