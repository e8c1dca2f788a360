"""The boards of all games in a terminal: in colours and as large as fits, or as plain text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import chess
from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from engine.games.rules.vertices import grid_rows
from protocol.cli.terminal.board import (
    DIM,
    LABEL,
    BoardSize,
    Look,
    board_lines,
    halved_rows,
    look_of,
    size_for,
)
from protocol.cli.terminal.game_looks import GRIDS, LINES, man_of, marked_name, side_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console

    from engine.games.rules.game import Game, Move, State
    from protocol.cli.terminal.game_looks import GameLook, Man

NOTES = 34  # columns kept for what stands beside a board
_LEAST = 62  # columns for the board, if there are as many
_GAP = 3  # between the board and what stands beside it
_LABELLED = re.compile(r"( *\d+ )(.*)( \d+)")
_POINTS = {1: {1: "┌", 0: "┬", -1: "┐"}, 0: {1: "├", 0: "┼", -1: "┤"}, -1: {1: "└", 0: "┴", -1: "┘"}}
_EMPTY = {".", "+", ""}
_CHECKERS_ROWS, _FOCUS_WIDTH = 8, 6


@dataclass(frozen=True, slots=True)
class ShownState:
    """A state of a game, and the move that led to it from the state before, if it is known.

    `flipped`: the board is seen from the other side.
    """

    game: Game[Any]
    state: State
    before: State | None = None
    move: Move = None
    flipped: bool = False

    def chess_move(self) -> chess.Move | None:
        """The move in a game of chess."""
        return None if self.before is None else chess.Move.from_uci(self.game.text(self.before, self.move))


@dataclass(frozen=True, slots=True)
class _Grid:
    """A board of squares: marks in rows from the top, each row with its label, and what is said below.

    A mark is empty where there is no square to stand on.
    """

    labels: Sequence[str]
    rows: Sequence[Sequence[str]]
    letters: Sequence[str]
    notes: Sequence[str]


def position_lines(
    position: ShownState, console: Console, lines_around: int = 0, size: BoardSize | None = None
) -> list[Text]:
    """The board, in this size or as large as fits beside notes, with `lines_around` lines above and below.

    Where the console has no colours it is the text of the game, of chess the board that chess has.
    """
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
        grid = _seen(position, position.state)
        size = size or _fitting(grid, GRIDS[game.name], width, height)
        if size is not None:
            return _drawn(grid, GRIDS[game.name], size, _changed(position, grid))
    if game.name in LINES and look is Look.COLOURED:
        return _recoloured(game.show(position.state), LINES[game.name])
    return [Text(line) for line in game.show(position.state).splitlines()]


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


def side_text(game: Game[Any], player: int, console: Console) -> Text:
    """The name of a player, in colours with one of its men before it."""
    shown = man_of(game, player)
    if shown is None or look_of(console) is not Look.COLOURED:
        return Text(marked_name(game, player))
    man, behind = shown
    return Text.assemble(
        (f" {man.glyph} ", Style(color=man.colour, bgcolor=behind)), f" {side_name(game, player)}"
    )


def _seen(position: ShownState, state: State) -> _Grid:
    """The squares of a state, from the side that the position is seen from."""
    grid = _grid_of(position.game, state)
    if not position.flipped:
        return grid
    return _Grid(grid.labels[::-1], [row[::-1] for row in grid.rows[::-1]], grid.letters[::-1], grid.notes)


def _grid_of(game: Game[Any], state: State) -> _Grid:
    text = game.show(state)
    lines = text.splitlines()
    if game.name == "checkers":
        rows = [[line[4 + 2 * column] for column in range(8)] for line in lines[:_CHECKERS_ROWS]]
        return _Grid([""] * len(rows), [[m.strip() for m in row] for row in rows], [], [])
    if game.name == "focus":
        rows = [
            [line[LABEL + _FOCUS_WIDTH * column :][: _FOCUS_WIDTH - 1].strip() for column in range(8)]
            for line in lines[1:9]
        ]
        return _Grid([line[:2] for line in lines[1:9]], rows, lines[0].split(), lines[10:])
    found = grid_rows(text)
    notes = [] if game.name == "chess" else lines[len(found) + 2 :]
    return _Grid([f"{number:2}" for number in found], list(found.values()), lines[0].split(), notes)


def _square_columns(look: GameLook, size: BoardSize) -> int:
    return max(look.width, size.columns(Look.COLOURED))


def _fitting(grid: _Grid, look: GameLook, width: int, height: int) -> BoardSize | None:
    """The largest size that fits; None if the small one is too wide."""
    columns, rows = len(grid.rows[0]), len(grid.rows)
    for size in reversed(BoardSize):
        lines = rows * size.value + (size is BoardSize.MEDIUM) + 1 + len(grid.notes)
        if columns * _square_columns(look, size) + LABEL <= width and lines <= height:
            return size
    return BoardSize.SMALL if columns * look.width + LABEL <= width else None


def _changed(position: ShownState, grid: _Grid) -> frozenset[tuple[int, int]]:
    """The squares of the last move: where a man was placed, or from where to where one has moved."""
    if position.before is None:
        return frozenset()
    before = _seen(position, position.before).rows
    places = [(row, column) for row in range(len(before)) for column in range(len(before[0]))]
    changed = {(row, column) for row, column in places if before[row][column] != grid.rows[row][column]}
    placed = {(row, column) for row, column in changed if before[row][column] in _EMPTY}
    return frozenset(changed if GRIDS[position.game.name].moves or not placed else placed)


def _drawn(grid: _Grid, look: GameLook, size: BoardSize, changed: frozenset[tuple[int, int]]) -> list[Text]:
    across = _square_columns(look, size)
    down = 1 if size is BoardSize.MEDIUM else size.value
    lines = []
    for row in range(len(grid.rows)):
        labels = [grid.labels[row] if i == down // 2 else "" for i in range(down)]
        texts = [Text.assemble((f"{label:{LABEL}}", DIM)) for label in labels]
        for column in range(len(grid.rows[row])):
            square = _square(grid, look, (row, column), (across, down), is_marked=(row, column) in changed)
            for text, part in zip(texts, square, strict=True):
                text.append_text(part)
        lines += texts
    if size is BoardSize.MEDIUM:
        lines = _spread(grid, look, lines, across, changed)
    if grid.letters:
        lines.append(Text(" " * LABEL + "".join(f"{letter:^{across}}" for letter in grid.letters), DIM))
    return [*lines, *(Text(note, DIM) for note in grid.notes)]


def _spread(
    grid: _Grid, look: GameLook, rows: Sequence[Text], across: int, changed: frozenset[tuple[int, int]]
) -> list[Text]:
    """Rows one line high, drawn two lines high: half a line above and below each, or lines between points."""
    colours = [
        [
            _behind(grid, look, (row, column), is_marked=(row, column) in changed)
            for column in range(len(marks))
        ]
        for row, marks in enumerate(grid.rows)
    ]
    if not look.points:
        return halved_rows(rows, colours, across)
    lines = [rows[0]]
    for behind, row in zip(colours, rows[1:], strict=False):
        between = ((f"{'│':^{across}}", Style(color=look.empty.colour, bgcolor=colour)) for colour in behind)
        lines += [Text.assemble(" " * LABEL, *between), row]
    return lines


def _behind(grid: _Grid, look: GameLook, place: tuple[int, int], *, is_marked: bool) -> str | None:
    """The colour of a square; None where there is none."""
    row, column = place
    mark = grid.rows[row][column]
    if mark == "" and look.piles:
        return None
    return look.home.get(mark) or (look.marked if is_marked else look.squares)[(row + column) % 2 == 0]


def _square(
    grid: _Grid, look: GameLook, place: tuple[int, int], size: tuple[int, int], *, is_marked: bool
) -> list[Text]:
    """The lines of a square."""
    across, down = size
    row, column = place
    mark = grid.rows[row][column]
    behind = _behind(grid, look, place, is_marked=is_marked)
    if behind is None:
        return [Text(" " * across)] * down
    is_light = (row + column) % 2 == 0
    man = look.men.get(mark, look.empty)
    drawn: Sequence[str] = man.large if down > 1 else ()
    if look.points:
        drawn = drawn if mark in look.men and down > 1 else _crossing(grid, place, size)
    elif look.numbered and mark in _EMPTY and not is_light:
        drawn = _centred(str(len(grid.rows[row]) // 2 * row + column // 2 + 1), size)
    elif look.piles and mark not in _EMPTY:
        drawn = _centred(mark, size)
    texts = [
        Text(line, Style(color=man.colour, bgcolor=behind)) for line in drawn or _centred(man.glyph, size)
    ]
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


def _crossing(grid: _Grid, place: tuple[int, int], size: tuple[int, int]) -> list[str]:
    """An empty point of a board of lines."""
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


def _recoloured(text: str, men: Mapping[str, Man]) -> list[Text]:
    """The text of a board with its men in colours; labels and what is said below stay as they are."""
    lines = []
    for line in text.splitlines():
        labelled = _LABELLED.fullmatch(line)
        first, body, last = labelled.groups() if labelled else ("", line, "")
        if not labelled and not line.startswith("|") and not set(body.split(" ")[-1]) <= {"o"}:
            lines.append(Text(line))
            continue
        drawn = Text.assemble((first, DIM))
        for letter in body:
            man = men.get(letter)
            drawn.append(letter if man is None else man.glyph, None if man is None else man.colour)
        lines.append(drawn.append(last, DIM))
    return lines
