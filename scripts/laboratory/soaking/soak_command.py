"""The command line of scripts/soak."""

from __future__ import annotations

import contextlib
import shlex
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scripts.laboratory.jobs import JobError
from scripts.laboratory.long_run import INTERRUPTED, JournalError, RunDisplay, interrupt_on_sigterm
from scripts.laboratory.matches.time_control import NS_PER_MS, MatchTimeControl, Pace
from scripts.laboratory.openings import OpeningSuite, OpeningSuiteError
from scripts.laboratory.options import OPENINGS, concurrency_option, record_option, seed_option
from scripts.laboratory.soaking.conditions import (
    OPPONENTS,
    VARIANTS,
    Disturbance,
    SoakPlan,
    SoakTerms,
    all_conditions,
)
from scripts.laboratory.soaking.report import fault_line, is_fault, summary
from scripts.laboratory.soaking.soak import Books, Soak

if TYPE_CHECKING:
    from collections.abc import Callable

_LOLLI = Path(__file__).parents[3] / ".venv" / "bin" / "lolli"
_FAILED = 2
_FAULTY = 1


class _Several(click.ParamType):  # type: ignore[type-arg] # generic since click 8.3
    """Values with commas between them."""

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


def _one_of(*words: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in words:
            raise ValueError(f"{text!r} is none of {', '.join(words)}")
        return text

    return read


def _threads(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 512:
        raise ValueError(f"{text!r} is not a number of threads")
    return int(text)


@click.command(context_settings={"max_content_width": 110})
@record_option
@click.option("--games", type=click.IntRange(1), default=10_000, show_default=True, help="In all.")
@click.option("--tc", default="0.2+0.005", show_default=True, help="[minutes:]seconds[+increment].")
@click.option(
    "--margin",
    type=click.FloatRange(0),
    default=30,
    show_default=True,
    help="By how many milliseconds a move may overdraw the clock.",
)
@click.option(
    "--stall",
    type=click.FloatRange(0.01),
    default=10,
    show_default=True,
    help="Seconds without an answer, beyond the clock, that are a stall of the engine's own.",
)
@click.option(
    "--opponents",
    type=_Several("self,stockfish", _one_of(*OPPONENTS)),
    default=",".join(OPPONENTS),
    show_default=True,
)
@click.option("--threads", type=_Several("N,…", _threads), default="1,2,4", show_default=True)
@click.option(
    "--variants",
    type=_Several("standard,chess960", _one_of(*VARIANTS)),
    default=",".join(VARIANTS),
    show_default=True,
)
@click.option(
    "--ponder", "ponders", type=_Several("off,on", _one_of("off", "on")), default="off,on", show_default=True
)
@click.option(
    "--disturbances",
    type=_Several("DISTURBANCE,…", Disturbance.parse),
    default="calm,busy,slow=5,stalls=20-100,stalls=100-500",
    show_default=True,
    help="calm; busy=N: other programs a processor; slow=MS: pipes; stalls=LOW-HIGH: both engines stopped.",
)
@click.option(
    "--stops",
    type=click.FloatRange(0),
    default=3,
    show_default=True,
    help="How often both engines are stopped in a game, on the average.",
)
@click.option(
    "--max-moves", type=click.IntRange(1), default=250, show_default=True, help="Longer games are draws."
)
@click.option("--engine", default=str(_LOLLI), help="The engine that is tried, by default this Lolli.")
@click.option("--stockfish", default="/usr/games/stockfish", show_default=True)
@seed_option("stops")
@concurrency_option
@click.option(
    "--block",
    type=click.IntRange(2),
    default=50,
    show_default=True,
    help="Games under a condition before the next one's turn; an even number.",
)
@click.option(
    "--every", type=click.IntRange(1), default=50, show_default=True, help="Games a line without a terminal."
)
def soak(  # noqa: PLR0913, PLR0917 - an argument for each option
    record: Path,
    games: int,
    tc: str,
    margin: float,
    stall: float,
    opponents: tuple[str, ...],
    threads: tuple[int, ...],
    variants: tuple[str, ...],
    ponders: tuple[str, ...],
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
    """Let Lolli play thousands of fast games under all combinations of conditions, and watch it.

    \b
    scripts/lab soak --record soak.jsonl
    scripts/lab soak --record stalls.jsonl --games 200 --tc 3+0.03 --opponents self --threads 1 \\
        --variants standard --ponder off --disturbances stalls=20-300

    Each game is on record when it is over, with what the engines did with their clocks and what memory,
    descriptors and threads they held. The same command goes on where it was stopped or killed; --games may be
    changed. As many games are played at the same time as --concurrency processors have room for. The exit
    status is 1 if Lolli crashed, did not answer, made an illegal move or lost on time without having been
    stopped.
    """
    if block % 2:
        raise click.UsageError(f"--block must be even, since openings are played in pairs; {block} is not")
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
        on = [word == "on" for word in ponders]
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
    """What two runs must have in common to be one soak."""
    conditions = [str(condition) for condition in plan.conditions]
    return asdict(terms) | {
        "conditions": conditions,
        "block": plan.block,
        "openings": openings.digest(),
    }


def _play(running: Soak, terms: SoakTerms, plan: SoakPlan, concurrency: int, every: int) -> int:
    """Play on, showing how it goes, and sum up. The exit status."""
    interrupt_on_sigterm()
    status = 0
    faults = sum(is_fault(game, plan.condition(game.record.number)) for game in running.games)
    with RunDisplay("games", plan.games, len(running.games), every) as display:
        try:
            with contextlib.closing(running.play(concurrency)) as games:
                for game in games:
                    condition = plan.condition(game.record.number)
                    faults += is_fault(game, condition)
                    if game.record.forfeiter is not None:
                        display.say(fault_line(game, plan, terms))
                    display.show(len(running.games), f"faults {faults}  {condition}")
        except KeyboardInterrupt:
            status = INTERRUPTED
        except (JobError, OpeningSuiteError) as error:
            display.say(f"The soak cannot go on: {error}")
            status = _FAILED
    if running.games:
        display.console.print(summary(running.games, plan, terms), highlight=False)
    return status or (_FAULTY if faults else 0)
