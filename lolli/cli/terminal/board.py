"""Boards in the terminal, of all games, in colours or as text, and what is said of positions."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

import chess
from rich.cells import cell_len
from rich.console import Console
from rich.style import Style
from rich.text import Text

from lolli.cli.terminal.screen import count_text, duration_text, output

if TYPE_CHECKING:
    from engine.board.position import Position
    from engine.games.rules.game import Game, Move, State
    from engine.games.search.basics import Decision
    from eval.evaluator import NetworkParts

DIM = Style(dim=True)
NOTES = 34  # columns kept for what stands beside a board
_LABEL = 3  # columns, for the numbers of the ranks
_LEAST = 62  # columns for the board, if there are as many
_GAP = 3  # between the board and what stands beside it
_LINE = 8  # plies
_TRIED = 5  # moves
_VALUES = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}
# The pawn U+265F is an emoji, too; U+FE0E asks for the plain one, which is as wide as the other pieces.
_SOLID = {"p": "♟\ufe0e", "n": "♞", "b": "♝", "r": "♜", "q": "♛", "k": "♚"}
_OUTLINED = {"P": "♙", "N": "♘", "B": "♗", "R": "♖", "Q": "♕", "K": "♔", **_SOLID}
# Dark squares, light squares: both in contrast to black and to white pieces.
_SQUARES, _MOVED, _CHECK = ("#5f87af", "#87afd7"), ("#878700", "#afaf00"), ("#d75f5f", "#d75f5f")
_BLACK, _WHITE = "#000000", "#ffffff"
_PLAYERS = ("#d75f5f", "#5f87d7", "#5faf5f", "#d7af5f", "#af87d7", "#5fafaf")
_DIGITS = "123456"
_DISC = ("  ▄▄▄  ", " █████ ", "  ▀▀▀  ")
_CROSS = (" ▀▄ ▄▀ ", "   █   ", " ▄▀ ▀▄ ")
_NOUGHT = ("  ▄▄▄  ", " █   █ ", "  ▀▀▀  ")
_LABELLED = re.compile(r"( *\d+ )(.*)( \d+)")
_POINTS = {1: {1: "┌", 0: "┬", -1: "┐"}, 0: {1: "├", 0: "┼", -1: "┤"}, -1: {1: "└", 0: "┴", -1: "┘"}}
_EMPTY = {".", "+", ""}
_CHECKERS_ROWS, _FOCUS_WIDTH = 8, 6

# How a board is drawn, and how large


class Look(Enum):
    COLOURED = "coloured squares, the same solid pieces for both sides"
    OUTLINED = "White's pieces outlined, Black's solid, no colours needed"
    LETTERS = "letters, capitals for White"


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

    def extent(self, look: Look, columns: int = 8, rows: int = 8, least: int = 0) -> tuple[int, int]:
        """The columns and lines of a board with its coordinates; a square is `least` columns wide."""
        width = max(self.columns(look), least)
        if look is Look.COLOURED:
            return _LABEL + columns * width, rows * self.value + 1 + (self is BoardSize.MEDIUM)
        return _LABEL + columns * width + 1, (rows - 1) * self.value + 2


def size_for(console: Console, wanted: BoardSize | None, *, beside: int, around: int) -> BoardSize:
    """The size `wanted`, else the largest whose chess board leaves `beside` columns and `around` lines free.

    Without a terminal a board is small.
    """
    if wanted is not None:
        return wanted
    if not console.is_terminal:
        return BoardSize.SMALL
    look, room = look_of(console), (console.width - beside, console.height - around)
    return next((size for size in reversed(BoardSize) if _fits(size.extent(look), room)), BoardSize.SMALL)


def _fits(extent: tuple[int, int], room: tuple[int, int]) -> bool:
    return extent[0] <= room[0] and extent[1] <= room[1]


# How the men of each game look in colours, and what its sides are called


@dataclass(frozen=True, slots=True)
class Man:
    """A piece: one character in a colour, and three lines of seven characters for large boards."""

    glyph: str
    colour: str
    large: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GameLook:
    """The pieces by their marks in the text of a board; colours of dark, light and marked squares.

    `home`: marks whose colour fills the square. `points`: pieces stand where lines cross. `piles`: several
    share a square of `width` characters. `numbered`: empty dark squares show numbers. `moves`: pieces move.
    """

    men: Mapping[str, Man]
    squares: tuple[str, str] = ("#303030", "#3a3a3a")
    marked: tuple[str, str] = ("#5f5f00", "#5f5f00")
    home: Mapping[str, str] = field(default_factory=dict)
    empty: Man = field(default_factory=lambda: Man(" ", _WHITE))
    width: int = 3
    points: bool = False
    piles: bool = False
    numbered: bool = False
    moves: bool = False


_STONES = {"X": Man("●", _BLACK, _DISC), "O": Man("●", _WHITE, _DISC)}
_CHESSMEN = {
    letter: Man(_SOLID[letter.lower()], _WHITE if letter.isupper() else _BLACK) for letter in "PNBRQKpnbrqk"
}
_PIECES = {digit: Man("●", colour) for digit, colour in zip(_DIGITS, _PLAYERS, strict=True)}
_NUMBERS = {digit: Man(digit, colour) for digit, colour in zip(_DIGITS, _PLAYERS, strict=True)}
_CHESS = GameLook(_CHESSMEN, squares=_SQUARES, marked=_MOVED, moves=True)

GRIDS: Mapping[str, GameLook] = {
    "tictactoe": GameLook({"X": Man("X", "#ff8787", _CROSS), "O": Man("O", "#87d7ff", _NOUGHT)}),
    "connectfour": GameLook(
        {"X": Man("●", "#ff5f5f", _DISC), "O": Man("●", "#ffd75f", _DISC)},
        squares=("#005faf", "#005faf"),
        marked=("#0087d7", "#0087d7"),
        empty=Man("●", "#003a6b", _DISC),
    ),
    "othello": GameLook(_STONES, squares=("#1c7a4a", "#1f8250"), marked=("#87af00", "#87af00")),
    "go": GameLook(
        _STONES,
        squares=("#d7af5f", "#d7af5f"),
        marked=("#d78700", "#d78700"),
        empty=Man("", "#875f00"),
        points=True,
    ),
    "checkers": GameLook(
        {
            "b": Man("●", _BLACK, _DISC),
            "w": Man("●", _WHITE, _DISC),
            "B": Man("♚", _BLACK),
            "W": Man("♚", _WHITE),
        },
        squares=("#5f8f5f", "#d7d7af"),
        marked=("#afaf00", "#d7d700"),
        empty=Man("", "#3f6f3f"),
        numbered=True,
        moves=True,
    ),
    "chess": _CHESS,
    "virus": GameLook(
        {digit: Man(digit, _BLACK) for digit in _DIGITS},
        home=dict(zip(_DIGITS, _PLAYERS, strict=True)),
        empty=Man("·", "#6c6c6c"),
    ),
    "focus": GameLook(_NUMBERS, width=7, piles=True, moves=True),
}

LINES: Mapping[str, Mapping[str, Man]] = {
    "backgammon": {"X": Man("●", _PLAYERS[0]), "O": Man("●", _PLAYERS[1])},
    "chinesecheckers": {**_PIECES, ".": Man("·", "#808080")},
    "nim": {"o": Man("●", _PLAYERS[3])},
}
"""Games whose boards stay as they are written, but for these marks."""

_SIDES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "tree": (("", "MAX"), ("", "MIN")),
    "tictactoe": (("X", "X"), ("O", "O")),
    "connectfour": (("X", "X"), ("O", "O")),
    "backgammon": (("X", "X"), ("O", "O")),
    "othello": (("X", "Black"), ("O", "White")),
    "go": (("X", "Black"), ("O", "White")),
    "checkers": (("b", "Black"), ("w", "White")),
    "chess": (("k", "Black"), ("K", "White")),
}
"""The mark and the name of each player of a game of two."""
_STONE_GAMES = ("othello", "go")


def side_name(game: Game[Any], player: int) -> str:
    sides = _SIDES.get(game.name, ())
    return sides[player][1] if game.players == len(sides) else f"p{player + 1}"


def side_text(game: Game[Any], player: int, console: Console) -> Text:
    """In colours with a man before it; in plain text with its mark where that differs: `Black (X)`."""
    name, sides = side_name(game, player), _SIDES.get(game.name)
    if look_of(console) is Look.COLOURED:
        mark = sides[player][0] if sides and game.players == len(sides) else str(player + 1)
        look = GRIDS.get(game.name)
        man = look.men[mark] if look else LINES.get(game.name, {}).get(mark)
        if man is not None:
            style = Style(color=man.colour, bgcolor=look.home.get(mark, look.squares[0]) if look else None)
            return Text.assemble((f" {man.glyph} ", style), f" {name}")
    return Text(f"{name} ({_SIDES[game.name][player][0]})" if game.name in _STONE_GAMES else name)


# Boards


@dataclass(frozen=True, slots=True)
class ShownState:
    """`before` and `move` led to `state`, if known. `flipped`: seen from the other side."""

    game: Game[Any]
    state: State
    before: State | None = None
    move: Move = None
    flipped: bool = False

    def chess_move(self) -> chess.Move | None:
        return None if self.before is None else chess.Move.from_uci(self.game.text(self.before, self.move))


@dataclass(frozen=True, slots=True)
class _Grid:
    """Marks in rows from the top, empty where there is no square; `notes` stand below."""

    labels: Sequence[str]
    rows: Sequence[Sequence[str]]
    letters: Sequence[str]
    notes: Sequence[str] = ()


_Place = tuple[int, int]  # row and column, from the top and the left


def position_lines(
    position: ShownState, console: Console, lines_around: int = 0, size: BoardSize | None = None
) -> list[Text]:
    """In `size` or as large as fits, with `lines_around` lines above and below; without colours as text."""
    game, look = position.game, look_of(console)
    width = min(console.width, max(console.width - NOTES, _LEAST))
    height = console.height - lines_around
    if game.name == "chess":
        board = chess.Board(game.show(position.state).splitlines()[-1])
        fitting = size_for(console, size, beside=console.width - width, around=lines_around)
        return board_lines(
            board, flipped=position.flipped, last=position.chess_move(), look=look, size=fitting
        )
    if game.name in GRIDS and look is Look.COLOURED:
        grid, game_look = _grid_of(game, position.state), GRIDS[game.name]
        size = size or _fitting(grid, game_look.width, (width, height - len(grid.notes)))
        if size is not None:
            return _drawn(grid, game_look, size, _changed(position, grid))
    text = game.show(position.state)
    if game.name in LINES and look is Look.COLOURED:
        return [_recoloured(line, LINES[game.name]) for line in text.splitlines()]
    return [Text(line) for line in text.splitlines()]


def board_lines(
    board: chess.Board,
    *,
    flipped: bool = False,
    last: chess.Move | None = None,
    look: Look | None = None,
    notes: Mapping[int, str] | None = None,
    size: BoardSize = BoardSize.SMALL,
) -> list[Text]:
    """The ranks from the top, then the letters of the files; White is at the bottom unless `flipped`.

    `last` is marked; with colours also a king in check. `look` is by default the best for stdout. `notes`
    stand to the right of the ranks, from the top, 0 … 7, or of the files, 8.
    """
    look = look or look_of(output())
    ranks = range(8) if flipped else range(7, -1, -1)
    files = range(7, -1, -1) if flipped else range(8)
    squares = [[chess.square(file, rank) for file in files] for rank in ranks]
    places = {square: (row, column) for row, line in enumerate(squares) for column, square in enumerate(line)}
    marked = {places[square] for square in ((last.from_square, last.to_square) if last else ())}
    grid = _Grid(
        [f" {chess.RANK_NAMES[rank]}" for rank in ranks],
        [[piece.symbol() if (piece := board.piece_at(square)) else "." for square in row] for row in squares],
        [chess.FILE_NAMES[file] for file in files],
    )
    if look is Look.COLOURED:
        king = board.king(board.turn) if board.is_check() else None
        lines = _drawn(grid, _CHESS, size, marked, None if king is None else places[king])
    else:
        lines = _plain(grid, marked, look, size)
    width = max(line.cell_len for line in lines)
    labelled = [line for line in lines if line.plain[:_LABEL].strip()]
    for number, note in (notes or {}).items():
        line = [*labelled, lines[-1]][number]
        line.append(" " * (width + 3 - line.cell_len) + note)
    return lines


def position_notes(board: chess.Board, *, flipped: bool = False, look: Look | None = None) -> dict[int, str]:
    """Notes for `board_lines`: the side to move, and at each side's first rank its extra material."""
    look = look or look_of(output())
    side = "White" if board.turn else "Black"
    check = ", in check" if board.is_check() else ""
    notes = {
        0: _ahead(board, flipped, look),
        4: f"{side} to move{check}",
        7: _ahead(board, not flipped, look),
    }
    return {number: note for number, note in notes.items() if note}


