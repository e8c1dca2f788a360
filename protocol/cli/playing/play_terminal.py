"""The player's terminal: the lines typed, the signals that come meanwhile, and the board on the screen."""

from __future__ import annotations

import io
import signal
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, Self

import chess

from engine import system
from engine.lookup.openings import opening_of
from protocol.cli.playing.chess_game import clock_text
from protocol.cli.terminal.board import board_lines, look_of, position_notes, size_for
from protocol.cli.terminal.console import output

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import FrameType

    from rich.console import Console, RenderableType
    from rich.text import Text

    from protocol.cli.playing.chess_game import ChessGame
    from protocol.cli.terminal.board import BoardSize

_ENDINGS = system.signals("SIGTERM", "SIGHUP")
_INTERRUPTED, _SIGNALLED = 130, 128  # exit statuses
_NEVER = 0.0
_SHORTEST = 1e-3  # seconds: a timer set to nothing never rings
_TOP, _BOTTOM = 0, 7  # lines of the board
_MOVE_LINES = range(2, 6)
_GAP = 3  # columns between the board and the notes
_BESIDE, _AROUND = 34, 6  # columns for the notes; lines for what is said below the board
_NARROWEST, _WIDEST = 16, 48


class TimeUpError(Exception):
    """The time was up before a line was typed."""


class EndedError(Exception):
    """A signal asked the process to end: `Keyboard.ended_by`."""


class Keyboard:
    """Reads lines, at a terminal with history and completion. For the main thread only.

    As a context it handles the signals that are not ignored. Ctrl-C then raises KeyboardInterrupt in `ask`,
    and calls `stop` in `busy`.
    """

    def __init__(self, completions: Callable[[str], Sequence[str]]) -> None:
        """`completions(line)` returns the completions of the last word."""
        self.is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
        self.ended_by: signal.Signals | None = None
        self._asking = False
        self._interrupted = False
        self._stop: Callable[[], None] | None = None
        self._before: dict[int, object] = {}
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")
        if self.is_terminal:
            _edit_lines(completions)

    def __enter__(self) -> Self:
        heard = {*system.unignored_signals("SIGINT", "SIGTERM", "SIGHUP"), *system.signals("SIGALRM")}
        self._before = {number: signal.signal(number, self._heard) for number in heard}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    def ask(self, prompt: str, seconds: float | None = None) -> str:
        """The next line. Without a terminal it is printed after the prompt.

        Raises EOFError at the end, TimeUpError after `seconds`, KeyboardInterrupt, EndedError.
        """
        try:
            self._asking = True
            self._raise_what_came_before()
            if seconds is not None:
                system.alarm(max(seconds, _SHORTEST))
            return input(prompt) if self.is_terminal else self._read(prompt)
        finally:
            self._asking = False
            system.alarm(_NEVER)

    def status_after(self, talk: Callable[[], None]) -> int:
        """Have a dialogue until it ends or the person leaves; returns the exit status.

        `talk` raises what `ask` raises, but for TimeUpError, and EOFError also where the person leaves.
        """
        try:
            talk()
        except EOFError:
            return 0
        except KeyboardInterrupt:
            return _INTERRUPTED
        except EndedError:
            return _SIGNALLED + (self.ended_by or 0)
        return 0

    @contextmanager
    def busy(self, stop: Callable[[], None]) -> Iterator[None]:
        """A context in which Ctrl-C and other ending signals call `stop`. EndedError if one came before."""
        if self.ended_by is not None:
            raise EndedError
        self._interrupted = False
        self._stop = stop
        try:
            yield
        finally:
            self._stop = None

    def _read(self, prompt: str) -> str:
        _write(prompt)
        line = sys.stdin.readline()
        self._asking = False  # a signal after this is too late to discard the line
        if not line:
            raise EOFError
        line = line.rstrip("\r\n")
        _write("".join(letter if letter.isprintable() else "?" for letter in line) + "\n")
        return line

    def _raise_what_came_before(self) -> None:
        if self.ended_by is not None:
            raise EndedError
        if self._interrupted:
            self._interrupted = False
            raise KeyboardInterrupt

    def _heard(self, number: int, _frame: FrameType | None) -> None:
        """On a signal: raise in `ask`, call `stop` in `busy`, otherwise remember it until the next `ask`."""
        if number in _ENDINGS:
            self.ended_by = signal.Signals(number)
        if self._asking:
            self._asking = False  # one is enough
            if number in _ENDINGS:
                raise EndedError
            raise KeyboardInterrupt if number == signal.SIGINT else TimeUpError
        if self._stop is not None:
            self._stop()
        elif number == signal.SIGINT:
            self._interrupted = True


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _edit_lines(completions: Callable[[str], Sequence[str]]) -> None:
    """Let the system's readline edit the lines; no history is saved."""
    try:
        import readline  # noqa: PLC0415 - only for terminals, and not every Python has it
    except ImportError:
        return

    def complete(_word: str, state: int) -> str | None:
        words = completions(readline.get_line_buffer()[: readline.get_endidx()])
        return words[state] if state < len(words) else None

    readline.set_completer_delims(" \t")
    readline.set_completer(complete)
    readline.parse_and_bind("tab: complete")


