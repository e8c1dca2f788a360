"""The last squares of Othello: beside plain minimax and the solver for all games."""

from __future__ import annotations

import random
from threading import Timer

import pytest

from engine.board.position import COMPILED
from engine.games.catalogue import game
from engine.games.fast.othello_endgame import OthelloEndgame
from engine.games.fast.solver import Solver
from engine.games.rules.game import OVER
from engine.games.rules.othello import Othello
from engine.games.search.basics import SearchLimits, SearchStoppedError
from engine.games.searchers import SEARCHERS
from tests.engine.games.fast.test_solver import discs, sign, unfinished_othello
from tests.engine.games.search.plain_negamax import negamax


@pytest.mark.parametrize(("size", "left", "count"), [(4, 9, 10), (6, 8, 6), (8, 6, 10), (8, 8, 4)])
def test_scores_and_lines_are_those_of_plain_minimax(size: int, left: int, count: int) -> None:
    draws = random.Random(size * left)
    solver, known = OthelloEndgame(1), dict[Othello, int]()
    for _ in range(count):
        state = unfinished_othello(size, left, draws)
        expected = negamax(state, discs, known)
        assert solver.score(state, strong=False) == sign(expected)
        assert solver.score(state) == expected
        for strong in (True, False):
            end = state
            for move in solver.line(end, strong=strong):
                end = end.play(move)
            assert end.player == OVER
            reached = discs(end, state.player)
            assert reached == expected if strong else sign(reached) == sign(expected)


def test_scores_are_those_of_the_solver_for_all_games() -> None:
    draws = random.Random(1)
    left, count = (14, 20) if COMPILED else (9, 3)
    solver, other = OthelloEndgame(4), Solver(Othello(6), 8)
    for _ in range(count):
        state = unfinished_othello(6, left, draws)
        assert solver.score(state) == other.score(state)


def test_what_was_proved_can_be_forgotten() -> None:
    draws = random.Random(6)
    solver = OthelloEndgame(1)
    for _ in range(5):
        state = unfinished_othello(6, 9, draws)
        score, before = solver.score(state), solver.nodes
        solver.clear()
        assert solver.score(state) == score
        assert solver.nodes > before + 1


def test_a_limit_and_a_stop_end_a_question_and_what_is_proved_stays() -> None:
    state = unfinished_othello(8, 30, random.Random(3))
    solver = OthelloEndgame(1)
    solver.begin(SearchLimits(nodes=1_000))
    with pytest.raises(SearchStoppedError):
        solver.score(state)
    assert 1_000 <= solver.nodes < 10_000
    solver.begin(SearchLimits(seconds=0.05))
    with pytest.raises(SearchStoppedError):
        solver.score(state)
    solver.begin(SearchLimits())
    Timer(0.05, solver.stop).start()
    with pytest.raises(SearchStoppedError):
        solver.score(state)
    easy = unfinished_othello(8, 8, random.Random(3))
    solver.begin(SearchLimits())
    assert solver.score(easy) == negamax(easy, discs, {})


def test_the_player_solves_what_is_in_reach_and_plays_on_before() -> None:
    rules = game("othello")
    player = SEARCHERS["solver"].player(rules, options={"megabytes": "1"})
    decision = player.choose(rules.start(), SearchLimits(nodes=500))
    assert not decision.exact
    assert decision.move in rules.start().moves()
    state = unfinished_othello(8, 9 if COMPILED else 7, random.Random(5))
    decision = player.choose(state, SearchLimits(nodes=50_000_000))
    assert decision.exact
    expected = sign(negamax(state, discs, {}))
    assert decision.value == expected
