"""The last squares of Othello, and its small boards: beside plain minimax, and as a player."""

from __future__ import annotations

import random
from threading import Timer

import pytest

from engine.board.position import COMPILED
from engine.games.catalogue import game
from engine.games.fast.othello_endgame import OthelloEndgame
from engine.games.rules.game import OVER
from engine.games.rules.othello import Othello
from engine.games.search.basics import SearchLimits, SearchStoppedError
from engine.games.searchers import SEARCHERS
from tests.engine.games.fast.test_solver import sign
from tests.engine.games.search.plain_negamax import negamax


def discs(state: Othello, player: int) -> int:
    return state.discs(player).bit_count() - state.discs(1 - player).bit_count()


def unfinished_othello(size: int, left: int, draws: random.Random) -> Othello:
    while True:
        state = Othello(size)
        while state.player >= 0 and size * size - (state.discs(0) | state.discs(1)).bit_count() > left:
            state = state.play(draws.choice(state.moves()))
        if state.player >= 0:
            return state


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


def test_every_position_of_the_small_board_has_the_score_of_plain_minimax() -> None:
    start = Othello(4) if COMPILED else unfinished_othello(4, 7, random.Random(2))
    solver, known = OthelloEndgame(1), dict[Othello, int]()
    negamax(start, discs, known)
    assert len(known) > (20_000 if COMPILED else 100)
    for state, expected in known.items():
        assert solver.score(state, strong=False) == sign(expected)
        assert solver.score(state) == expected


def test_small_othello_has_its_published_value(*, is_pure: bool) -> None:
    """White wins on the board of four by 11 to 3."""
    if is_pure:
        pytest.skip("takes long")
    state = Othello(4)
    solver = OthelloEndgame()
    assert solver.score(state) == -8
    for move in solver.line(state):
        state = state.play(move)
    assert (state.discs(0).bit_count(), state.discs(1).bit_count()) == (3, 11)


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
