"""The command line of scripts/fuzz."""

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

from engine.system import processors
from protocol.text import printable
from scripts.laboratory.fuzzing.door import MOST_MEMORY, StumbleError
from scripts.laboratory.fuzzing.doors import NAMES, opened, shared_out, stretches
from scripts.laboratory.fuzzing.work import Fuzzer, FuzzOutcome, Stumble, stumble_of
from scripts.laboratory.jobs import JobError, run_jobs
from scripts.laboratory.long_run import INTERRUPTED, RunDisplay, interrupt_on_sigterm

if TYPE_CHECKING:
    from collections.abc import Sequence

_ALL = "all"
_FAILED = 2
_TOLD = 2  # stumbles of each kind
_MEGABYTE = 1 << 20


@click.command(context_settings={"max_content_width": 110})
@click.option(
    "--door", "names", type=click.Choice([*NAMES, _ALL]), multiple=True, default=[_ALL], show_default=True
)
@click.option("--count", type=click.IntRange(1), default=10_000, show_default=True, help="Cases in all.")
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of the random numbers.")
@click.option(
    "--first", type=click.IntRange(0), default=0, show_default=True, help="Number of the first case."
)
@click.option(
    "--jobs", type=click.IntRange(1), default=processors(), help="At the same time. [default: processors]"
)
@click.option(
    "--save",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("build", "fuzz"),
    show_default=True,
    help="Folder for the cases that go wrong.",
)
@click.option(
    "--replay",
    type=click.Path(exists=True, path_type=Path),
    multiple=True,
    help="Do the case of this file only.",
)
@click.option("--lolli", metavar="COMMAND", help="The engine; what this project's .venv has by default.")
def command(
    names: tuple[str, ...],
    count: int,
    seed: int,
    first: int,
    jobs: int,
    save: Path,
    replay: tuple[Path, ...],
    lolli: str | None,
) -> None:
    """Give random and damaged input to everything that takes input, and judge every answer.

    A case is a line to the engine, or a whole file or text. It is made from the seed and its number alone:
    `--door fen --first 1234 --count 1` repeats one. Of `uci`, `uci-searching`, `options` and `gtp`, 40 lines
    share a process and a state; `--first` is then best a multiple of 40.

    What goes wrong is kept in a file, made as small as that is quickly done, with the command that repeats
    it. Exit status 1 where anything went wrong.
    """
    engine = shlex.split(lolli) if lolli else [str(Path(sysconfig.get_path("scripts"), "lolli"))]
    doors = NAMES if _ALL in names else tuple(dict.fromkeys(names))
    if replay:
        sys.exit(_replayed(doors, replay, engine))
    counts = shared_out(doors, count)
    outcomes = {name: FuzzOutcome(name) for name in doors}
    kinds = Counter[str]()
    status = 0
    interrupt_on_sigterm()
    with RunDisplay("cases", sum(counts.values()), 0, _every(count)) as display:
        try:
            jobs_left = stretches(counts, first)
            with contextlib.closing(run_jobs(partial(Fuzzer, seed, engine), jobs_left, jobs)) as results:
                for outcome in results:
                    for stumble in outcome.stumbles:
                        kinds[stumble.kind] += 1
                        if kinds[stumble.kind] <= _TOLD:
                            _tell(stumble, save, display)
                    outcomes[outcome.door].add(outcome)
                    display.show(*_progress(outcomes))
        except KeyboardInterrupt:
            status = INTERRUPTED
        except JobError as error:
            display.say(f"Cannot go on: {error}")
            status = _FAILED
    display.console.print(_table(outcomes, seed), highlight=False)
    sys.exit(status or int(any(each.stumbles for each in outcomes.values())))


def _every(count: int) -> int:
    """After how many cases a line is written where there is no terminal."""
    return max(1, count // 20)


def _progress(outcomes: dict[str, FuzzOutcome]) -> tuple[int, str]:
    stumbles = sum(len(each.stumbles) for each in outcomes.values())
    return sum(each.cases for each in outcomes.values()), f"{stumbles} stumbles"


def _tell(stumble: Stumble, save: Path, display: RunDisplay) -> None:
    """Keep a stumble in a file and tell of it."""
    display.say(f"{stumble.door} {stumble.number}: {printable(stumble.what)}")
    if stumble.lines:
        save.mkdir(parents=True, exist_ok=True)
        path = save / f"{stumble.door}-{stumble.number}"
        path.write_bytes(b"\n".join(stumble.lines))
        display.say(f"    scripts/lab fuzz --door {stumble.door} --replay {shlex.quote(str(path))}")
    if not stumble.alone:
        display.say("    (not made smaller; it may need what the process was told before)")


def _replayed(doors: Sequence[str], files: Sequence[Path], engine: Sequence[str]) -> int:
    """The exit status after the cases of these files."""
    if len(doors) != 1:
        raise click.UsageError("--replay needs one --door")
    status = 0
    for path in files:
        what = replayed(doors[0], path.read_bytes(), engine)
        click.echo(f"{path}: {printable(what) or 'nothing goes wrong'}")
        status = status or int(bool(what))
    return status


def replayed(name: str, data: bytes, engine: Sequence[str]) -> str:
    """What goes wrong with a case that was kept; empty where nothing does."""
    door = opened(name, engine)
    try:
        what = stumble_of(door, data.split(b"\n") if door.together > 1 else [data])
        door.close()
    except StumbleError as error:
        return str(error)
    finally:
        door.kill()
    return what


def _table(outcomes: dict[str, FuzzOutcome], seed: int) -> Table:
    table = Table(title=f"Fuzzing with seed {seed}", title_justify="left", title_style="bold")
    table.add_column("door", no_wrap=True)
    for name in ("cases", "answers", "slowest answer, s", "at case", "peak memory, MB", "stumbles"):
        table.add_column(name, justify="right")
    whole = FuzzOutcome("all")
    for outcome in outcomes.values():
        whole.add(outcome)
        table.add_row(*_row(outcome))
    if len(outcomes) > 1:
        table.add_section()
        table.add_row(*_row(whole))
    table.caption = f"A process may have {MOST_MEMORY // _MEGABYTE} MB resident."
    return table


def _row(outcome: FuzzOutcome) -> list[str]:
    return [
        outcome.door,
        f"{outcome.cases:,}",
        f"{outcome.answers:,}",
        f"{outcome.slowest:.2f}",
        str(outcome.slowest_case),
        str(outcome.peak // _MEGABYTE),
        str(len(outcome.stumbles)),
    ]
