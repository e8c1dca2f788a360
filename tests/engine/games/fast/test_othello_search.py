"""Othello's alpha-beta: beside plain minimax, the solver of endgames, and as a player."""

from __future__ import annotations

import random
from array import array
from functools import cache
from threading import Timer
from typing import TYPE_CHECKING

import pytest

from engine.board.position import COMPILED
from engine.games.catalogue import game
from engine.games.fast.othello_endgame import OthelloEndgame
from engine.games.fast.othello_search import OthelloSearch
from engine.games.rules.game import OVER
from engine.games.rules.othello import Othello
from engine.games.rules.othello_patterns import OthelloPatterns, learned
from engine.games.search.basics import SearchLimits, SearchStoppedError
from engine.games.searchers import SEARCHERS
from tests.engine.games.fast.test_othello_endgame import unfinished_othello

if TYPE_CHECKING:
    from engine.games.players import Player

EVERYTHING, PASS = 10_000, 64


@cache
def any_patterns() -> OthelloPatterns:
    patterns, draws = OthelloPatterns(), random.Random(2)
    patterns.set_knots(array("h", [draws.randint(-100, 100) for _ in range(patterns.weights)]), 1)
    return patterns


def minimax(state: Othello, depth: int, patterns: OthelloPatterns) -> int:
    """The value for the player to move in hundredths of a disc; a pass is not counted as a ply."""
    own, others = state.discs(state.player), state.discs(1 - state.player)
    if depth == 0:
        return patterns.value(own, others)
    best = -EVERYTHING
    for move in state.moves():
        child = state.play(move)
        left = depth - 1 if state.empty() >> move & 1 else depth
        if child.player == OVER:
            worth = 100 * (child.discs(state.player).bit_count() - child.discs(1 - state.player).bit_count())
        else:
            worth = minimax(child, left, patterns)
            worth = worth if child.player == state.player else -worth
        best = max(best, worth)
    return best


def reached(left: int, draws: random.Random) -> Othello:
    """A position with `left` empty squares in which there is a choice."""
    while True:
        state = unfinished_othello(8, left, draws)
        if len(state.moves()) > 1:
            return state


@pytest.mark.parametrize(("left", "depth"), [(40, 1), (40, 2), (30, 3), (20, 3), (50, 4), (15, 4)])
def test_values_are_those_of_plain_minimax(left: int, depth: int) -> None:
    draws = random.Random(left * depth)
    depth = depth if COMPILED else min(depth, 2)
    search = OthelloSearch(any_patterns(), 1)
    for _ in range(4 if COMPILED else 1):
        state = reached(left, draws)
        any_patterns().prepare(64 - left, 64)
        expected = minimax(state, depth, any_patterns())
        assert search.search(state, depth) == expected
        child = state.play(search.move)
        after = minimax(child, depth - 1, any_patterns()) if child.player != OVER else None
        if after is not None:
            assert (after if child.player == state.player else -after) == expected


@pytest.mark.parametrize("left", [9, 13, 16])
def test_the_end_is_that_of_the_solver(left: int) -> None:
    draws = random.Random(left)
    left = left if COMPILED else 7
    search, solver = OthelloSearch(learned(), 4), OthelloEndgame(4)
    for _ in range(6 if COMPILED else 1):
        state = reached(left, draws)
        score = solver.score(state)
        assert search.search(state, 60) == 100 * score
        assert solver.best_move(state) in state.moves()
        child = state.play(search.move)
        if child.player != OVER:
            after = solver.score(child)
            assert (after if child.player == state.player else -after) == score


def test_a_narrow_window_tells_on_which_side_the_value_is() -> None:
    draws = random.Random(7)
    for _ in range(5 if COMPILED else 1):
        state = reached(30, draws)
        depth = 5 if COMPILED else 2
        value = OthelloSearch(any_patterns(), 1).search(state, depth)
        for alpha in (value - 50, value - 1, value, value + 50):
            found = OthelloSearch(any_patterns(), 1).search(state, depth, alpha, alpha + 1)
            assert (found > alpha) == (value > alpha)


