"""`scripts/lab soak`."""

from __future__ import annotations

import contextlib
import shlex
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scripts.laboratory.engine_pipe import NS_PER_MS
from scripts.laboratory.jobs import JobError
from scripts.laboratory.lab_options import (
    OPENINGS,
    ROOT,
    WIDE,
    amount_option,
    count_option,
    every_option,
    jobs_option,
    record_option,
    seed_option,
)
from scripts.laboratory.long_run import JournalError, RunDisplay, exit_status
from scripts.laboratory.matches.time_control import MatchTimeControl, Pace
from scripts.laboratory.openings import OpeningSuite, OpeningSuiteError
from scripts.laboratory.soaking.conditions import (
    OPPONENTS,
    VARIANTS,
    Disturbance,
    SoakPlan,
    SoakTerms,
    all_conditions,
)
from scripts.laboratory.soaking.soak import Books, Soak
from scripts.laboratory.soaking.soak_report import fault_line, is_fault, summary

if TYPE_CHECKING:
    from collections.abc import Callable

_LOLLI = ROOT / ".venv" / "bin" / "lolli"
_FAULTY = 1


class _Several(click.ParamType):  # type: ignore[type-arg] # generic since click 8.3
    """A list of values, separated by commas."""

    def __init__(self, name: str, read: Callable[[str], Any]) -> None:
        self.name = name
        self._read = read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read each value."""
        if not isinstance(value, str):
            return value
        try:
            return tuple(self._read(word) for word in value.split(","))
        except ValueError as error:
            self.fail(str(error), param, ctx)


def _several_option(
    name: str, metavar: str, read: Callable[[str], Any], default: str, purpose: str
) -> Callable[[Any], Any]:
    """An option for a list of values, each of which `read` makes from a word or raises ValueError."""
    kind = _Several(metavar, read)
    return click.option(name, type=kind, default=default, show_default=True, help=purpose)


def _one_of(*words: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in words:
            raise ValueError(f"{text!r} is not one of {', '.join(words)}")
        return text

    return read


def _threads(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 512:
        raise ValueError(f"{text!r} is not a number of threads")
    return int(text)


@click.command(context_settings=WIDE)
@record_option
@count_option("--games", 10_000, "Number of games in all.")
@click.option("--tc", default="0.2+0.005", show_default=True, help="[minutes:]seconds[+increment].")
@amount_option("--margin", 30, "Milliseconds by which a move may exceed the clock.")
@amount_option("--stall", 10, "Seconds beyond the clock after which a silent engine has stalled.", least=0.01)
@_several_option("--opponents", "self,stockfish", _one_of(*OPPONENTS), ",".join(OPPONENTS), "Opponents.")
@_several_option("--threads", "N,…", _threads, "1,2,4", "Threads of each engine.")
@_several_option(
    "--variants", "standard,chess960", _one_of(*VARIANTS), ",".join(VARIANTS), "Variants of chess."
)
@_several_option("--ponder", "off,on", _one_of("off", "on"), "off,on", "Whether the engines ponder.")
@_several_option(
    "--disturbances",
    "DISTURBANCE,…",
    Disturbance.parse,
    "calm,busy,slow=5,stalls=20-100,stalls=100-500",
    "calm; busy=N: programs per processor; slow=MS: delayed pipes; stalls=LOW-HIGH: stopped engines.",
)
@amount_option("--stops", 3, "Mean number of stalls in a game.")
@count_option("--max-moves", 250, "Adjudicate longer games as draws.")
@click.option(
    "--engine", default=str(_LOLLI), help="Engine under test; default: that of this project's .venv."
)
@click.option("--stockfish", default="/usr/games/stockfish", show_default=True, help="Stockfish.")
@seed_option("openings and stalls")
@jobs_option("--concurrency", "Processors to use.")
@count_option("--block", 50, "Games under a condition before the next condition, even.", least=2)
@every_option(50)
def soak(  # noqa: PLR0913, PLR0917 - an argument for each option
    record: Path,
    games: int,
    tc: str,
    margin: float,
    stall: float,
    opponents: tuple[str, ...],
    threads: tuple[int, ...],
    variants: tuple[str, ...],
    ponder: tuple[str, ...],
    disturbances: tuple[Disturbance, ...],
    stops: float,
    max_moves: int,
    engine: str,
    stockfish: str,
    seed: int,
    concurrency: int,
    block: int,
    every: int,
) -> None:
    """Play thousands of fast games under all combinations of conditions, and watch the engine.

    \b
    scripts/lab soak --record soak.jsonl
    scripts/lab soak --record stalls.jsonl --games 200 --tc 3+0.03 --opponents self --threads 1 \\
        --variants standard --ponder off --disturbances stalls=20-300

    Each game is recorded when it is over, with the use of the clocks and the memory, descriptors and threads
    that the engines held. The same command resumes a soak that was stopped or killed; --games may be changed.
    As many games are played at the same time as fit on --concurrency processors. The exit status is 1 if
    Lolli crashed, stalled, made an illegal move, or lost on time without being stopped.
    """
    if block % 2:
        raise click.UsageError(f"--block must be even, because openings are used in pairs: {block}")
    try:
        terms = SoakTerms(
            engine=tuple(shlex.split(engine)),
            stockfish=tuple(shlex.split(stockfish)),
            pace=Pace(MatchTimeControl.parse(tc)),
            margin=int(margin * NS_PER_MS),
            stall_seconds=stall,
            stops=stops,
            max_moves=max_moves,
            seed=seed,
        )
        on = [word == "on" for word in ponder]
        plan = SoakPlan(all_conditions(opponents, threads, variants, on, disturbances, seed), games, block)
        books = {
            "standard": OpeningSuite.read(OPENINGS, chess960=False),
            "chess960": OpeningSuite.of_chess960(),
        }
        openings = Books({variant: books[variant] for variant in variants}, seed)
        running = Soak(record, _identity(terms, plan, openings), terms, plan, openings)
    except (ValueError, OpeningSuiteError, JournalError) as error:
        raise click.UsageError(str(error)) from error
    with contextlib.closing(running):
        sys.exit(_play(running, terms, plan, concurrency, every))


def _identity(terms: SoakTerms, plan: SoakPlan, openings: Books) -> dict[str, Any]:
    """What two runs must have in common to be the same soak."""
    conditions = [str(condition) for condition in plan.conditions]
    return asdict(terms) | {
        "conditions": conditions,
        "block": plan.block,
        "openings": openings.digest(),
    }


def _play(running: Soak, terms: SoakTerms, plan: SoakPlan, concurrency: int, every: int) -> int:
    """Play the remaining games, show the progress, and print the summary. The exit status."""
    faults = sum(is_fault(game, plan.condition(game.record.number)) for game in running.games)

    def play() -> None:
        nonlocal faults
        with contextlib.closing(running.play(concurrency)) as games:
            for game in games:
                condition = plan.condition(game.record.number)
                faults += is_fault(game, condition)
                if game.record.forfeiter is not None:
                    display.say(fault_line(game, plan, terms))
                display.show(len(running.games), f"faults {faults}  {condition}")

    with RunDisplay("games", plan.games, len(running.games), every) as display:
        status = exit_status(play, display.say, JobError, OpeningSuiteError)
    if running.games:
        display.console.print(summary(running.games, plan, terms), highlight=False)
    return status or (_FAULTY if faults else 0)
