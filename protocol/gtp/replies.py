"""The answers of GTP as text: success and failure, error messages, colours, limits and results."""

from __future__ import annotations

from dataclasses import astuple
from typing import TYPE_CHECKING

from engine.games.rules.game import CHANCE, OVER
from protocol.gtp.parser import COLOURS, DICE
from protocol.text import printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.games.players.searcher_options import Value
    from engine.games.search.basics import SearchLimits

UNKNOWN_COMMAND = "unknown command"
ILLEGAL_MOVE = "illegal move"
UNACCEPTABLE_SIZE = "unacceptable size"
CANNOT_UNDO = "cannot undo"
CANNOT_SCORE = "cannot score"
CANNOT_LOAD = "cannot load file"
BOARD_NOT_EMPTY = "board not empty"
BAD_STONES = "invalid number of stones"
BAD_VERTICES = "bad vertex list"
GAME_OVER = "the game is over"


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


def options_text(values: Mapping[str, Value]) -> str:
    """The options of a searcher as `name=value`, separated by blanks."""
    texts = {name: str(value).lower() if isinstance(value, bool) else value for name, value in values.items()}
    return " ".join(f"{name}={text}" for name, text in texts.items())


def limits_text(limits: SearchLimits) -> str:
    """SearchLimits as `name=value`, separated by blanks; `none` where there are none."""
    named = zip(limits.__slots__, astuple(limits), strict=True)
    return " ".join(f"{name}={value:g}" for name, value in named if value is not None) or "none"
