"""Players with a learned network."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from engine.games.catalogue import game
from engine.games.networks.file import load_policy, shipped_networks
from engine.games.networks.network import PolicyNetwork
from engine.games.rules.game import NotApplicableError
from engine.games.search.basics import SearchLimits
from engine.games.searchers import SEARCHERS, OptionError, player
from tests.stopping import stopped

if TYPE_CHECKING:
    from pathlib import Path

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


def test_which_games_have_a_network() -> None:
    for name in ("puct", "puct-fast"):
        assert SEARCHERS[name].obstacle(game("go")) is None
        assert SEARCHERS[name].obstacle(game("connectfour")) is None
        assert SEARCHERS[name].obstacle(game("othello")) is None
        assert SEARCHERS[name].obstacle(game("nim")) == "needs a game with a learned network"


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


def test_limits() -> None:
    rules = game("connectfour")
    asked = player(rules, "puct-fast", options={"batch": "1"})
    assert asked.choose(rules.start(), SearchLimits()).counts.playouts == 400
    asked.new_game()
    assert 30 <= asked.choose(rules.start(), SearchLimits(nodes=30)).counts.visited < 60
    asked.new_game()
    assert asked.choose(rules.start(), SearchLimits(seconds=0)).counts.playouts == 1  # the policy's first
    assert asked.choose(rules.start(), SearchLimits(seconds=0.05)).seconds < 60


def test_stop() -> None:
    rules = game("connectfour")
    asked = player(rules, "puct-fast")
    with stopped(asked.stop):
        decision = asked.choose(rules.start(), SearchLimits(seconds=1000))
    assert decision.move in rules.start().moves()


def test_stopped_at_once() -> None:
    rules = game("connectfour")
    asked = player(rules, "puct-fast")
    with stopped(asked.stop, after=0.0001):
        for _ in range(20):
            asked.new_game()
            assert asked.choose(rules.start(), SearchLimits(seconds=5)).move in rules.start().moves()


def test_takes_a_win_and_sees_a_threat() -> None:
    rules = game("connectfour")
    state = rules.start()
    for text in ("D1", "A1", "D2", "A2", "D3"):
        state = state.play(rules.parse(state, text))
    decision = player(rules, "puct-fast").choose(state, SearchLimits(playouts=100))
    assert rules.text(state, decision.move) == "D4"
    won = state.play(rules.parse(state, "G1"))
    decision = player(rules, "puct-fast").choose(won, SearchLimits(playouts=100))
    assert (rules.text(won, decision.move), decision.value, decision.exact) == ("D4", 1, True)


def test_a_board_of_another_size() -> None:
    """The network is one of convolutions: what it learned on 9 lines says something on 7."""
    rules = game("go")
    asked = player(rules, "puct-fast")
    for size in (7, 9):
        state = rules.start(size)
        assert asked.choose(state, SearchLimits(playouts=20)).move in state.moves()


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


def test_a_file_in_place_of_the_shipped_one() -> None:
    rules = game("connectfour")
    path = next(iter(shipped_networks("connectfour").values()))
    limits = SearchLimits(playouts=30)
    given = player(rules, "puct-fast", options={"network": str(path)}).choose(rules.start(), limits)
    assert given.tried == player(rules, "puct-fast").choose(rules.start(), limits).tried


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
