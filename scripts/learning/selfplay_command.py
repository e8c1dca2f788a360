"""The command line of scripts/selfplay."""

from __future__ import annotations

import contextlib
import sys
import time
from pathlib import Path

import click

from eval.learning.start import hand_set
from eval.weight_file import STANDARD, Weights, WeightsError, load
from scripts.matches.book import Book, BookError
from scripts.matches.display import Display
from scripts.matches.journal import JournalError
from scripts.matches.slots import SlotError
from scripts.matches.terminal import INTERRUPTED, interrupt_on_sigterm

from .duelling import OPENINGS, concurrency_option
from .selfplay import BLOCK, Rules, SelfPlay, Tally

_FAILED = 2


@click.command(context_settings={"max_content_width": 110})
@click.option(
    "--out",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="The folder for the positions; a run of the same settings goes on from there.",
)
@click.option("--games", type=click.IntRange(1), required=True, help="To be played in all.")
@click.option("--nodes", type=click.IntRange(1), default=5000, show_default=True, help="Of each search.")
@click.option(
    "--eval",
    "evaluator",
    type=click.Choice(["linear", "material"]),
    default="linear",
    show_default=True,
    help="Of both sides.",
)
@click.option(
    "--weights",
    metavar="FILE|hand",
    default=STANDARD,
    help="Of --eval linear; `hand` for those set by hand; eval/weights/linear.json by default.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Of the openings.")
@concurrency_option
@click.option(
    "--random-plies",
    type=click.IntRange(0),
    default=4,
    show_default=True,
    help="At most so many follow the opening.",
)
@click.option(
    "--openings",
    type=click.Path(dir_okay=False, path_type=Path),
    default=OPENINGS,
    help="EPD, FEN or PGN; .gz, .xz, .bz2; scripts/data/openings.epd.xz by default.",
)
@click.option(
    "--every",
    type=click.IntRange(1),
    default=BLOCK,
    show_default=True,
    help="Games a line without a terminal.",
)
def selfplay(  # noqa: PLR0913, PLR0917 - an argument for each option
    folder: Path,
    games: int,
    nodes: int,
    evaluator: str,
    weights: str,
    seed: int,
    concurrency: int,
    random_plies: int,
    openings: Path,
    every: int,
) -> None:
    """Let Lolli play itself, and keep the quiet positions with the game's result and the search's score.

    \b
    scripts/selfplay --out data/first --games 20000
    scripts/selfplay --out data/second --games 20000 --weights hand --seed 2

    The same settings make the same files whatever the number of processors. A run that was stopped or killed
    goes on from the last blocks of games that were finished; --games may be changed.
    """
    try:
        rules = Rules(
            book=Book.read(openings, chess960=False),
            weights=_weights(weights) if evaluator == "linear" else None,
            nodes=nodes,
            seed=seed,
            random_plies=random_plies,
        )
        run = SelfPlay(folder, rules, games)
    except (BookError, WeightsError, JournalError, OSError) as error:
        raise click.UsageError(str(error)) from error
    with contextlib.closing(run):
        sys.exit(_play(run, games, concurrency, every))


def _weights(name: str) -> Weights:
    """Raises WeightsError."""
    return hand_set() if name == "hand" else load(Path(name))


def _play(run: SelfPlay, games: int, concurrency: int, every: int) -> int:
    """Play on, showing how it goes. The exit status."""
    interrupt_on_sigterm()
    tally = run.tally
    pace = Pace(tally)
    with Display("games", games, tally.games, every) as display:
        try:
            with contextlib.closing(run.play(concurrency)) as finished:
                for _ in finished:
                    display.show(tally.games, f"{results_line(tally)}  {pace}")
        except KeyboardInterrupt:
            return INTERRUPTED
        except (SlotError, OSError) as error:
            display.say(f"This cannot go on: {error}")
            return _FAILED
        display.say(f"{tally.games} games, {tally.samples} positions; {endings_line(tally)}")
    return 0


class Pace:
    """How fast positions come in, over the whole of this run."""

    def __init__(self, tally: Tally) -> None:
        """Begin now."""
        self._tally = tally
        self._before = tally.samples
        self._started = time.monotonic()

    def __str__(self) -> str:
        elapsed = max(time.monotonic() - self._started, 1e-9)
        rate = (self._tally.samples - self._before) / elapsed
        return f"{self._tally.samples} positions, {rate:.0f}/s"


def results_line(tally: Tally) -> str:
    """White's wins, draws and losses in per cent."""
    shares = (100 * tally.results[result] / max(tally.games, 1) for result in (1, 0, -1))
    return "White {:.0f}% draws {:.0f}% Black {:.0f}%".format(*shares)


def endings_line(tally: Tally) -> str:
    """How the games ended, the most frequent first."""
    return ", ".join(f"{ending} {count}" for ending, count in tally.endings.most_common())