def _ahead(board: chess.Board, colour: chess.Color, look: Look) -> str:
    """A side's extra material: pieces as captured enemy pieces, and the difference in pawns."""
    glyphs, points = "", 0
    for kind, value in reversed(_VALUES.items()):
        more = len(board.pieces(kind, colour)) - len(board.pieces(kind, not colour))
        points += more * value
        glyphs += piece_glyph(chess.Piece(kind, not colour), look) * max(0, more)
    return f"{glyphs} +{points}" if points > 0 else glyphs


def piece_glyph(piece: chess.Piece, look: Look) -> str:
    return _glyph(piece.symbol(), look)


def _glyph(symbol: str, look: Look) -> str:
    if look is Look.COLOURED:
        return _SOLID[symbol.lower()]
    return symbol if look is Look.LETTERS else _OUTLINED.get(symbol, "·")


def beside(board: Sequence[Text], notes: Sequence[Text], width: int) -> list[Text]:
    """The board with notes to its right, or below it if these do not fit into `width` columns."""
    across = max(line.cell_len for line in board[: len(notes)] or board)  # what is below may be longer
    if across + _GAP + max((note.cell_len for note in notes), default=0) > width:
        return [*board, Text(), *notes]
    count = max(len(board), len(notes))
    left = [*(line.copy() for line in board), *(Text() for _ in range(count - len(board)))]
    for line, note in zip(left, notes, strict=False):
        if note.cell_len:
            line.append(" " * (across + _GAP - line.cell_len))
            line.append_text(note)
    return left


