"""A UCI engine as a player."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, NoReturn

from chess.engine import Cp, Mate, Score

from .pipe import EngineGoneError, EnginePipe, EngineSilentError
from .player import START_SECONDS, Analysis, EngineReply, ForfeitError, GameState, StartError, late
from .record import Termination
from .time_control import NS_PER_MS, NS_PER_S

if TYPE_CHECKING:
    from collections.abc import Sequence

    import chess

    from .plan import EngineSpec


class UciPlayer:
    """A UCI engine. See `Player` for what the methods promise."""

    def __init__(self, spec: EngineSpec, *, chess960: bool, stall_seconds: float) -> None:
        """Start the engine and set its options. Raises StartError."""
        self._spec = spec
        self._stall = stall_seconds
        self._answer: str | None = None  # that the engine expects to its last move
        self._guess: list[str] | None = None  # the moves of the game that it ponders on
        try:
            self._pipe = EnginePipe(spec.command, spec.directory)
        except OSError as error:
            raise StartError(f"{spec.name} cannot be started: {error}") from error
        try:
            self._set_options(self._handshake(), chess960=chess960)
        except (EngineGoneError, EngineSilentError) as error:
            reason = str(error) or f"no uciok within {START_SECONDS:g} s"
            lines = self.last_lines()
            self.kill()
            raise StartError("\n".join((f"{spec.name} did not start: {reason}", *lines))) from error
        except StartError:
            self.kill()
            raise

    def new_game(self, table: GameState) -> None:  # noqa: ARG002 - the position is told before each move
        """Tell the engine that a new game begins, and wait until it is ready."""
        self._pipe.forget()
        self._answer = None
        try:
            self._pipe.send("ucinewgame")
            self._synchronise()
        except EngineGoneError as error:
            raise ForfeitError(Termination.CRASH, str(error)) from error

    def move(self, table: GameState) -> EngineReply:
        """Ask for a move; the clock runs from just before `go` is written until `bestmove` has been read.

        After pondering it runs from `ponderhit`, or it counts the time from `stop` to its `bestmove`, too, as
        clients do that send everything at once.
        """
        allowance = table.clock(table.board.turn).allowance
        guess, self._guess = self._guess, None
        try:
            if guess == table.moves:
                return self._go("ponderhit", allowance)
            stopping = 0 if guess is None else self._stop_pondering()
            self._pipe.send(_position(table.start_fen, table.moves))
            self._synchronise()
            return self._go(go_line(self._spec, table), allowance, stopping)
        except EngineGoneError as error:
            raise ForfeitError(Termination.CRASH, str(error)) from error

    def ponder(self, table: GameState) -> None:
        """See `Player`. What the engine says meanwhile stays in the pipe until its move."""
        answer, self._answer = self._answer, None
        if not self._spec.ponders or answer is None or not _is_legal(table.board, answer):
            return
        self._guess = [*table.moves, answer]
        with contextlib.suppress(EngineGoneError):
            self._pipe.send(_position(table.start_fen, self._guess))
            self._pipe.send(go_line(self._spec, table, ponders=True))

    def rest(self) -> None:
        """See `Player`."""
        if self._guess is not None:
            self._guess = None
            with contextlib.suppress(EngineGoneError, ForfeitError):
                self._stop_pondering()

    def analyse(self, fen: str, nodes: int) -> Analysis:
        """What the engine says of a position after so many nodes, its memory cleared. Raises ForfeitError."""
        try:
            self._pipe.send("ucinewgame")
            self._pipe.send(f"position fen {fen}")
            self._synchronise()
            return self._go(f"go nodes {nodes}", None).analysis
        except EngineGoneError as error:
            raise ForfeitError(Termination.CRASH, str(error)) from error

    @property
    def pid(self) -> int:
        """The engine's process, which leads a process group."""
        return self._pipe.pid

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

    def _handshake(self) -> set[str]:
        """Begin to speak UCI. The names of the options, in small letters."""
        deadline = time.monotonic_ns() + int(START_SECONDS * NS_PER_S)
        names = set()
        self._pipe.send("uci")
        while (line := self._pipe.receive(deadline)[0].strip()) != b"uciok":
            words = line.decode(errors="replace").split()
            if words[:2] == ["option", "name"] and "type" in words:
                names.add(" ".join(words[2 : words.index("type")]).lower())
        return names

    def _set_options(self, known: set[str], *, chess960: bool) -> None:
        wanted = dict(self._spec.options)
        if chess960:
            wanted["UCI_Chess960"] = "true"
        if self._spec.ponders:
            wanted["Ponder"] = "true"
        for name, value in wanted.items():
            if name.lower() not in known:
                raise StartError(f"{self._spec.name} has no option {name!r}")
            self._pipe.send(f"setoption name {name} value {value}" if value else f"setoption name {name}")
        self._pipe.send("isready")
        self._pipe.wait_for(b"readyok", START_SECONDS)

    def _synchronise(self) -> None:
        self._pipe.send("isready")
        try:
            self._pipe.wait_for(b"readyok", self._stall)
        except EngineSilentError as error:
            raise ForfeitError(Termination.STALL, f"no readyok within {self._stall:g} s") from error

    def _stop_pondering(self) -> int:
        """Have pondering end without a move; how many nanoseconds that took. Raises ForfeitError."""
        started = time.monotonic_ns()
        self._pipe.send("stop")
        try:
            _, arrived, _ = self._await_best_move(started + int(self._stall * NS_PER_S))
        except EngineSilentError:
            raise ForfeitError(Termination.STALL, f"no bestmove within {self._stall:g} s of stop") from None
        return arrived - started

    def _go(self, line: str, allowance: int | None, spent: int = 0) -> EngineReply:
        """Have a move made; `spent` nanoseconds of the allowance are gone already."""
        patience = int(self._stall * NS_PER_S) if allowance is None else allowance
        started = time.monotonic_ns() - spent
        self._pipe.send(line)
        try:
            best, arrived, info = self._await_best_move(started + patience)
        except EngineSilentError:
            self._give_up(started, allowance)
        elapsed = arrived - started
        words = best.decode(errors="replace").split()
        self._answer = words[3] if words[2:3] == ["ponder"] and len(words) > 3 else None
        return EngineReply(words[1] if len(words) > 1 else "", elapsed, parse_info(info))

    def _await_best_move(self, deadline: int) -> tuple[bytes, int, bytes]:
        """The `bestmove` line, when it came, and the last line of analysis of the best variation."""
        info = b""
        receive = self._pipe.receive
        while True:
            line, arrived = receive(deadline)
            if line.startswith(b"bestmove"):
                return line, arrived, info
            if b" score " in line and (b" multipv " not in line or b" multipv 1 " in line):
                info = line

    def _give_up(self, started: int, allowance: int | None) -> NoReturn:
        """The engine has not moved in time: see whether it is late or dead."""
        if allowance is not None:
            self._pipe.send("stop")
            with contextlib.suppress(EngineSilentError):
                _, arrived, _ = self._await_best_move(time.monotonic_ns() + int(self._stall * NS_PER_S))
                raise late(arrived - started, allowance)
        raise ForfeitError(
            Termination.STALL, f"no move within {(time.monotonic_ns() - started) / NS_PER_S:.1f} s"
        )


