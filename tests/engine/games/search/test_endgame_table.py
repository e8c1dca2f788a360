"""Endgame tables: values and distances against search, and what a table says of states that are not in it."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from engine.games.rules.checkers import CheckersEnding, CheckersGame, parse_position
from engine.games.rules.game import OVER
from engine.games.search.basics import Meter, SearchStoppedError
from engine.games.search.endgame_table import EndgameTable, make_table
from engine.games.search.minimax import minimax
from engine.games.search.retrograde import Backwards, ExactValue

if TYPE_CHECKING:
    from engine.games.rules.checkers.board import Checkers
    from engine.games.rules.game import Positions

CHECKERS = CheckersGame()
NO_WIN = (0.0, 0.0)


@pytest.fixture(scope="module")
def two_men() -> EndgameTable:
    return make_table(CHECKERS.endings("2"))


def state_of(positions: Positions, number: int) -> Checkers | None:
    assert isinstance(positions, CheckersEnding)
    return positions._state(number >> 1, number & 1)


def random_state(positions: Positions, random: Random) -> Checkers:
    while True:
        state = state_of(positions, random.randrange(positions.size))
        if state is not None and state.player != OVER:
            return state


def undecided(_state: object) -> tuple[float, float]:
    """No estimate: a win or a loss that a search reports is proved."""
    return NO_WIN


def test_distances_by_hand() -> None:
    #  0 -> 1 -> 2 (over, player 0 has won); 3 -> 1 and 3 -> 4; 4 -> 3
    analysis: Backwards[int] = Backwards()
    analysis.add(0, 1, [1])
    analysis.add(1, 0, [2])
    analysis.end(2, 0)
    analysis.add(3, 1, [1, 4])
    analysis.add(4, 0, [3])
    assert analysis.verdicts() == {2: ExactValue(0, 0), 1: ExactValue(0, 1), 0: ExactValue(0, 2)}


@pytest.mark.parametrize("seed", range(40))
def test_checkers_of_two_men_is_what_minimax_finds(two_men: EndgameTable, seed: int) -> None:
    """Alpha-beta to depth N finds a win in N plies; to depth N - 1 it does not."""
    (positions,) = CHECKERS.endings("2")
    state = random_state(positions, Random(seed))
    verdict = two_men.verdict(state)
    assert verdict is not None
    for depth in range(1, 8):
        value = minimax(state, depth, undecided, Meter()).value
        decided = verdict.winner is not None and verdict.plies <= depth
        assert value == (0 if not decided else 1 if verdict.winner == state.player else -1)


def test_the_longest_line_goes_to_the_end(two_men: EndgameTable) -> None:
    (part,) = two_men.parts
    assert max(part.entries) - 1 == 13
    number = part.entries.index(max(part.entries))
    state = state_of(part.positions, number)
    assert state is not None
    line = list(two_men.line(state))
    assert len(line) == 13
    for move in line:
        state = state.play(move)
    assert state.player == OVER


def test_the_clock_has_no_part_in_a_number_but_in_the_look_up(two_men: EndgameTable) -> None:
    fresh = parse_position("W:WK5:BK4")
    state = fresh
    for text in ("5-1", "4-8", "1-5", "8-4") * 18:
        state = state.play(CHECKERS.parse(state, text))
    (positions,) = CHECKERS.endings("2")
    assert state != fresh
    assert positions.number(state) == positions.number(fresh)
    assert positions.plies_left(state) == 8
    assert two_men.verdict(state) == two_men.verdict(fresh) == ExactValue(1, 11)
    assert two_men.look_up(fresh) == (-1, 1)
    assert two_men.look_up(state) is None


def test_every_number_is_the_number_of_its_position() -> None:
    for men in (2, 3):
        positions = CHECKERS.endings(str(men))[-1]
        random = Random(men)
        for _ in range(500):
            number = random.randrange(positions.size)
            state = state_of(positions, number)
            if state is not None and state.player != OVER:
                assert positions.number(state) == number


def test_making_a_table_can_be_stopped_once_all_positions_are_known(two_men: EndgameTable) -> None:
    positions = two_men.parts[0].positions
    every = sum(positions.at(number) is not None for number in range(positions.size))
    meter = Meter(stopped=lambda: meter.visited >= every)
    with pytest.raises(SearchStoppedError):
        make_table(CHECKERS.endings("2"), meter)
    assert meter.visited == every