class Drawable(Protocol):
    """Something with a board."""

    def draw(self, console: Console) -> Sequence[Text]:
        """The lines of the board for a console."""


class BoardScreen:
    """Writes to stdout: on a terminal the board stays in its place, otherwise one follows the other."""

    def __init__(self, *, redraws: bool) -> None:
        """Without `redraws` nothing on the screen is overwritten."""
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="replace")
        self._console = output()
        self.redraws = redraws and self._console.is_terminal and not self._console.is_dumb_terminal

    def show(self, view: Drawable, lines: Sequence[RenderableType]) -> None:
        """Show the board, and lines below it."""
        if self.redraws:
            self._console.clear()
        else:
            self._console.print()
        for line in view.draw(self._console):
            self._console.print(line, no_wrap=True, overflow="crop", crop=True)
        self._console.print()
        self.say(lines)

    def show_alone(self, lines: Sequence[RenderableType]) -> None:
        """Show lines in place of the board."""
        if self.redraws:
            self._console.clear()
        self.say(lines)

    def say(self, lines: Sequence[RenderableType]) -> None:
        """Show lines below the others."""
        for line in lines:
            self._console.print(line)


@dataclass(frozen=True, slots=True)
class GameView:
    """A game as the player sees it: with `names`, and White at the bottom unless `flipped`.

    `size` is that of the board, None for as large as fits.
    """

    game: ChessGame
    names: Mapping[chess.Color, str]
    flipped: bool
    size: BoardSize | None = None

    def draw(self, console: Console) -> list[Text]:
        """The board, and beside it the players, the opening and the last moves."""
        game = self.game
        look = look_of(console)
        ahead = position_notes(game.board, flipped=self.flipped, look=look)
        notes = {_TOP + 1: ahead.get(_TOP, ""), _BOTTOM - 1: ahead.get(_BOTTOM, "")}
        notes[_TOP] = _player(self, color=self.flipped)
        notes[_BOTTOM] = _player(self, color=not self.flipped)
        size = size_for(console, self.size, beside=_BESIDE, around=_AROUND)
        width = min(_WIDEST, console.width - size.extent(look)[0] - _GAP)
        if width >= _NARROWEST:
            opening = opening_of(game.board)
            told = [_shortened(str(opening), width)] if opening else []
            told += last_moves(game.board, width, len(_MOVE_LINES) - len(told))
            notes.update(zip(_MOVE_LINES, told, strict=False))
        notes = {line: text for line, text in notes.items() if text}
        return board_lines(
            game.board, flipped=self.flipped, last=game.last_move, look=look, notes=notes, size=size
        )


def _player(view: GameView, *, color: chess.Color) -> str:
    """A name with its clock; the side to move is marked."""
    game = view.game
    mark = "> " if game.ending is None and game.board.turn == color else "  "
    clock = f"  {clock_text(game.clock.left(color))}" if game.clock else ""
    return f"{mark}{view.names[color]}{clock}"


def _shortened(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"


def last_moves(board: chess.Board, width: int, count: int) -> list[str]:
    """The last moves in SAN, in at most `count` lines of `width` columns; each begins with a move number."""
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
    """`1. e4 e5`, or `1... e5` if Black begins."""
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
