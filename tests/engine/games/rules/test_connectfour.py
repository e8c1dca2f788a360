"""Connect Four: its rules beside OpenSpiel's, its notation, its estimate, and what it tells solvers."""

import random

import pytest

from engine.games.catalogue import game
from engine.games.rules.connectfour import ConnectFour, ConnectFourGame
from engine.games.rules.game import IllegalMoveError


def after(words: str, state: ConnectFour | None = None) -> ConnectFour:
    state = state or ConnectFour()
    board = ConnectFourGame(columns=state.columns, rows=state.rows)
    for word in words:
        state = state.play(board.parse(state, word))
    return state


def test_notation() -> None:
    board = game("connectfour")
    state = after("DDC")
    assert [board.text(state, move) for move in state.moves()] == ["A1", "B1", "C2", "D3", "E1", "F1", "G1"]
    assert {board.parse(state, text) for text in ("D3", "d3", "D", "d", "4", " 4 ")} == {3}
    for text in ("", "D2", "D4", "H", "8", "0", "44", "C1"):
        with pytest.raises(IllegalMoveError):
            board.parse(state, text)


@pytest.mark.parametrize("seed", range(10))
def test_fours_and_estimates_on_other_boards(seed: int) -> None:
    """By looking at every line of four, on the largest board."""
    draws = random.Random(seed)
    state = ConnectFour(8, 7)
    lines = [
        [(x + i * dx, y + i * dy) for i in range(4)]
        for x in range(8)
        for y in range(7)
        for dx, dy in ((0, 1), (1, 0), (1, 1), (1, -1))
        if x + 3 * dx < 8 and 0 <= y + 3 * dy < 7
    ]
    sets = [{sum(1 << (x * 8 + y) for x, y in line)} for line in lines]
    while state.player >= 0:
        first, second = (
            sum(not any(line & state.discs(other) for line in one) for one in sets) for other in (1, 0)
        )
        assert state.estimate()[0] == pytest.approx((first - second) / (len(lines) + 1))
        assert state.estimate()[0] == -state.estimate()[1]
        state = state.play(draws.choice(state.moves()))
    won = [any(line & ~state.discs(player) == 0 for one in sets for line in one) for player in range(2)]
    assert state.payoff() == (won[0] - won[1], won[1] - won[0])


def test_the_moves_that_make_or_stop_a_four_are_noisy() -> None:
    board = ConnectFourGame()
    assert list(board.noisy(board.start())) == []
    assert list(board.noisy(after("ABABAB"))) == [0, 1]
    assert list(board.noisy(after("CDDEE"))) == []
