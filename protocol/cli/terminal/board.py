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
LABEL = 3  # columns, for the numbers of the ranks
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


class BoardSize(Enum):
    """How many lines high a square is; the names, in lower case, are the words of --board-size."""

    SMALL = 1
    MEDIUM = 2
    LARGE = 3

    def columns(self, look: Look) -> int:
        """The width of a square, in which its piece has a middle."""
        return 2 * self.value + (look is Look.COLOURED)

    def extent(self, look: Look) -> tuple[int, int]:
        """The columns and lines of a board with its coordinates."""
        if look is Look.COLOURED:
            return LABEL + 8 * self.columns(look), 8 * self.value + 1 + (self is BoardSize.MEDIUM)
        return LABEL + 8 * self.columns(look) + 1, 7 * self.value + 2


def fitting_size(width: int, height: int, look: Look) -> BoardSize | None:
    """The largest size whose board fits into so many columns and lines; None if none does."""
    for size in reversed(BoardSize):
        columns, lines = size.extent(look)
        if columns <= width and lines <= height:
            return size
    return None


def size_for(console: Console, wanted: BoardSize | None, *, beside: int, around: int) -> BoardSize:
    """The size `wanted`; if that is None, the largest that leaves room in the terminal as it is now.

    `beside` columns stand beside the board and `around` lines above and below it. Without a terminal a board
    is small.
    """
    if wanted is not None:
        return wanted
    if not console.is_terminal:
        return BoardSize.SMALL
    fitting = fitting_size(console.width - beside, console.height - around, look_of(console))
    return fitting or BoardSize.SMALL


def board_lines(
    board: chess.Board,
    *,
    flipped: bool = False,
    last: chess.Move | None = None,
    look: Look | None = None,
    notes: Mapping[int, str] | None = None,
    size: BoardSize = BoardSize.SMALL,
) -> list[Text]:
    """The ranks from the top, and a line with the letters of the files; `BoardSize.extent` says how much.

    White is at the bottom unless `flipped`. The squares of the move `last` are marked; with colours also a
    king in check. `look` is by default the best for stdout. `notes` are placed to the right of the board,
    beside the ranks, counted from the top, 0 … 7, or beside the files, 8.
    """
    look = look or look_of(output())
    ranks = range(8) if flipped else range(7, -1, -1)
    files = range(7, -1, -1) if flipped else range(8)
    marked = frozenset((last.from_square, last.to_square) if last else ())
    squares = [[chess.square(file, rank) for file in files] for rank in ranks]
    if look is Look.COLOURED:
        lines, places = _coloured_lines(board, squares, marked, size)
    else:
        lines, places = _plain_lines(board, squares, marked, look, size)
    for rank, place in zip(ranks, places, strict=True):
        lines[place] = Text.assemble((f" {chess.RANK_NAMES[rank]} ", DIM), lines[place][LABEL:])
    gap = " " * (size.columns(look) - 1)
    letters = gap.join(chess.FILE_NAMES[file] for file in files)
    before = LABEL + (size.value if look is Look.COLOURED else len(gap) // 2 + 1)
    lines.append(Text(" " * before + letters, DIM))
    width = max(line.cell_len for line in lines)
    for number, note in (notes or {}).items():
        line = lines[[*places, -1][number]]
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


def _coloured_lines(
    board: chess.Board,
    squares: Sequence[Sequence[chess.Square]],
    marked: frozenset[chess.Square],
    size: BoardSize,
) -> tuple[list[Text], list[int]]:
    """The lines of the ranks after LABEL blank columns, and in which of them the pieces stand."""
    width = size.columns(Look.COLOURED)
    check = board.king(board.turn) if board.is_check() else None
    colours = [[_colour(square, marked, check) for square in row] for row in squares]
    lines = []
    for row, behind in zip(squares, colours, strict=True):
        text = Text(" " * LABEL)
        for square, colour in zip(row, behind, strict=True):
            piece = board.piece_at(square)
            glyph = piece_glyph(piece, Look.COLOURED) if piece else " "
            style = Style(color=MEN[piece.color] if piece else None, bgcolor=colour)
            text.append(f"{' ' * size.value}{glyph}{' ' * size.value}", style)
        lines.append(text)
    if size is BoardSize.MEDIUM:
        return halved_rows(lines, colours, width), list(range(1, 17, 2))
    drawn = []
    for text, behind in zip(lines, colours, strict=True):
        blank = Text.assemble(" " * LABEL, *((" " * width, Style(bgcolor=colour)) for colour in behind))
        blanks = [blank] * (size.value // 2)
        drawn += [*blanks, text, *blanks]
    return drawn, list(range(size.value // 2, 8 * size.value, size.value))


def halved_rows(rows: Sequence[Text], colours: Sequence[Sequence[str | None]], width: int) -> list[Text]:
    """Rows of squares two lines high, with their pieces in the middle: half a line above and below each row.

    `rows` are the lines with the pieces, `colours` those behind their squares, None where there is none;
    `width` is that of a square.
    """
    edge: list[str | None] = [None] * len(colours[0])
    lines = []
    for above, behind, row in zip([edge, *colours], colours, rows, strict=False):
        lines += [_between(above, behind, width), row]
    return [*lines, _between(colours[-1], edge, width)]


def _between(above: Sequence[str | None], below: Sequence[str | None], width: int) -> Text:
    """The line that is half of one row of squares and half of the next; None: nothing is there."""
    text = Text(" " * LABEL)
    for upper, lower in zip(above, below, strict=True):
        half, colour, behind = ("▄", lower, None) if upper is None else ("▀", upper, lower)
        text.append((half if colour else " ") * width, Style(color=colour, bgcolor=behind))
    return text


def _colour(square: chess.Square, marked: frozenset[chess.Square], check: chess.Square | None) -> str:
    colours = _CHECK if square == check else MOVED if square in marked else SQUARES
    return colours[bool(chess.BB_SQUARES[square] & chess.BB_LIGHT_SQUARES)]


def _plain_lines(
    board: chess.Board,
    squares: Sequence[Sequence[chess.Square]],
    marked: frozenset[chess.Square],
    look: Look,
    size: BoardSize,
) -> tuple[list[Text], list[int]]:
    """As `_coloured_lines`; brackets are around marked squares, and lines between ranks are empty."""
    empty = "." if look is Look.LETTERS else "·"
    blanks = " " * (size.value - 1)
    lines = []
    for row in squares:
        text, before = " " * LABEL, False
        for square in row:
            piece = board.piece_at(square)
            now = square in marked
            text += "|" if now and before else "[" if now else "]" if before else " "
            text += f"{blanks}{piece_glyph(piece, look) if piece else empty}{blanks}"
            before = now
        lines += [Text(text + ("]" if before else "")), *(Text() for _ in blanks)]
    return lines[: len(lines) - len(blanks)], list(range(0, len(lines), size.value))


def _ahead(board: chess.Board, colour: chess.Color, look: Look) -> str:
    """A side's extra material: pieces as captured enemy pieces, and the difference in pawns."""
    glyphs, points = "", 0
    for kind, value in reversed(_VALUES.items()):
        more = len(board.pieces(kind, colour)) - len(board.pieces(kind, not colour))
        points += more * value
        glyphs += piece_glyph(chess.Piece(kind, not colour), look) * max(0, more)
    return f"{glyphs} +{points}" if points > 0 else glyphs
