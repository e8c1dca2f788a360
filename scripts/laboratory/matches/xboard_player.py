"""An XBoard engine (Chess Engine Communication Protocol, version 2) as a player."""

from __future__ import annotations

import re
import shlex
import time
from typing import TYPE_CHECKING, NoReturn

import chess
from chess.engine import Cp, Mate, Score

from .pipe import EngineGoneError, EnginePipe, EngineSilentError
from .player import START_SECONDS, Analysis, EngineReply, ForfeitError, GameState, StartError, late
from .record import Termination
from .time_control import NS_PER_S, MatchTimeControl

if TYPE_CHECKING:
    from .plan import EngineSpec

_NS_PER_CS = 10_000_000
# How long a protocol 1 engine, which has no features to declare, is given to declare some; Polyglot declares
# its own when the engine behind it has started.
_FEATURE_SECONDS = 10.0
_POST = re.compile(rb"\s*(\d+)[.+&]?\s+(-?\d+)\s+-?\d+\s+(\d+)(?:\s|$)")
_MATE = 100_000
_LOST = {chess.WHITE: b"0-1", chess.BLACK: b"1-0"}


class XBoardPlayer:
    """An XBoard engine. See `Player` for what the methods promise."""

    def __init__(self, spec: EngineSpec, *, stall_seconds: float) -> None:
        """Start the engine and set its options. Raises StartError."""
        self._spec = spec
        self._stall = stall_seconds
        self._features: dict[str, str] = {}
        self._options: set[str] = set()
        self._pings = 0
        self._thinks = False
        self._told = 0
        try:
            self._pipe = EnginePipe(spec.command, spec.directory)
        except OSError as error:
            raise StartError(f"{spec.name} cannot be started: {error}") from error
        try:
            self._handshake()
            self._set_options()
            self._synchronise(START_SECONDS)
        except (EngineGoneError, ForfeitError) as error:
            lines = self.last_lines()
            self.kill()
            raise StartError("\n".join((f"{spec.name} did not start: {error}", *lines))) from error
        except StartError:
            self.kill()
            raise

    def new_game(self, table: GameState) -> None:
        """Set up the start of the game, with the engine in force mode."""
        self._pipe.forget()
        self._thinks = False
        self._told = 0
        try:
            self._pipe.send("new")
            for line in (*self._pace_lines(), "hard" if self._spec.ponders else "easy", "post", "force"):
                self._pipe.send(line)
            self._set_up(table)
            self._synchronise(self._stall)
        except EngineGoneError as error:
            raise ForfeitError(Termination.CRASH, str(error)) from error

    def move(self, table: GameState) -> EngineReply:
        """Ask for a move; the clock runs from the last command before thinking until `move` has been read."""
        own, other = table.clock(table.board.turn), table.clock(not table.board.turn)
        try:
            for move in table.moves[self._told : None if not self._thinks else -1]:
                self._pipe.send(self._usermove(move))
            for word, clock in (("time", own), ("otim", other)):
                if clock.runs:
                    self._pipe.send(f"{word} {max(1, clock.left // _NS_PER_CS)}")
            started = time.monotonic_ns()
            self._pipe.send(self._usermove(table.moves[-1]) if self._thinks else "go")
            self._thinks = True
            self._told = len(table.moves) + 1
            return self._await_move(started, own.allowance, table.board.turn)
        except EngineGoneError as error:
            raise ForfeitError(Termination.CRASH, str(error)) from error

    def ponder(self, table: GameState) -> None:
        """Nothing: an engine that was told `hard` ponders by itself."""

    def rest(self) -> None:
        """Nothing: `force` ends it."""

    def last_lines(self) -> tuple[str, ...]:
        """See `Player`."""
        return self._pipe.last_lines()

    def peak_memory(self) -> int:
        """See `Player`."""
        return self._pipe.peak()

    def close(self) -> None:
        """See `Player`."""
        self._pipe.close()

    def kill(self) -> None:
        """See `Player`."""
        self._pipe.kill()

    def _handshake(self) -> None:
        self._pipe.send("xboard")
        self._pipe.send("protover 2")
        started = time.monotonic_ns()
        try:
            while self._features.get("done") != "1":
                seconds = START_SECONDS if "done" in self._features else _FEATURE_SECONDS
                line = self._pipe.receive(started + int(seconds * NS_PER_S))[0].decode(errors="replace")
                if line.startswith("feature "):
                    self._note_features(line.removeprefix("feature "))
        except EngineSilentError:
            if "done" in self._features:
                raise ForfeitError(
                    Termination.STALL, f"no feature done=1 within {START_SECONDS:g} s"
                ) from None

    def _note_features(self, text: str) -> None:
        try:
            words = shlex.split(text)
        except ValueError:
            return
        for word in words:
            name, _, value = word.partition("=")
            if name == "option":
                self._options.add(re.split(r"\s+-", value)[0])
            else:
                self._features[name] = value
            if (name, value) == ("san", "1"):
                self._pipe.send("rejected san")

    def _set_options(self) -> None:
        for name, value in self._spec.options:
            if (name == "memory" and self._has("memory")) or (name == "cores" and self._has("smp")):
                self._pipe.send(f"{name} {value}")
            elif name in self._options:
                self._pipe.send(f"option {name}={value}" if value else f"option {name}")
            else:
                raise StartError(f"{self._spec.name} has no option {name!r}")

    def _has(self, feature: str) -> bool:
        return self._features.get(feature, "0") == "1"

    def _synchronise(self, seconds: float) -> None:
        if not self._has("ping"):
            return
        self._pings += 1
        self._pipe.send(f"ping {self._pings}")
        try:
            self._pipe.wait_for(f"pong {self._pings}".encode(), seconds)
        except EngineSilentError as error:
            raise ForfeitError(Termination.STALL, f"no pong within {seconds:g} s") from error

    def _pace_lines(self) -> list[str]:
        pace = self._spec.pace
        lines = [level_line(pace.clock)] if pace.clock else []
        lines += [f"st {pace.move_time / NS_PER_S:g}"] if pace.move_time else []
        lines += [f"sd {pace.depth}"] if pace.depth else []
        return lines

    def _set_up(self, table: GameState) -> None:
        fen = table.start_fen
        if fen is None:
            return
        if self._has("setboard"):
            self._pipe.send(f"setboard {fen}")
            return
        try:
            lines = edit_lines(chess.Board(fen))
        except ValueError as error:
            raise StartError(f"{self._spec.name} knows no setboard, and {error}: {fen}") from error
        for line in lines:
            self._pipe.send(line)

    def _usermove(self, move: str) -> str:
        return f"usermove {move}" if self._has("usermove") else move

    def _await_move(self, started: int, allowance: int | None, colour: chess.Color) -> EngineReply:
        patience = int(self._stall * NS_PER_S) if allowance is None else allowance
        try:
            move, arrived, analysis = self._read_move(started + patience, colour)
        except EngineSilentError:
            self._give_up(started, allowance, colour)
        return EngineReply(move, arrived - started, analysis)

    def _read_move(self, deadline: int, colour: chess.Color) -> tuple[str | None, int, Analysis]:
        """The move, None for a resignation, when it came, and the last analysis before it."""
        post = b""
        while True:
            line, arrived = self._pipe.receive(deadline)
            word = line.split(maxsplit=1)[:1]
            if word == [b"move"]:
                return line[5:].strip().decode(errors="replace"), arrived, parse_post(post)
            if word in ([b"resign"], [_LOST[colour]]):
                return None, arrived, parse_post(post)
            if line.startswith((b"Illegal move", b"tellusererror")):
                raise ForfeitError(
                    Termination.ILLEGAL_MOVE, f"refused to go on: {line.decode(errors='replace')}"
                )
            if _POST.match(line):
                post = line

    def _give_up(self, started: int, allowance: int | None, colour: chess.Color) -> NoReturn:
        """The engine has not moved in time: see whether it is late or dead."""
        if allowance is not None:
            self._pipe.send("?")
            try:
                _, arrived, _ = self._read_move(time.monotonic_ns() + int(self._stall * NS_PER_S), colour)
            except EngineSilentError:
                pass
            else:
                raise late(arrived - started, allowance)
        raise ForfeitError(
            Termination.STALL, f"no move within {(time.monotonic_ns() - started) / NS_PER_S:.1f} s"
        )


