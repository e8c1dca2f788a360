"""UCT that asks a network about the nodes that get children."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from engine.games.catalogue import game
from engine.games.networks.file import load_policy, shipped_networks
from engine.games.networks.network import COMPILED
from engine.games.players.trees import NetworkEvaluator, policy_and_value
from engine.games.search.basics import SearchLimits
from engine.games.searchers import OptionError, player

if TYPE_CHECKING:
    from engine.games.rules.compiled_state import CompiledState
    from engine.games.search.basics import Decision

GO = game("go")
NETWORK = shipped_networks("go")[9, 9]
pytestmark = pytest.mark.skipif(not COMPILED, reason="takes minutes in plain Python")


def searched(state: CompiledState, playouts: int, **options: str) -> Decision:
    return player(GO, "uct-fast", 1, {"megabytes": "16", **options}).choose(
        state, SearchLimits(playouts=playouts)
    )


def opening() -> CompiledState:
    state: CompiledState = GO.start(9)
    for text in ("E5", "C3", "G4"):
        state = state.play(GO.parse(state, text))
    return state


def test_its_policy_says_where_to_look() -> None:
    """A great bias for likely moves leaves nothing else to say."""
    state = opening()
    evaluator = NetworkEvaluator(state, load_policy(NETWORK), 1)
    chances, _ = policy_and_value(evaluator, state)
    expected = dict(zip(state.moves(), chances, strict=True))
    tried = searched(state, 2000, network_bias="1000", network_visits="0").tried
    shares = {each.move: each.visits / 2000 for each in tried}
    assert shares == pytest.approx({move: expected[move] for move in shares}, abs=0.02)


@pytest.mark.parametrize("ahead", [0, 1])
def test_its_value_counts_as_simulations(ahead: int) -> None:
    """So many that the random games no longer matter; for whoever moves, ahead or behind."""
    state: CompiledState = GO.start(9)
    good, bad = ("D4", "D6", "F4", "F6", "C5", "G5"), ("A1", "J1", "A9", "J9", "A2", "J2")
    for moves in zip(*((good, bad) if ahead == 0 else (bad, good)), strict=True):
        for move in moves:
            state = state.play(GO.parse(state, move))
    alone = {"expand_after": "1", "network_after": "1", "network_visits": "1000", "rave": "0"}
    best, *_ = searched(state, 60, **alone).tried
    assert best.visits >= 1000
    after = state.play(best.move)
    expected = -policy_and_value(NetworkEvaluator(after, load_policy(NETWORK), 1), after)[1]
    assert abs(expected) > 0.6
    assert best.mean == pytest.approx(expected, abs=0.2)


def test_the_shipped_one_is_for_its_own_size_alone() -> None:
    """Also for a player who has played on another board before."""
    asked = player(GO, "uct-fast", 1, {"megabytes": "16"})
    asked.choose(GO.start(9), SearchLimits(playouts=30))
    large = GO.start(11)
    found = asked.choose(large, SearchLimits(playouts=100))
    assert found.tried == searched(large, 100, network="none").tried
    assert searched(opening(), 100).tried != searched(opening(), 100, network="none").tried
    assert searched(large, 100, network=str(NETWORK)).tried != found.tried


def test_each_thread_has_its_own() -> None:
    decision = searched(opening(), 200, threads="2")
    assert decision.counts.playouts == 200
    assert decision.tried == searched(opening(), 200, threads="2").tried


def test_where_there_is_none() -> None:
    with pytest.raises(OptionError, match="network needs a game with a learned policy"):
        player(game("connectfour"), "uct-fast", options={"network": "shipped"})
    with pytest.raises(OptionError, match="there is no such file"):
        player(GO, "uct-fast", options={"network": "nowhere"})


@pytest.mark.parametrize("without", ["policy", "priors"])
def test_a_file_is_not_ignored_where_it_would_not_be_asked(without: str) -> None:
    with pytest.raises(OptionError, match="needs priors, and policy above 0"):
        player(GO, "uct-fast", options={"network": str(NETWORK), without: "0"})
    for usual in ({}, {"network": "none"}):
        assert searched(opening(), 30, **{without: "0"}, **usual).counts.playouts == 30
