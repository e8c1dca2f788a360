from math import isclose

import pytest

from engine.games.rules.game import CHANCE, OVER
from engine.games.search.basics import Meter
from engine.games.search.expectiminimax import expectiminimax
from engine.games.search.paranoid import paranoid
from tests.engine.games.search.random_games import RandomState, Rules, estimate


def coalition(state: RandomState, depth: int, me: int) -> float:
    """By definition, with nothing left out; with two players it is minimax."""
    if state.player == OVER or depth == 0:
        return state.payoff()[me]
    if state.player == CHANCE:
        return sum(chance * coalition(state.play(move), depth, me) for move, chance in state.chances())
    values = [coalition(state.play(move), depth - 1, me) for move in state.moves()]
    return max(values) if state.player == me else min(values)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("chance", [0, 30])
def test_value_is_that_of_a_search_by_definition_and_pruning_only_saves_nodes(
    players: int, chance: int
) -> None:
    saved = 0
    for seed in range(70):
        state = RandomState(Rules(seed, players, plies=5, most_moves=3, chance=chance, coarse=seed % 2 == 0))
        full, pruned = Meter(), Meter()
        everything = expectiminimax(state, 5, estimate, full)
        found = paranoid(state, 5, estimate, pruned)
        assert isclose(found.value, coalition(state, 5, 0), abs_tol=1e-12)
        assert found.value == everything.value
        assert found.line[:1] == everything.line[:1]
        assert full.visited == full.expanded + full.leaves
        assert pruned.visited == pruned.expanded + pruned.leaves
        assert pruned.visited <= full.visited
        saved += full.visited - pruned.visited
    assert saved > 0


def test_line_leads_to_the_value() -> None:
    for seed in range(50):
        state = RandomState(Rules(seed, 3))
        found = paranoid(state, 5, estimate, Meter())
        for move in found.line:
            state = state.play(move)
        assert state.payoff()[0] == found.value
