"""The command line of scripts/match."""

from __future__ import annotations

import contextlib
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from .book import OpeningSuite, OpeningSuiteError
from .display import RunDisplay
from .journal import JournalError
from .match import EngineMatch, Schedule
from .plan import EngineSpec, MatchRules, PlanError, parse_adjudication, parse_engine, parse_sprt
from .report import forfeit_line, status_line, summary
from .slots import JobError
from .store import Store
from .terminal import INTERRUPTED, interrupt_on_sigterm
from .words import Pairs, Words, WordsCommand

_OPENINGS = Path(__file__).parent.parent / "data" / "openings.epd"
_FAILED = 2
_FORFEITED = 1


@click.command(cls=WordsCommand, context_settings={"max_content_width": 110})
@click.option(
    "--engine", "engines", type=Words(), multiple=True, help="Twice: name= cmd= and what --each may hold."
)
@click.option(
    "--each",
    type=Words(),
    help="proto= dir= tc= nodes= depth= movetime= timemargin= ponder= option.NAME= for both.",
)
@click.option(
    "--games", type=click.IntRange(2), default=100, show_default=True, help="At most, an even number."
)
@click.option(
    "--concurrency", type=click.IntRange(1), default=1, show_default=True, help="Games at the same time."
)
@click.option(
    "--openings", type=click.Path(dir_okay=False, path_type=Path), help="EPD, FEN or PGN; .gz, .xz, .bz2."
)
@click.option("--order", type=click.Choice(["random", "sequential"]), default="random", show_default=True)
@click.option("--seed", type=int, default=1, show_default=True, help="Of the random order.")
@click.option("--chess960", is_flag=True, help="Play Chess960, by default from its 960 start positions.")
@click.option(
    "--sprt", type=Words(), help="Stop when decided: elo0= elo1= alpha= beta= model=logistic|normalised."
)
@click.option("--draw", type=Words(), help="Adjudicate draws: move=40 count=8 score=10.")
@click.option("--resign", type=Words(), help="Adjudicate wins: count=3 score=1000 both=0.")
@click.option("--max-moves", type=click.IntRange(1), help="Longer games are draws.")
@click.option("--restart", is_flag=True, help="Start the engines anew for each game.")
@click.option(
    "--stall",
    type=click.FloatRange(0.01),
    default=30.0,
    show_default=True,
    help="Seconds of silence allowed.",
)
@click.option(
    "--pgn", type=click.Path(dir_okay=False, path_type=Path), help="Keep the games, and go on from here."
)
@click.option("--event", default="Match", show_default=True, help="For the PGN.")
@click.option(
    "--every", type=click.IntRange(1), default=10, show_default=True, help="Games a line without a terminal."
)
@click.option("--fail-on-forfeit", is_flag=True, help="Exit with status 1 if any engine failed to play on.")
def match(  # noqa: PLR0913, PLR0917 - an argument for each option
    engines: tuple[Pairs, ...],
    each: Pairs | None,
    games: int,
    concurrency: int,
    openings: Path | None,
    order: str,
    seed: int,
    chess960: bool,
    sprt: Pairs | None,
    draw: Pairs | None,
    resign: Pairs | None,
    max_moves: int | None,
    restart: bool,
    stall: float,
    pgn: Path | None,
    event: str,
    every: int,
    fail_on_forfeit: bool,
) -> None:
    """Play two engines against each other, each opening once with either colour.

    \b
    scripts/lab match --engine name=new cmd=scripts/run --engine name=old cmd="../old/scripts/run" \\
        --each tc=1+0.01 option.Hash=16 --games 400 --concurrency 2 --pgn new-old.pgn --sprt elo0=0 elo1=10
    scripts/lab match --engine cmd=scripts/run --engine cmd=fairymax proto=xboard --each tc=3+0.03
    scripts/lab match --engine name=a cmd="polyglot -noini -ec .venv/bin/lolli" \\
        --engine name=b cmd="polyglot -noini -ec .venv/bin/lolli" \\
        --each proto=xboard ponder=true tc=2+0.02 --games 20 --fail-on-forfeit

    tc is [moves/][minutes:]seconds[+increment]; movetime and timemargin (by how much a clock may be
    overdrawn: 0, for XBoard engines 50) are in milliseconds. With ponder=true an engine thinks while its
    opponent does. With --pgn FILE the match is resumable: the same
    command goes on where it was stopped or killed, from FILE with the suffix .jsonl; length and SPRT may be
    changed.
    """
    try:
        rules = MatchRules(
            engines=_two([parse_engine(words, each or ()) for words in engines]),
            adjudication=parse_adjudication(draw, resign, max_moves),
            chess960=chess960,
            restart=restart,
            stall_seconds=stall,
            event=event,
        )
        schedule = Schedule(
            games=_even(games),
            book=_book(openings, chess960=chess960),
            seed=seed if order == "random" else None,
            sprt=parse_sprt(sprt),
        )
        store = Store(pgn, _identity(rules, schedule)) if pgn else None
    except (PlanError, OpeningSuiteError, JournalError) as error:
        raise click.UsageError(str(error)) from error
    with contextlib.closing(store) if store else contextlib.nullcontext():
        running = EngineMatch(rules, schedule, store)
        status = _play(running, rules, schedule, concurrency, every)
    if fail_on_forfeit and running.tally.forfeits:
        status = status or _FORFEITED
    sys.exit(status)


