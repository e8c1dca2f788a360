"""The examples of lectures: their values, the moves, and how many leaves alpha-beta leaves out."""

from __future__ import annotations

import pytest

from engine.games.rules.game import State
from engine.games.rules.tictactoe import TicTacToeGame
from engine.games.rules.tree import TreeGame, parse_tree
from engine.games.search.alphabeta import alphabeta
from engine.games.search.basics import Meter, SearchLimits
from engine.games.search.enhanced_alphabeta import EnhancedAlphaBeta
from engine.games.search.expectiminimax import expectiminimax
from engine.games.search.minimax import minimax
from engine.games.search.star1 import star1
from engine.games.searchers import player

TO_THE_END = 20  # plies, more than any example has


def never(state: State) -> tuple[float, float]:
    raise AssertionError(f"{state} is no leaf")


@pytest.mark.parametrize(
    ("tree", "value", "move"),
    [
        ("((3,12,8),(2,4,6),(14,5,2))", 3, 0),
        ("((3,12,8),(2,4,6),(2,5,14))", 3, 0),
        ("({5,2},{10,8},{3,15})", 8, 1),
        ("((((5,3),(4,6)),((8,6),(5,6))),(((8,7),(8,9)),((2,8),(1,2))))", 4, 0),
        ("max(4,4,6,7,3,5)", 7, 3),
        ("min(4,4,6,7,3,5)", -3, 4),  # of the player at the root, who is MIN
    ],
)
def test_values_and_moves(tree: str, value: float, move: int) -> None:
    root = parse_tree(tree)
    searches = (minimax, alphabeta, EnhancedAlphaBeta(TreeGame(tree=tree)), expectiminimax, star1)
    for search in searches:
        result = search(root, TO_THE_END, never, Meter())
        assert (result.value, result.line[0]) == (value, move), search


def test_the_expected_value() -> None:
    root = parse_tree("[0.72:1, 0.20:0, 0.08:0.5]")
    for search in (expectiminimax, star1):
        assert search(root, TO_THE_END, never, Meter()).value == pytest.approx(0.76)
    game = TreeGame(tree="chance")
    decision = player(game, "expectiminimax").choose(game.start(), SearchLimits())
    assert (decision.move, decision.exact) == (0, True)
    assert decision.value == pytest.approx(0.76)


@pytest.mark.parametrize(("board", "move"), [("XOX/.O./X.O", "A2"), ("..X/.O./X.O", "A3")])
@pytest.mark.parametrize("name", ["minimax", "alphabeta", "enhanced", "expectiminimax", "lookup"])
def test_tic_tac_toe_won_by_one_move(board: str, move: str, name: str) -> None:
    game = TicTacToeGame(board=board)
    state = game.start()
    decision = player(game, name).choose(state, SearchLimits(depth=9))
    assert (game.text(state, decision.move), decision.value, decision.exact) == (move, 1, True)
