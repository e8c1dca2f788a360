"""Deepening: the last finished depth, an early end where there is nothing more to find, always a move."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest

from engine.games.catalogue import game
from engine.games.rules.game import State
from engine.games.rules.tictactoe import TicTacToeGame
from engine.games.rules.tree import parse_tree
from engine.games.search.alphabeta import alphabeta
from engine.games.search.basics import Meter, Result, SearchLimits
from engine.games.search.iterative_deepening import deepen
from engine.games.search.minimax import minimax
from engine.games.searchers import player

GAME, TREE = game("tictactoe"), game("tree")
POSITION = TicTacToeGame().position


def asked(depths: list[int]) -> Callable[..., Result]:
    def search(
        state: State, depth: int, estimate: Callable[[State], Sequence[float]], meter: Meter
    ) -> Result:
        depths.append(depth)
        return alphabeta(state, depth, estimate, meter)

    return search


def test_one_ply_more_each_time_up_to_the_depth() -> None:
    depths: list[int] = []
    decision = deepen(asked(depths), GAME.start(), GAME.estimate, SearchLimits(depth=4))
    assert depths == [1, 2, 3, 4]
    assert (decision.depth, decision.exact, len(decision.line)) == (4, False, 4)
    assert decision.value == alphabeta(GAME.start(), 4, GAME.estimate, Meter()).value


def test_the_last_finished_depth_survives_the_end_of_memory() -> None:
    depths: list[int] = []
    search = asked(depths)

    def exhausted(state: State, depth: int, *rest: Any) -> Result:
        if depth > 3:
            raise MemoryError
        return search(state, depth, *rest)

    decision = deepen(exhausted, GAME.start(), GAME.estimate, SearchLimits(depth=9))
    assert depths == [1, 2, 3]
    assert (decision.depth, len(decision.line)) == (3, 3)


def test_it_ends_where_no_estimate_was_used() -> None:
    depths: list[int] = []
    decision = deepen(asked(depths), parse_tree("((3,12),(2,4))"), TREE.estimate, SearchLimits(depth=50))
    assert depths == [1, 2]
    assert (decision.value, decision.exact) == (3, True)
    unproven = deepen(asked([]), parse_tree("((3,12),(2,4))"), TREE.estimate, SearchLimits(), proves=False)
    assert (unproven.value, unproven.exact) == (3, False)


def test_it_ends_at_a_certain_win() -> None:
    state = POSITION("XX./OO./...")
    depths: list[int] = []
    decision = deepen(asked(depths), state, GAME.estimate, SearchLimits(), payoffs=GAME.payoffs)
    assert depths == [1]
    assert (decision.value, decision.exact, GAME.text(state, decision.move)) == (1, True, "C3")


@pytest.mark.parametrize("nodes", [0, 1, 5, 10, 11, 50, 200, 1_000])
def test_whatever_the_limit_there_is_a_move_of_a_finished_depth(nodes: int) -> None:
    decision = deepen(minimax, GAME.start(), GAME.estimate, SearchLimits(nodes=nodes))
    assert decision.move in GAME.start().moves()
    assert decision.counts.visited <= nodes
    if decision.depth:
        finished = minimax(GAME.start(), decision.depth, GAME.estimate, Meter())
        assert (decision.value, decision.line) == (finished.value, finished.line)
    else:
        assert nodes < 1 + 9
        assert (decision.value, decision.line) == (None, ())


def test_stop_is_obeyed() -> None:
    stopped = partial(Meter, stopped=lambda: True)
    decision = deepen(minimax, GAME.start(), GAME.estimate, SearchLimits(depth=9), stopped)
    assert decision.counts.visited <= 200
    assert decision.move in GAME.start().moves()


def test_limits_that_say_nothing_about_depth_do_not_let_it_run_on() -> None:
    usual = deepen(minimax, GAME.start(), GAME.estimate, SearchLimits())
    assert deepen(minimax, GAME.start(), GAME.estimate, SearchLimits(playouts=50)).counts == usual.counts
    assert deepen(minimax, GAME.start(), GAME.estimate, SearchLimits(depth=0)).depth == 1


def test_a_best_payoff_is_not_certain_among_three() -> None:
    # The second player seems to do best by giving the first one 9, until it is seen what the third would do.
    three = game("tree", tree="p1(p2(9/1/0, p3(0/2/9, 0/-9/0)), 3/3/3)")
    decision = player(three, "maxn").choose(three.start(), SearchLimits())
    assert (decision.value, decision.line, decision.exact) == (3, (1,), True)


def test_a_player_may_go_to_its_depth_at_once() -> None:
    tree = game("tree", tree="sixteen")
    at_once = player(tree, "alphabeta", options={"depth": "9"}).choose(tree.start(), SearchLimits(seconds=60))
    assert (at_once.value, at_once.counts.leaves) == (4, 12)
    assert player(tree, "alphabeta").choose(tree.start(), SearchLimits()).counts == at_once.counts
    deepened = player(tree, "alphabeta", options={"depth": "0"}).choose(tree.start(), SearchLimits())
    assert (deepened.value, deepened.depth) == (4, 4)
    assert deepened.counts.leaves > 12
    shallow = player(tree, "alphabeta", options={"depth": "9"}).choose(tree.start(), SearchLimits(depth=2))
    assert shallow.depth == 2