def _play(running: EngineMatch, rules: MatchRules, schedule: Schedule, concurrency: int, every: int) -> int:
    """Play on, showing how it goes, and sum up. The exit status."""
    status = 0
    tally = running.tally
    interrupt_on_sigterm()
    with RunDisplay("games", schedule.games, tally.played, every) as display:
        for warning in _warnings(rules, schedule):
            display.say(warning)
        try:
            with contextlib.closing(running.play(concurrency)) as records:
                for record in records:
                    if record.forfeiter is not None:
                        display.say(forfeit_line(record, rules.engines))
                    display.show(tally.played, status_line(tally, schedule.sprt))
        except KeyboardInterrupt:
            status = INTERRUPTED
        except (JobError, OpeningSuiteError) as error:
            display.say(f"The match cannot go on: {error}")
            status = _FAILED
    if tally.played:
        display.console.print(summary(tally, rules.engines, schedule.games, schedule.sprt), highlight=False)
    return status


def _warnings(rules: MatchRules, schedule: Schedule) -> list[str]:
    """What a careful arbiter would ask about."""
    warnings = []
    openings = len(schedule.book.entries)
    if openings < schedule.games // 2:
        warnings.append(f"There are {openings} openings for {schedule.games // 2} pairs: they are repeated.")
    if rules.engines[0].pace != rules.engines[1].pace:
        warnings.append("The engines play at different paces.")
    return warnings


def _two(engines: list[EngineSpec]) -> tuple[EngineSpec, EngineSpec]:
    if len(engines) != 2:
        raise PlanError(f"a match is between two engines, not {len(engines)}: give --engine twice")
    return engines[0], engines[1]


def _even(games: int) -> int:
    if games % 2:
        raise PlanError(f"--games must be even, since openings are played in pairs; {games} is not")
    return games


def _book(path: Path | None, *, chess960: bool) -> OpeningSuite:
    """The openings asked for, or those of the project, or the bare start positions."""
    if path is not None:
        return OpeningSuite.read(path, chess960=chess960)
    if chess960:
        return OpeningSuite.of_chess960()
    for suffix in (".gz", ".xz"):
        if (own := _OPENINGS.with_name(_OPENINGS.name + suffix)).exists():
            return OpeningSuite.read(own, chess960=False)
    return OpeningSuite.of_start_position()


def _identity(rules: MatchRules, schedule: Schedule) -> dict[str, Any]:
    """What two runs must have in common to be one match."""
    identity = asdict(rules) | {"openings": schedule.book.digest(), "seed": schedule.seed}
    del identity["event"]
    return identity