# The squares of a state


def squares_of(game: Game[Any], state: State) -> Sequence[Sequence[str]]:
    """The marks in rows from the top, empty where there is no square; no rows for a game without squares."""
    return _grid_of(game, state).rows if game.name in GRIDS else []


def _grid_of(game: Game[Any], state: State) -> _Grid:
    from engine.games.rules.game import grid_rows  # noqa: PLC0415 - not for chess

    text = game.show(state)
    lines = text.splitlines()
    if game.name == "checkers":
        rows = [[line[4 + 2 * column].strip() for column in range(8)] for line in lines[:_CHECKERS_ROWS]]
        return _Grid([""] * len(rows), rows, [])
    if game.name == "focus":
        rows = [
            [line[_LABEL + _FOCUS_WIDTH * column :][: _FOCUS_WIDTH - 1].strip() for column in range(8)]
            for line in lines[1:9]
        ]
        return _Grid([line[:2] for line in lines[1:9]], rows, lines[0].split(), lines[10:])
    found = grid_rows(text)
    return _Grid([f"{n:2}" for n in found], list(found.values()), lines[0].split(), lines[len(found) + 2 :])


def _fitting(grid: _Grid, least: int, room: tuple[int, int]) -> BoardSize | None:
    shape = len(grid.rows[0]), len(grid.rows), least
    for size in reversed(BoardSize):
        if _fits(size.extent(Look.COLOURED, *shape), room):
            return size
    return BoardSize.SMALL if BoardSize.SMALL.extent(Look.COLOURED, *shape)[0] <= room[0] else None


