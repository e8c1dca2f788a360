"""Boards in the terminal, against python-chess' own."""

import io
import re
import sys
from itertools import pairwise

import chess
import pytest
from rich.console import Console

from protocol.cli.terminal.board import (
    BoardSize,
    Look,
    board_lines,
    look_of,
    piece_glyph,
    position_notes,
    size_for,
)
from tests.protocol.cli.terminal.screen import Screen

FENS = (
    chess.STARTING_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b Kq - 3 14",
    "8/8/8/8/8/8/8/K1k5 w - - 0 1",
)


def plain(board: chess.Board, look: Look, flipped: bool = False, last: chess.Move | None = None) -> list[str]:
    lines = board_lines(board, look=look, flipped=flipped, last=last)
    return [line.plain.replace("\ufe0e", "").rstrip() for line in lines]


@pytest.mark.parametrize("fen", FENS)
@pytest.mark.parametrize("flipped", [False, True])
def test_letters_stand_where_python_chess_puts_them(fen: str, flipped: bool) -> None:
    board = chess.Board(fen)
    rows = str(board).split("\n")
    names = list("87654321")
    files = "a b c d e f g h"
    if flipped:
        rows, names, files = [row[::-1] for row in reversed(rows)], names[::-1], files[::-1]
    expected = [f" {name}  {row}" for name, row in zip(names, rows, strict=True)]
    assert plain(board, Look.LETTERS, flipped) == [*expected, f"    {files}"]


@pytest.mark.parametrize("fen", FENS)
@pytest.mark.parametrize("flipped", [False, True])
def test_pieces_stand_where_python_chess_puts_them(fen: str, flipped: bool) -> None:
    board = chess.Board(fen)
    drawn = board.unicode(empty_square="·", orientation=not flipped)
    assert [line[4:] for line in plain(board, Look.OUTLINED, flipped)[:8]] == drawn.split("\n")


@pytest.mark.parametrize("fen", FENS)
def test_coloured_squares(fen: str) -> None:
    board = chess.Board(fen)
    lines = board_lines(board, look=Look.COLOURED)
    console = Console(file=io.StringIO(), force_terminal=True, color_system="truecolor")
    for row, line in enumerate(lines[:8]):
        assert line.cell_len == 27
        cells = [
            (segment.text, segment.style) for segment in line.render(console) if "\n" not in segment.text
        ]
        squares = [(text, style) for text, style in cells if style and style.bgcolor]
        assert len(squares) == 8
        for file, (text, style) in enumerate(squares):
            piece = board.piece_at(chess.square(file, 7 - row))
            glyph = text.strip().replace("\ufe0e", "")
            assert glyph == (piece.unicode_symbol(invert_color=piece.color) if piece else "")
            assert style is not None
            if piece:
                assert style.color is not None
                assert style.color.name == ("#ffffff" if piece.color else "#000000")
    backgrounds = {
        (file + row) % 2: {line.get_style_at_offset(console, 4 + 3 * file).bgcolor}
        for row, line in enumerate(lines[:8])
        for file in range(8)
    }
    assert backgrounds[0].isdisjoint(backgrounds[1])


@pytest.mark.parametrize("fen", FENS)
@pytest.mark.parametrize("flipped", [False, True])
@pytest.mark.parametrize("size", BoardSize)
@pytest.mark.parametrize("look", Look)
def test_larger_boards_are_the_small_one_with_more_room(
    fen: str, flipped: bool, size: BoardSize, look: Look
) -> None:
    board = chess.Board(fen)
    last = chess.Move(chess.E2, chess.E4)
    small = board_lines(board, flipped=flipped, last=last, look=look)
    lines = board_lines(board, flipped=flipped, last=last, look=look, size=size)
    columns, height = size.extent(look)
    assert len(lines) == height
    assert max(line.cell_len for line in lines) <= columns
    labelled = [line.plain.split() for line in lines if re.match(r" [1-8] ", line.plain)]
    assert [*labelled, lines[-1].plain.split()] == [
        re.sub(r"([][|])", r" \1 ", line.plain).split() if size.value > 1 else line.plain.split()
        for line in small
    ]
    width, letters = size.columns(look), lines[-1].plain
    assert {letters.index(b) - letters.index(a) for a, b in pairwise(letters.split())} == {width}
    ranks = [line.plain.replace("\ufe0e", "") for line in lines if re.match(r" [1-8] ", line.plain)]
    for row, rank in enumerate(ranks):
        for name in letters.split():
            at = chess.parse_square(f"{name}{rank[1]}")
            piece = board.piece_at(at)
            glyph = rank[letters.index(name) : letters.index(name) + 1].strip(".·") or " "
            expected = piece_glyph(piece, look).replace("\ufe0e", "") if piece else " "
            assert glyph == expected, (row, name)


