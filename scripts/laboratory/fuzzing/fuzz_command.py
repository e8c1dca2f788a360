"""`scripts/lab fuzz`."""

from __future__ import annotations

import contextlib
import shlex
import sys
import sysconfig
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.table import Table

from protocol.text import printable
from scripts.laboratory.fuzzing.target import MOST_MEMORY, CaseError
from scripts.laboratory.fuzzing.targets import NAMES, opened, shared_out, stretches
from scripts.laboratory.fuzzing.work import Failure, Fuzzer, FuzzOutcome, failure_of
from scripts.laboratory.jobs import JobError, run_jobs
from scripts.laboratory.lab_options import WIDE, choices_option, count_option, jobs_option, seed_option
from scripts.laboratory.long_run import RunDisplay, exit_status

if TYPE_CHECKING:
    from collections.abc import Sequence

_ALL = "all"
_SHOWN = 2  # failures of each kind
_MEGABYTE = 1 << 20


@click.command(context_settings=WIDE)
@choices_option("--target", [*NAMES, _ALL], "Fuzz this target; repeatable.", _ALL, to="names")
@count_option("--count", 10_000, "Number of cases in all.")
@seed_option("the random numbers")
@count_option("--first", 0, "Number of the first case.", least=0)
@jobs_option("--jobs", "Processes that run cases.")
@click.option(
    "--save",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("build", "fuzz"),
    show_default=True,
    help="Folder for cases that fail.",
)
@click.option(
    "--replay",
    type=click.Path(exists=True, path_type=Path),
    multiple=True,
    help="Run only the case in this file; repeatable.",
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
    """Feed random and damaged input to everything that takes input, and check every answer.

    A case is a line to the engine, or a whole file or text. It depends only on the seed and its number:
    `--target fen --first 1234 --count 1` repeats one. The targets uci, uci-searching, options and gtp run 40
    lines in one process, so that --first should be a multiple of 40.

    A case that fails is saved to a file, minimised, with the command that repeats it. The exit status is 1 if
    any case failed.
    """
    engine = shlex.split(lolli) if lolli else [str(Path(sysconfig.get_path("scripts"), "lolli"))]
    targets = NAMES if _ALL in names else tuple(dict.fromkeys(names))
    if replay:
        sys.exit(_replayed(targets, replay, engine))
    counts = shared_out(targets, count)
    outcomes = {name: FuzzOutcome(name) for name in targets}
    kinds = Counter[str]()

    def run() -> None:
        stretches_left = stretches(counts, first)
        with contextlib.closing(run_jobs(partial(Fuzzer, seed, engine), stretches_left, jobs)) as results:
            for outcome in results:
                for failure in outcome.failures:
                    kinds[failure.kind] += 1
                    if kinds[failure.kind] <= _SHOWN:
                        _report(failure, save, display)
                outcomes[outcome.target].add(outcome)
                display.show(*_progress(outcomes))

    with RunDisplay("cases", sum(counts.values()), 0, _every(count)) as display:
        status = exit_status(run, display.say, JobError)
    display.console.print(_table(outcomes, seed), highlight=False)
    sys.exit(status or int(any(each.failures for each in outcomes.values())))


def _every(count: int) -> int:
    """The number of cases between lines where there is no terminal."""
    return max(1, count // 20)


def _progress(outcomes: dict[str, FuzzOutcome]) -> tuple[int, str]:
    failures = sum(len(each.failures) for each in outcomes.values())
    return sum(each.cases for each in outcomes.values()), f"{failures} failures"


def _report(failure: Failure, save: Path, display: RunDisplay) -> None:
    """Save the case of a failure, and show the failure."""
    display.say(f"{failure.target} {failure.number}: {printable(failure.what)}")
    if failure.lines:
        save.mkdir(parents=True, exist_ok=True)
        path = save / f"{failure.target}-{failure.number}"
        path.write_bytes(b"\n".join(failure.lines))
        display.say(f"    scripts/lab fuzz --target {failure.target} --replay {shlex.quote(str(path))}")
    if not failure.alone:
        display.say("    (not minimised: the failure may depend on earlier input)")


def _replayed(targets: Sequence[str], files: Sequence[Path], engine: Sequence[str]) -> int:
    """Run the cases in files. The exit status."""
    if len(targets) != 1:
        raise click.UsageError("--replay needs exactly one --target")
    status = 0
    for path in files:
        what = replayed(targets[0], path.read_bytes(), engine)
        click.echo(f"{path}: {printable(what) or 'passed'}")
        status = status or int(bool(what))
    return status


def replayed(name: str, data: bytes, engine: Sequence[str]) -> str:
    """How a saved case fails; empty if it does not."""
    target = opened(name, engine)
    try:
        what = failure_of(target, data.split(b"\n") if target.together > 1 else [data])
        target.close()
    except CaseError as error:
        return str(error)
    finally:
        target.kill()
    return what


def _table(outcomes: dict[str, FuzzOutcome], seed: int) -> Table:
    table = Table(title=f"Fuzzing with seed {seed}", title_justify="left", title_style="bold")
    table.add_column("target", no_wrap=True)
    for name in ("cases", "answers", "slowest answer, s", "at case", "peak memory, MB", "failures"):
        table.add_column(name, justify="right")
    whole = FuzzOutcome("all")
    for outcome in outcomes.values():
        whole.add(outcome)
        table.add_row(*_row(outcome))
    if len(outcomes) > 1:
        table.add_section()
        table.add_row(*_row(whole))
    table.caption = f"Limit of resident memory: {MOST_MEMORY // _MEGABYTE} MB per process."
    return table


def _row(outcome: FuzzOutcome) -> list[str]:
    return [
        outcome.target,
        f"{outcome.cases:,}",
        f"{outcome.answers:,}",
        f"{outcome.slowest:.2f}",
        str(outcome.slowest_case),
        str(outcome.peak // _MEGABYTE),
        str(len(outcome.failures)),
    ]
