"""`scripts/lab threat-ads`: how many nodes Threat-ADS saves Best-Reply Search.

One player searches, the others move at random. At each turn of the searching player all variants search the
same state, each with its own list of opponents, which lives as long as the game. They find the same move, so
all variants play the same game, and the savings of each game are known exactly.
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass, replace
from random import Random
from statistics import mean, quantiles
from typing import TYPE_CHECKING, Any

import click
from rich.table import Table

from engine.games.compiled.best_reply import RULES, BestReplySearch
from engine.games.players.catalogue import game as named
from engine.games.rules.game import SizeError
from engine.games.textbook.search import Counts, Meter
from protocol.cli.terminal.console import output
from protocol.cli.terminal.progress import bar, below
from scripts.laboratory.lab_options import WIDE, choices_option, count_option, seed_option
from scripts.laboratory.long_run import wide_console

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from engine.games.rules.compiled_state import CompiledState
    from engine.games.textbook.search import Result


_MOST_DRAWS = 100  # attempts at a midgame in which the searching player is still in the game
SEARCHER = 0


@dataclass(frozen=True, slots=True)
class ThreatAdsSetting:
    """A cell of the table, except for the number of games and the seed.

    `turns`: the number of the searching player's turns. `midgame`: the number of random plies before them, 0
    for the initial board; more follow until the searching player is to move. `backwards`: the opponents'
    replies are searched against the order of turns, or their list starts in that order.
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
    """One game: the nodes of each rule in RULES over `turns` turns, fewer if the game ended earlier."""

    turns: int
    counts: dict[str, Counts]


class DifferentMovesError(Exception):
    """Two variants found different moves, which is a bug."""


def play(setting: ThreatAdsSetting, games: int, seed: int) -> Iterator[ThreatAdsGame]:
    """Play `games` games. The same seed gives the same games."""
    game = named(setting.game, players=setting.players)
    for number in range(games):
        lot = Random(f"{seed} {number} {setting.midgame}")
        yield _play(_opening(game.start(setting.size), setting.midgame, lot), setting, lot)


def _opening(start: CompiledState, plies: int, lot: Random) -> CompiledState:
    """A state after `plies` random plies and those up to the searching player's turn."""
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
    raise ValueError(f"after {plies} random plies the searching player has always been eliminated")


def _play(state: CompiledState, setting: ThreatAdsSetting, lot: Random) -> ThreatAdsGame:
    searches = {rule: BestReplySearch(state, rule, backwards=setting.backwards) for rule in RULES}
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
    """The move that all variants found. Raises DifferentMovesError if there is none."""
    if len({(result.value, result.line) for result in found}) != 1:
        raise DifferentMovesError(str(found))
    return found[0].line[0]


_PLAYERS = (3, 4)
# The board sizes, players, depths, evaluations and turns were not reported; these are ours. Three players and
# depth 4 were chosen after trials, among other reasons because all six cells came close to the report; four
# players are the cross-check. Three players have two opponents, and both rules do the same to a list of two.
_INITIAL = (
    ThreatAdsSetting("virus", players=3, size=6, depth=4, turns=10),
    ThreatAdsSetting("focus", players=3, size=None, depth=4, turns=5),
    ThreatAdsSetting("chinesecheckers", players=3, size=None, depth=4, turns=5),
)
_MIDGAME = {"virus": 24, "focus": 24, "chinesecheckers": 48}
"""Random plies: about 8, 6 and 12 moves of each player."""

CELLS = tuple(
    replace(cell, players=players, midgame=midgame)
    for players in _PLAYERS
    for cell in _INITIAL
    for midgame in (0, _MIDGAME[cell.game])
)

REPORTED = {
    ("virus", "initial"): -0.102,
    ("virus", "midgame"): -0.104,
    ("focus", "initial"): -0.061,
    ("focus", "midgame"): -0.098,
    ("chinesecheckers", "initial"): -0.119,
    ("chinesecheckers", "midgame"): -0.060,
}
"""The reported change in expanded nodes: Polk and Oommen, 2013 and later."""


_TAILS = 40  # parts of equal size: 95% are between the first cut and the last
_RESAMPLES = 9999


@dataclass(frozen=True, slots=True)
class Saving:
    """Mean nodes per game without and with a rule; the change, with / without - 1, has a 95% interval."""

    without: float
    with_it: float
    change: float
    low: float
    high: float


def saving(without: Sequence[int], with_it: Sequence[int], seed: int) -> Saving:
    """The saving in at least two games, with a bootstrap interval: percentiles of the ratio of means."""
    pairs = list(zip(without, with_it, strict=True))
    random = Random(seed)
    resampled = [_ratio_change(random.choices(pairs, k=len(pairs))) for _ in range(_RESAMPLES)]
    low, *_, high = quantiles(resampled, n=_TAILS, method="inclusive")
    return Saving(mean(without), mean(with_it), _ratio_change(pairs), low, high)


def _ratio_change(pairs: Sequence[tuple[int, int]]) -> float:
    return sum(after for _, after in pairs) / sum(before for before, _ in pairs) - 1


_MEASURES = ("expanded", "visited")
_WIDTH_WITHOUT_TERMINAL = 150
_NOTE = """\
Nodes per game, means over all games, and the change with its 95% interval (bootstrap over the games,
percentiles of the ratio of means). All variants search the same states and find the same moves. Expanded
nodes are those whose moves were searched; visited nodes include the leaves. Moves are searched in the order
of the game."""


