"""A game of chess being played: its moves, its clock, how it ended, and its record as PGN."""

import os
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from time import monotonic
from typing import Self

import chess
import chess.pgn

from engine.lookup.openings import opening_of
from engine.system import files
from lolli.cli.analysis.notation import color_name
from lolli.cli.pgn.game_reader import opening_headers

_FORMAT = re.compile(
    r"(?:(?P<minutes>\d+(?:\.\d+)?)m?|(?P<whole>\d+):(?P<rest>[0-5]?\d(?:\.\d+)?)|(?P<seconds>\d+(?:\.\d+)?)s)"
    r"(?:\+(?P<increment>\d+(?:\.\d+)?)s?)?",
    re.ASCII,
)
_EXAMPLES = "write 5+3 for five minutes and three seconds more for each move, 90s or 1:30 for ninety seconds"
_LONGEST = 24 * 3600
_TENTHS_BELOW = 10
_FIFTY_MOVES = 100  # plies
_REASONS = {
    chess.Termination.CHECKMATE: "checkmate",
    chess.Termination.STALEMATE: "stalemate",
    chess.Termination.INSUFFICIENT_MATERIAL: "neither side can mate",
    chess.Termination.SEVENTYFIVE_MOVES: "75 moves without a capture or a pawn move",
    chess.Termination.FIVEFOLD_REPETITION: "the position has occurred five times",
}
_UNFINISHED = "*"
_COLUMNS = 80


class TimeControlError(ValueError):
    """Why a text is not a time control, in one line."""


@dataclass(frozen=True, slots=True)
class FischerTimeControl:
    """`base` seconds for all moves, and `increment` seconds more after each."""

    base: float
    increment: float = 0.0

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `5+3`, `1:30+3` or `90s+3`; the increment may be missing. Raises TimeControlError."""
        found = _FORMAT.fullmatch(text.strip().lower().replace(" ", ""))
        if found is None:
            raise TimeControlError(f"not a time control: {text[:30]!r}; {_EXAMPLES}")
        if found["minutes"] is not None:
            base = Decimal(found["minutes"]) * 60
        elif found["seconds"] is not None:
            base = Decimal(found["seconds"])
        else:
            base = Decimal(found["whole"]) * 60 + Decimal(found["rest"])
        increment = Decimal(found["increment"] or 0)
        if base > _LONGEST or increment > _LONGEST:
            raise TimeControlError(f"longer than a day: {text[:30]!r}")
        if base == 0:
            raise TimeControlError(f"no time for the first move: {text[:30]!r}")
        return cls(float(base), float(increment))

    @property
    def pgn(self) -> str:
        """The value of the PGN tag TimeControl, `300+3`."""
        return f"{self.base:g}+{self.increment:g}" if self.increment else f"{self.base:g}"

    def __str__(self) -> str:
        minutes = self.base / 60
        base = f"{minutes:g}" if minutes >= 1 and (2 * minutes).is_integer() else f"{self.base:g}s"
        return f"{base}+{self.increment:g}"


class FischerClock:
    """The clocks of both sides, of which one may be running. Times are in seconds."""

    def __init__(self, control: FischerTimeControl, now: Callable[[], float]) -> None:
        self.control = control
        self._now = now
        self._left = {chess.WHITE: control.base, chess.BLACK: control.base}
        self._running: chess.Color | None = None
        self._since = 0.0

    def left(self, color: chess.Color) -> float:
        """The time left; below zero once the flag has fallen."""
        spent = self._now() - self._since if self._running == color else 0.0
        return self._left[color] - spent

    def start(self, color: chess.Color) -> None:
        """Start one clock and stop the other."""
        self.halt()
        self._running, self._since = color, self._now()

    def halt(self) -> None:
        if self._running is not None:
            self._left[self._running] = self.left(self._running)
            self._running = None

    def press(self, color: chess.Color) -> None:
        """Add the increment for a side that has moved, and stop both clocks."""
        self.halt()
        self._left[color] += self.control.increment

    def state(self) -> tuple[float, float]:
        """White's and Black's time, for `set`."""
        return self.left(chess.WHITE), self.left(chess.BLACK)

    def set(self, state: tuple[float, float]) -> None:
        """Restore a state; neither clock runs."""
        self._running = None
        self._left[chess.WHITE], self._left[chess.BLACK] = state


def clock_text(seconds: float) -> str:
    """`1:02:03`, `4:59`, and in the last ten seconds `0:09.8`; rounded down."""
    seconds = max(0.0, seconds)
    if seconds < _TENTHS_BELOW:
        return f"0:0{int(seconds * 10) / 10:.1f}"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


@dataclass(frozen=True, slots=True)
class GameEnding:
    """The winner, None for a draw, and the reason; whether a flag fell."""

    winner: chess.Color | None
    reason: str
    on_time: bool = False

    @property
    def result(self) -> str:
        """`1-0`, `0-1` or `1/2-1/2`."""
        return "1/2-1/2" if self.winner is None else "1-0" if self.winner else "0-1"


class ChessGame:
    """One game. No clock runs between a move and the next `begin_turn`."""

    def __init__(
        self,
        start: chess.Board,
        control: FischerTimeControl | None = None,
        now: Callable[[], float] = monotonic,
    ) -> None:
        """Begin from a position; its history counts for repetitions and is part of the record."""
        self.board = start.copy()
        self.clock = None if control is None else FischerClock(control, now)
        self.ending: GameEnding | None = None
        self._first = len(start.move_stack)
        self._before: list[tuple[float, float]] = []  # the clocks before each move
        self.clock_times: list[float] = []
        """The mover's time left after each ply since the start; empty without a clock."""
        self._find_ending()

    @property
    def played(self) -> int:
        """The number of plies played since the start."""
        return len(self.board.move_stack) - self._first

    def begin_turn(self) -> None:
        """Start the clock of the side to move, unless the game is over."""
        if self.clock is not None and self.ending is None:
            self.clock.start(self.board.turn)

    def move(self, move: chess.Move) -> None:
        """Play a legal move; if the mover's time is up, end the game instead."""
        if self.check_time():
            return
        if self.clock is not None:
            self._before.append(self.clock.state())
            self.clock.press(self.board.turn)
            self.clock_times.append(self.clock.left(self.board.turn))
        self.board.push(move)
        self._find_ending()

    def check_time(self) -> bool:
        """End the game if the side to move has no time left. Returns whether it did."""
        if self.clock is None or self.ending is not None or self.clock.left(self.board.turn) > 0:
            return False
        loser, winner = self.board.turn, not self.board.turn
        reason = f"{color_name(loser)}'s time is up"
        if self.board.has_insufficient_material(winner):
            self._end(GameEnding(None, f"{reason}, but {color_name(winner)} cannot mate", on_time=True))
        else:
            self._end(GameEnding(winner, reason, on_time=True))
        return True

    def take_back(self, plies: int) -> None:
        """Undo moves played since the start, restore the clocks, and cancel an ending."""
        for _ in range(plies):
            self.board.pop()
            if self.clock is not None:
                self.clock.set(self._before.pop())
                self.clock_times.pop()
        self.ending = None

    def claim(self) -> str | None:
        """Why the side to move may claim a draw; None if it may not."""
        if self.board.is_repetition(3):
            return "the position has occurred three times"
        if self.board.halfmove_clock >= _FIFTY_MOVES:
            return "50 moves without a capture or a pawn move"
        return None

    def end_drawn(self, reason: str) -> None:
        """End the game with a claimed or agreed draw."""
        self._end(GameEnding(None, reason))

    def resign(self, loser: chess.Color) -> None:
        self._end(GameEnding(not loser, f"{color_name(loser)} resigns"))

    def _find_ending(self) -> None:
        outcome = self.board.outcome()
        if outcome is not None:
            self._end(GameEnding(outcome.winner, _REASONS[outcome.termination]))

    def _end(self, ending: GameEnding) -> None:
        self.ending = ending
        if self.clock is not None:
            self.clock.halt()


