"""The engines to be measured: finding them, and talking with them while a clock runs."""

from __future__ import annotations

import shlex
import shutil
import sysconfig
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import click

from engine.system import children_seconds
from scripts.laboratory.matches.pipe import EngineGoneError, EnginePipe, EngineSilentError

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

_GAMES = Path("/usr/games")  # where Debian puts engines, not always on PATH
_PATIENCE = 300.0  # seconds
_NS_PER_S = 1e9


@dataclass(frozen=True, slots=True)
class Program:
    """An engine that is there, and what it calls itself."""

    name: str
    command: tuple[str, ...]


class Talk:
    """A dialogue with an engine over UCI. Every failure is a click.ClickException that names the engine."""

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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self._pipe.close()
        else:
            self._pipe.kill()

    def send(self, line: str) -> int:
        """Send a line; when, in monotonic nanoseconds."""
        sent = time.monotonic_ns()
        try:
            self._pipe.send(line)
        except EngineGoneError as error:
            raise click.ClickException(f"{self._command} {error}") from error
        return sent

    def until(self, beginning: str) -> tuple[list[str], int]:
        """The lines up to the first with this beginning, and when that came, in monotonic nanoseconds."""
        lines: list[str] = []
        while not lines or not lines[-1].startswith(beginning):
            try:
                line, arrived = self._pipe.receive(time.monotonic_ns() + int(_PATIENCE * _NS_PER_S))
            except EngineGoneError as error:
                raise click.ClickException(f"{self._command} {error}") from error
            except EngineSilentError:
                raise click.ClickException(f"{self._command} does not say {beginning}") from None
            lines.append(line.decode(errors="replace"))
        return lines, arrived

    def ask(self, line: str, beginning: str) -> tuple[list[str], float]:
        """Send a line; what comes back up to a line with this beginning, and the seconds that took."""
        sent = self.send(line)
        lines, arrived = self.until(beginning)
        return lines, (arrived - sent) / _NS_PER_S

    def seconds_to(self, arrived: int) -> float:
        """From the start of the process to this moment of the monotonic clock."""
        return (arrived - self.started) / _NS_PER_S


def start_up_cpu(program: Program) -> float:
    """The processor seconds of a process that starts, answers `uci` and ends."""
    before = children_seconds()
    with Talk(program.command) as talk:
        talk.ask("uci", "uciok")
    return children_seconds() - before


def peer_option(flag: str, command: str) -> Callable[[Any], Any]:
    """An option that names a peer; where it is not given, the command is looked for, and may be missing."""
    return click.option(
        f"--{flag}",
        flag,
        metavar="COMMAND",
        callback=lambda _ctx, _param, given: _peer(flag, command, given),
        help=f"The peer; {command} by default.",
    )


lolli_option = click.option(
    "--lolli",
    metavar="COMMAND",
    callback=lambda _ctx, _param, given: _named(given or shlex.quote(_installed())),
    help="Ours; what this project's .venv has by default.",
)
rounds_option = click.option(
    "--rounds", type=click.IntRange(1), default=5, show_default=True, help="How often each has its turn."
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
            f"{command} is not on PATH or in {_GAMES}: measured without it (--{flag} names it)", err=True
        )
        return None


def _named(words: str) -> Program:
    """The program of that command line, asked for its name. Raises click.BadParameter where there is none."""
    first, *rest = shlex.split(words) or [""]
    found = shutil.which(first) or shutil.which(first, path=_GAMES)
    if found is None:
        raise click.BadParameter(f"{first!r} is not there or cannot be run")
    command = (found, *rest)
    with Talk(command) as talk:
        lines, _ = talk.ask("uci", "uciok")
        names = [line.removeprefix("id name ") for line in lines if line.startswith("id name ")] or [first]
        if names[0].startswith("Lolli "):  # it can tell how it was built, too
            lines, _ = talk.ask("compiler", "Lolli ")
            names = lines[-1:]
    return Program(names[0], command)