def _changed(position: ShownState, grid: _Grid) -> set[_Place]:
    if position.before is None:
        return set()
    before = _grid_of(position.game, position.before).rows
    places = [(row, column) for row in range(len(before)) for column in range(len(before[0]))]
    changed = {(row, column) for row, column in places if before[row][column] != grid.rows[row][column]}
    placed = {(row, column) for row, column in changed if before[row][column] in _EMPTY}
    return changed if GRIDS[position.game.name].moves or not placed else placed


# Drawing


def _drawn(
    grid: _Grid, look: GameLook, size: BoardSize, marked: Collection[_Place], check: _Place | None = None
) -> list[Text]:
    across = max(look.width, size.columns(Look.COLOURED))
    down = 1 if size is BoardSize.MEDIUM else size.value
    colours = [
        [
            _behind(look, mark, place, is_marked=place in marked, is_check=place == check)
            for place, mark in row
        ]
        for row in _placed(grid)
    ]
    squares = [
        [_square(grid, look, place, colours[place[0]][place[1]], (across, down)) for place, _ in row]
        for row in _placed(grid)
    ]
    lines = _joined(squares, grid.labels)
    if size is BoardSize.MEDIUM:
        lines = (
            _lines_between(lines, colours, look, across) if look.points else _halved(lines, colours, across)
        )
    if grid.letters:
        lines.append(_letters(grid.letters, across))
    return [*lines, *(Text(note, DIM) for note in grid.notes)]


