"""The points and squares of boards, as GTP writes them: letters without I, then the row."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from engine.games.rules.game import IllegalMoveError

if TYPE_CHECKING:
    from collections.abc import Callable

_ROW = re.compile(r"\s*([0-9]+) +(\S(?: +\S)*) +\1\b.*")

LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"


def vertex(column: int, row: int) -> str:
    """`C3` for column 2 and row 2: both count from 0, rows from the bottom unless the game says otherwise."""
    return f"{LETTERS[column]}{row + 1}"


def parse_vertex(text: str, columns: int, rows: int) -> tuple[int, int]:
    """Column and row of a vertex in capitals or not. Raises IllegalMoveError."""
    column = LETTERS.find(text[:1].upper()) if text and text.isascii() else -1
    digits = text[1:]
    if not 0 <= column < columns or not digits.isdigit() or len(digits) > 4:
        raise IllegalMoveError(f"{text[:40]!r} is not a vertex of this board")
    row = int(digits) - 1
    if not 0 <= row < rows:
        raise IllegalMoveError(f"{text[:40]!r} is not a vertex of this board")
    return column, row


def grid(columns: int, rows: int, mark: Callable[[int, int], str], *, first_row_on_top: bool = False) -> str:
    """A board for people, with its letters and numbers; `mark(column, row)` is one character."""
    order = range(rows) if first_row_on_top else range(rows - 1, -1, -1)
    letters = "   " + " ".join(LETTERS[:columns])
    lines = [letters]
    for row in order:
        marks = " ".join(mark(column, row) for column in range(columns))
        lines.append(f"{row + 1:2} {marks} {row + 1}")
    return "\n".join([*lines, letters])


def grid_rows(board: str) -> dict[int, list[str]]:
    """The marks in the rows of a board that `grid` has drawn, by their numbers, the topmost row first."""
    found = map(_ROW.fullmatch, board.splitlines())
    return {int(row[1]): row[2].split() for row in found if row}
