"""What all players have in common: slices, and that no stop is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from engine.board.position import COMPILED
from engine.games.catalogue import game
from engine.games.players import Player, Watch, choose_in_slices, decide
from engine.games.search.basics import Counts, Decision, SearchLimits
from engine.games.searchers import SEARCHERS, player

if TYPE_CHECKING:
    from collections.abc import Collection

    from engine.games.rules.game import Move, State

RULES = game("go")
START = RULES.start(5)
SECONDS = 0.001
LONG = 10 if COMPILED else 1  # so that a search takes several of them
FOUR = game("connectfour")


def uct() -> Player:
    return player(RULES, "uct-fast", options={"solver": "off"})


@pytest.mark.parametrize("limits", [SearchLimits(playouts=500 * LONG), SearchLimits(nodes=5_000 * LONG)])
def test_a_search_in_slices_finds_the_same(limits: SearchLimits) -> None:
    heard: list[Decision] = []
    found = choose_in_slices(uct(), START, limits, Watch(SECONDS, heard.append))
    whole = uct().choose(START, limits)
    assert (found.move, found.tried, found.line) == (whole.move, whole.tried, whole.line)
    assert (found.counts, found.limits) == (whole.counts, whole.limits)
    playouts = [each.counts.playouts for each in [*heard, found]]
    assert playouts == sorted(set(playouts))
    assert len(playouts) > 1


def test_stopped_while_it_tells() -> None:
    heard: list[Decision] = []
    found = choose_in_slices(
        uct(),
        START,
        SearchLimits(seconds=1000),
        Watch(SECONDS, heard.append),
        stopped=lambda: bool(heard),
    )
    assert len(heard) == 1
    assert found.counts == heard[0].counts


class SlowPlayer(Player):
    """Does a playout in every other slice only; the others it needs to find its way."""

    slices = 0

    def _choose(self, state: State, limits: SearchLimits, allowed: Collection[Move] | None) -> Decision:
        del allowed
        self.slices += 1
        playouts = self.slices % 2
        return Decision(state.moves()[0], counts=Counts(playouts=playouts), seconds=limits.seconds or 0.0)


def test_a_slice_without_a_playout_is_not_the_end() -> None:
    slow = SlowPlayer()
    watch = Watch(SECONDS, lambda _: None)
    assert choose_in_slices(slow, START, SearchLimits(playouts=3), watch).counts.playouts == 3
    assert slow.slices == 5


def test_slices_end_where_all_is_known() -> None:
    state = FOUR.start()
    for text in ("D1", "A1", "D2", "A2", "D3", "A3"):
        state = state.play(FOUR.parse(state, text))
    watch = Watch(SECONDS, lambda _: None)
    assert choose_in_slices(player(FOUR, "uct-fast"), state, SearchLimits(seconds=1000), watch).exact


@pytest.mark.parametrize("name", SEARCHERS)
@pytest.mark.parametrize("watched", [False, True])
def test_a_stop_before_the_choice_begins_is_not_lost(name: str, watched: bool) -> None:
    """It comes after the question of `decide` for an ending, and before the player has begun."""
    rules = game("othello" if name in {"patterns", "solver"} else "tictactoe" if name == "lookup" else "nim")
    if name.endswith(("-fast", "puct")):
        rules = FOUR
    if SEARCHERS[name].obstacle(rules):
        rules = game("virus")
    state = rules.start()
    asked = player(rules, name)
    stops = [False]
    choose = asked.choose

    def stopped_before(*given: object, **named: object) -> Decision:
        stops[0] = True
        asked.stop()
        return choose(*given, **named)  # type: ignore[arg-type]

    asked.choose = stopped_before  # type: ignore[method-assign]
    watch = Watch(0.5, lambda _: None) if watched else None
    limits = SearchLimits(seconds=1000)
    decision = decide(rules, asked, state, limits, stopped=lambda: stops[0], watch=watch)
    assert decision.move in state.moves()
    assert decision.seconds < 100