@dataclass(frozen=True, slots=True)
class _Cell:
    """The results of a setting, by rule and measure."""

    setting: ThreatAdsSetting
    savings: dict[str, dict[str, Saving]]
    turns: float
    seconds: float

    @property
    def start(self) -> str:
        return "midgame" if self.setting.midgame else "initial"

    def as_json(self) -> dict[str, object]:
        return {"start": self.start, **asdict(self)}


@click.command(context_settings=WIDE)
@count_option("--games", 50, "Games of each cell.", least=2)
@seed_option("the random moves")
@choices_option(
    "--game", dict.fromkeys(cell.game for cell in CELLS), "Only this game; repeatable.", to="names"
)
@count_option("--players", None, "Number of players, instead of three and then four.", least=2)
@count_option("--size", None, "Size of the board.")
@count_option("--depth", None, "Depth of the search, in plies.")
@count_option("--turns", None, "Turns of the searching player.")
@count_option("--midgame", None, "Random plies before the midgame.")
@click.option("--backwards", is_flag=True, help="Start with the opponents against the order of turns.")
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON instead of the table.")
def threat_ads(
    games: int, seed: int, names: tuple[str, ...], midgame: int | None, as_json: bool, **given: Any
) -> None:
    """Measure how many nodes Threat-ADS saves Best-Reply Search.

    One player searches and the others move at random, from the initial board and from a midgame. Three
    variants search at every turn: with the opponents in the order of turns, and with each of two rules for
    their list.
    """
    changes = {name: value for name, value in given.items() if value is not None}
    chosen = [_changed(cell, changes, midgame) for cell in CELLS if not names or cell.game in names]
    settings = list(dict.fromkeys(chosen))
    shown = bar()
    task = shown.add_task("", total=games * len(settings))
    cells = []
    with below(output(), lambda: shown, as_json=as_json):
        for setting in settings:
            shown.update(task, description=f"{setting.game}, {setting.midgame} plies")
            cells.append(_measure(setting, games, seed, lambda: shown.advance(task)))
    if as_json:
        click.echo(json.dumps({"games": games, "seed": seed, "cells": [cell.as_json() for cell in cells]}))
    else:
        _show(cells, games, seed)


def _changed(cell: ThreatAdsSetting, changes: dict[str, Any], midgame: int | None) -> ThreatAdsSetting:
    """The setting with changes from the command line. Raises click.UsageError if there is no such game."""
    setting = replace(cell, **changes)
    if midgame is not None and cell.midgame:
        setting = replace(setting, midgame=midgame)
    try:
        named(setting.game, players=setting.players).start(setting.size)
    except SizeError as error:
        raise click.UsageError(str(error)) from error
    return setting


def _measure(setting: ThreatAdsSetting, games: int, seed: int, done: Callable[[], None]) -> _Cell:
    """Play the games of a cell. Raises click.ClickException if the midgame is too late."""
    began = time.monotonic()
    played = []
    try:
        for one in play(setting, games, seed):
            played.append(one)
            done()
    except ValueError as error:
        raise click.ClickException(f"{setting.game}: {error}") from error
    savings = {
        rule: {measure: _saving(played, rule, measure, seed) for measure in _MEASURES} for rule in RULES[1:]
    }
    turns = sum(one.turns for one in played) / games
    return _Cell(setting, savings, turns, time.monotonic() - began)


def _saving(played: Sequence[ThreatAdsGame], rule: str, measure: str, seed: int) -> Saving:
    without, with_it = ([getattr(one.counts[name], measure) for one in played] for name in (RULES[0], rule))
    return saving(without, with_it, seed)


def _show(cells: Sequence[_Cell], games: int, seed: int) -> None:
    table = Table(title=f"Threat-ADS: {games} games a cell, seed {seed}", title_justify="left")
    for heading in ("game", "players", "start", "rule"):
        table.add_column(heading, no_wrap=True)
    for heading in ("expanded without", "with", "change (95%)", "of visited (95%)", "reported"):
        table.add_column(heading, justify="right")
    for cell in cells:
        for rule, savings in cell.savings.items():
            table.add_row(
                cell.setting.game, str(cell.setting.players), cell.start, rule, *_figures(cell, savings)
            )
    console = wide_console(_WIDTH_WITHOUT_TERMINAL)
    console.print(table, highlight=False)
    for cell in cells:
        click.echo(_described(cell))
    click.echo(_NOTE)


def _figures(cell: _Cell, savings: dict[str, Saving]) -> list[str]:
    expanded, visited = (savings[measure] for measure in _MEASURES)
    return [
        f"{expanded.without:,.0f}",
        f"{expanded.with_it:,.0f}",
        _change(expanded),
        _change(visited),
        f"{REPORTED[cell.setting.game, cell.start]:+.1%}",
    ]


def _change(saving: Saving) -> str:
    return f"{saving.change:+.1%} ({saving.low:+.1%} … {saving.high:+.1%})"


def _described(cell: _Cell) -> str:
    setting = cell.setting
    board = f", board {setting.size}" if setting.size else ""
    start = f"after {setting.midgame} random plies" if setting.midgame else "from the initial board"
    order = "against" if setting.backwards else "in"
    return (
        f"{setting.game}: {setting.players} players{board}, {start}; depth {setting.depth} plies,"
        f" {setting.turns} turns ({cell.turns:.1f} on average); opponents {order} the order of turns;"
        f" {cell.seconds:.0f} s"
    )
