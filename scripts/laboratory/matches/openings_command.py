"""The command line of scripts/openings."""

from __future__ import annotations

import contextlib
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from .book import OpeningSuite, OpeningSuiteError
from .display import RunDisplay
from .journal import JournalError, RunJournal
from .opening_check import OpeningRules
from .opening_maker import OpeningMaker, write_openings
from .plan import PlanError, parse_engine
from .random_play import BookSource, RandomSource
from .slots import JobError
from .terminal import INTERRUPTED, interrupt_on_sigterm
from .words import Pairs, Words, WordsCommand

_SCRIPTS = Path(__file__).parent.parent
_OWN_ENGINE = [("name", "Lolli"), ("cmd", f"'{_SCRIPTS / 'run'}'"), ("option.Hash", "1")]
_OPENINGS_A_LINE = 1000
_FAILED = 2


@click.command(cls=WordsCommand, context_settings={"max_content_width": 110})
@click.option("--engine", type=Words(), help="The judge, cmd= option.NAME=; scripts/run by default.")
@click.option(
    "--count", "wanted", type=click.IntRange(1), default=20_000, show_default=True, help="Openings to make."
)
@click.option("--nodes", type=click.IntRange(1), default=20_000, show_default=True, help="Of each search.")
@click.option(
    "--max-score", type=click.IntRange(0), default=60, show_default=True, help="In centipawns, either way."
)
@click.option("--seed", type=int, default=1, show_default=True, help="Of the random play.")
@click.option(
    "--concurrency", type=click.IntRange(1), default=1, show_default=True, help="Searches at a time."
)
@click.option("--chess960", is_flag=True, help="Start from the 960 start positions.")
@click.option(
    "--from",
    "candidates",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Choose all that are fit from this file, instead of from random play.",
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    default=_SCRIPTS / "data" / "openings.epd.xz",
    help="Compressed if it ends with .gz, .xz or .bz2; scripts/laboratory/data/openings.epd.xz by default.",
)
def openings(  # noqa: PLR0913, PLR0917 - an argument for each option
    engine: Pairs | None,
    wanted: int,
    nodes: int,
    max_score: int,
    seed: int,
    concurrency: int,
    chess960: bool,
    candidates: Path | None,
    output: Path,
) -> None:
    """Make openings for matches: random play from the start, mixed with sensible moves, judged by a search.

    Taken are positions without check, with level material, and with a score of at most --max-score after
    --nodes nodes. With option.Eval=material --max-score 0 is enough, and means that nothing hangs. The same
    arguments make the same file. A run that was stopped goes on from OUTPUT.jsonl.

    \b
    scripts/lab openings
    scripts/lab openings --engine cmd=/usr/games/stockfish --max-score 60 \\
        --from scripts/laboratory/data/openings.epd.xz --output checked.epd
    """
    try:
        rules = OpeningRules(
            engine=parse_engine(engine or _OWN_ENGINE, [("nodes", str(nodes))]),
            source=_source(candidates, seed, chess960=chess960),
            max_score=max_score,
            chess960=chess960,
        )
        journal = RunJournal(output.with_name(f"{output.name}.jsonl"), _identity(rules))
        maker = OpeningMaker(rules, None if candidates else wanted, journal)
    except (PlanError, OpeningSuiteError, JournalError) as error:
        raise click.UsageError(str(error)) from error
    with journal:
        status = _make(maker, wanted, concurrency)
        if status == 0:
            _write(output, maker)
            journal.remove()
    sys.exit(status)


def _write(output: Path, maker: OpeningMaker) -> None:
    """Write the openings and say what they are. Raises ClickException; the journal still has them."""
    try:
        write_openings(output, maker.openings)
    except OSError as error:
        raise click.ClickException(f"{output}: {error.strerror}") from error
    size = output.stat().st_size
    click.echo(f"{len(maker.openings)} of {maker.examined} positions, {size} bytes: {output}")


def _make(maker: OpeningMaker, wanted: int, concurrency: int) -> int:
    """Make the openings, showing how it goes. The exit status."""
    interrupt_on_sigterm()
    with RunDisplay("openings", wanted, len(maker.openings), _OPENINGS_A_LINE) as display:
        try:
            with contextlib.closing(maker.run(concurrency)) as steps:
                for _ in steps:
                    display.show(len(maker.openings), f"of {maker.examined} candidates")
        except KeyboardInterrupt:
            return INTERRUPTED
        except (JobError, OpeningSuiteError) as error:
            display.say(f"This cannot go on: {error}")
            return _FAILED
    return 0


def _source(path: Path | None, seed: int, *, chess960: bool) -> RandomSource | BookSource:
    if path is None:
        return RandomSource(seed, chess960)
    return BookSource(OpeningSuite.read(path, chess960=chess960))


def _identity(rules: OpeningRules) -> dict[str, Any]:
    """What two runs must have in common to be one."""
    source = rules.source
    origin = source.seed if isinstance(source, RandomSource) else source.book.digest()
    return {
        "engine": asdict(rules.engine),
        "source": origin,
        "max_score": rules.max_score,
        "chess960": rules.chess960,
    }