@pytest.mark.parametrize("size", BoardSize)
def test_squares_of_all_sizes_have_the_same_colours(size: BoardSize) -> None:
    board = chess.Board("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1")
    last = chess.Move(chess.E7, chess.E2)
    small = board_lines(board, last=last, look=Look.COLOURED)
    lines = board_lines(board, last=last, look=Look.COLOURED, size=size)
    console = Console()

    def halves(line: int, column: int) -> tuple[str, str]:
        """The colours of the upper and the lower half of a character."""
        style = lines[line].get_style_at_offset(console, column)
        behind = style.bgcolor.name if style.bgcolor else "default"
        ink = style.color.name if style.color else "default"
        glyph = lines[line].plain[column]
        return (ink if glyph == "▀" else behind), (ink if glyph == "▄" else behind)

    whole = [
        [halves(line, column) for column in range(3, 3 + 8 * size.columns(Look.COLOURED))]
        for line in range(len(lines) - 1)
    ]
    seen = [[pair[half] for pair in row] for row in whole for half in (0, 1)]
    if size is BoardSize.MEDIUM:
        assert set(seen.pop(0)) == set(seen.pop()) == {"default"}
    for row, colours in enumerate(seen):
        for column, colour in enumerate(colours):
            rank, file = row // (2 * size.value), column // size.columns(Look.COLOURED)
            style = small[rank].get_style_at_offset(console, 4 + 3 * file)
            assert style.bgcolor is not None
            assert colour == style.bgcolor.name


def test_the_size_is_chosen_by_the_terminal_and_by_hand() -> None:
    def size(width: int, height: int, wanted: BoardSize | None = None) -> BoardSize:
        file = io.TextIOWrapper(io.BytesIO(), "utf-8")
        console = Console(file=file, width=width, height=height, force_terminal=True, color_system="256")
        return size_for(console, wanted, beside=30, around=5)

    assert size(72, 100) is size(200, 22) is size(20, 5) is BoardSize.SMALL
    assert size(73, 23) is size(88, 100) is size(200, 29) is BoardSize.MEDIUM
    assert size(89, 30) is BoardSize.LARGE
    assert size(80, 24, BoardSize.LARGE) is BoardSize.LARGE
    assert (
        size_for(Console(file=io.StringIO(), width=200, height=99), None, beside=0, around=0)
        is BoardSize.SMALL
    )


