"""Boards in the terminal: of chess against python-chess' own, of other games, and what men are worth."""

import io
from collections import Counter
from dataclasses import replace
from random import Random

import chess
import pytest
from rich.console import Console
from rich.text import Text

from engine.board.fen import parse_fen
from engine.games.catalogue import GAMES, game
from engine.games.rules.game import OVER
from eval.evaluator import NetworkParts
from lolli.cli.terminal.board import (
    GRIDS,
    BoardSize,
    Look,
    ShownState,
    board_lines,
    look_of,
    position_lines,
    side_text,
    size_for,
    worth_lines,
)

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


def console(width: int, height: int, *, colours: bool = True) -> Console:
    file = io.TextIOWrapper(io.BytesIO(), "utf-8")
    return Console(
        file=file,
        width=width,
        height=height,
        force_terminal=True,
        color_system="truecolor" if colours else None,
    )


def played(name: str, plies: int, players: int | None = None) -> ShownState:
    rules, random = game(name, players), Random(1)
    position = ShownState(rules, rules.start())
    for _ in range(plies):
        state = position.state
        move = random.choice(state.moves())
        if state.play(move).player == OVER:
            break
        position = ShownState(rules, state.play(move), state, move)
    return position


def colours(line: Text, kind: str) -> list[str]:
    """The colour of each character, `color`, or behind it, `bgcolor`; empty where there is none."""
    looks = [line.get_style_at_offset(console(80, 24), i) for i in range(len(line.plain))]
    return ["" if (colour := getattr(look, kind)) is None else colour.name for look in looks]


def backgrounds(line: Text) -> list[str]:
    return colours(line, "bgcolor")


def foregrounds(line: Text) -> list[str]:
    return colours(line, "color")


@pytest.mark.parametrize("name", GAMES)
def test_plain_text_is_that_of_the_game(name: str) -> None:
    position = played(name, 4)
    lines = [line.plain for line in position_lines(position, console(80, 12, colours=False))]
    if name == "chess":
        assert lines[8].split() == list("abcdefgh")
    else:
        assert lines == position.game.show(position.state).splitlines()


@pytest.mark.parametrize("name", [name for name in GRIDS if name != "chess"])
def test_every_man_is_on_the_board_in_its_colours(name: str) -> None:
    position = played(name, 6)
    lines = position_lines(position, console(90, 9))
    drawn = Counter(pair for line in lines for pair in zip(line.plain, foregrounds(line), strict=True))
    rows = [row for row in position.game.show(position.state).splitlines() if row[:2].strip().isdigit()]
    written = Counter("".join(row[3:-2] for row in rows))
    men = GRIDS[name].men
    assert sum(written[mark] for mark in men) > 0
    assert {mark: drawn[man.glyph, man.colour] for mark, man in men.items()} == {
        mark: written[mark] for mark in men
    }


@pytest.mark.parametrize("name", ["virus", "chinesecheckers"])
def test_each_player_has_a_look(name: str) -> None:
    for players in game(name).possible_players:
        rules = game(name, players)
        sides = [side_text(rules, player, console(80, 24)) for player in range(players)]
        assert [side.plain[3:] for side in sides] == [f" p{number}" for number in range(1, players + 1)]
        assert len({(foregrounds(side)[1], backgrounds(side)[1]) for side in sides}) == players
        drawn = position_lines(played(name, 2, players), console(120, 30))
        shown = {*map(str, foregrounds(sides[-1])), *map(str, backgrounds(sides[-1]))} - {""}
        assert any(shown & {*foregrounds(line), *backgrounds(line)} for line in drawn)


def test_the_last_move_of_a_game_is_marked() -> None:
    for name, count in (("othello", 1), ("go", 1), ("checkers", 2), ("connectfour", 1), ("focus", 2)):
        position = played(name, 2)
        lines = position_lines(position, console(100, 9))
        width = GRIDS[name].width
        marked = sum(colour in GRIDS[name].marked for line in lines for colour in backgrounds(line))
        assert marked == count * width, name
        unknown = position_lines(ShownState(position.game, position.state), console(100, 9))
        assert not any(colour in GRIDS[name].marked for line in unknown for colour in backgrounds(line))


def test_a_board_from_the_other_side_is_turned_with_its_labels() -> None:
    position = played("chess", 3)
    turned = replace(position, flipped=True)
    for height, down in ((17, 1), (50, 3)):
        one, other = (position_lines(each, console(100, height)) for each in (position, turned))
        squares = [[line.plain[3:] for line in lines[down // 2 : 8 * down : down]] for lines in (one, other)]
        assert [row.split() for row in squares[1]] == [row.split()[::-1] for row in squares[0][::-1]]
        assert other[down // 2].plain.split()[0] == "1"
        assert other[-1].plain.lower().split() == list("hgfedcba")
        marked = [
            sum(colour in GRIDS["chess"].marked for line in lines for colour in backgrounds(line))
            for lines in (one, other)
        ]
        assert marked[0] == marked[1] > 0


FEN = "8/8/4k3/3p4/8/8/4n3/1N1QK3 b - - 0 1"
WORTHS = {chess.B1: 312, chess.D1: 1045, chess.E2: -5, chess.D5: 200}


def board() -> list[str]:
    parts = NetworkParts((0,) * 8, 1, tuple(WORTHS.get(square) for square in range(64)))
    return [line.plain.replace("\ufe0e", "") for line in worth_lines(parts, parse_fen(FEN))]


def test_men_and_numbers_stand_on_their_squares() -> None:
    lines = board()
    assert [line[:3] for line in lines[:16:2]] == [f" {rank} " for rank in range(8, 0, -1)]
    assert all(len(line) == 3 + 8 * 7 for line in lines[:16])
    for square in range(64):
        upper, lower = (lines[2 * (7 - square // 8) + row][3 + 7 * (square % 8) :][:7] for row in (0, 1))
        piece = chess.Board(FEN).piece_at(square)
        assert upper.strip() == ("♟♞♝♜♛♚"[piece.piece_type - 1] if piece else "")
        assert lower.strip() == (f"{WORTHS[square] / 100:.2f}" if square in WORTHS else "")
    assert lines[16].split() == list("abcdefgh")
    assert lines[17].endswith("than 1, 3, 3, 5, 9")
