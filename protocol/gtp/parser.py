"""Lines of GTP, version 2: requests, their arguments as values, and the texts of answers. Nothing here acts.

Farnebäck, Specification of the Go Text Protocol, version 2, draft 2 (2002), sections 2.3 to 2.5.
"""

import re
import unicodedata
from dataclasses import dataclass
from math import isfinite

from engine.games.rules.game import CHANCE, OVER
from protocol.text import ProtocolError, integer, printable

SYNTAX_ERROR = "syntax error"
ILLEGAL_MOVE = "illegal move"
GAME_OVER = "the game is over"
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


def success(identity: str, text: str = "") -> list[str]:
    """The lines that answer a command that was obeyed, including the empty one at the end.

    Blank lines of `text` are left out, since an empty line ends an answer.
    """
    first, *others = text.splitlines() or [""]
    head = f"={identity} {first}" if first.strip() else f"={identity}"
    return [head, *(line for line in others if line.strip()), ""]


def failure(identity: str, message: str) -> list[str]:
    """The lines that answer a command that failed, including the empty one at the end."""
    return [f"?{identity} {printable(message)}", ""]


def colour_name(player: int, players: int = 2) -> str:
    """`black`, `white`, `dice`, or `p1`, `p2`, … where there are more than two players."""
    if player == CHANCE:
        return DICE
    return f"p{player + 1}" if players > len(COLOURS) or player == OVER else COLOURS[player]


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
    if not (isfinite(value) and text.isascii() and "_" not in text):
        raise GtpError(SYNTAX_ERROR)
    return value + 0.0  # no -0


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
