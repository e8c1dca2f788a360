"""What a command of GTP is, and how its arguments are read; the commands are in the files beside this one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

from protocol.gtp.colours import parse_colour
from protocol.gtp.lines import SYNTAX_ERROR, GtpError
from protocol.text import ProtocolError, integer

if TYPE_CHECKING:
    from protocol.gtp.session import GtpSession

Arguments = tuple[str, ...]
Handler = Callable[["GtpSession", Arguments], str]
ANY = 1 << 30  # arguments


@dataclass(frozen=True, slots=True)
class Command:
    """One command: `run` answers it, given `least` to `most` arguments.

    Its answer may have several lines. What fails raises GtpError, or another ValueError whose text can be
    told, and has changed nothing.
    """

    name: str
    run: Handler
    least: int = 0
    most: int = 0


def command(name: str, run: Handler, least: int = 0, most: int | None = None) -> Command:
    """A command with so many arguments, exactly as many as `least` where no `most` is given."""
    return Command(name, run, least, least if most is None else most)


def number(text: str) -> int:
    """A whole number from 0 on. Raises GtpError."""
    try:
        value = integer(text)
    except ProtocolError:
        raise GtpError(SYNTAX_ERROR) from None
    if value < 0:
        raise GtpError(SYNTAX_ERROR)
    return value


def decimal(text: str) -> float:
    """A number that is finite. Raises GtpError."""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        raise GtpError(SYNTAX_ERROR)
    return value


def colour(session: GtpSession, text: str) -> int:
    """A player of the game, or CHANCE. Raises GtpError."""
    return parse_colour(text, session.game.players)


def settings(arguments: Arguments) -> dict[str, str]:
    """Arguments of the form `name=value`. Raises GtpError."""
    pairs = [argument.partition("=") for argument in arguments]
    if not all(name and equals for name, equals, _ in pairs):
        raise GtpError(SYNTAX_ERROR)
    return {name: value for name, _, value in pairs}
