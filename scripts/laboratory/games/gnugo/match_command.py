"""The command line of scripts/match_go."""

from __future__ import annotations

import os
import shutil
import sys
from concurrent.futures import as_completed
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.files import descriptor_of
from engine.games.rules.go.game import GoGame
from engine.games.rules.interface import MoveError, SizeError
from protocol.cli.tournaments.standings import wilson
from protocol.workers import LocalWorkers, WorkerDiedError, WorkersError
from scripts.laboratory.games.gnugo.gtp_engine import GtpEngineError
from scripts.laboratory.games.gnugo.match import GoGameRecord, GoMatchTerms, RecordError, keep, kept, play
from scripts.laboratory.matches.display import RunDisplay
from scripts.laboratory.matches.terminal import INTERRUPTED

if TYPE_CHECKING:
    from collections.abc import Sequence


@click.command(context_settings={"max_content_width": 110})
@click.option(
    "--games", type=click.IntRange(1), default=40, show_default=True, help="In all, with those kept."
)
@click.option("--level", type=click.IntRange(0, 10), default=1, show_default=True, help="Of GNU Go.")
@click.option(
    "--seconds", type=click.FloatRange(0.001), default=1.0, show_default=True, help="A move of Lolli."
)
@click.option("--playouts", type=click.IntRange(0), default=0, help="A move of Lolli, instead of a time.")
@click.option("--size", type=click.IntRange(5, 19), default=9, show_default=True)
@click.option("--komi", type=float, default=7.5, show_default=True)
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="Games at the same time.")
@click.option("--gnugo", default="/usr/games/gnugo", show_default=True, help="The program.")
@click.option(
    "--record", type=click.Path(dir_okay=False, path_type=Path), help="Keep the games, and go on from here."
)
@click.option(
    "--every", type=click.IntRange(1), default=5, show_default=True, help="Games a line if no terminal."
)
def match_go(  # noqa: PLR0913, PLR0917 - an argument for each option
    games: int,
    level: int,
    seconds: float,
    playouts: int,
    size: int,
    komi: float,
    jobs: int,
    gnugo: str,
    record: Path | None,
    every: int,
) -> None:
    """Play Lolli's tree search against GNU Go: wins with a 95% interval, colours alternating.

    Chinese rules, positional superko. Lolli resigns after three moves in a row worth less than 5%, GNU Go
    when it likes. Otherwise two passes end a game, and the area decides as it stands, by Lolli's rules: GNU
    Go is told to take all dead stones off before it passes. Where it names another winner, that is said.
    """
    if shutil.which(gnugo) is None:
        raise click.UsageError(f"there is no {gnugo}; it comes with Debian's package gnugo")
    terms = GoMatchTerms(level, size, komi, seconds, playouts, program=gnugo)
    try:
        GoGame(komi=komi)
        played = _continued(record, terms) if record else []
    except (RecordError, SizeError) as error:
        raise click.UsageError(str(error)) from error
    numbers = sorted(set(range(games)) - {game.number for game in played})
    try:
        with LocalWorkers(jobs) as workers, RunDisplay("games", games, len(played), every) as display:
            for future in as_completed([workers.submit(play, number, terms) for number in numbers]):
                game = future.result()
                played.append(game)
                if record:
                    keep(record, terms, game)
                if game.theirs.partition("+")[0] != game.verdict.partition("+")[0]:
                    display.say(f"Game {game.number}: {game.verdict}, but GNU Go says {game.theirs}")
                display.show(len(played), summary(played))
    except (GtpEngineError, MoveError, WorkerDiedError, WorkersError, OSError) as error:
        sys.exit(f"The match cannot go on: {error}")
    except KeyboardInterrupt:
        print(f"Stopped. {summary(played)}" if played else "Stopped.")
        sys.exit(INTERRUPTED)
    print(f"Lolli against GNU Go, level {level}, {size} lines. {summary(played)}")


def _continued(record: Path, terms: GoMatchTerms) -> list[GoGameRecord]:
    """The games of a file to which more can be added. Raises RecordError."""
    try:
        os.close(descriptor_of(record, os.O_WRONLY | os.O_APPEND | os.O_CREAT))
        return kept(record, terms)
    except (OSError, UnicodeDecodeError) as error:
        raise RecordError(f"{record} cannot be used: {error}") from error


def summary(played: Sequence[GoGameRecord]) -> str:
    """Points and their interval, by colours, and the speed."""
    points = sum(game.won for game in played)
    low, high = wilson(points, len(played))
    colours = ", ".join(
        f"{sum(g.won for g in of):g}/{len(of)} as {colour}" for colour, of in _by_colour(played)
    )
    rate = sum(game.rate for game in played) / len(played)
    return (
        f"{points:g}/{len(played)} = {points / len(played):.0%} [{low:.0%}, {high:.0%}] ({colours});"
        f" {rate:,.0f} playouts/s"
    )


def _by_colour(played: Sequence[GoGameRecord]) -> list[tuple[str, list[GoGameRecord]]]:
    groups = [(colour, [game for game in played if game.colour == colour]) for colour in ("black", "white")]
    return [group for group in groups if group[1]]
