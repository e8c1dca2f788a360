"""The squares of a game played with men of two colours on the points of a board, read off what it shows.

Games whose board is not such a grid, or whose moves are not its vertices, are none of these.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from engine.games.rules.game import IllegalMoveError
from engine.games.rules.vertices import vertex

if TYPE_CHECKING:
    from engine.games.rules.game import Game, Move, State

_MARKS = {
    "X": "X",
    "O": "O",
    "1": "X",
    "2": "O",
    ".": ".",
    "+": ".",
}  # as games show them, and GoGui wants them
_ROW = re.compile(r"\s*([0-9]+) +(\S(?: +\S)*) +\1\b.*")
_VERTEX = re.compile(r"[A-HJ-Z][1-9][0-9]?|pass", re.IGNORECASE)

Cells = list[list[str]]


def cells(game: Game[Any], state: State) -> Cells:
    """The rows from the highest number down, each from A: X, O or a dot. None of them in other games."""
    if game.players != 2 or game.chance:
        return []
    rows = {int(row[1]): row[2].split() for row in map(_ROW.fullmatch, game.show(state).splitlines()) if row}
    numbers = sorted(rows, reverse=True)
    if numbers != list(range(len(rows), 0, -1)) or len({len(row) for row in rows.values()}) != 1:
        return []
    if not {mark for row in rows.values() for mark in row} <= set(_MARKS):
        return []
    return [[_MARKS[mark] for mark in rows[row]] for row in numbers]


def is_square_of(board: Cells, size: int) -> bool:
    """Whether a board has so many rows and columns."""
    return bool(board) and len(board) == len(board[0]) == size


def vertices(game: Game[Any], state: State) -> list[str] | None:
    """The vertices that can be played, and `pass` where that is legal; None where moves are not vertices."""
    found = [_as_vertex(game, state, move) for move in state.moves()]
    return None if None in found else [name for name in found if name is not None]


def _as_vertex(game: Game[Any], state: State, move: Move) -> str | None:
    """The move as a vertex, also where the game itself writes it in another way, such as by its column."""
    text = game.text(state, move)
    if _VERTEX.fullmatch(text):
        return text
    board = cells(game, state)
    for row in range(len(board)):
        for column in range(len(board[0])):
            name = vertex(column, row)
            if _means(game, state, name, move):
                return name
    return None


def _means(game: Game[Any], state: State, name: str, move: Move) -> bool:
    try:
        return bool(game.parse(state, name) == move)
    except IllegalMoveError:
        return False
