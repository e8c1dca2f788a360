"""How many nodes Threat-ADS saves: one player searches, the others move at random.

At each turn of the searching player all variants search the same state, each with its own list of opponents,
which lives as long as the game. They find the same move, so the games are the same, too, and what a variant
saves is known for each game: the pairs are perfect.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any

from engine.games.compiled.reply_search import RULES, ReplySearch
from engine.games.players.catalogue import game as named
from engine.games.textbook.limits import Counts, Meter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.games.rules.compiled_state import CompiledState
    from engine.games.textbook.result import Result

_MOST_DRAWS = 100  # of a midgame in which the searching player is still there
SEARCHER = 0


@dataclass(frozen=True, slots=True)
class ThreatAdsSetting:
    """All that a cell of the table depends on, besides the number of games and the seed.

    `turns` are those of the searching player that are counted; `midgame` is the number of random plies
    before, 0 for the initial board; more follow until the searching player is to move. `backwards`: the
    opponents are asked against the order of turns, or their list begins so.
    """

    game: str
    players: int
    size: int | None
    depth: int
    turns: int
    midgame: int = 0
    backwards: bool = False


@dataclass(frozen=True, slots=True)
class ThreatAdsGame:
    """One game: what each rule in RULES cost, over `turns` turns; fewer where the game was over before."""

    turns: int
    counts: dict[str, Counts]


class DifferentMovesError(Exception):
    """Two variants disagree: that must not be."""


def play(setting: ThreatAdsSetting, games: int, seed: int) -> Iterator[ThreatAdsGame]:
    """So many games; the same for the same seed."""
    game = named(setting.game, players=setting.players)
    for number in range(games):
        lot = Random(f"{seed} {number} {setting.midgame}")
        yield _play(_opening(game.start(setting.size), setting.midgame, lot), setting, lot)


def _opening(start: CompiledState, plies: int, lot: Random) -> CompiledState:
    """After so many random plies and those to the searching player's turn, in a game that goes on."""
    for _ in range(_MOST_DRAWS):
        state, played = start, 0
        while state.player >= 0 and (played < plies or state.player != SEARCHER):
            state = state.play(lot.choice(state.moves()))
            played += 1
            if state.player >= 0 and SEARCHER not in state.remaining():
                break
        else:
            if state.player == SEARCHER:
                return state
    raise ValueError(f"after {plies} random plies the searching player is never there any more")


def _play(state: CompiledState, setting: ThreatAdsSetting, lot: Random) -> ThreatAdsGame:
    searches = {rule: ReplySearch(state, rule, backwards=setting.backwards) for rule in RULES}
    meters = {rule: Meter() for rule in RULES}
    turns = 0
    while state.player >= 0 and turns < setting.turns:
        if state.player == SEARCHER:
            found = [searches[rule].search(state, setting.depth, meters[rule]) for rule in RULES]
            state = state.play(_agreed(found))
            turns += 1
        else:
            state = state.play(lot.choice(state.moves()))
    return ThreatAdsGame(turns, {rule: meter.counts for rule, meter in meters.items()})


def _agreed(found: list[Result]) -> Any:
    """The move that all variants found."""
    if len({(result.value, result.line) for result in found}) != 1:
        raise DifferentMovesError(str(found))
    return found[0].line[0]
