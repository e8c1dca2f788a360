from collections.abc import Sequence
from math import isclose

import pytest

from engine.games.rules.game import CHANCE, OVER, State
from engine.games.search.basics import Counts, Meter, SearchLimits, SearchStoppedError
from engine.games.search.maxn import maxn
from tests.engine.games.search.random_games import RandomState, Rules, estimate


def minimax(state: RandomState, depth: int, me: int) -> float:
    """By definition; chance is averaged over."""
    if state.player == OVER or depth == 0:
        return state.payoff()[me]
    if state.player == CHANCE:
        return sum(chance * minimax(state.play(move), depth, me) for move, chance in state.chances())
    values = [minimax(state.play(move), depth - 1, me) for move in state.moves()]
    return max(values) if state.player == me else min(values)


@pytest.mark.parametrize("chance", [0, 30])
def test_with_two_players_whose_payoffs_add_up_to_0_it_is_minimax(chance: int) -> None:
    for seed in range(200):
        state = RandomState(Rules(seed, 2, plies=5, most_moves=3, chance=chance))
        found = maxn(state, 4, estimate, Meter())
        assert isclose(found.value, minimax(state, 4, 0))
        assert found.values is not None
        assert isclose(sum(found.values), 0, abs_tol=1e-12)


@pytest.mark.parametrize("zero_sum", [True, False])
def test_line_leads_to_the_values_and_nobody_gains_by_leaving_it(zero_sum: bool) -> None:
    for seed in range(100):
        start = state = RandomState(Rules(seed, 3, plies=5, most_moves=3, zero_sum=zero_sum))
        found = maxn(start, 4, estimate, Meter())
        for ply, move in enumerate(found.line):
            for other in state.moves():
                instead = maxn(state.play(other), 3 - ply, estimate, Meter())
                assert found.values is not None
                assert instead.values is not None
                assert instead.values[state.player] <= found.values[state.player]
            state = state.play(move)
        assert state.player == OVER or len(found.line) == 4
        assert found.values == tuple(state.payoff())


class Animals:
    """The dog chooses a payoff for itself, the cat and the mouse, each once: a tree of one level or two."""

    def __init__(self, player: int, branches: object) -> None:
        self.branches = branches
        self.player = player if isinstance(branches, list) else OVER

    def moves(self) -> range:
        return range(len(self.branches)) if isinstance(self.branches, list) else range(0)

    def play(self, move: int) -> "Animals":
        assert isinstance(self.branches, list)
        return Animals((self.player + 1) % 3, self.branches[move])

    def chances(self) -> list[tuple[int, float]]:
        return []

    def payoff(self) -> tuple[float, ...]:
        assert isinstance(self.branches, tuple)
        return self.branches

    def turn(self, player: int) -> "Animals":
        raise NotImplementedError(player)


def payoff(state: State) -> Sequence[float]:
    return state.payoff()


def test_each_animal_maximises_its_own() -> None:
    mouse = [(5.0, 8.0, 2.0), (9.0, 9.0, 1.0)]  # takes its 2
    cat = [mouse, [(7.0, 3.0, 9.0)]]  # takes its 8
    found = maxn(Animals(0, [cat, [[(4.0, 9.0, 9.0)]]]), 3, payoff, Meter())
    assert found.values == (5, 8, 2)
    assert found.line == (0, 0, 0)


def test_of_equals_the_first_counts() -> None:
    indifferent = Animals(2, [(1.0, 0.0, 3.0), (2.0, 5.0, 3.0)])
    assert maxn(indifferent, 1, payoff, Meter()).values == (1, 0, 3)


def test_counts_of_a_full_tree_and_the_limit_of_nodes() -> None:
    state = Animals(0, [[(0.0,) * 3, (1.0,) * 3], [(0.0,) * 3]])
    meter = Meter()
    maxn(state, 5, payoff, meter)
    assert meter.counts == Counts(visited=6, expanded=3, leaves=3)
    with pytest.raises(SearchStoppedError):
        maxn(state, 5, payoff, Meter(SearchLimits(nodes=5)))
