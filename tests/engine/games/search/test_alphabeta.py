"""Alpha-beta: minimax's value in every order, and as few leaves as theory allows."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import TYPE_CHECKING

import pytest

from engine.games.catalogue import game
from engine.games.rules.game import State
from engine.games.rules.tictactoe import TicTacToeGame
from engine.games.search.alphabeta import alphabeta
from engine.games.search.basics import Meter
from engine.games.search.hooked_alphabeta import hooked_alphabeta
from engine.games.search.lookup import Payoffs, solve
from engine.games.search.minimax import minimax
from engine.games.search.ordering import Order, by_value
from engine.games.search.recording import RecordingMeter
from tests.engine.games.search.random_trees import random_tree, uniform_tree

if TYPE_CHECKING:
    pass

TO_THE_END = 99
ESTIMATE = game("tree").estimate
GAME = game("tictactoe")
POSITION = TicTacToeGame().position


def worst_first(exact: Mapping[State, Payoffs]) -> Order:
    return by_value(lambda state: [-payoff for payoff in exact[state]])


def test_value_is_minimax_on_1000_random_trees() -> None:
    for seed in range(1_000):
        tree, plain, pruned = random_tree(Random(seed), 5), Meter(), Meter()
        expected = minimax(tree, TO_THE_END, ESTIMATE, plain)
        found = alphabeta(tree, TO_THE_END, ESTIMATE, pruned)
        assert found == expected  # the first of the best lines, too
        assert pruned.visited <= plain.visited


@pytest.mark.parametrize("depth", range(4))
def test_value_is_minimax_at_a_horizon(depth: int) -> None:
    for seed in range(200):
        tree = random_tree(Random(seed), 5)
        expected = minimax(tree, depth, ESTIMATE, Meter())
        assert alphabeta(tree, depth, ESTIMATE, Meter()) == expected


def test_value_is_the_same_in_every_order() -> None:
    for seed in range(200):
        random = Random(seed)
        tree = random_tree(random, 5)
        expected = alphabeta(tree, TO_THE_END, ESTIMATE, Meter()).value
        exact = solve(tree)
        for order in (
            by_value(exact.__getitem__),
            worst_first(exact),
            by_value(ESTIMATE),
            lambda _, moves, random=random: random.sample(moves, len(moves)),
        ):
            assert hooked_alphabeta(tree, TO_THE_END, ESTIMATE, Meter(), order=order).value == expected


@pytest.mark.parametrize(("breadth", "depth"), [(2, 1), (5, 2), (3, 3), (2, 6), (3, 5), (4, 4), (10, 2)])
def test_perfect_ordering_visits_as_many_leaves_as_knuth_and_moore_say(breadth: int, depth: int) -> None:
    tree = uniform_tree(Random(breadth), breadth, depth)
    best, worst, plain = Meter(), Meter(), Meter()
    exact = solve(tree)
    hooked_alphabeta(tree, depth, ESTIMATE, best, order=by_value(exact.__getitem__))
    hooked_alphabeta(tree, depth, ESTIMATE, worst, order=worst_first(exact))
    minimax(tree, depth, ESTIMATE, plain)
    assert best.leaves == breadth ** ((depth + 1) // 2) + breadth ** (depth // 2) - 1
    assert plain.leaves == breadth**depth
    assert best.leaves <= worst.leaves <= plain.leaves
    if depth == 2:
        assert best.leaves == 2 * breadth - 1


def test_without_hooks_it_is_the_same_search() -> None:
    for seed in range(100):
        bare, hooked = RecordingMeter(), RecordingMeter()
        tree = random_tree(Random(seed), 5)
        assert alphabeta(tree, 4, ESTIMATE, bare) == hooked_alphabeta(tree, 4, ESTIMATE, hooked)
        assert steps(bare) == steps(hooked)


def steps(meter: RecordingMeter) -> list[tuple[object, ...]]:
    (recording,) = meter.recordings
    return [(step.act, step.node.number, step.value, step.window) for step in recording.steps]


def test_the_cut_off_and_the_extension_are_passed_in() -> None:
    # The horizon is put off while a line of three can be made or has to be met.
    state = POSITION("XO./.O./X..")

    def when_quiet(state: State, depth: int) -> bool:
        return depth <= 0 and not GAME.noisy(state)

    def forced(state: State, move: int, after: State) -> int:
        del move, after
        return 1 if GAME.noisy(state) else 0

    assert hooked_alphabeta(state, 0, GAME.estimate, Meter(), cut_off=when_quiet).value == 1
    near = alphabeta(POSITION(".../.../X.."), 3, GAME.estimate, Meter())
    far = hooked_alphabeta(POSITION(".../.../X.."), 3, GAME.estimate, Meter(), extend=forced)
    assert len(far.line) > len(near.line) == 3
