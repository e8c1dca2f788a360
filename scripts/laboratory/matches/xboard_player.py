"""An XBoard engine (Chess Engine Communication Protocol, version 2) as a player."""

from __future__ import annotations

import re
import shlex
import time
from typing import TYPE_CHECKING

import chess
from chess.engine import Cp, Mate, Score

from scripts.laboratory.engine_pipe import NS_PER_S, EngineSilentError
from scripts.laboratory.matches.engine_player import (
    START_SECONDS,
    Analysis,
    EnginePlayer,
    EngineReply,
    ForfeitError,
    GameState,
    StartError,
    crash_forfeits,
)
from scripts.laboratory.matches.record import Termination
from scripts.laboratory.matches.time_control import MatchTimeControl

if TYPE_CHECKING:
    from scripts.laboratory.matches.plan import EngineSpec

_NS_PER_CS = 10_000_000
# How long to wait for an engine's features: those of protocol 1 never send any, and Polyglot sends its own
# only when the engine behind it has started.
_FEATURE_SECONDS = 10.0
_POST = re.compile(rb"\s*(\d+)[.+&]?\s+(-?\d+)\s+-?\d+\s+(\d+)(?:\s|$)")
_MATE = 100_000
_LOST = {chess.WHITE: b"0-1", chess.BLACK: b"1-0"}


class XBoardPlayer(EnginePlayer):
    """An XBoard engine. See `EnginePlayer` for what the methods promise."""

    def __init__(self, spec: EngineSpec, *, stall_seconds: float) -> None:
        """Start the engine and set its options. Raises StartError."""
        self._features: dict[str, str] = {}
        self._options: set[str] = set()
        self._pings = 0
        self._thinks = False  # whether the engine has left force mode
        self._known = 0  # how many moves of the game the engine has
        super().__init__(spec, stall_seconds)

    def new_game(self, state: GameState) -> None:
        """Set up the start of the game, with the engine in force mode."""
        self._pipe.forget()
        self._thinks = False
        self._known = 0
        with crash_forfeits():
            self._pipe.send("new")
            for line in (*self._pace_lines(), "hard" if self._spec.ponders else "easy", "post", "force"):
                self._pipe.send(line)
            self._set_up(state)
            self._ping(self._stall)

    def move(self, state: GameState) -> EngineReply:
        """Ask for a move. The clock runs from the command that starts the search until `move` is read."""
        own, other = state.clock(state.board.turn), state.clock(not state.board.turn)
        with crash_forfeits():
            for move in state.moves[self._known : None if not self._thinks else -1]:
                self._pipe.send(self._usermove(move))
            for word, clock in (("time", own), ("otim", other)):
                if clock.runs:
                    self._pipe.send(f"{word} {max(1, clock.left // _NS_PER_CS)}")
            started = time.monotonic_ns()
            self._pipe.send(self._usermove(state.moves[-1]) if self._thinks else "go")
            self._thinks = True
            self._known = len(state.moves) + 1
            lost = _LOST[state.board.turn]
            best, arrived, analysis = self._answer(
                lambda deadline: self._read_move(deadline, lost), started, own.allowance, "?"
            )
            return EngineReply(best, arrived - started, analysis)

    def ponder(self, state: GameState) -> None:
        """Nothing to do: after `hard` the engine ponders by itself."""

    def rest(self) -> None:
        """Nothing to do: `force` ends pondering."""

    def _initialise(self) -> None:
        self._handshake()
        for name, value in self._spec.options:
            if (name == "memory" and self._has("memory")) or (name == "cores" and self._has("smp")):
                self._pipe.send(f"{name} {value}")
            elif name in self._options:
                self._pipe.send(f"option {name}={value}" if value else f"option {name}")
            else:
                raise StartError(f"{self._spec.name} has no option {name!r}")
        self._ping(START_SECONDS)

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
                reason = f"no feature done=1 within {START_SECONDS:g} s"
                raise ForfeitError(Termination.STALL, reason) from None

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

    def _has(self, feature: str) -> bool:
        return self._features.get(feature, "0") == "1"

    def _ping(self, seconds: float) -> None:
        if self._has("ping"):
            self._pings += 1
            self._synchronise(f"ping {self._pings}", f"pong {self._pings}", seconds)

    def _pace_lines(self) -> list[str]:
        pace = self._spec.pace
        lines = [level_line(pace.clock)] if pace.clock else []
        lines += [f"st {pace.move_time / NS_PER_S:g}"] if pace.move_time else []
        lines += [f"sd {pace.depth}"] if pace.depth else []
        return lines

    def _set_up(self, state: GameState) -> None:
        fen = state.start_fen
        if fen is None:
            return
        if self._has("setboard"):
            self._pipe.send(f"setboard {fen}")
            return
        try:
            lines = edit_lines(chess.Board(fen))
        except ValueError as error:
            raise StartError(f"{self._spec.name} does not support setboard: {error}: {fen}") from error
        for line in lines:
            self._pipe.send(line)

    def _usermove(self, move: str) -> str:
        return f"usermove {move}" if self._has("usermove") else move

    def _read_move(self, deadline: int, lost: bytes) -> tuple[str | None, int, Analysis]:
        """The move, None for a resignation, when it arrived, and the last analysis before it.

        The result `lost` is a resignation.
        """
        post = b""
        while True:
            line, arrived = self._pipe.receive(deadline)
            word = line.split(maxsplit=1)[:1]
            if word == [b"move"]:
                return line[5:].strip().decode(errors="replace"), arrived, parse_post(post)
            if word in ([b"resign"], [lost]):
                return None, arrived, parse_post(post)
            if line.startswith((b"Illegal move", b"tellusererror")):
                reason = f"refused to go on: {line.decode(errors='replace')}"
                raise ForfeitError(Termination.ILLEGAL_MOVE, reason)
            if _POST.match(line):
                post = line


def level_line(control: MatchTimeControl) -> str:
    """The `level` command of a time control; without seconds if there are none, as old engines expect."""
    minutes, seconds = divmod(control.base // NS_PER_S, 60)
    base = f"{minutes}:{seconds:02d}" if seconds or not minutes else f"{minutes}"
    return f"level {control.moves or 0} {base} {control.increment / NS_PER_S:g}"


def edit_lines(board: chess.Board) -> list[str]:
    """The commands that set up a position with `edit`, for engines without `setboard`.

    `edit` sends neither castling rights nor an en passant square: the engine assumes a right for each king
    and rook on their original squares. Raises ValueError if that is wrong or if a pawn can be captured en
    passant.
    """
    if board.has_legal_en_passant():
        raise ValueError("a capture en passant cannot be set up by edit")
    implied = chess.Board(None)
    implied.set_piece_map(board.piece_map())
    implied.castling_rights = chess.BB_CORNERS
    if implied.clean_castling_rights() != board.clean_castling_rights():
        raise ValueError("these castling rights cannot be set up by edit")
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
    """Depth, nodes and score of a line of `post` output; all None if it is not one."""
    match = _POST.match(line)
    if match is None:
        return Analysis()
    return Analysis(depth=int(match[1]), nodes=int(match[3]), score=_score(int(match[2])))


def _score(value: int) -> Score:
    if value > _MATE:
        return Mate(value - _MATE)
    return Mate(value + _MATE) if value < -_MATE else Cp(value)