def level_line(control: MatchTimeControl) -> str:
    """The `level` command of a time control; seconds only where there are some, as old engines expect."""
    minutes, seconds = divmod(control.base // NS_PER_S, 60)
    base = f"{minutes}:{seconds:02d}" if seconds or not minutes else f"{minutes}"
    return f"level {control.moves or 0} {base} {control.increment / NS_PER_S:g}"


def edit_lines(board: chess.Board) -> list[str]:
    """The commands that set up a position without `setboard`.

    Such a set-up carries no castling rights and no en passant square: each king and rook on its original
    square is taken to have the right. Raises ValueError if that is not so, or if a pawn can be taken en
    passant.
    """
    if board.has_legal_en_passant():
        raise ValueError("a capture en passant cannot be set up without it")
    implied = chess.Board(None)
    implied.set_piece_map(board.piece_map())
    implied.castling_rights = chess.BB_CORNERS
    if implied.clean_castling_rights() != board.clean_castling_rights():
        raise ValueError("these castling rights cannot be set up without it")
    # `edit` leaves the side to move alone: a move by White hands it to Black.
    lines = [] if board.turn else ["a2a3"]
    lines += ["edit", "#"]
    for colour in chess.COLORS:
        lines += [
            f"{piece.symbol().upper()}{chess.square_name(square)}"
            for square, piece in board.piece_map().items()
            if piece.color == colour
        ]
        lines.append("c" if colour else ".")
    return lines


def parse_post(line: bytes) -> Analysis:
    """Depth, nodes and score of a line of thinking; nothing where there was none."""
    match = _POST.match(line)
    if match is None:
        return Analysis()
    return Analysis(depth=int(match[1]), nodes=int(match[3]), score=_score(int(match[2])))


def _score(value: int) -> Score:
    if value > _MATE:
        return Mate(value - _MATE)
    return Mate(value + _MATE) if value < -_MATE else Cp(value)
