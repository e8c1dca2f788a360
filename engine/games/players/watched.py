"""A search that is watched: who can be, and the recording of what it did."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.games.search.recording import Recording, RecordingMeter

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.games.players.player import StoppablePlayer
    from engine.games.rules.game import State
    from engine.games.search.basics import Decision, SearchLimits

WATCHABLE = (
    "minimax",
    "alphabeta",
    "enhanced",
    "expectiminimax",
    "maxn",
    "paranoid",
    "bestreply",
    "threat-ads",
    "montecarlo",
    "uct",
    "puct",
)
"""The searchers that play from the textbook."""
_TWIN = "-fast"
SAMPLING = ("montecarlo", "uct", "puct")
"""Those of them whose nodes have visits and a mean, not a value."""
_VECTORS = ("maxn",)
_NEGAMAX = ("enhanced",)


def textbook_of(searcher: str) -> str | None:
    """The searcher that can be watched in place of its compiled twin; None for all that are not twins."""
    name = searcher.removesuffix(_TWIN)
    return name if name != searcher and name in WATCHABLE else None


def watch(
    searcher: str,
    player: StoppablePlayer,
    state: State,
    limits: SearchLimits,
    max_player: int | None = None,
) -> tuple[Decision, list[Recording]]:
    """What the player of a searcher decides, and its searches that were finished, one for each depth.

    The searcher is one of WATCHABLE; `state` has a player to move; `max_player` is as in RecordingMeter.
    """
    meters: list[RecordingMeter] = []

    def make_meter(limits: SearchLimits, stopped: Callable[[], bool] | None) -> RecordingMeter:
        meters.append(
            RecordingMeter(
                limits,
                stopped,
                vectors=searcher in _VECTORS,
                negamax=searcher in _NEGAMAX,
                max_player=max_player,
            )
        )
        return meters[-1]

    player.make_meter = make_meter
    decision = player.choose(state, limits)
    return decision, [each for meter in meters for each in meter.recordings if each.finished]
