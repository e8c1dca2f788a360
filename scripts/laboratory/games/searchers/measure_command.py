"""The command line of scripts/measure_searchers."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import click

from protocol.cli.terminal.bar import bar
from protocol.cli.terminal.console import output
from protocol.cli.terminal.progress import below
from scripts.laboratory.games.searchers.families import FAMILIES, Family, SearcherSetting
from scripts.laboratory.games.searchers.measurement import count_games, efforts, strength
from scripts.laboratory.games.searchers.pages import PageError, effort_table, filled, strength_table

_PAGES = Path(__file__).parents[4] / "docs" / "searchers"


@click.command()
@click.argument("names", nargs=-1, type=click.Choice([family.name for family in FAMILIES]))
@click.option(
    "--positions", type=click.IntRange(1), default=10, show_default=True, help="For nodes and time."
)
@click.option(
    "--time", "seconds", type=click.FloatRange(0.001), default=0.1, show_default=True, help="A move."
)
@click.option("--rounds", type=click.IntRange(1), default=5, show_default=True, help="Of the tournaments.")
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="Games at a time.")
@click.option("--dry", is_flag=True, help="Print the tables, change no page.")
def command(
    names: tuple[str, ...], positions: int, seconds: float, rounds: int, jobs: int, dry: bool
) -> None:
    """Measure the searchers of some pages of docs/searchers, by default of all, and write the tables there.

    Nodes and time to a depth are means over positions after a few random moves, the same for all; strength
    is a tournament with the same time a move. Nothing else should run on the machine.
    """
    console = output()
    for family in FAMILIES:
        if names and family.name not in names:
            continue
        page = _PAGES / f"{family.name}.md"
        text = _measured(family, positions, seconds, rounds, jobs)
        if dry:
            console.print(text, soft_wrap=True)
            continue
        try:
            page.write_text(filled(page.read_text(), text))
        except PageError as error:
            raise click.ClickException(f"{page}: {error}") from None


def _measured(family: Family, positions: int, seconds: float, rounds: int, jobs: int) -> str:
    today = date.today()  # noqa: DTZ011 - the day where it is run
    parts = [f"Measured on {today.day} {today:%B %Y} by `scripts/lab measure-searchers {family.name}`."]
    for setting in family.settings:
        parts.append(f"### {setting.title}")
        if setting.depths:
            parts.append(f"To a depth, means over {positions} positions after {setting.plies} random moves:")
            parts.append(effort_table(efforts(setting, positions, seed=1)))
        if setting.players:
            parts.append(f"Everybody against everybody with {seconds:g} s a move:")
            parts.append(_strength(setting, seconds, rounds, jobs))
    return "\n\n".join(parts)


def _strength(setting: SearcherSetting, seconds: float, rounds: int, jobs: int) -> str:
    shown = bar()
    task = shown.add_task(setting.title, total=count_games(setting, rounds))
    with below(output(), lambda: shown):
        standings = strength(setting, seconds, rounds, jobs, lambda: shown.advance(task))
    return strength_table(standings)
