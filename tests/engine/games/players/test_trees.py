"""Compiled PUCT and UCT with a learned network."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.games.catalogue import game
from engine.games.networks.file import load_policy, shipped_networks
from engine.games.networks.network import COMPILED, PolicyNetwork
from engine.games.players.trees import NetworkEvaluator, policy_and_value
from engine.games.rules.compiled_state import CompiledState
from engine.games.rules.game import NotApplicableError
from engine.games.search.basics import Decision, SearchLimits
from engine.games.searchers import OptionError, player

NETWORKS = [
    (name, path) for name in ("connectfour", "go", "othello") for path in shipped_networks(name).values()
]


@pytest.mark.parametrize(("name", "path"), NETWORKS)
def test_shipped_networks_are_small_and_say_how_they_were_learned(name: str, path: Path) -> None:
    weights = load_policy(path)
    assert weights.game == name
    assert path.name == f"{name}-{weights.rows}x{weights.columns}.lolli"
    assert path.stat().st_size < 500_000
    assert weights.about["learned"]


@pytest.mark.parametrize("name", ["connectfour", "go", "othello"])
def test_the_same_with_any_number_of_threads(name: str) -> None:
    rules = game(name)
    found = []
    for threads in ("1", "3"):
        asked = player(rules, "puct-fast", options={"threads": threads, "batch": "16"})
        found.append(asked.choose(rules.start(), SearchLimits(playouts=60)))
    assert found[0].tried == found[1].tried
    assert found[0].line == found[1].line
    assert found[0].counts == found[1].counts
    assert found[0].counts.playouts == 60


def test_reports_priors_of_the_moves_tried() -> None:
    rules = game("connectfour")
    for name in ("puct", "puct-fast"):
        tried = player(rules, name).choose(rules.start(), SearchLimits(playouts=50)).tried
        assert all(each.prior is not None and 0 < each.prior < 1 for each in tried)
        assert sum(each.visits for each in tried) == 49


def test_the_policy_is_asked_where_a_win_is_left_out() -> None:
    rules = game("connectfour")
    state = rules.start()
    for text in ["D1", "A1", "D2", "A2", "D3", "A3"]:
        state = state.play(rules.parse(state, text))
    others = {*state.moves()} - {rules.parse(state, "D4")}
    asked = player(rules, "puct-fast")
    tried = asked.choose(state, SearchLimits(playouts=50), allowed=others).tried
    assert all(each.prior is not None and 0 < each.prior < 1 for each in tried)
    assert asked.choose(state, SearchLimits(playouts=50)).move == rules.parse(state, "D4")


def test_limits() -> None:
    rules = game("connectfour")
    asked = player(rules, "puct-fast", options={"batch": "1"})
    assert asked.choose(rules.start(), SearchLimits()).counts.playouts == 400
    asked.new_game()
    assert 30 <= asked.choose(rules.start(), SearchLimits(nodes=30)).counts.visited < 60
    asked.new_game()
    assert asked.choose(rules.start(), SearchLimits(seconds=0)).counts.playouts == 1  # the policy's first
    assert asked.choose(rules.start(), SearchLimits(seconds=0.05)).seconds < 60


def test_bad_networks(tmp_path: Path) -> None:
    (tmp_path / "bad.lolli").write_text("nothing")
    of_connectfour = next(iter(shipped_networks("connectfour").values()))
    for path, reason in (
        (tmp_path / "none", "there is no such file"),
        (tmp_path / "bad.lolli", "is not a file of a network"),
        (of_connectfour, "is for connectfour, not for go"),
        ("none", "PUCT needs a network"),
    ):
        with pytest.raises(OptionError, match=reason):
            player(game("go"), "puct-fast", options={"network": str(path)})
    with pytest.raises(NotApplicableError):
        player(game("nim"), "puct-fast")


@pytest.mark.parametrize(("name", "path"), NETWORKS)
def test_the_network_prefers_what_is_good(name: str, path: Path) -> None:
    """The middle column of an empty board; in Go no move on the first two lines, and no pass."""
    rules = game(name)
    weights = load_policy(path)
    state = rules.start(weights.columns)
    network = PolicyNetwork(weights.shape, weights.numbers, weights.rows, weights.columns)
    places = weights.rows * weights.columns + 1
    policy, values = (memoryview(bytearray(4 * size)).cast("f") for size in (places, 1))
    planes = state.planes().cast("B").cast("f")
    network.evaluate(planes, 1, policy, values)
    of_move = {
        rules.text(state, move): policy[state.policy_indices()[i]] for i, move in enumerate(state.moves())
    }
    best = max(of_move, key=lambda text: of_move[text])
    if name == "connectfour":
        assert best.startswith("D")
    else:
        column, row = "ABCDEFGHJKLMNOPQRST".index(best[0]) + 1, int(best[1:])
        assert 3 <= column <= weights.columns - 2
        assert 3 <= row <= weights.rows - 2


GO = game("go")
NETWORK = shipped_networks("go")[9, 9]
compiled = pytest.mark.skipif(not COMPILED, reason="takes minutes in plain Python")


def searched(state: CompiledState, playouts: int, **options: str) -> Decision:
    return player(GO, "uct-fast", 1, {"megabytes": "16", **options}).choose(
        state, SearchLimits(playouts=playouts)
    )


def opening() -> CompiledState:
    state: CompiledState = GO.start(9)
    for text in ("E5", "C3", "G4"):
        state = state.play(GO.parse(state, text))
    return state


@compiled
def test_its_policy_says_where_to_look() -> None:
    """A great bias for likely moves leaves nothing else to say."""
    state = opening()
    evaluator = NetworkEvaluator(state, load_policy(NETWORK), 1)
    chances, _ = policy_and_value(evaluator, state)
    expected = dict(zip(state.moves(), chances, strict=True))
    tried = searched(state, 2000, network_bias="1000", network_visits="0").tried
    shares = {each.move: each.visits / 2000 for each in tried}
    assert shares == pytest.approx({move: expected[move] for move in shares}, abs=0.02)


@compiled
@pytest.mark.parametrize("ahead", [0, 1])
def test_its_value_counts_as_simulations(ahead: int) -> None:
    """Enough that the random games no longer matter; for either player, ahead or behind."""
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


@compiled
def test_the_shipped_one_is_for_its_own_size_alone() -> None:
    """Also for a player who has played on another board before."""
    asked = player(GO, "uct-fast", 1, {"megabytes": "16"})
    asked.choose(GO.start(9), SearchLimits(playouts=30))
    large = GO.start(11)
    found = asked.choose(large, SearchLimits(playouts=100))
    assert found.tried == searched(large, 100, network="none").tried
    assert searched(opening(), 100).tried != searched(opening(), 100, network="none").tried
    assert searched(large, 100, network=str(NETWORK)).tried != found.tried


@compiled
def test_each_thread_has_its_own() -> None:
    decision = searched(opening(), 200, threads="2")
    assert decision.counts.playouts == 200
    assert decision.tried == searched(opening(), 200, threads="2").tried


@compiled
@pytest.mark.parametrize("without", ["policy", "priors"])
def test_a_file_is_not_ignored_where_it_would_not_be_asked(without: str) -> None:
    with pytest.raises(OptionError, match="needs priors, and policy above 0"):
        player(GO, "uct-fast", options={"network": str(NETWORK), without: "0"})
    for usual in ({}, {"network": "none"}):
        assert searched(opening(), 30, **{without: "0"}, **usual).counts.playouts == 30
