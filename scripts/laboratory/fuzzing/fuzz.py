"""`scripts/lab fuzz`: random and damaged lines to the engine, and what is wrong with its answers."""

from __future__ import annotations

import contextlib
import math
import shlex
import sys
import sysconfig
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.table import Table

from protocol.text import located, printable
from scripts.laboratory.fuzzing.dialogue import MOST_MEMORY, TOGETHER, CaseError, Dialogue, SilenceError
from scripts.laboratory.fuzzing.gtp import Gtp
from scripts.laboratory.fuzzing.uci import Idle, Options, Searching
from scripts.laboratory.jobs import JobError, run_jobs
from scripts.laboratory.lab_options import WIDE, choices_option, count_option, jobs_option, seed_option
from scripts.laboratory.long_run import RunDisplay, exit_status

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

TARGETS: dict[str, Callable[[Sequence[str]], Dialogue]] = {
    "uci": Idle,
    "uci-searching": Searching,
    "options": Options,
    "gtp": Gtp,
}
_SHARES = {"uci": 20, "uci-searching": 10, "options": 4, "gtp": 10}
_ALL = "all"
_WRONG = (CaseError, IndexError, ValueError)
_TRIES = 40
"""How many smaller dialogues may be tried after a failure."""
_MINIMISED = 2
"""Failures of a stretch that are minimised."""
_STRETCH = 25 * TOGETHER
"""Lines to one process."""


@dataclass(slots=True)
class FuzzOutcome:
    """The results of lines: `slowest` in seconds, `peak` in bytes, failures as number, message and lines."""

    target: str
    cases: int = 0
    answers: int = 0
    slowest: float = 0.0
    peak: int = 0
    failures: list[tuple[int, str, list[bytes]]] = field(default_factory=list)

    def add(self, other: FuzzOutcome) -> None:
        """Add the results of other lines."""
        self.cases += other.cases
        self.answers += other.answers
        self.slowest = max(self.slowest, other.slowest)
        self.peak = max(self.peak, other.peak)
        self.failures += other.failures


class Fuzzer:
    """Runs stretches of lines. See scripts.laboratory.jobs.JobWorker."""

    def __init__(self, seed: int, command: Sequence[str]) -> None:
        """`command` starts the engine."""
        self._seed = seed
        self._command = command
        self._dialogue: Dialogue | None = None

    def work(self, stretch: tuple[str, int, int]) -> FuzzOutcome:
        """Run lines of a target, from a number up to another, whether they fail or not."""
        name, first, beyond = stretch
        self._dialogue = dialogue = TARGETS[name](self._command)
        done = FuzzOutcome(name)
        for begin in range(first, beyond, TOGETHER):
            lines = [
                dialogue.case(self._seed, number) for number in range(begin, min(begin + TOGETHER, beyond))
            ]
            self._run(dialogue, begin, lines, done)
        try:
            dialogue.process.close()
        except CaseError as error:
            done.failures.append((beyond - 1, str(error), []))
        done.peak = dialogue.process.peak()
        self.close()
        return done

    def close(self) -> None:
        """Kill the engine."""
        if self._dialogue is not None:
            self._dialogue.process.kill()
            self._dialogue = None

    @staticmethod
    def _run(dialogue: Dialogue, begin: int, lines: list[bytes], done: FuzzOutcome) -> None:
        """Run lines that share a state."""
        count = 0
        try:
            for answers, seconds in dialogue.run(lines):
                done.answers += answers
                done.slowest = max(done.slowest, seconds)
                count += 1
        except _WRONG as error:
            dialogue.process.kill()
            what, left = _message(error), lines[: count + 1]
            if len(done.failures) < _MINIMISED and not isinstance(error, SilenceError):
                left = needed(left, lambda fewer: bool(failure_of(dialogue, fewer)), _TRIES)
            done.failures.append((begin + min(count, len(lines) - 1), what, left))
        done.cases += len(lines)


def failure_of(dialogue: Dialogue, lines: Sequence[bytes]) -> str:
    """How these lines fail; empty if they do not."""
    try:
        for _ in dialogue.run(lines):
            pass
    except _WRONG as error:
        dialogue.process.kill()
        return _message(error)
    return ""


def _message(error: Exception) -> str:
    return str(error) if isinstance(error, CaseError) else located(error)


def needed(lines: list[bytes], fails: Callable[[list[bytes]], bool], tries: int) -> list[bytes]:
    """Lines with which it still fails, after at most `tries` attempts to leave some out.

    It leaves out halves, then quarters and so on (delta debugging: Zeller and Hildebrandt, Simplifying and
    Isolating Failure-Inducing Input, 2002).
    """
    size = len(lines) // 2
    while size and tries > 0:
        begin, smaller = 0, False
        while begin < len(lines) and tries > 0:
            fewer = lines[:begin] + lines[begin + size :]
            tries -= 1
            if fewer and fails(fewer):
                lines, smaller = fewer, True
            else:
                begin += size
        if not smaller or size > len(lines):
            size //= 2
    return lines


