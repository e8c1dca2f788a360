"""What each man is worth, as a coloured board in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text

from engine.board.bitboard import EMPTY, KING

if TYPE_CHECKING:
    from engine.board.position import Position
    from eval.explanation import NetworkParts

_WIDTH = 7  # columns of a square, which is two lines high
_USUAL = (100, 300, 300, 500, 900)  # centipawns, pawn … queen
_TINTS = ("#d75f5f", "#d78787", "#afafaf", "#87af87", "#5faf5f")  # much less than usual … much more
_STEPS = (-0.5, -0.15, 0.15, 0.5)  # parts of the usual value, between the tints
_SQUARES = ("#5f87af", "#87afd7")  # dark and light ones, without a man or with a king
_COLOURS = ("#ffffff", "#000000")  # men of White and Black
_GLYPHS = "♟♞♝♜♛♚"
_DIM = Style(dim=True)


def worth_lines(parts: NetworkParts, position: Position) -> list[Text]:
    """Two lines a rank, the men and what each is worth in pawns; then the files, and what colours mean."""
    lines = []
    for rank in range(7, -1, -1):
        squares = range(8 * rank, 8 * rank + 8)
        upper, lower = Text.assemble((f" {rank + 1} ", _DIM)), Text("   ")
        for square in squares:
            piece, worth = position.piece_at(square), parts.men[square]
            style = Style(color=_COLOURS[piece >> 3 & 1], bgcolor=_background(square, piece, worth))
            glyph = " " if piece == EMPTY else _GLYPHS[piece & 7]
            glyph += "\ufe0e" if glyph == _GLYPHS[0] else ""  # the pawn is an emoji, too
            number = "" if worth is None else f"{worth / 100:.2f}"
            upper.append(f"   {glyph}   ", style)
            lower.append(f"{number:^{_WIDTH}}", style)
        lines += [upper, lower]
    lines.append(Text("   " + "".join(f"{file:^{_WIDTH}}" for file in "abcdefgh"), _DIM))
    return [*lines, _legend()]


def _background(square: int, piece: int, worth: int | None) -> str:
    """By how the man compares with 1, 3, 3, 5, 9."""
    if worth is None or piece & 7 >= KING:
        return _SQUARES[(square >> 3 ^ square) & 1]
    usual = _USUAL[piece & 7]
    return _TINTS[sum((worth - usual) / usual > step for step in _STEPS)]


def _legend() -> Text:
    return Text.assemble(
        "   ",
        (" less ", Style(color="#000000", bgcolor=_TINTS[0])),
        (" about ", Style(color="#000000", bgcolor=_TINTS[2])),
        (" more ", Style(color="#000000", bgcolor=_TINTS[-1])),
        " than 1, 3, 3, 5, 9",
    )
