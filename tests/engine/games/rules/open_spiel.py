"""Random games played by the rules of OpenSpiel, too, where moves have the same numbers."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from engine.games.rules.game import OVER

if TYPE_CHECKING:
    from engine.games.rules.game import State


def assert_same_rules(start: State, name: str, games: int) -> None:
    """The same moves in each state, and the same payoffs; `name` is that of OpenSpiel."""
    game = pytest.importorskip("pyspiel").load_game(name)
    draws = random.Random(games)
    for _ in range(games):
        ours, theirs = start, game.new_initial_state()
        while not theirs.is_terminal():
            assert ours.player == theirs.current_player()
            assert list(ours.moves()) == theirs.legal_actions()
            move = draws.choice(ours.moves())
            ours = ours.play(move)
            theirs.apply_action(move)
        assert (ours.player, ours.moves()) == (OVER, ())
        assert list(ours.payoff()) == theirs.returns()
