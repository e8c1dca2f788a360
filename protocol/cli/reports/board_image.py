"""Positions as pictures: SVG by python-chess, and PNG converted from it."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable

import chess
import chess.svg

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_MARKED = "#e0714acc"
_COLORS = {
    "square light": "#f0ebe0",
    "square dark": "#a3b09a",
    "square light lastmove": "#ecdc95",
    "square dark lastmove": "#c3b55c",
    "coord": "#7b7f78",
    "arrow green": "#2f7d4fd9",
    "arrow red": "#cc2f2fd9",
    "arrow yellow": "#d99a00d9",
    "arrow blue": "#2d6fb3d9",
}


Squares = tuple[chess.Square, chess.Square]


def moved_squares(board: chess.Board, move: chess.Move) -> Squares:
    """The origin and target of a move; when castling, those of the king."""
    to_square = move.to_square
    if board.is_castling(move):
        to_square = chess.square(2 if board.is_queenside_castling(move) else 6, chess.square_rank(to_square))
    return move.from_square, to_square


def board_svg(
    board: chess.Board,
    *,
    orientation: chess.Color = chess.WHITE,
    last: Squares | None = None,
    arrows: Iterable[chess.svg.Arrow] = (),
    marked: Iterable[chess.Square] = (),
    size: int | None = None,
    margin: str = "#ffffff",
) -> str:
    """An SVG file. The squares of the last move, those `marked`, and that of a king in check are coloured.

    `size` is in pixels; `margin` is the background colour of the coordinates, or `none`.
    """
    return chess.svg.board(
        board,
        orientation=orientation,
        lastmove=chess.Move(*last) if last else None,
        check=board.king(board.turn) if board.is_check() else None,
        arrows=arrows,
        fill=dict.fromkeys(marked, _MARKED),
        size=size,
        colors={**_COLORS, "margin": margin},
    )


def board_png(svg: str) -> bytes:
    """A PNG file of the SVG's size. Needs the package resvg_py."""
    import resvg_py  # noqa: PLC0415 - only a PNG needs it

    return resvg_py.svg_to_bytes(svg_string=svg, skip_system_fonts=True)


def diagram_in_page(svg: str, label: str) -> str:
    """The SVG of `board_svg` for a page that has `shared_definitions` once, labelled for screen readers."""
    ET.register_namespace("", _SVG)
    root = ET.fromstring(svg)  # noqa: S314 - made by python-chess
    for name in ("desc", "defs"):
        for element in root.findall(f"{{{_SVG}}}{name}"):
            root.remove(element)
    for element in root.iter(f"{{{_SVG}}}use"):
        element.attrib.pop(f"{{{_XLINK}}}href", None)
    root.set("role", "img")
    root.set("aria-label", label)
    return ET.tostring(root, encoding="unicode")


def shared_definitions() -> str:
    """The definitions for all diagrams of a page, such as the pieces: the content of an element `defs`."""
    return "".join((*chess.svg.PIECES.values(), chess.svg.CHECK_GRADIENT))
