"""What the player sees: the board with the players beside it, and lines below."""

from __future__ import annotations

import io
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import chess
from rich.text import Text

from protocol.cli.playing.time_control import clock_text
from protocol.cli.terminal.board import board_lines, look_of, position_notes
from protocol.cli.terminal.console import output

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from protocol.cli.playing.game import ChessGame

_TOP, _BOTTOM = 0, 7  # lines of the board
_MOVE_LINES = range(2, 6)
_BOARD_WIDTH = 30  # with the gap to the notes
_NARROWEST, _WIDEST = 16, 48


@dataclass(frozen=True, slots=True)
class GameView:
    """A game as the player wants to see it: whose names to show, and White at the bottom unless flipped."""

    game: ChessGame
    names: Mapping[chess.Color, str]
    flipped: bool


class BoardScreen:
    """Writes on stdout: on a terminal the board stays in its place, elsewhere one follows the other."""

    def __init__(self, *, redraws: bool) -> None:
        """Without `redraws` nothing that was written is ever overwritten."""
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="replace")
        self._console = output()
        self.redraws = redraws and self._console.is_terminal and not self._console.is_dumb_terminal

    def show(self, view: GameView, lines: Sequence[str]) -> None:
        """The board, and lines below it."""
        if self.redraws:
            self._console.clear()
        else:
            self._console.print()
        for line in self._board(view):
            self._console.print(line, no_wrap=True, overflow="crop", crop=True)
        self._console.print()
        self.say(lines)

    def show_alone(self, lines: Sequence[str]) -> None:
        """Lines for which the board makes room."""
        if self.redraws:
            self._console.clear()
        self.say(lines)

    def say(self, lines: Sequence[str]) -> None:
        """Lines, below what is there."""
        for line in lines:
            self._console.print(line)

    def _board(self, view: GameView) -> list[Text]:
        game = view.game
        look = look_of(self._console)
        ahead = position_notes(game.board, flipped=view.flipped, look=look)
        notes = {line: text for line, text in ahead.items() if line in {_TOP, _BOTTOM}}
        notes = {_TOP + 1: notes.get(_TOP, ""), _BOTTOM - 1: notes.get(_BOTTOM, "")}
        notes[_TOP] = _player(view, color=view.flipped)
        notes[_BOTTOM] = _player(view, color=not view.flipped)
        width = min(_WIDEST, self._console.width - _BOARD_WIDTH)
        if width >= _NARROWEST:
            moves = last_moves(game.board, width, len(_MOVE_LINES))
            notes.update(zip(_MOVE_LINES, moves, strict=False))
        notes = {line: text for line, text in notes.items() if text}
        return board_lines(game.board, flipped=view.flipped, last=game.last_move, look=look, notes=notes)


def _player(view: GameView, *, color: chess.Color) -> str:
    """A name with its clock; the one who is to move is marked."""
    game = view.game
    mark = "> " if game.ending is None and game.board.turn == color else "  "
    clock = f"  {clock_text(game.clock.left(color))}" if game.clock else ""
    return f"{mark}{view.names[color]}{clock}"


def last_moves(board: chess.Board, width: int, count: int) -> list[str]:
    """The last moves in SAN, in at most so many lines of so many columns; a line begins with a number."""
    lines: list[str] = []
    for pair in _pairs(board):
        if lines and len(lines[-1]) + 1 + len(pair) <= width:
            lines[-1] += f" {pair}"
        else:
            lines.append(pair)
    if len(lines) > count:
        lines = lines[-count:]
        lines[0] = f"… {lines[0]}" if len(lines[0]) + 2 <= width else lines[0]
    return lines


def _pairs(board: chess.Board) -> list[str]:
    """`1. e4 e5`, or `1... e5` where Black has begun."""
    pairs: list[str] = []
    replay = board.root()
    for move in board.move_stack:
        san = replay.san(move) if move else "--"
        if replay.turn:
            pairs.append(f"{replay.fullmove_number}. {san}")
        elif pairs:
            pairs[-1] += f" {san}"
        else:
            pairs.append(f"{replay.fullmove_number}... {san}")
        replay.push(move)
    return pairs
