"""The opening of a game: its headers ECO, Opening and Variation if they are lacking, and its first moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    import chess.pgn

    from engine.lookup.openings import OpeningName

_UNKNOWN = ("", "?", "-")
_ALL_PIECES = 32


def opening_headers(headers: Mapping[str, str], opening: OpeningName | None) -> dict[str, str]:
    """The headers to add; what the game says itself about its opening stays."""
    if opening is None:
        return {}
    added = {} if _has(headers, "ECO") else {"ECO": opening.eco}
    if _has(headers, "Opening") or _has(headers, "Variation"):
        return added
    added["Opening"] = opening.family
    return {**added, "Variation": opening.variation} if opening.variation else added


def skipped_plies(game: chess.pgn.Game, moves: int) -> int:
    """The plies of the first `moves` of each side; 0 in a game from a position, which has no opening."""
    board = game.board()
    return 2 * moves if board.ply() == 0 and board.occupied.bit_count() == _ALL_PIECES else 0


def _has(headers: Mapping[str, str], name: str) -> bool:
    return headers.get(name, "").strip() not in _UNKNOWN
