"""A search in slices is the search in one piece."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from engine.games.players.catalogue import game
from engine.games.players.searchers import player
from engine.games.players.sliced import SlicedPlayer
from engine.games.search.basics import Counts, Decision, SearchLimits

if TYPE_CHECKING:
    from engine.games.rules.game import State

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
    found = sliced(heard).choose(START, SearchLimits(seconds=1))
    assert 1 <= found.seconds < 60
    assert heard


def test_stopped_while_it_tells() -> None:
    heard: list[Decision] = []

    def hear(decision: Decision) -> None:
        heard.append(decision)
        asked.stop()

    asked = SlicedPlayer(player(RULES, "uct-fast", options={"solver": "off"}), SECONDS, hear)
    found = asked.choose(START, SearchLimits(seconds=1000))
    assert len(heard) == 1
    assert found.counts == heard[0].counts


class SlowPlayer:
    """Does a playout in every other slice only; the others it needs to find its way."""

    def __init__(self) -> None:
        self.slices = 0

    def choose(self, state: State, limits: SearchLimits) -> Decision:
        self.slices += 1
        playouts = self.slices % 2
        return Decision(state.moves()[0], counts=Counts(playouts=playouts), seconds=limits.seconds or 0.0)

    def stop(self) -> None:
        pass

    def new_game(self) -> None:
        pass


def test_a_slice_without_a_playout_is_not_the_end() -> None:
    slow = SlowPlayer()
    found = SlicedPlayer(slow, SECONDS, lambda _: None).choose(START, SearchLimits(playouts=3))
    assert found.counts.playouts == 3
    assert slow.slices == 5


def test_ends_where_all_is_known() -> None:
    rules = game("connectfour")
    state = rules.start()
    for text in ("D1", "A1", "D2", "A2", "D3", "A3"):
        state = state.play(rules.parse(state, text))
    asked = SlicedPlayer(player(rules, "uct-fast"), SECONDS, lambda _: None)
    assert asked.choose(state, SearchLimits(seconds=1000)).exact
