"""Measuring engines: finding them, a dialogue with timestamps, medians and ratios, and the table."""

import math
import shlex
import shutil
import sysconfig
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from statistics import median
from typing import Any, Self, TypeVar

import click
from rich.progress import track
from rich.table import Table

from engine.system.services import children_seconds
from lolli.cli.terminal.console import PrintableConsole
from scripts.laboratory.engine_pipe import NS_PER_S, EngineGoneError, EnginePipe, EngineSilentError
from scripts.laboratory.long_run import wide_console

_GAMES = Path("/usr/games")  # where Debian puts engines, not always on PATH
_PATIENCE = 300.0  # seconds


@dataclass(frozen=True, slots=True)
class Program:
    """An engine, and the name that it reports."""

    name: str
    command: tuple[str, ...]


class Talk:
    """A UCI dialogue with an engine. Failures raise click.ClickException with the engine's command."""

    def __init__(self, command: tuple[str, ...]) -> None:
        """Start the engine."""
        self._command = shlex.join(command)
        self.started = time.monotonic_ns()
        try:
            self._pipe = EnginePipe(command)
        except OSError as error:
            raise click.ClickException(f"{self._command}: {error.strerror}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is None:
            self._pipe.close()
        else:
            self._pipe.kill()

    def send(self, line: str) -> int:
        """Send a line. The time, in monotonic nanoseconds."""
        sent = time.monotonic_ns()
        try:
            self._pipe.send(line)
        except EngineGoneError as error:
            raise click.ClickException(f"{self._command} {error}") from error
        return sent

    def until(self, beginning: str) -> tuple[list[str], int]:
        """The lines up to the first that begins with `beginning`, and its time in monotonic nanoseconds."""
        lines: list[str] = []
        while not lines or not lines[-1].startswith(beginning):
            try:
                line, arrived = self._pipe.receive(time.monotonic_ns() + int(_PATIENCE * NS_PER_S))
            except EngineGoneError as error:
                raise click.ClickException(f"{self._command} {error}") from error
            except EngineSilentError:
                raise click.ClickException(
                    f"{self._command}: no answer {beginning!r} within {_PATIENCE:g} s"
                ) from None
            lines.append(line.decode(errors="replace"))
        return lines, arrived

    def ask(self, line: str, beginning: str) -> tuple[list[str], float]:
        """Send a line. The lines up to the first that begins with `beginning`, and the seconds until then."""
        sent = self.send(line)
        lines, arrived = self.until(beginning)
        return lines, (arrived - sent) / NS_PER_S

    def seconds_to(self, arrived: int) -> float:
        """Seconds from the start of the process to a time of the monotonic clock."""
        return (arrived - self.started) / NS_PER_S


def start_up_cpu(program: Program) -> float:
    """The processor time, in seconds, of a process that starts, answers `uci` and ends."""
    before = children_seconds()
    with Talk(program.command) as talk:
        talk.ask("uci", "uciok")
    return children_seconds() - before


def peer_option(flag: str, command: str) -> Callable[[Any], Any]:
    """An option for a peer. Without it `command` is searched for, and may be missing."""
    return click.option(
        f"--{flag}",
        flag,
        metavar="COMMAND",
        callback=lambda _ctx, _param, given: _peer(flag, command, given),
        help=f"Command of the peer; default: {command}.",
    )


lolli_option = click.option(
    "--lolli",
    metavar="COMMAND",
    callback=lambda _ctx, _param, given: _named(given or shlex.quote(_installed())),
    help="Command of Lolli; default: that of this project's .venv.",
)


def programs_options(command: Callable[..., None]) -> Any:
    """The options for Lolli and for Stockfish, if there is one; the command gets a list, `programs`."""

    @wraps(command)
    def with_programs(*, lolli: Program, stockfish: Program | None, **others: Any) -> None:
        command(programs=[lolli, stockfish] if stockfish else [lolli], **others)

    return lolli_option(peer_option("stockfish", "stockfish")(with_programs))


rounds_option = click.option(
    "--rounds", type=click.IntRange(1), default=5, show_default=True, help="Measurements of each engine."
)


def _installed() -> str:
    return str(Path(sysconfig.get_path("scripts")) / "lolli")


def _peer(flag: str, command: str, given: str | None) -> Program | None:
    if given is not None:
        return _named(given)
    try:
        return _named(command)
    except click.BadParameter:
        click.echo(
            f"{command} not found on PATH or in {_GAMES}: measuring without it (see --{flag})", err=True
        )
        return None


def _named(words: str) -> Program:
    """The program of a command line, with its name. Raises click.BadParameter if it does not exist."""
    first, *rest = shlex.split(words) or [""]
    found = shutil.which(first) or shutil.which(first, path=_GAMES)
    if found is None:
        raise click.BadParameter(f"program not found: {first!r}")
    command = (found, *rest)
    with Talk(command) as talk:
        lines, _ = talk.ask("uci", "uciok")
        names = [line.removeprefix("id name ") for line in lines if line.startswith("id name ")] or [first]
        if names[0].startswith("Lolli "):  # which can also report how it was built
            lines, _ = talk.ask("compiler", "Lolli ")
            names = lines[-1:]
    return Program(names[0], command)


Figure = TypeVar("Figure")

_WIDTH_WITHOUT_TERMINAL = 120
NONE = ""
FASTER = "Lolli faster"  # the heading of a ratio


def alternate(turns: Sequence[Callable[[], Figure]], rounds: int) -> list[list[Figure]]:
    """Measure all in turn, `rounds` times (A B A B …). The figures of each, by round."""
    figures: list[list[Figure]] = [[] for _ in turns]
    console = PrintableConsole(stderr=True)
    for _ in track(range(rounds), "", console=console, transient=True, disable=not console.is_terminal):
        for turn, column in zip(turns, figures, strict=True):
            column.append(turn())
    return figures


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> str:
    """The median of the rounds' ratios, with the smallest and the largest; NONE for `ours` itself."""
    if theirs is ours:
        return NONE
    ratios = [one / other for one, other in zip(ours, theirs, strict=True)]
    return f"{_rounded(median(ratios))} ({_rounded(min(ratios))} … {_rounded(max(ratios))})"


def worst_of_100(values: Sequence[float]) -> float:
    """The 99th percentile."""
    return sorted(values)[math.ceil(len(values) * 99 / 100) - 1]


def milliseconds(seconds: float) -> str:
    """Seconds as text in milliseconds."""
    return f"{seconds * 1000:.1f}"


def millions(number: float) -> str:
    """A rate as text in millions per second."""
    return f"{number / 1e6:.3g}" if number < 1e8 else f"{number / 1e6:.0f}"


def show(
    title: str, head: Sequence[str], rows: Sequence[Sequence[str]], rounds: int | None, note: str
) -> None:
    """Print a table, whose first column is text and whose others are numbers, and a note about it.

    `rounds`: how often each was measured, None for once.
    """
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column(head[0], no_wrap=True)
    for name in head[1:]:
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(*row)
    wide_console(_WIDTH_WITHOUT_TERMINAL).print(table, highlight=False)
    compared = ", of ratios with (smallest … largest)" if "faster" in " ".join(head) else ""
    if rounds is not None:
        click.echo(f"Alternating rounds: {rounds}. Medians{compared}.")
    click.echo(note)


def _rounded(number: float) -> str:
    return f"{number:.0f}" if number >= 100 else f"{number:.2f}"