def _placed(grid: _Grid) -> list[list[tuple[_Place, str]]]:
    return [
        [((row, column), mark) for column, mark in enumerate(marks)] for row, marks in enumerate(grid.rows)
    ]


def _joined(squares: Sequence[Sequence[Sequence[Text]]], labels: Sequence[str]) -> list[Text]:
    lines = []
    for label, row in zip(labels, squares, strict=True):
        middle = (len(row[0]) - 1) // 2
        for number, parts in enumerate(zip(*row, strict=True)):
            lines.append(Text.assemble((f"{label if number == middle else '':{_LABEL}}", DIM), *parts))
    return lines


def _letters(letters: Sequence[str], across: int) -> Text:
    return Text(" " * _LABEL + "".join(f"{letter:^{across}}" for letter in letters), DIM)


def _halved(rows: Sequence[Text], colours: Sequence[Sequence[str | None]], across: int) -> list[Text]:
    """Rows of squares two lines high, pieces in the middle: half a line above and below each row."""
    edge: list[str | None] = [None] * len(colours[0])
    lines = []
    for above, below, row in zip([edge, *colours], [*colours, edge], [*rows, Text()], strict=True):
        between = Text(" " * _LABEL)
        for upper, lower in zip(above, below, strict=True):
            half, colour, behind = ("▄", lower, None) if upper is None else ("▀", upper, lower)
            between.append((half if colour else " ") * across, Style(color=colour, bgcolor=behind))
        lines += [between, row]
    return lines[:-1]


def _lines_between(
    rows: Sequence[Text], colours: Sequence[Sequence[str | None]], look: GameLook, across: int
) -> list[Text]:
    lines = [rows[0]]
    for behind, row in zip(colours, rows[1:], strict=False):
        between = ((f"{'│':^{across}}", Style(color=look.empty.colour, bgcolor=colour)) for colour in behind)
        lines += [Text.assemble(" " * _LABEL, *between), row]
    return lines


def _behind(look: GameLook, mark: str, place: _Place, *, is_marked: bool, is_check: bool) -> str | None:
    if mark == "" and look.piles:
        return None
    colours = _CHECK if is_check else look.marked if is_marked else look.squares
    return look.home.get(mark) or colours[sum(place) % 2 == 0]


