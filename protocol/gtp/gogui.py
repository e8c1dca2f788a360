"""What GoGui asks: which analyses there are, and the rules of games with two colours on a board of points.

The points are read off the board as the game shows it. Games whose board is not a grid of points, or whose
moves are not vertices, cannot be shown by GoGui.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from engine.games.rules.game import IllegalMoveError
from engine.games.rules.vertices import grid_rows, vertex
from protocol.gtp.parser import GtpError
from protocol.gtp.replies import colour_name

if TYPE_CHECKING:
    from engine.games.rules.game import Game, Move, State
    from protocol.gtp.gtp_session import GtpSession
    from protocol.gtp.parser import Arguments

ANALYSES = (
    "var/Principal variation/search-variation",
    "pspairs/Visit counts/search-visits",
    "string/Evaluation/search-value",
    "hstring/Statistics/search-stats",
    "hstring/Searchers/search-algorithm",
    "hstring/Levels/search-level",
    "plist/Legal moves/gogui-rules_legal_moves",
    "string/Final score/final_score",
)
"""The entries of GoGui's menu: how to show the answer, the entry's name, the command."""

_MARKS = {
    "X": "X",
    "O": "O",
    "1": "X",
    "2": "O",
    ".": ".",
    "+": ".",
}  # as games show them, as GoGui wants them
_VERTEX = re.compile(r"[A-HJ-Z][1-9][0-9]?|pass", re.IGNORECASE)

Points = list[list[str]]


def points(game: Game[Any], state: State) -> Points:
    """The rows of the board from the top, each from A, as X, O or a dot; empty for other kinds of board."""
    if game.players != 2 or game.chance:
        return []
    rows = grid_rows(game.show(state))
    numbers = sorted(rows, reverse=True)
    if numbers != list(range(len(rows), 0, -1)) or len({len(row) for row in rows.values()}) != 1:
        return []
    if not {mark for row in rows.values() for mark in row} <= set(_MARKS):
        return []
    return [[_MARKS[mark] for mark in rows[row]] for row in numbers]


def is_square(board: Points, size: int) -> bool:
    """Whether a board has `size` rows and `size` columns."""
    return bool(board) and len(board) == len(board[0]) == size


def analyze_commands(_session: GtpSession, _arguments: Arguments) -> str:
    """`gogui-analyze_commands`: the entries of GoGui's menu."""
    return "\n".join(ANALYSES)


def interrupt(_session: GtpSession, _arguments: Arguments) -> str:
    """`gogui-interrupt` does nothing: it is listed to say that the comment `# interrupt` stops a search."""
    return ""


def game_id(session: GtpSession, _arguments: Arguments) -> str:
    """`gogui-rules_game_id`: the name of the game with a capital."""
    _board(session)
    return session.game.name.capitalize()


def board(session: GtpSession, _arguments: Arguments) -> str:
    """`gogui-rules_board`: X for Black, O for White, a dot for an empty point; rows from the top."""
    return "\n".join(" ".join(row) for row in _board(session))


def board_size(session: GtpSession, _arguments: Arguments) -> str:
    """`gogui-rules_board_size`: the size, or width and height where they differ."""
    rows = _board(session)
    width, height = len(rows[0]), len(rows)
    return str(width) if width == height else f"{width} {height}"


def legal_moves(session: GtpSession, _arguments: Arguments) -> str:
    """`gogui-rules_legal_moves`: the vertices of all legal moves; empty where the game is over."""
    _board(session)
    return " ".join(_vertices(session.game, session.match.state) or ())


def side_to_move(session: GtpSession, _arguments: Arguments) -> str:
    """`gogui-rules_side_to_move`: `black` or `white`; the first player where the game is over."""
    _board(session)
    return colour_name(max(0, session.match.state.player))


def final_result(session: GtpSession, _arguments: Arguments) -> str:
    """`gogui-rules_final_result`: how the game has ended; empty while it goes on."""
    _board(session)
    return session.match.result() if session.match.over else ""


HANDLERS = {
    "gogui-analyze_commands": analyze_commands,
    "gogui-interrupt": interrupt,
    "gogui-rules_game_id": game_id,
    "gogui-rules_board": board,
    "gogui-rules_board_size": board_size,
    "gogui-rules_legal_moves": legal_moves,
    "gogui-rules_side_to_move": side_to_move,
    "gogui-rules_final_result": final_result,
}
"""GoGui's commands by name. None of them takes arguments."""


def _board(session: GtpSession) -> Points:
    """The points of the board. Raises GtpError in a game that GoGui cannot show."""
    game, state = session.game, session.match.state
    rows = points(game, state)
    if not rows or _vertices(game, state) is None:
        raise GtpError(f"GoGui cannot show {game.title}: the board is not a grid of black and white stones")
    return rows


def _vertices(game: Game[Any], state: State) -> list[str] | None:
    """The vertices of the legal moves, including `pass`; None where moves are not vertices."""
    found = [_as_vertex(game, state, move) for move in state.moves()]
    return None if None in found else [name for name in found if name is not None]


def _as_vertex(game: Game[Any], state: State, move: Move) -> str | None:
    """The vertex of a move, also where the game writes the move otherwise, such as by its column."""
    text = game.text(state, move)
    if _VERTEX.fullmatch(text):
        return text
    rows = points(game, state)
    for row in range(len(rows)):
        for column in range(len(rows[0])):
            name = vertex(column, row)
            if _means(game, state, name, move):
                return name
    return None


def _means(game: Game[Any], state: State, name: str, move: Move) -> bool:
    try:
        return bool(game.parse(state, name) == move)
    except IllegalMoveError:
        return False