@click.command(context_settings=WIDE)
@choices_option("--target", [*TARGETS, _ALL], "Fuzz this target; repeatable.", _ALL, to="names")
@count_option("--count", 10_000, "Number of lines in all.")
@seed_option("the random numbers")
@count_option("--first", 0, f"Number of the first line: a multiple of {TOGETHER}.", least=0)
@jobs_option("--jobs", "Engines at the same time.")
@click.option(
    "--save",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("build", "fuzz"),
    show_default=True,
    help="Folder for lines that fail.",
)
@click.option(
    "--replay",
    type=click.Path(exists=True, path_type=Path),
    multiple=True,
    help="Run only the lines in this file; repeatable.",
)
@click.option("--lolli", metavar="COMMAND", help="Command of Lolli; default: that of this project's .venv.")
def fuzz(
    names: tuple[str, ...],
    count: int,
    seed: int,
    first: int,
    jobs: int,
    save: Path,
    replay: tuple[Path, ...],
    lolli: str | None,
) -> None:
    """Feed random and damaged lines to the engine over UCI and GTP, and check every answer.

    A line depends only on the seed and its number; 40 lines share a state. Lines that fail are minimised and
    saved to a file, with the command that repeats them. The exit status is 1 if any failed.

    Files and texts (FEN, PGN, books, networks) are fuzzed by the tests, with hypothesis.
    """
    engine = shlex.split(lolli) if lolli else [str(Path(sysconfig.get_path("scripts"), "lolli"))]
    targets = list(TARGETS) if _ALL in names else list(dict.fromkeys(names))
    if replay:
        sys.exit(_replayed(targets, replay, engine))
    shares = sum(_SHARES[name] for name in targets)
    counts = {name: math.ceil(count * _SHARES[name] / shares) for name in targets}
    stretches = [
        (name, first + begin, first + min(begin + _STRETCH, counts[name]))
        for begin in range(0, max(counts.values()), _STRETCH)
        for name in targets
        if begin < counts[name]
    ]
    outcomes = {name: FuzzOutcome(name) for name in targets}

    def run() -> None:
        with contextlib.closing(run_jobs(partial(Fuzzer, seed, engine), stretches, jobs)) as results:
            for outcome in results:
                for failure in outcome.failures:
                    _report(outcome.target, *failure, save, display)
                outcomes[outcome.target].add(outcome)
                failures = sum(len(each.failures) for each in outcomes.values())
                display.show(sum(each.cases for each in outcomes.values()), f"{failures} failures")

    with RunDisplay("lines", sum(counts.values()), 0, max(1, count // 20)) as display:
        status = exit_status(run, display.say, JobError)
    display.console.print(_table(outcomes, seed), highlight=False)
    sys.exit(status or int(any(each.failures for each in outcomes.values())))


def _report(target: str, number: int, what: str, lines: list[bytes], save: Path, display: RunDisplay) -> None:
    """Save the lines of a failure, and show it."""
    display.say(f"{target} {number}: {printable(what)}")
    if lines:
        save.mkdir(parents=True, exist_ok=True)
        path = save / f"{target}-{number}"
        path.write_bytes(b"\n".join(lines))
        display.say(f"    scripts/lab fuzz --target {target} --replay {shlex.quote(str(path))}")


def _replayed(targets: Sequence[str], files: Sequence[Path], engine: Sequence[str]) -> int:
    """Run the lines in files. The exit status."""
    if len(targets) != 1:
        raise click.UsageError("--replay needs exactly one --target")
    failed = False
    for path in files:
        what = replayed(targets[0], path.read_bytes(), engine)
        click.echo(f"{path}: {printable(what) or 'passed'}")
        failed = failed or bool(what)
    return int(failed)


def replayed(name: str, data: bytes, engine: Sequence[str]) -> str:
    """How saved lines fail; empty if they do not."""
    dialogue = TARGETS[name](engine)
    try:
        what = failure_of(dialogue, data.split(b"\n"))
        dialogue.process.close()
    except CaseError as error:
        return str(error)
    finally:
        dialogue.process.kill()
    return what


def _table(outcomes: dict[str, FuzzOutcome], seed: int) -> Table:
    table = Table(title=f"Fuzzing with seed {seed}", title_justify="left", title_style="bold")
    table.add_column("target", no_wrap=True)
    for name in ("lines", "answers", "slowest answer, s", "peak memory, MB", "failures"):
        table.add_column(name, justify="right")
    whole = FuzzOutcome("all")
    for outcome in outcomes.values():
        whole.add(outcome)
    for outcome in (*outcomes.values(), whole):
        table.add_row(
            outcome.target,
            f"{outcome.cases:,}",
            f"{outcome.answers:,}",
            f"{outcome.slowest:.2f}",
            str(outcome.peak >> 20),
            str(len(outcome.failures)),
        )
    table.caption = f"Limit of resident memory: {MOST_MEMORY >> 20} MB per process."
    return table
