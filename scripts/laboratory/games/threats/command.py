"""The command line of scripts/threat_ads."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import click
from rich.table import Table

from engine.games.compiled.reply_search import RULES
from engine.games.players.catalogue import game as named
from engine.games.rules.interface import SizeError
from protocol.cli.terminal.bar import bar
from protocol.cli.terminal.console import PrintableConsole, output
from protocol.cli.terminal.progress import below

from .experiment import ThreatAdsGame, ThreatAdsSetting, play
from .savings import Saving, saving
from .settings import CELLS, REPORTED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_MEASURES = ("expanded", "visited")
_WIDTH_WITHOUT_TERMINAL = 150
_NOTE = """\
Nodes a game, mean of all games, and the change with its 95% interval: bootstrap over the games, percentiles
of the ratio of means. All variants search the same states and find the same moves. Expanded are nodes whose
moves were looked at; visited are those and leaves. Moves come in the order of the game, as they are."""


@dataclass(frozen=True, slots=True)
class _Cell:
    """What came of a setting: by rule and measure."""

    setting: ThreatAdsSetting
    savings: dict[str, dict[str, Saving]]
    turns: float
    seconds: float

    @property
    def start(self) -> str:
        return "midgame" if self.setting.midgame else "initial"

    def as_json(self) -> dict[str, object]:
        return {"start": self.start, **asdict(self)}


@click.command(context_settings={"max_content_width": 110})
@click.option("--games", type=click.IntRange(2), default=50, show_default=True, help="A cell.")
@click.option("--seed", type=int, default=1, show_default=True, help="Of the random moves.")
@click.option(
    "--game",
    "names",
    type=click.Choice(list(dict.fromkeys(cell.game for cell in CELLS))),
    multiple=True,
    help="Only this one; may be given more than once.",
)
@click.option("--players", type=click.IntRange(2), help="Instead of three, then four.")
@click.option("--size", type=click.IntRange(1), help="Of the board.")
@click.option("--depth", type=click.IntRange(1), help="Of the search, in plies.")
@click.option("--turns", type=click.IntRange(1), help="Of the searching player.")
@click.option("--midgame", type=click.IntRange(1), help="Random plies before the midgame.")
@click.option("--backwards", is_flag=True, help="Begin with the opponents against the order of turns.")
@click.option("--json", "as_json", is_flag=True, help="One line of JSON instead of the table.")
def threat_ads(
    games: int, seed: int, names: tuple[str, ...], midgame: int | None, as_json: bool, **given: Any
) -> None:
    """Measure how many nodes Threat-ADS saves Best-Reply Search.

    One player searches, the others move at random, from the initial board and from a midgame. Three variants
    search at every turn: with the opponents in the order of turns, and with either rule of the list.
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
    """Raises click.UsageError where there is no such game."""
    setting = replace(cell, **changes)
    if midgame is not None and cell.midgame:
        setting = replace(setting, midgame=midgame)
    try:
        named(setting.game, players=setting.players).start(setting.size)
    except SizeError as error:
        raise click.UsageError(str(error)) from error
    return setting


def _measure(setting: ThreatAdsSetting, games: int, seed: int, done: Callable[[], None]) -> _Cell:
    """Raises click.ClickException where the midgame comes too late."""
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
    probe = PrintableConsole()
    console = probe if probe.is_terminal else PrintableConsole(width=_WIDTH_WITHOUT_TERMINAL)
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
