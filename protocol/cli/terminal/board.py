"""A chess board in a terminal."""

from __future__ import annotations

import os
from enum import Enum
from typing import TYPE_CHECKING

import chess
from rich.style import Style
from rich.text import Text

from protocol.cli.terminal.console import output

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console


class Look(Enum):
    """How pieces and squares are drawn; see `look_of`."""

    COLOURED = "coloured squares, the same solid pieces for both sides"
    OUTLINED = "White's pieces outlined, Black's solid, no colours needed"
    LETTERS = "letters, capitals for White"


# The pawn U+265F is an emoji, too; U+FE0E asks for the plain one, which is as wide as the other pieces.
_SOLID = {"p": "♟\ufe0e", "n": "♞", "b": "♝", "r": "♜", "q": "♛", "k": "♚"}
_OUTLINED = {"P": "♙", "N": "♘", "B": "♗", "R": "♖", "Q": "♕", "K": "♔", **_SOLID}
MEN = {chess.WHITE: "#ffffff", chess.BLACK: "#000000"}
# Dark squares, light squares: both in contrast to black and to white pieces.
SQUARES = ("#5f87af", "#87afd7")
MOVED = ("#878700", "#afaf00")
_CHECK = ("#d75f5f", "#d75f5f")
DIM = Style(dim=True)
_VALUES = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}


def look_of(console: Console) -> Look:
    """The best look that a console can show, or a plainer one if LOLLI_PIECES is `outlined` or `letters`."""
    wanted = os.environ.get("LOLLI_PIECES")
    if not console.encoding.lower().startswith("utf") or os.environ.get("TERM") == "linux":
        return Look.LETTERS  # the fonts of the Linux console have no chess pieces
    if wanted == "letters":
        return Look.LETTERS
    if wanted == "outlined" or console.no_color or console.color_system not in {"256", "truecolor"}:
        return Look.OUTLINED
    return Look.COLOURED


def board_lines(
    board: chess.Board,
    *,
    flipped: bool = False,
    last: chess.Move | None = None,
    look: Look | None = None,
    notes: Mapping[int, str] | None = None,
) -> list[Text]:
    """Eight lines of squares from the top and one with the letters of the files, at most 27 columns wide.

    White is at the bottom unless `flipped`. The squares of the move `last` are marked; with colours also a
    king in check. `look` is by default the best for stdout. `notes` are placed to the right of the board, by
    the number of their line from the top, 0 … 8.
    """
    look = look or look_of(output())
    ranks = range(8) if flipped else range(7, -1, -1)
    files = range(7, -1, -1) if flipped else range(8)
    marked = frozenset((last.from_square, last.to_square) if last else ())
    row = _coloured_row if look is Look.COLOURED else _plain_row
    lines = [
        Text.assemble(
            (f" {chess.RANK_NAMES[rank]} ", DIM),
            row(board, [chess.square(file, rank) for file in files], marked, look),
        )
        for rank in ranks
    ]
    gap = "  " if look is Look.COLOURED else " "
    lines.append(Text("    " + gap.join(chess.FILE_NAMES[file] for file in files), DIM))
    width = max(len(line.plain.replace("\ufe0e", "")) for line in lines)
    for number, note in (notes or {}).items():
        line = lines[number]
        line.append(" " * (width + 3 - line.cell_len) + note)
    return lines


def position_notes(board: chess.Board, *, flipped: bool = False, look: Look | None = None) -> dict[int, str]:
    """Notes for `board_lines`: the side to move, and beside each side's first rank its extra material."""
    look = look or look_of(output())
    side = "White" if board.turn else "Black"
    check = ", in check" if board.is_check() else ""
    notes = {
        0: _ahead(board, flipped, look),
        4: f"{side} to move{check}",
        7: _ahead(board, not flipped, look),
    }
    return {number: note for number, note in notes.items() if note}


def piece_glyph(piece: chess.Piece, look: Look) -> str:
    """The glyph of a piece, one column wide."""
    if look is Look.COLOURED:
        return _SOLID[piece.symbol().lower()]
    return piece.symbol() if look is Look.LETTERS else _OUTLINED[piece.symbol()]


def _coloured_row(
    board: chess.Board, squares: Sequence[chess.Square], marked: frozenset[chess.Square], look: Look
) -> Text:
    """Three columns per square, about as wide as a line is high."""
    text = Text()
    for square in squares:
        piece = board.piece_at(square)
        colours = MOVED if square in marked else SQUARES
        if piece == chess.Piece(chess.KING, board.turn) and board.is_check():
            colours = _CHECK
        background = colours[bool(chess.BB_SQUARES[square] & chess.BB_LIGHT_SQUARES)]
        glyph = piece_glyph(piece, look) if piece else " "
        colour = MEN[piece.color] if piece else None
        text.append(f" {glyph} ", Style(color=colour, bgcolor=background))
    return text


def _plain_row(
    board: chess.Board, squares: Sequence[chess.Square], marked: frozenset[chess.Square], look: Look
) -> Text:
    """Two columns per square, and brackets around marked ones."""
    empty = "." if look is Look.LETTERS else "·"
    text, before = "", False
    for square in squares:
        piece = board.piece_at(square)
        now = square in marked
        text += "|" if now and before else "[" if now else "]" if before else " "
        text += piece_glyph(piece, look) if piece else empty
        before = now
    return Text(text + ("]" if before else ""))


def _ahead(board: chess.Board, colour: chess.Color, look: Look) -> str:
    """A side's extra material: pieces as captured enemy pieces, and the difference in pawns."""
    glyphs, points = "", 0
    for kind, value in reversed(_VALUES.items()):
        more = len(board.pieces(kind, colour)) - len(board.pieces(kind, not colour))
        points += more * value
        glyphs += piece_glyph(chess.Piece(kind, not colour), look) * max(0, more)
    return f"{glyphs} +{points}" if points > 0 else glyphs