def _position(start_fen: str | None, moves: Sequence[str]) -> str:
    start = f"position fen {start_fen}" if start_fen else "position startpos"
    return f"{start} moves {' '.join(moves)}" if moves else start


def _is_legal(board: chess.Board, text: str) -> bool:
    try:
        return bool(board.parse_uci(text))
    except ValueError:
        return False


def go_line(spec: EngineSpec, table: GameState, *, ponders: bool = False) -> str:
    """The `go` line for the side to move: the clocks of both sides, and the engine's limits.

    If it `ponders`, it is for the other side.
    """
    words = ["go", "ponder"] if ponders else ["go"]
    side = table.board.turn ^ ponders
    pace = spec.pace
    if pace.clock is not None:
        for letter, clock in zip("wb", table.clocks, strict=True):
            # A clock that rounds to nothing is still a clock: engines take 0 for none given.
            words += [f"{letter}time {max(1, clock.left // NS_PER_MS)}"] if clock.runs else []
            words += [f"{letter}inc {clock.increment // NS_PER_MS}"] if clock.increment else []
        to_go = table.clock(side).moves_to_go
        words += [f"movestogo {to_go}"] if to_go else []
    words += [f"nodes {pace.nodes}"] if pace.nodes else []
    words += [f"depth {pace.depth}"] if pace.depth else []
    words += [f"movetime {max(1, pace.move_time // NS_PER_MS)}"] if pace.move_time else []
    return " ".join(words)


def parse_info(line: bytes) -> Analysis:
    """Depth, nodes and score of a line of analysis; what is missing or malformed is None."""
    words = line.decode(errors="replace").split()
    depth, nodes = _number_after(words, "depth"), _number_after(words, "nodes")
    score: Score | None = None
    if (centipawns := _number_after(words, "cp")) is not None:
        score = Cp(centipawns)
    elif (mate := _number_after(words, "mate")) is not None:
        score = Mate(mate)
    return Analysis(depth, nodes, score)


def _number_after(words: list[str], key: str) -> int | None:
    with contextlib.suppress(ValueError, IndexError):
        return int(words[words.index(key) + 1])
    return None