@pytest.mark.skipif(not COMPILED, reason="minutes in plain Python")
def test_probcut_saves_nodes_and_seldom_errs() -> None:
    draws = random.Random(8)
    nodes, differences = [0, 0], []
    for _ in range(10):
        state = reached(34, draws)
        values = []
        for i, confidence in enumerate((0.0, 1.5)):
            search = OthelloSearch(learned(), 4)
            values.append(search.search(state, 8, confidence=confidence))
            nodes[i] += search.nodes
        differences.append(abs(values[0] - values[1]))
    assert nodes[1] < nodes[0] * 0.7
    assert sorted(differences)[5] < 300


def test_limits_and_stop_end_a_search_and_leave_a_move() -> None:
    state = reached(40, random.Random(3))
    search = OthelloSearch(learned(), 1)
    search.begin(SearchLimits(nodes=500))
    with pytest.raises(SearchStoppedError):
        search.search(state, 30)
    assert 500 <= search.nodes < 10_000
    search.begin(SearchLimits(seconds=0.1))
    with pytest.raises(SearchStoppedError):
        search.search(state, 30)
    search.begin(SearchLimits())
    Timer(0.1, search.stop).start()
    with pytest.raises(SearchStoppedError):
        search.search(state, 30)
    search.begin(SearchLimits())
    search.search(state, 1)
    assert search.move in state.moves()


def test_a_forced_pass_that_is_not_searched_to_the_end_is_worth_nothing() -> None:
    draws = random.Random(1)
    state = reached(30, draws)
    while PASS not in state.moves():
        state = unfinished_othello(8, 20, draws)
    search = OthelloSearch(learned(), 1)
    search.begin(SearchLimits())
    assert search.search(state, 2) == search.found
    assert search.move == PASS
    search.begin(SearchLimits(nodes=1))
    with pytest.raises(SearchStoppedError):
        search.search(state, 12)
    assert search.move not in state.moves()


def test_a_finished_game_has_no_mover() -> None:
    state = Othello()
    state.place(1, 2 << 62, 0)
    assert state.player == OVER
    with pytest.raises(ValueError, match="over"):
        OthelloSearch(learned(), 1).search(state, 3)


# The player


def patterns_player(**options: str) -> Player:
    return SEARCHERS["patterns"].player(game("othello"), options={"megabytes": "2", **options})


def test_a_limit_in_nodes_gives_the_same_decision_each_time() -> None:
    state = reached(44, random.Random(9))
    limits = SearchLimits(nodes=20_000 if COMPILED else 200)
    one, other = (patterns_player().choose(state, limits) for _ in range(2))
    assert (one.move, one.value, one.line, one.counts) == (other.move, other.value, other.line, other.counts)
    assert one.move == one.line[0]
    assert not one.exact


def test_on_small_boards_a_depth_is_a_number_of_nodes() -> None:
    limits = patterns_player().choose(game("othello").start(6), SearchLimits(depth=2)).limits
    assert limits == SearchLimits(nodes=5_000)


def test_the_line_is_legal_and_the_value_a_payoff() -> None:
    draws = random.Random(10)
    for left in (50, 30):
        state = reached(left, draws)
        decision = patterns_player().choose(state, SearchLimits(depth=4 if COMPILED else 2))
        assert decision.depth == (4 if COMPILED else 2)
        assert decision.value is not None
        assert -1 < decision.value < 1
        for move in decision.line:
            assert move in state.moves()
            state = state.play(move)


def test_the_last_squares_are_exact() -> None:
    draws = random.Random(11)
    for left in (1, 4, 12 if COMPILED else 6):
        state = unfinished_othello(8, left, draws)
        decision = patterns_player().choose(state, SearchLimits())
        score = OthelloEndgame(1).score(state)
        assert decision.exact
        assert decision.value == (score > 0) - (score < 0)
