"""Look-up tables: by search, backwards, and of openings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

import pytest

from engine.games.catalogue import game
from engine.games.rules.game import OVER, NotApplicableError, State
from engine.games.rules.nim import Nim
from engine.games.rules.tree import parse_tree
from engine.games.search.alphabeta import alphabeta
from engine.games.search.basics import Meter, SearchLimits, SearchStoppedError
from engine.games.search.hooked_alphabeta import hooked_alphabeta
from engine.games.search.lookup import TooManyStatesError, reachable, replies, solve, strategy
from engine.games.search.minimax import minimax
from engine.games.search.retrograde import retrograde
from tests.engine.games.search.random_trees import random_tree, value_by_definition

TICTACTOE, NIM = game("tictactoe"), game("nim")


@dataclass(frozen=True)
class Walk:
    """One step either way on a ring, in turn; who steps on square 0 has won."""

    ring: int
    square: int
    player: int = 0
    winner: int = -1

    def moves(self) -> tuple[int, ...]:
        return () if self.player == OVER else (-1, 1)

    def play(self, move: int) -> Walk:
        square = (self.square + move) % self.ring
        if square == 0:
            return Walk(self.ring, 0, OVER, self.player)
        return Walk(self.ring, square, 1 - self.player)

    def chances(self) -> tuple[tuple[int, float], ...]:
        raise NotApplicableError("no chance in this game")

    def payoff(self) -> tuple[float, float]:
        return (1.0, -1.0) if self.winner == 0 else (-1.0, 1.0)

    def turn(self, player: int) -> Walk:
        return replace(self, player=player)


def test_tic_tac_toe_is_drawn_and_has_5478_states() -> None:
    table = solve(TICTACTOE.start())
    assert len(table) == 5_478
    assert table[TICTACTOE.start()] == (0, 0)


def test_both_ways_find_the_same() -> None:
    for start in (TICTACTOE.start(), NIM.start(21), NIM.start(20)):
        assert solve(start) == retrograde([start])


def test_random_trees_with_chance() -> None:
    for seed in range(200):
        tree = random_tree(Random(seed), 5, chance=0.3)
        assert solve(tree)[tree][0] == pytest.approx(value_by_definition(tree))


def test_play_that_goes_round_in_circles_is_drawn_where_nobody_can_force_the_end() -> None:
    for player in (0, 1):
        mover, other = ((1, -1), (-1, 1)) if player == 0 else ((-1, 1), (1, -1))
        short, long = retrograde([Walk(4, 2, player)]), retrograde([Walk(7, 3, player)])
        assert short[Walk(4, 2, player)] == other
        assert short[Walk(4, 1, 1 - player)] == other
        assert long[Walk(7, 3, player)] == (0, 0)
        assert long[Walk(7, 1, player)] == mover
    with pytest.raises(NotApplicableError, match="repeated"):
        solve(Walk(7, 3))


def test_a_table_is_the_look_up_of_alphabeta() -> None:
    start = NIM.start(17)
    ends = retrograde(
        [state for state in reachable([start]) if isinstance(state, Nim) and sum(state.piles) <= 9]
    )
    meter = Meter()
    assert hooked_alphabeta(start, 99, NIM.estimate, meter, look_up=ends.get).value == solve(start)[start][0]


def test_openings() -> None:
    def best(state: object) -> int:
        move: int = alphabeta(state, 9, TICTACTOE.estimate, Meter()).line[0]  # type: ignore[arg-type] # a state
        return move

    book = replies(TICTACTOE.start(), 2, best)
    assert len(book) == 1 + 9
    corner = TICTACTOE.start().play(0)
    assert TICTACTOE.text(corner, book[corner]) == "B2"
    after = corner.play(book[corner])
    assert minimax(after, 9, TICTACTOE.estimate, Meter()).value == 0


def test_limits() -> None:
    with pytest.raises(TooManyStatesError):
        solve(TICTACTOE.start(), most=5_477)
    assert len(solve(TICTACTOE.start(), most=5_478)) == 5_478
    with pytest.raises(SearchStoppedError):
        solve(TICTACTOE.start(), meter=Meter(SearchLimits(nodes=100)))
    with pytest.raises(NotApplicableError, match="chance"):
        retrograde([parse_tree("[0.5:1,0.5:2]")])


def test_a_table_can_be_stopped_once_all_states_are_known() -> None:
    meter = Meter(stopped=lambda: meter.visited >= 5_478)
    with pytest.raises(SearchStoppedError):
        solve(TICTACTOE.start(), meter=meter)
    assert meter.visited == 5_478


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize(
    "start", [TICTACTOE.start(), NIM.start(9), NIM.start(10)], ids=["ttt", "nim9", "nim10"]
)
def test_a_strategy_has_a_move_against_every_reply_and_never_less_than_the_value(
    start: State, player: int
) -> None:
    table = solve(start)
    chosen = strategy(start, player, table)
    asked = set()

    def least(state: State) -> float:
        if state.player == OVER:
            return state.payoff()[player]
        if state.player == player:
            asked.add(state)
            return least(state.play(chosen[state]))
        return min(least(state.play(move)) for move in state.moves())

    assert least(start) == table[start][player]
    assert asked == set(chosen)


def test_a_strategy_answers_each_outcome_of_chance() -> None:
    tree = parse_tree("([0.5:max(1,7), 0.5:max(9,2)], 4)")
    chosen = strategy(tree, 0, solve(tree))
    assert chosen == {tree: 0, tree.play(0).play(0): 1, tree.play(0).play(1): 0}
