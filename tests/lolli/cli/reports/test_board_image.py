"""Positions as pictures."""

import io
import xml.etree.ElementTree as ET

import chess
import chess.svg
import pytest
from PIL import Image

from lolli.cli.reports.pictures import (
    board_png,
    board_svg,
    diagram_in_page,
    moved_squares,
    shared_definitions,
)

SVG = "{http://www.w3.org/2000/svg}"
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


def pieces_of(svg: str, orientation: chess.Color, margin: int = 0) -> dict[chess.Square, str]:
    """What stands where, from the picture: squares are 45."""
    found = {}
    for use in ET.fromstring(svg).iter(f"{SVG}use"):
        x, y = map(int, use.attrib["transform"].removeprefix("translate(").removesuffix(")").split(","))
        file, rank = (x - margin) // 45, 7 - (y - margin) // 45
        square = chess.square(file, rank) if orientation else chess.square(7 - file, 7 - rank)
        found[square] = use.attrib["href"].removeprefix("#")
    return found


def names_of(board: chess.Board) -> dict[chess.Square, str]:
    return {
        square: f"{chess.COLOR_NAMES[piece.color]}-{chess.PIECE_NAMES[piece.piece_type]}"
        for square, piece in board.piece_map().items()
    }


@pytest.mark.parametrize("orientation", chess.COLORS)
def test_a_diagram_in_a_page_refers_to_what_is_shared(orientation: chess.Color) -> None:
    board = chess.Board(KIWIPETE)
    svg = diagram_in_page(board, 'a "label" & <more>', orientation=orientation)
    assert pieces_of(svg, orientation) == names_of(board)
    root = ET.fromstring(svg)
    assert root.get("aria-label") == 'a "label" & <more>'
    assert not {"desc", "defs"} & {element.tag.removeprefix(SVG) for element in root.iter()}
    shared = ET.fromstring(f"<defs>{shared_definitions()}</defs>")
    assert set(names_of(board).values()) <= {element.get("id") for element in shared}


def test_a_png_is_as_big_as_asked_and_shows_the_squares() -> None:
    svg = board_svg(chess.Board(), size=390, last=(chess.E2, chess.E4), marked=[chess.D5])
    picture = Image.open(io.BytesIO(board_png(svg))).convert("RGB")
    assert (picture.format, picture.size) == (None, (390, 390))

    def color(square: chess.Square) -> tuple[int, ...]:
        x, y = 15 + 45 * chess.square_file(square) + 3, 15 + 45 * (7 - chess.square_rank(square)) + 3
        pixel = picture.getpixel((x, y))
        assert isinstance(pixel, tuple)
        return tuple(map(int, pixel))

    assert color(chess.A1) == color(chess.B4) == (0xA3, 0xB0, 0x9A)
    assert color(chess.H1) == color(chess.A4) == (0xF0, 0xEB, 0xE0)
    assert color(chess.E4) != color(chess.A4)
    assert color(chess.E2) != color(chess.A4)
    assert color(chess.D5)[0] > color(chess.D5)[2] + 50


@pytest.mark.parametrize(
    ("fen", "move", "squares"),
    [
        (KIWIPETE, "e1g1", (chess.E1, chess.G1)),
        (KIWIPETE, "e1c1", (chess.E1, chess.C1)),
        (KIWIPETE, "e5f7", (chess.E5, chess.F7)),
        ("1r1k2r1/8/8/8/8/8/8/1R1K2R1 w GBgb - 0 1", "d1g1", (chess.D1, chess.G1)),
        ("1r1k2r1/8/8/8/8/8/8/1R1K2R1 b GBgb - 0 1", "d8b8", (chess.D8, chess.C8)),
    ],
)
def test_the_squares_of_a_move(fen: str, move: str, squares: tuple[chess.Square, chess.Square]) -> None:
    board = chess.Board(fen, chess960="GB" in fen)
    assert moved_squares(board, chess.Move.from_uci(move)) == squares
