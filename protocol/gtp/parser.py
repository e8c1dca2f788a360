"""A line of GTP, version 2, to a request, and the arguments of a request to values. Nothing here acts.

Farnebäck, Specification of the Go Text Protocol, version 2, draft 2 (2002), sections 2.3 to 2.5.
"""

import re
import unicodedata
from dataclasses import dataclass
from math import isfinite

from engine.games.rules.game import CHANCE
from protocol.text import ProtocolError, integer

SYNTAX_ERROR = "syntax error"
DICE = "dice"
COLOURS = ("black", "white")

_INTERRUPT = re.compile(r"\s*#\s*interrupt\s*")
_ID = re.compile(r"[0-9]+")

Arguments = tuple[str, ...]


class GtpError(ValueError):
    """A command that fails; the text is the error message for the controller."""


@dataclass(frozen=True, slots=True)
class Request:
    """A line that wants an answer. `id` stays text, of any length, and is empty for a line without one."""

    id: str
    name: str
    arguments: Arguments = ()


def parse(line: str) -> Request | None:
    """The request in a line; None for an empty line, and for a comment alone."""
    words = _cleaned(line).split()
    if not words:
        return None
    identity = words.pop(0) if _ID.fullmatch(words[0]) else ""
    return Request(identity, words[0] if words else "", tuple(words[1:]))


def is_interrupt(line: str) -> bool:
    """Whether it is the comment by which GoGui stops a search."""
    return _INTERRUPT.fullmatch(line) is not None


def parse_player(text: str, players: int) -> int:
    """The player that a colour stands for, from 0, or CHANCE for the dice. Raises GtpError.

    `b`, `black` and `p1` are the first player, `w`, `white` and `p2` the second, `p3` the third, and so on.
    """
    word = text.lower()
    if word == DICE:
        return CHANCE
    for player in range(players):
        colour = COLOURS[player] if player < len(COLOURS) else ""
        if word == f"p{player + 1}" or (colour and word in (colour, colour[0])):
            return player
    raise GtpError(SYNTAX_ERROR)


def parse_number(text: str) -> int:
    """A whole number, at least 0. Raises GtpError."""
    try:
        value = integer(text)
    except ProtocolError:
        raise GtpError(SYNTAX_ERROR) from None
    if value < 0:
        raise GtpError(SYNTAX_ERROR)
    return value


def parse_switch(text: str) -> bool:
    """`true` or `false`. Raises GtpError."""
    if text not in {"true", "false"}:
        raise GtpError(SYNTAX_ERROR)
    return text == "true"


def parse_decimal(text: str) -> float:
    """A finite number. Raises GtpError."""
    try:
        value = float(text)
    except ValueError:
        raise GtpError(SYNTAX_ERROR) from None
    if not isfinite(value):
        raise GtpError(SYNTAX_ERROR)
    return value


def parse_seconds(text: str) -> float:
    """A finite number, at least 0. Raises GtpError."""
    seconds = parse_decimal(text)
    if seconds < 0:
        raise GtpError(SYNTAX_ERROR)
    return seconds


def parse_settings(arguments: Arguments) -> dict[str, str]:
    """Arguments of the form `name=value`. Raises GtpError."""
    pairs = [argument.partition("=") for argument in arguments]
    if not all(name and equals for name, equals, _ in pairs):
        raise GtpError(SYNTAX_ERROR)
    return {name: value for name, _, value in pairs}


def _cleaned(line: str) -> str:
    """Without the comment and without control characters; a tab counts as a blank."""
    text = line.partition("#")[0].replace("\t", " ")
    return text if text.isprintable() else "".join(c for c in text if unicodedata.category(c) != "Cc")