def test_the_last_move_is_marked() -> None:
    board = chess.Board()
    board.push_san("e4")
    lines = plain(board, Look.LETTERS, last=board.peek())
    assert lines[4] == " 4  . . . .[P]. . ."
    assert lines[6] == " 2  P P P P[.]P P P"
    castled = chess.Board("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    castled.push_san("O-O")
    assert plain(castled, Look.LETTERS, last=castled.peek())[7] == " 1  . . . .[.]R[K]."
    step = chess.Board("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    step.push_san("Rg1")
    assert plain(step, Look.LETTERS, last=step.peek())[7] == " 1  . . . . K .[R|.]"


def background(board: chess.Board, square: chess.Square, last: chess.Move | None = None) -> str:
    line = board_lines(board, look=Look.COLOURED, last=last)[7 - chess.square_rank(square)]
    style = line.get_style_at_offset(Console(), 4 + 3 * chess.square_file(square))
    assert style.bgcolor is not None
    return style.bgcolor.name


def test_colours_mark_the_last_move_and_check() -> None:
    board = chess.Board("4k3/8/8/8/8/8/8/4KR2 w - - 0 1")
    quiet = {background(board, square) for square in chess.SQUARES}
    assert len(quiet) == 2
    board.push_san("Rf8+")
    marked = {name: background(board, square, board.peek()) for square, name in enumerate(chess.SQUARE_NAMES)}
    assert {name for name, colour in marked.items() if colour not in quiet} == {"f1", "f8", "e8"}
    assert marked["e8"] not in (marked["f1"], marked["f8"])


@pytest.mark.parametrize(
    ("fen", "notes"),
    [
        (chess.STARTING_FEN, {4: "White to move"}),
        ("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1", {0: "R +5", 4: "White to move, in check"}),
        ("3qk3/pp6/8/8/8/8/8/RR2K3 b - - 0 1", {0: "QPP +1", 4: "Black to move", 7: "rr"}),
        ("4k3/8/8/8/8/8/8/NB2K3 b - - 0 1", {4: "Black to move", 7: "bn +6"}),
    ],
)
def test_notes(fen: str, notes: dict[int, str]) -> None:
    board = chess.Board(fen)
    assert position_notes(board, look=Look.LETTERS) == notes
    turned = {line if line == 4 else 7 - line: note for line, note in notes.items()}
    assert position_notes(board, look=Look.LETTERS, flipped=True) == turned


@pytest.mark.parametrize("look", Look)
def test_notes_stand_in_one_column(look: Look) -> None:
    board = chess.Board("4k3/8/8/8/4p3/8/8/NB2K3 b - - 0 1")
    lines = board_lines(
        board, look=look, last=chess.Move.from_uci("g1h1"), notes={0: "x", 4: "x", 7: "x", 8: "x"}
    )
    assert len({line.cell_len for line in lines if line.plain.endswith("x")}) == 1


@pytest.mark.parametrize("look", Look)
def test_every_glyph_is_one_column_wide(look: Look) -> None:
    console = Console()
    for kind in chess.PIECE_TYPES:
        for colour in chess.COLORS:
            assert console.measure(piece_glyph(chess.Piece(kind, colour), look)).maximum == 1


@pytest.mark.parametrize(
    ("system", "encoding", "term", "no_colour", "look"),
    [
        ("truecolor", "utf-8", "xterm", False, Look.COLOURED),
        ("256", "UTF-8", "xterm", False, Look.COLOURED),
        ("standard", "utf-8", "xterm", False, Look.OUTLINED),
        (None, "utf-8", "xterm", False, Look.OUTLINED),
        ("256", "utf-8", "xterm", True, Look.OUTLINED),
        ("256", "iso-8859-1", "xterm", False, Look.LETTERS),
        ("standard", "utf-8", "linux", False, Look.LETTERS),
    ],
)
def test_the_look_is_what_the_terminal_can_show(
    system: str | None, encoding: str, term: str, no_colour: bool, look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", term)
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    console = Console(file=file, force_terminal=True, color_system=system, no_color=no_colour)  # type: ignore[arg-type]
    assert look_of(console) is look


def test_in_a_terminal_all_squares_are_of_one_size() -> None:
    """What a terminal makes of it, cell by cell."""
    code = (
        "import chess; from protocol.cli.terminal.board import *;"
        "from protocol.cli.terminal.console import output;"
        "[output().print(line) for line in board_lines(chess.Board())]"
    )
    with Screen([sys.executable, "-c", code]) as screen:
        assert screen.wait() == 0
        lines = screen.text.split("\n")
        assert re.fullmatch(r" 8  ♜  ♞  ♝  ♛  ♚  ♝  ♞  ♜", lines[0])
        assert re.fullmatch(r" 7 (  ♟){8}", lines[1].replace(" 7  ", " 7   "))
        for row in range(8):
            colours = [screen.background(3 + column, row) for column in range(24)]
            assert all(len(set(colours[3 * file : 3 * file + 3])) == 1 for file in range(8))
            assert len(set(colours)) == 2
            assert screen.background(27, row) == screen.background(0, row) == "default"
