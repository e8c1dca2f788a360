"""The names of openings, by position, so that transpositions are found.

`scripts/lab name-openings` makes `openings.tsv` from https://github.com/lichess-org/chess-openings (CC0 1.0).
It is read when the first name is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import chess

from engine.board.fen import format_fen
from engine.board.movegen import legal_moves
from engine.system import files

if TYPE_CHECKING:
    from engine.board.position import Position

TABLE = Path(__file__).with_name("openings.tsv")
COMMENT = "#"
"""What the lines at the top of the table begin with that name its source."""

_LARGEST = 1 << 24
_FAME = 3  # at which power of the number of known replies moves are chosen
_MOST_PLIES = 60  # of a game that are looked at; the longest line of the table has 36


@dataclass(frozen=True, slots=True)
class OpeningName:
    """An opening: its code in the Encyclopaedia of Chess Openings, and its name.

    `name` is as in `Italian Game: Two Knights Defense, Fried Liver Attack`.
    """

    eco: str
    name: str

    @property
    def family(self) -> str:
        """The name up to the colon, `Italian Game`."""
        return self.name.partition(": ")[0]

    @property
    def variation(self) -> str:
        """The name after the colon; empty without one."""
        return self.name.partition(": ")[2]

    def __str__(self) -> str:
        return f"{self.eco} {self.name}"


def opening_of(board: chess.Board) -> OpeningName | None:
    """The name of the last position with a name that led to `board`, itself included; None without one.

    Only the first 60 moves on the board's stack count.
    """
    return opening_line(board)[0]


def opening_line(end: chess.Board) -> tuple[OpeningName | None, int]:
    """As `opening_of`, with the number of moves to it, or to the one before if it is checkmate."""
    table = named_positions()
    board = end.root()
    found, plies = table.get(board.epd()), 0
    for ply, move in enumerate(end.move_stack[:_MOST_PLIES], 1):
        board.push(move)
        if name := table.get(board.epd()):
            found = name
            plies = plies if board.is_checkmate() else ply
    return found, plies


def named_moves(position: Position) -> dict[int, int]:
    """The moves to positions with a name, and how often to choose each. Raises OSError.

    The more replies to a move have a name, that is, the better known it is, the more often it is chosen.
    """
    weights = {}
    for move in legal_moves(position):
        position.make(move)
        if _has_name(position):
            weights[move] = (1 + _named_replies(position)) ** _FAME
        position.unmake()
    return weights


def _named_replies(position: Position) -> int:
    count = 0
    for reply in legal_moves(position):
        position.make(reply)
        count += _has_name(position)
        position.unmake()
    return count


def _has_name(position: Position) -> bool:
    return format_fen(position).rsplit(" ", 2)[0] in named_positions()


@cache
def named_positions() -> Mapping[str, OpeningName]:
    """The openings by EPD, the en passant square given only if a capture there is legal. Raises OSError."""
    lines = files.read_file(TABLE, _LARGEST).decode().splitlines()
    rows = (line.split("\t") for line in lines if not line.startswith(COMMENT))
    return {epd: OpeningName(eco, name) for eco, name, epd in rows}
