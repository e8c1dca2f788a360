"""`scripts/lab match`."""

from __future__ import annotations

import contextlib
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from scripts.laboratory.jobs import JobError
from scripts.laboratory.lab_options import (
    OPENINGS,
    WIDE,
    KeyValues,
    Words,
    WordsCommand,
    amount_option,
    choice_option,
    count_option,
    every_option,
    file_option,
    require_even,
    seed_option,
)
from scripts.laboratory.long_run import JournalError, RunDisplay, exit_status
from scripts.laboratory.matches.engine_match import EngineMatch, Schedule
from scripts.laboratory.matches.match_display import MatchDisplay, can_watch
from scripts.laboratory.matches.match_report import forfeit_line, status_line, summary
from scripts.laboratory.matches.plan import (
    EngineSpec,
    MatchRules,
    PlanError,
    parse_adjudication,
    parse_engine,
    parse_sprt,
)
from scripts.laboratory.matches.store import Store
from scripts.laboratory.openings import OpeningSuite, OpeningSuiteError

if TYPE_CHECKING:
    from pathlib import Path

_FORFEITED = 1


@click.command(cls=WordsCommand, context_settings=WIDE)
@click.option("--engine", "engines", type=Words(), multiple=True, help="Give it twice: name= cmd= …")
@click.option(
    "--each",
    type=Words(),
    help="For both: proto= dir= tc= nodes= depth= movetime= nodestime= timemargin= ponder= option.NAME=",
)
@count_option("--games", 100, "Number of games at most, even.", least=2)
@count_option("--concurrency", 1, "Games at the same time.")
@file_option("--openings", "Openings: EPD, FEN or PGN, also .gz, .xz, .bz2.")
@choice_option("--order", ("random", "sequential"), "random", "Order of the openings.")
@seed_option("the random order")
@click.option("--chess960", is_flag=True, help="Play Chess960, by default from its 960 start positions.")
@click.option(
    "--sprt", type=Words(), help="Stop when decided: elo0= elo1= alpha= beta= model=logistic|normalised."
)
@click.option("--draw", type=Words(), help="Adjudicate draws: move=40 count=8 score=10.")
@click.option("--resign", type=Words(), help="Adjudicate losses: count=3 score=1000 both=0.")
@count_option("--max-moves", None, "Adjudicate longer games as draws.")
@click.option("--restart", is_flag=True, help="Restart the engines for each game.")
@amount_option("--stall", 30.0, "Seconds of silence after which an engine forfeits.", least=0.01)
@file_option("--pgn", "Write the games here; the match resumes from it.")
@click.option("--event", default="Match", show_default=True, help="Event in the PGN.")
@every_option(10)
@click.option("--watch", is_flag=True, help="Show the games on boards while they are played, in a terminal.")
@click.option("--fail-on-forfeit", is_flag=True, help="Exit with status 1 if an engine failed to play on.")
def match(  # noqa: PLR0913, PLR0917 - an argument for each option
    engines: tuple[KeyValues, ...],
    each: KeyValues | None,
    games: int,
    concurrency: int,
    openings: Path | None,
    order: str,
    seed: int,
    chess960: bool,
    sprt: KeyValues | None,
    draw: KeyValues | None,
    resign: KeyValues | None,
    max_moves: int | None,
    restart: bool,
    stall: float,
    pgn: Path | None,
    event: str,
    every: int,
    watch: bool,
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

    tc is [moves/][minutes:]seconds[+increment]. movetime and timemargin are in milliseconds; timemargin is
    the time by which a move may exceed the clock, by default 0, or 50 for XBoard engines. With ponder=true
    an engine thinks while its opponent does. With nodestime=N the clock counts the nodes that the engine
    reports, N as a millisecond: a match on the clock that a busy machine does not disturb, for engines with
    the option of that name. With --pgn FILE the same command resumes an interrupted match,
    from the journal FILE with the suffix .jsonl; --games and --sprt may be changed.

    With --watch there is a board for each of the games at the same time, as many and as large as the terminal
    has room for, with the clocks, and White's view of each engine's last score and its depth.
    """
    require_even(games, "openings")
    if watch and not can_watch():
        raise click.UsageError("--watch needs a terminal to draw on: standard output is none")
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
            games=games,
            book=_openings(openings, chess960=chess960),
            seed=seed if order == "random" else None,
            sprt=parse_sprt(sprt),
        )
        store = Store(pgn, _identity(rules, schedule)) if pgn else None
    except (PlanError, OpeningSuiteError, JournalError) as error:
        raise click.UsageError(str(error)) from error
    with contextlib.closing(store) if store else contextlib.nullcontext():
        running = EngineMatch(rules, schedule, store)
        if watch:
            display: RunDisplay = MatchDisplay(running, rules, schedule, concurrency)
        else:
            display = RunDisplay("games", games, running.tally.played, every)
        status = _play(running, rules, schedule, concurrency, display)
    if fail_on_forfeit and running.tally.forfeits:
        status = status or _FORFEITED
    sys.exit(status)


def _play(
    running: EngineMatch, rules: MatchRules, schedule: Schedule, concurrency: int, display: RunDisplay
) -> int:
    """Play the remaining games, show the progress, and print the summary. The exit status."""
    tally = running.tally
    follow = display.follow if isinstance(display, MatchDisplay) else None
    with display:
        for warning in _warnings(rules, schedule):
            display.say(warning)

        def play() -> None:
            with contextlib.closing(running.play(concurrency, follow)) as records:
                for record in records:
                    if isinstance(display, MatchDisplay):
                        display.ended(record)
                    if record.forfeiter is not None:
                        display.say(forfeit_line(record, rules.engines))
                    display.show(tally.played, status_line(tally, schedule.sprt))

        status = exit_status(play, display.say, JobError, OpeningSuiteError)
    if tally.played:
        display.console.print(summary(tally, rules.engines, schedule.games, schedule.sprt), highlight=False)
    return status


def _warnings(rules: MatchRules, schedule: Schedule) -> list[str]:
    """What makes the match less fair than it could be."""
    warnings = []
    openings = len(schedule.book.entries)
    if openings < schedule.games // 2:
        warnings.append(f"There are {openings} openings for {schedule.games // 2} pairs: they are repeated.")
    if rules.engines[0].pace != rules.engines[1].pace:
        warnings.append("The engines have different limits.")
    return warnings


def _two(engines: list[EngineSpec]) -> tuple[EngineSpec, EngineSpec]:
    if len(engines) != 2:
        raise PlanError(f"a match needs two engines, not {len(engines)}: give --engine twice")
    return engines[0], engines[1]


def _openings(path: Path | None, *, chess960: bool) -> OpeningSuite:
    """The openings of a file or, by default, the project's suite or the start positions of Chess960."""
    if path is None and chess960:
        return OpeningSuite.of_chess960()
    return OpeningSuite.read(path or OPENINGS, chess960=chess960)


def _identity(rules: MatchRules, schedule: Schedule) -> dict[str, Any]:
    """What two runs must have in common to be the same match."""
    identity = asdict(rules) | {"openings": schedule.book.digest(), "seed": schedule.seed}
    del identity["event"]
    return identity
