"""Minimax: by the definition on random trees, and what it promises to the player who follows it."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.games.catalogue import game
from engine.games.rules.game import NotApplicableError
from engine.games.rules.tree import parse_tree
from engine.games.search.basics import Meter
from engine.games.search.minimax import minimax
from tests.engine.games.search.random_trees import random_tree, value_by_definition

TO_THE_END = 99
GAME = game("tictactoe")
ESTIMATE = game("tree").estimate


@given(st.integers(0, 1 << 32))
def test_value_is_that_of_the_definition(seed: int) -> None:
    tree = random_tree(Random(seed), 5)
    result = minimax(tree, TO_THE_END, ESTIMATE, Meter())
    assert result.value == value_by_definition(tree, max(tree.player, 0))
    me = max(tree.player, 0)
    for move in result.line:
        tree = tree.play(move)
        assert value_by_definition(tree, me) == result.value
    assert not tree.children


def test_the_full_tree_of_tic_tac_toe() -> None:
    meter = Meter()
    result = minimax(GAME.start(), 9, GAME.estimate, meter)
    assert result.value == 0
    assert len(result.line) == 9
    assert meter.visited == 549_946
    assert meter.leaves == 255_168


def test_all_others_minimise() -> None:
    tree = parse_tree("p1(p2(3/9/0, 5/0/0), p3(4/0/0, 6/0/9))")
    result = minimax(tree, 9, ESTIMATE, Meter())
    assert (result.value, result.line) == (4, (1, 0))


def test_chance_is_not_for_it() -> None:
    with pytest.raises(NotApplicableError, match="expectiminimax"):
        minimax(parse_tree("([0.5:1,0.5:2],3)"), 9, ESTIMATE, Meter())
