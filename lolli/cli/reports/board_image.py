"""Positions as pictures: SVG by python-chess, and PNG converted from it."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable

import chess
import chess.svg

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_MARKED = "#e0714acc"
_BORDER = 14  # for the coordinates in a page, left of the squares and below them; a square is 45
_MIDDLE = 7.5  # from the squares to the middle of the coordinates
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
    coordinates: bool = True,
) -> str:
    """An SVG file. The squares of the last move, those `marked`, and that of a king in check are coloured.

    `size` is in pixels.
    """
    return chess.svg.board(
        board,
        orientation=orientation,
        lastmove=chess.Move(*last) if last else None,
        check=board.king(board.turn) if board.is_check() else None,
        arrows=arrows,
        fill=dict.fromkeys(marked, _MARKED),
        size=size,
        coordinates=coordinates,
        colors={**_COLORS, "margin": "#ffffff"},
    )


def board_png(svg: str) -> bytes:
    """A PNG file of the SVG's size. Needs the package resvg_py."""
    import resvg_py  # noqa: PLC0415 - only a PNG needs it

    return resvg_py.svg_to_bytes(svg_string=svg, skip_system_fonts=True)


def diagram_in_page(
    board: chess.Board,
    label: str,
    *,
    orientation: chess.Color,
    last: Squares | None = None,
    arrows: Iterable[chess.svg.Arrow] = (),
) -> str:
    """An SVG for a page that has `shared_definitions` once, labelled for screen readers.

    The coordinates are text outside the squares, which the page gives its colour and font. The page's script
    turns these diagrams, and knows the places of what is drawn here.
    """
    ET.register_namespace("", _SVG)
    svg = board_svg(board, orientation=orientation, last=last, arrows=arrows, coordinates=False)
    root = ET.fromstring(svg)  # noqa: S314 - made by python-chess
    for name in ("desc", "defs"):
        for element in root.findall(f"{{{_SVG}}}{name}"):
            root.remove(element)
    for element in root.iter(f"{{{_SVG}}}use"):
        element.attrib.pop(f"{{{_XLINK}}}href", None)
    side = 8 * chess.svg.SQUARE_SIZE
    root.set("viewBox", f"{-_BORDER} 0 {side + _BORDER} {side + _BORDER}")
    root.append(_coordinates(orientation))
    root.set("role", "img")
    root.set("aria-label", label)
    return ET.tostring(root, encoding="unicode")


def _coordinates(orientation: chess.Color) -> ET.Element:
    side = 8 * chess.svg.SQUARE_SIZE
    group = ET.Element("g", {"class": "coordinates"})
    files, ranks = chess.FILE_NAMES, chess.RANK_NAMES[::-1]
    for place in range(8):
        middle = (place + 0.5) * chess.svg.SQUARE_SIZE
        name = place if orientation else 7 - place
        file = ET.SubElement(group, "text", {"class": "file", "x": f"{middle:g}", "y": f"{side + _MIDDLE:g}"})
        rank = ET.SubElement(group, "text", {"class": "rank", "x": f"{-_MIDDLE:g}", "y": f"{middle:g}"})
        file.text, rank.text = files[name], ranks[name]
    return group


def shared_definitions() -> str:
    """The definitions for all diagrams of a page, such as the pieces: the content of an element `defs`."""
    return "".join((*chess.svg.PIECES.values(), chess.svg.CHECK_GRADIENT))