def _square(
    grid: _Grid, look: GameLook, place: _Place, behind: str | None, size: tuple[int, int]
) -> list[Text]:
    across, down = size
    row, column = place
    mark = grid.rows[row][column]
    if behind is None:
        return [Text(" " * across)] * down
    man = look.men.get(mark, look.empty)
    drawn: Sequence[str] = man.large if down > 1 else ()
    if look.points:
        drawn = drawn if mark in look.men and down > 1 else _crossing(grid, place, size)
    elif look.numbered and mark in _EMPTY and (row + column) % 2:
        drawn = _centred(str(len(grid.rows[row]) // 2 * row + column // 2 + 1), size)
    elif look.piles and mark not in _EMPTY:
        drawn = _centred(mark, size)
    drawn = drawn or _centred(man.glyph, size)
    texts = [Text(line, Style(color=man.colour, bgcolor=behind)) for line in drawn]
    middle = texts[down // 2]
    if look.points and mark in look.men and down == 1:
        lines = Style(color=look.empty.colour)
        middle = Text.assemble(
            (middle.plain[0], lines), man.glyph, (middle.plain[2], lines), style=middle.style
        )
    if look.piles:
        for digit, player in look.men.items():
            middle.highlight_regex(digit, Style(color=player.colour, bold=True))
    texts[down // 2] = middle
    return texts


def _centred(glyph: str, size: tuple[int, int]) -> list[str]:
    across, down = size
    blanks = across - cell_len(glyph)
    middle = " " * (blanks // 2) + glyph + " " * (blanks - blanks // 2)
    return [middle if i == down // 2 else " " * across for i in range(down)]


def _crossing(grid: _Grid, place: _Place, size: tuple[int, int]) -> list[str]:
    across, down = size
    row, column = place
    top, bottom = row == 0, row == len(grid.rows) - 1
    left, right = column == 0, column == len(grid.rows[row]) - 1
    point = "•" if grid.rows[row][column] == "+" else _POINTS[top - bottom][left - right]
    half = across // 2
    middle = f"{' ' if left else '─'}" * half + point + f"{' ' if right else '─'}" * half
    upright = f"{'│':^{across}}"
    above, below = (" " * across if edge else upright for edge in (top, bottom))
    return [*[above] * (down // 2), middle, *[below] * (down // 2)]


def _plain(grid: _Grid, marked: Collection[_Place], look: Look, size: BoardSize) -> list[Text]:
    blanks = " " * (size.value - 1)
    lines = []
    for label, row in zip(grid.labels, _placed(grid), strict=True):
        text, before = "", False
        for place, symbol in row:
            now = place in marked
            text += "|" if now and before else "[" if now else "]" if before else " "
            text += f"{blanks}{_glyph(symbol, look)}{blanks}"
            before = now
        text += "]" if before else ""
        lines += [Text.assemble((f"{label:{_LABEL}}", DIM), text), *(Text() for _ in blanks)]
    gap = size.columns(look) - 1
    letters = Text(" " * (_LABEL + gap // 2 + 1) + (" " * gap).join(grid.letters), DIM)
    return [*lines[: len(lines) - len(blanks)], letters]


def _recoloured(line: str, men: Mapping[str, Man]) -> Text:
    """Colours only the pieces of a line, not labels and what stands below."""
    labelled = _LABELLED.fullmatch(line)
    first, body, last = labelled.groups() if labelled else ("", line, "")
    if not labelled and not line.startswith("|") and not set(body.split(" ")[-1]) <= {"o"}:
        return Text(line)
    drawn = Text.assemble((first, DIM))
    for letter in body:
        man = men.get(letter)
        drawn.append(letter if man is None else man.glyph, None if man is None else man.colour)
    return drawn.append(last, DIM)


# What each man is worth

_USUAL = (100, 300, 300, 500, 900)  # centipawns, pawn … queen
_TINTS = ("#d75f5f", "#d78787", "#afafaf", "#87af87", "#5faf5f")  # much less than usual … much more
_STEPS = (-0.5, -0.15, 0.15, 0.5)  # parts of the usual value, between the tints


def worth_lines(parts: NetworkParts, position: Position) -> list[Text]:
    """Two lines a rank, the pieces and what each is worth in pawns; then the files, and what colours mean."""
    across = BoardSize.LARGE.columns(Look.COLOURED)
    ranks = [range(8 * rank, 8 * rank + 8) for rank in range(7, -1, -1)]
    squares = [
        [_worth(square, position.piece_at(square), parts.men[square], across) for square in rank]
        for rank in ranks
    ]
    legend = Text.assemble(
        " " * _LABEL,
        *(
            (f" {word} ", Style(color=_BLACK, bgcolor=tint))
            for word, tint in zip(("less", "about", "more"), _TINTS[::2], strict=True)
        ),
        " than 1, 3, 3, 5, 9",
    )
    return [
        *_joined(squares, [f" {name}" for name in chess.RANK_NAMES[::-1]]),
        _letters(chess.FILE_NAMES, across),
        legend,
    ]


def _worth(square: int, piece: int, worth: int | None, across: int) -> list[Text]:
    behind, colour, glyph = _SQUARES[(square >> 3 ^ square) & 1], _BLACK, " "
    if piece & 7 < len(chess.PIECE_TYPES):
        colour = (_WHITE, _BLACK)[piece >> 3 & 1]
        glyph = list(_SOLID.values())[piece & 7]
        if worth is not None and piece & 7 < len(_USUAL):
            usual = _USUAL[piece & 7]
            behind = _TINTS[sum((worth - usual) / usual > step for step in _STEPS)]
    number = "" if worth is None else f"{worth / 100:.2f}"
    style = Style(color=colour, bgcolor=behind)
    return [Text(_centred(glyph, (across, 1))[0], style), Text(f"{number:^{across}}", style)]


# What a searcher has decided


def value_text(game: Game[Any], state: State, decision: Decision) -> str:
    """`value +0.24 for X (estimate)`, of all players if more than two play; empty if there is none.

    It is for the player to move or, in a tree, for MAX. A value without a mark is exact.
    """
    if decision.value is None:
        return ""
    if game.players > 2 and decision.values is not None:
        values = enumerate(decision.values)
        worth = " ".join(f"{side_name(game, player)}:{value + 0.0:+.3g}" for player, value in values)
    else:
        player = state.player if game.max_player is None else game.max_player
        value = decision.value if player == state.player else -decision.value
        worth = f"{value + 0.0:+.3g} for {side_name(game, player)}"
    return f"value {worth}{'' if decision.exact else ' (estimate)'}"


def line_text(game: Game[Any], state: State, decision: Decision) -> str:
    """`line D3 C5 F6`, at most eight plies; empty if there is none."""
    from engine.games.rules.game import variation  # noqa: PLC0415 - not for chess

    moves = [text for _, text in variation(game, state, decision.line)][:_LINE]
    return " ".join(["line", *moves]) if moves else ""


def effort_text(decision: Decision) -> str:
    """`depth 4, 1.20k nodes, 300 random games, 0.1 s`, without what is 0; empty for no search."""
    counts = decision.counts
    parts = [
        f"depth {decision.depth}" if decision.depth else "",
        f"{count_text(counts.visited)} nodes" if counts.visited else "",
        f"{count_text(counts.playouts)} {playouts_word(decision)}" if counts.playouts else "",
    ]
    return ", ".join([*filter(None, parts), duration_text(decision.seconds)]) if any(parts) else ""


def playouts_word(decision: Decision) -> str:
    """What the searcher's playouts are called: those of PUCT need not be random games."""
    return "simulations" if decision.evaluated else "random games"


def moves_text(game: Game[Any], state: State, decision: Decision) -> str:
    """The most visited moves, `D3 250 visits, mean +0.2`, or the best with dice, `13/9* +0.123`."""
    from engine.games.players.textbook import with_equities  # noqa: PLC0415 - as above

    if decision.tried:
        return "; ".join(
            f"{game.text(state, each.move)} {each.visits:,} visits, mean {each.mean:+.2f}"
            for each in decision.tried[:_TRIED]
        )
    worth = with_equities(game, state, decision).tried[:_TRIED]
    return "; ".join(f"{game.text(state, each.move)} {each.mean + 0.0:+.3f}" for each in worth)


def summary(game: Game[Any], state: State, decision: Decision) -> str:
    """Value, line of play and effort after a colon; empty where nothing was searched."""
    found = (value_text(game, state, decision), line_text(game, state, decision), effort_text(decision))
    told = "; ".join(filter(None, found))
    return f": {told}" if told else ""
