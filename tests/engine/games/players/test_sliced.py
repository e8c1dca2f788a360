"""A search in slices is the search in one piece."""

from __future__ import annotations

import threading

import pytest

from engine.games.players.catalogue import game
from engine.games.players.searchers import player
from engine.games.players.sliced import SlicedPlayer
from engine.games.textbook.search import Decision, SearchLimits

RULES = game("go")
START = RULES.start(5)
SECONDS = 0.001


def sliced(heard: list[Decision]) -> SlicedPlayer:
    return SlicedPlayer(player(RULES, "uct-fast", options={"solver": "off"}), SECONDS, heard.append)


@pytest.mark.parametrize("limits", [SearchLimits(playouts=500), SearchLimits(nodes=5_000)])
def test_finds_the_same(limits: SearchLimits) -> None:
    heard: list[Decision] = []
    found = sliced(heard).choose(START, limits)
    whole = player(RULES, "uct-fast", options={"solver": "off"}).choose(START, limits)
    assert (found.move, found.tried, found.line) == (whole.move, whole.tried, whole.line)
    assert (found.counts, found.limits) == (whole.counts, whole.limits)
    playouts = [each.counts.playouts for each in [*heard, found]]
    assert playouts == sorted(set(playouts))
    assert len(playouts) > 1


def test_keeps_to_the_time() -> None:
    heard: list[Decision] = []
    found = sliced(heard).choose(START, SearchLimits(seconds=100 * SECONDS))
    assert 100 * SECONDS <= found.seconds < 5
    assert 1 <= len(heard) <= 100


def test_stop() -> None:
    heard: list[Decision] = []
    asked = sliced(heard)
    watch = threading.Timer(100 * SECONDS, asked.stop)
    watch.start()
    found = asked.choose(START, SearchLimits(seconds=1000))
    watch.join()
    assert heard[-1].counts.playouts <= found.counts.playouts
    assert found.move in START.moves()


def test_ends_where_all_is_known() -> None:
    rules = game("connectfour")
    state = rules.start()
    for text in ("D1", "A1", "D2", "A2", "D3", "A3"):
        state = state.play(rules.parse(state, text))
    asked = SlicedPlayer(player(rules, "uct-fast"), SECONDS, lambda _: None)
    assert asked.choose(state, SearchLimits(seconds=1000)).exact