def pgn_text(game: ChessGame, white: str, black: str, started: datetime) -> str:
    """The PGN of a game, including the moves before its start, with a blank line at the end."""
    record = chess.pgn.Game.from_board(game.board)
    headers = record.headers
    headers["Event"] = "Casual game"
    headers["Date"] = started.strftime("%Y.%m.%d")
    headers["Round"] = "-"
    headers["White"] = white
    headers["Black"] = black
    headers["Result"] = game.ending.result if game.ending else _UNFINISHED
    headers.update(opening_headers(headers, opening_of(game.board)))
    headers["TimeControl"] = game.clock.control.pgn if game.clock else "-"
    on_time = game.ending is not None and game.ending.on_time
    headers["Termination"] = (
        "unterminated" if game.ending is None else "time forfeit" if on_time else "normal"
    )
    nodes = list(record.mainline())
    for node, seconds in zip(nodes[len(nodes) - len(game.clock_times) :], game.clock_times, strict=True):
        node.set_clock(max(0.0, seconds))
    if game.ending is not None and not game.board.is_checkmate():
        end = record.end()
        end.comment = f"{end.comment} {game.ending.reason[0].upper()}{game.ending.reason[1:]}.".strip()
    return f"{record.accept(chess.pgn.StringExporter(columns=_COLUMNS))}\n\n"


class GameFile:
    """A PGN file to which games are added; the last one added can be replaced."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._last: tuple[int, int] | None = None  # begin of the last game, size of the file after it

    def add(self, text: str) -> None:
        """Add a game at the end. Raises OSError."""
        begin, tail = 0, b""
        with suppress(FileNotFoundError), os.fdopen(files.descriptor_of(self.path), "rb") as file:
            begin = file.seek(0, os.SEEK_END)
            file.seek(max(0, begin - 2))
            tail = file.read()
        newlines = len(tail) - len(tail.rstrip(b"\n"))
        gap = b"\n" * (2 - newlines) if tail else b""  # a blank line
        data = gap + text.encode()
        files.append_whole(self.path, data)
        self._last = (begin + len(gap), begin + len(data))

    def replace(self, text: str) -> None:
        """Replace the last game added, if nothing follows it in the file; otherwise add. Raises OSError."""
        if self._last is None or not self.path.exists() or self.path.stat().st_size != self._last[1]:
            self.add(text)
            return
        begin, end = self._last
        data = text.encode()
        with os.fdopen(files.descriptor_of(self.path, os.O_RDWR), "r+b", buffering=0) as file:
            file.seek(end)  # what needs room comes first: a full disk leaves the old game
            files.append_to(file.fileno(), data[end - begin :], str(self.path))
            file.seek(begin)
            files.write_all(file.fileno(), data[: end - begin], str(self.path))
            file.truncate(begin + len(data))
        self._last = (begin, begin + len(data))
