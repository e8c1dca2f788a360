"""Tic-tac-toe: the rules against OpenSpiel, the notation, positions, the estimate."""

from __future__ import annotations

from random import Random

import pytest

from engine.games.rules.game import OVER, SizeError
from engine.games.rules.tictactoe import LINES, TicTacToeGame

GAME = TicTacToeGame()


@pytest.mark.parametrize("games", [30, pytest.param(1_000, marks=pytest.mark.slow)])
def test_random_games_agree_with_open_spiel(games: int) -> None:
    theirs_game = pytest.importorskip("pyspiel").load_game("tic_tac_toe")
    for seed in range(games):
        random, ours, theirs = Random(seed), GAME.start(), theirs_game.new_initial_state()
        while not theirs.is_terminal():
            assert ours.player == theirs.current_player()
            # They count rows from the top.
            assert sorted(6 - move // 3 * 3 + move % 3 for move in ours.moves()) == theirs.legal_actions()
            move = random.choice(ours.moves())
            ours = ours.play(move)
            theirs.apply_action(6 - move // 3 * 3 + move % 3)
        assert ours.player == OVER
        assert list(ours.payoff()) == theirs.returns()
        assert not ours.moves()


def test_a_position_as_text_is_that_after_its_moves() -> None:
    state = GAME.start()
    for vertex in ("A3", "b3", "C3", "B2", "A1", "C1"):
        state = state.play(GAME.parse(state, vertex))
    assert state == GAME.position("XOX/.O./X.O") == TicTacToeGame(board="xox/.o./x.o").start()
    assert hash(state) == hash(GAME.position("XOX/.O./X.O"))
    assert state.player == 0
    assert GAME.position("X../.../...").player == 1
    assert GAME.position("XXX/OO./...").payoff() == (1, -1)
    assert GAME.position("XX./OOO/X..").payoff() == (-1, 1)
    assert GAME.position("XOX/XOO/OXX").payoff() == (0, 0)


@pytest.mark.parametrize(
    "board", ["", "XOX", "XOX/.O./X.OO", "XOX/.O./X.?", "XXX/.../...", "OOO/.../...", "XXX/OOO/..."]
)
def test_bad_positions(board: str) -> None:
    with pytest.raises(SizeError):
        TicTacToeGame(board=board)


def test_estimate_is_the_difference_of_open_lines() -> None:
    assert len(LINES) == 8
    assert GAME.estimate(GAME.start()) == (0, 0)
    assert GAME.estimate(GAME.position(".../.X./...")) == pytest.approx((4 / 9, -4 / 9))  # 8 to 4
    assert GAME.estimate(GAME.position("O../.X./...")) == pytest.approx((1 / 9, -1 / 9))  # 5 to 4


def test_the_other_estimate_is_the_difference_of_adjacent_marks() -> None:
    rules = TicTacToeGame(judge="adjacent")
    assert rules.estimate(rules.start()) == (0, 0)
    assert rules.estimate(rules.position("X../.O./...")) == (0, 0)
    assert rules.estimate(rules.position("XX./.O./...")) == pytest.approx((1 / 7, -1 / 7))
    assert rules.estimate(rules.position("X.X/OO./...")) == pytest.approx((-1 / 7, 1 / 7))
    assert rules.estimate(rules.position("X.O/.XO/X..")) == pytest.approx((1 / 7, -1 / 7))  # 2 to 1
    assert rules.estimate(rules.position("OX./X../..O")) == pytest.approx((1 / 7, -1 / 7))  # off the lines
    with pytest.raises(SizeError, match="must be lines or adjacent, not 'nobody'"):
        TicTacToeGame(judge="nobody")


def test_noisy_moves_make_three_or_keep_from_it() -> None:
    state = GAME.position("XO./.O./X..")
    assert {GAME.text(state, move) for move in GAME.noisy(state)} == {"A2", "B1"}
    assert not GAME.noisy(GAME.start())
