from math import isclose

import pytest

from engine.games.rules.game import CHANCE, OVER
from engine.games.rules.tree import parse_tree
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


def test_each_animal_maximises_its_own() -> None:
    """The dog chooses first, then the cat, and the mouse; of equals the first counts."""
    tree = parse_tree("p1(p2(p3(5/8/2, 9/9/1), p3(7/3/9)), p2(p3(4/9/9)))")
    meter = Meter()
    found = maxn(tree, 3, lambda state: state.payoff(), meter)
    assert (found.values, found.line) == ((5, 8, 2), (0, 0, 0))
    assert meter.counts == Counts(visited=10, expanded=6, leaves=4)
    indifferent = parse_tree("p3(1/0/3, 2/5/3)")
    assert maxn(indifferent, 1, lambda state: state.payoff(), Meter()).values == (1, 0, 3)
    with pytest.raises(SearchStoppedError):
        maxn(tree, 5, lambda state: state.payoff(), Meter(SearchLimits(nodes=5)))
