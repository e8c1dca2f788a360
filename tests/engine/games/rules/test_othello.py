"""Othello: its rules beside OpenSpiel's, its notation, its estimate and its playouts."""

import random

import pytest

from engine.games.catalogue import game
from engine.games.rules.othello import Othello, OthelloGame


def set_up(text: str, player: int) -> Othello:
    rows = text.split()
    state = Othello(len(rows))
    sets = {"X": 0, "O": 0, ".": 0}
    for y, row in enumerate(rows):
        for x, mark in enumerate(row):
            sets[mark] |= 1 << (y * 8 + x)
    state.place(sets["X"], sets["O"], player)
    return state


def test_the_start() -> None:
    board = game("othello")
    state = board.start()
    shown = board.show(state).splitlines()
    assert shown[0].split() == list("ABCDEFGH")
    assert [line.split() for line in shown[4:6]] == [list("4...OX...4"), list("5...XO...5")]
    assert {board.text(state, move) for move in state.moves()} == {"D3", "C4", "F5", "E6"}
    assert state.player == 0


@pytest.mark.parametrize(("size", "count"), [(4, [4, 12]), (8, [4, 12, 56, 244, 1396])])
def test_positions_after_so_many_plies(size: int, count: list[int]) -> None:
    """Published counts of move sequences, the same for the first few plies on any board where they fit."""
    states = [Othello(size)]
    for expected in count:
        states = [state.play(move) for state in states for move in state.moves()]
        assert len(states) == expected


def test_the_estimate_is_fair() -> None:
    """Zero-sum, strictly between the payoffs, the same for both when the colours change."""
    draws = random.Random(2)
    for _ in range(10):
        state = Othello()
        while state.player >= 0:
            mine, theirs = state.estimate()
            assert mine == -theirs
            assert -1 < mine < 1
            swapped = Othello()
            swapped.place(state.discs(1), state.discs(0), 1 - state.player)
            assert swapped.estimate() == (theirs, mine)
            state = state.play(draws.choice(state.moves()))


def test_the_estimate_likes_corners() -> None:
    with_corner = set_up("X....... ........ ........ ...OX... ...XO... ........ ........ ........", 0)
    assert with_corner.estimate()[0] > Othello().estimate()[0]
    state = set_up(".OX..... ........ ........ ...OX... ...XO... ........ ........ ........", 0)
    assert OthelloGame().noisy(state) == [0]


def test_the_margin_is_that_of_the_discs() -> None:
    rules = OthelloGame()
    state = rules.start()
    assert rules.margin(state) == 0
    state = state.play(rules.parse(state, "d3"))
    assert rules.margin(state) == 3  # of four discs and the new one, one has changed sides
    assert rules.margin(state.play(rules.parse(state, "c3"))) == 0
