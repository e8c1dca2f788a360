"""The command line of scripts/make_book."""

from __future__ import annotations

import sys
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

import click

from protocol.cli.analysis.analyst import Analyst
from protocol.cli.analysis.settings import AnalystSettings
from scripts.laboratory.learning.duelling import engine
from scripts.laboratory.matches.display import RunDisplay
from scripts.laboratory.matches.journal import JournalError, RunJournal
from scripts.laboratory.matches.terminal import INTERRUPTED, interrupt_on_sigterm

from .gathering import Gatherer
from .growing import HASH_MEGABYTES, LINES, Grower, GrowingRules
from .polyglot import book_bytes, write_book

_STANDARD = Path(__file__).parents[3] / "engine" / "lookup" / "lolli.bin"
_POSITIONS_A_LINE = 50
_MOST_NAMED = 10
_WIDE = {"max_content_width": 110}


def _named(_context: click.Context, _option: click.Parameter, path: Path) -> Path:
    if not path.name:
        raise click.BadParameter("a file's name is wanted")
    return path


_output = click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    callback=_named,
    default=_STANDARD,
    help="The book to write; engine/lookup/lolli.bin by default.",
)


@click.group(context_settings=_WIDE)
def make_book() -> None:
    """Make an opening book in Polyglot's format, from the engine's own searching or from games."""


@make_book.command(context_settings=_WIDE)
@click.option(
    "--positions", type=click.IntRange(1), default=500, show_default=True, help="How many to search."
)
@click.option("--nodes", type=click.IntRange(1), default=300_000, show_default=True, help="Of each search.")
@click.option(
    "--margin",
    type=click.IntRange(0),
    default=30,
    show_default=True,
    help="Play no move that is more centipawns behind the best.",
)
@click.option(
    "--temperature",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="So many centipawns make a move e times rarer.",
)
@click.option(
    "--answered",
    type=click.IntRange(0),
    default=50,
    show_default=True,
    help="Have answers to moves up to so many centipawns behind the best.",
)
@_output
def search(positions: int, nodes: int, margin: int, temperature: int, answered: int, out: Path) -> None:
    """Search the positions after the start of a game, the likeliest first.

    The same engine makes the same book from the same arguments; another version of the search makes another
    one. A run that was stopped goes on from OUT.jsonl. The book that comes with Lolli was made by this,
    without arguments.
    """
    rules = GrowingRules(positions, nodes, margin, temperature, max(margin, answered))
    record = out.with_name(f"{out.name}.jsonl")
    try:
        with RunJournal(record, asdict(rules) | {"engine": engine()}) as journal:
            grower = Grower(rules, journal)
            status = _grow(grower)
            if status == 0:
                _write(out, grower.weights)
                record.unlink()
    except JournalError as error:
        raise click.UsageError(str(error)) from error
    sys.exit(status)


@make_book.command(context_settings=_WIDE)
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option(
    "--plies",
    type=click.IntRange(1),
    default=30,
    show_default=True,
    help="How many moves of each game count, both sides' together.",
)
@click.option(
    "--at-least",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    help="Leave out moves that were played less often.",
)
@_output
def games(files: tuple[Path, ...], plies: int, at_least: int, out: Path) -> None:
    """Count the moves of PGN files: a move weighs what was scored with it, a win being 2 and a draw 1."""
    gatherer = Gatherer(plies, at_least)
    for path in files:
        try:
            gatherer.read(path)
        except OSError as error:
            raise click.ClickException(f"{path}: {error.strerror}") from error
    for line in gatherer.passed_over[:_MOST_NAMED]:
        click.echo(line, err=True)
    if len(gatherer.passed_over) > _MOST_NAMED:
        click.echo(f"and {len(gatherer.passed_over) - _MOST_NAMED} more passed over", err=True)
    click.echo(f"{gatherer.games} games")
    _write(out, gatherer.weights)


def _grow(grower: Grower) -> int:
    """Search, showing how it goes. The exit status."""
    interrupt_on_sigterm()
    settings = AnalystSettings(lines=LINES, megabytes=HASH_MEGABYTES)
    with RunDisplay("positions", grower.rules.positions, 0, _POSITIONS_A_LINE) as display:
        try:
            with Analyst(settings) as analyst, closing(grower.run(analyst)) as steps:
                for _ in steps:
                    display.show(grower.done, "")
        except KeyboardInterrupt:
            return INTERRUPTED
    return 0


def _write(out: Path, weights: dict[int, dict[int, float]]) -> None:
    """Write the book and say what is in it."""
    book = book_bytes(weights)
    if not book:
        raise click.ClickException("there are no moves for a book")
    try:
        write_book(out, book)
    except OSError as error:
        raise click.ClickException(f"{out}: {error.strerror}") from error
    positions = sum(map(bool, weights.values()))
    click.echo(f"{positions} positions, {len(book) // 16} moves, {len(book)} bytes: {out}")
