"""An engine that plays over UCI: started, asked for moves on its clock, and what it forfeits by."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chess.engine import Cp, Mate, Score

from scripts.laboratory.engine_pipe import NS_PER_MS, NS_PER_S, EngineGoneError, EnginePipe, EngineSilentError
from scripts.laboratory.matches.record import Analysis, Termination

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    import chess

    from scripts.laboratory.matches.rules import EngineSpec, GameClock

START_SECONDS = 30.0
"""How long an engine may take to start."""


class StartError(Exception):
    """An engine cannot be started as requested, so no game can be played. The message says why."""


class ForfeitError(Exception):
    """An engine lost the game because it failed to play on."""

    def __init__(self, ending: Termination, detail: str, elapsed: int | None = None) -> None:
        """`detail` is shown to the user; `elapsed` is how many nanoseconds a late move took."""
        super().__init__(f"{ending.value}: {detail}")
        self.ending = ending
        self.detail = detail
        self.elapsed = elapsed


def late(elapsed: int, allowance: int) -> ForfeitError:
    """The loss on time of a move that took `elapsed` nanoseconds where `allowance` were allowed."""
    used, allowed = elapsed / NS_PER_MS, allowance / NS_PER_MS
    return ForfeitError(Termination.TIME_LOSS, f"{used:.1f} ms used of {allowed:.1f} ms", elapsed)


@dataclass(slots=True)
class GameState:
    """A game in progress, as both engines see it."""

    board: chess.Board
    start_fen: str | None
    """None for the usual start position."""
    moves: list[str]
    """All moves since the start position, in UCI notation."""
    clocks: tuple[GameClock, GameClock]
    """White's and Black's."""

    def clock(self, colour: chess.Color) -> GameClock:
        """The clock of White (True) or Black (False)."""
        return self.clocks[0] if colour else self.clocks[1]


@dataclass(frozen=True, slots=True)
class EngineReply:
    """A move as the engine wrote it, and how many nanoseconds of its clock it took."""

    move: str
    elapsed: int
    analysis: Analysis


@dataclass(frozen=True, slots=True)
class LiveGame:
    """A game under way, when a side begins to think."""

    number: int
    fen: str
    last: str | None
    """The last move, in UCI notation."""
    clocks: tuple[int | None, int | None]
    """White's and Black's, in nanoseconds; None without a clock."""
    analyses: tuple[Analysis | None, Analysis | None]
    """What White and Black reported about their last moves; None before the first."""


@contextlib.contextmanager
def crash_forfeits() -> Generator[None, None, None]:
    """Turn EngineGoneError into a ForfeitError."""
    try:
        yield
    except EngineGoneError as error:
        raise ForfeitError(Termination.CRASH, str(error)) from error


class UciPlayer:
    """A running UCI engine. After a ForfeitError only `last_lines` and `kill` may be called."""

    def __init__(self, spec: EngineSpec, *, chess960: bool, stall_seconds: float) -> None:
        """Start the engine and set its options. Raises StartError.

        The engine has stalled when it is silent for `stall_seconds` longer than its clock allows.
        """
        self._spec = spec
        self._stall = stall_seconds
        self._chess960 = chess960
        self._expected: str | None = None  # the reply that the engine expects to its last move
        self._pondered: list[str] | None = None  # the moves of the game on which it ponders
        try:
            self._pipe = EnginePipe(spec.command, spec.directory)
        except OSError as error:
            raise StartError(f"{spec.name} cannot be started: {error}") from error
        try:
            self._initialise()
        except (EngineGoneError, ForfeitError) as error:
            lines = self.last_lines()
            self.kill()
            raise StartError("\n".join((f"{spec.name} did not start: {error}", *lines))) from error
        except StartError:
            self.kill()
            raise

    def new_game(self) -> None:
        """Send `ucinewgame`, and wait until the engine is ready. Raises ForfeitError."""
        self._pipe.forget()
        self._expected = None
        with crash_forfeits():
            self._pipe.send("ucinewgame")
            self._wait_until_ready(self._stall)

    def move(self, state: GameState) -> EngineReply:
        """Ask for a move, which need not be legal. Raises ForfeitError.

        The clock runs from just before `go` is written until `bestmove` has been read.

        After pondering it runs from `ponderhit`. After pondering on another move it includes the time from
        `stop` to its `bestmove`, since clients send `stop` and the next `go` at once. A clock that counts
        nodes shows what the engine reports, and only a stall ends the wait.
        """
        counts_nodes = self._spec.pace.nodes_time is not None
        allowance = None if counts_nodes else state.clock(state.board.turn).allowance
        pondered, self._pondered = self._pondered, None
        with crash_forfeits():
            if pondered == state.moves:
                return self._go("ponderhit", allowance)
            stopping = 0 if pondered is None else self._stop_pondering()
            self._pipe.send(_position(state.start_fen, state.moves))
            self._wait_until_ready(self._stall)
            return self._go(go_line(self._spec, state), allowance, stopping)

    def ponder(self, state: GameState) -> None:
        """Think while the opponent does, if set to. Lines stay in the pipe, and errors are left to `move`."""
        expected, self._expected = self._expected, None
        if not self._spec.ponders or expected is None or not _is_legal(state.board, expected):
            return
        self._pondered = [*state.moves, expected]
        with contextlib.suppress(EngineGoneError):
            self._pipe.send(_position(state.start_fen, self._pondered))
            self._pipe.send(go_line(self._spec, state, ponders=True))

    def rest(self) -> None:
        """Stop pondering: the game is over."""
        if self._pondered is not None:
            self._pondered = None
            with contextlib.suppress(EngineGoneError, ForfeitError):
                self._stop_pondering()

    def analyse(self, fen: str, nodes: int) -> Analysis:
        """Search a position for `nodes` nodes, with the engine's memory cleared. Raises ForfeitError."""
        with crash_forfeits():
            self._pipe.send("ucinewgame")
            self._pipe.send(f"position fen {fen}")
            self._wait_until_ready(self._stall)
            return self._go(f"go nodes {nodes}", None).analysis

    @property
    def pid(self) -> int:
        """The process id of the engine, which leads a process group."""
        return self._pipe.pid

    def last_lines(self) -> tuple[str, ...]:
        """The end of the dialogue."""
        return self._pipe.last_lines()

    def peak_memory(self) -> int:
        """The peak of the engine's resident memory, in bytes."""
        return self._pipe.peak()

    def close(self) -> None:
        """Ask the engine to quit, and wait for its end."""
        self._pipe.close()

    def kill(self) -> None:
        """Kill the engine."""
        self._pipe.kill()

    def _initialise(self) -> None:
        known = self._handshake()
        wanted = dict(self._spec.options)
        if self._chess960:
            wanted["UCI_Chess960"] = "true"
        if self._spec.ponders:
            wanted["Ponder"] = "true"
        if self._spec.pace.nodes_time is not None:
            wanted["nodestime"] = str(self._spec.pace.nodes_time)
        for name, value in wanted.items():
            if name.lower() not in known:
                raise StartError(f"{self._spec.name} has no option {name!r}")
            self._pipe.send(f"setoption name {name} value {value}" if value else f"setoption name {name}")
        self._wait_until_ready(START_SECONDS)

    def _handshake(self) -> set[str]:
        """Send `uci`. The names of the options, in lower case."""
        deadline = time.monotonic_ns() + int(START_SECONDS * NS_PER_S)
        names = set()
        self._pipe.send("uci")
        try:
            while (line := self._pipe.receive(deadline)[0].strip()) != b"uciok":
                words = line.decode(errors="replace").split()
                if words[:2] == ["option", "name"] and "type" in words:
                    names.add(" ".join(words[2 : words.index("type")]).lower())
        except EngineSilentError:
            raise ForfeitError(Termination.STALL, f"no uciok within {START_SECONDS:g} s") from None
        return names

    def _wait_until_ready(self, seconds: float) -> None:
        """Wait until the engine has read all commands. Raises EngineGoneError and ForfeitError."""
        self._pipe.send("isready")
        try:
            self._pipe.wait_for(b"readyok", seconds)
        except EngineSilentError as error:
            raise ForfeitError(Termination.STALL, f"no readyok within {seconds:g} s") from error

    def _stop_pondering(self) -> int:
        """Stop pondering and discard the move. How many nanoseconds that took. Raises ForfeitError."""
        started = time.monotonic_ns()
        self._pipe.send("stop")
        try:
            _, arrived, _ = self._read_best_move(started + int(self._stall * NS_PER_S))
        except EngineSilentError:
            reason = f"no bestmove within {self._stall:g} s of stop"
            raise ForfeitError(Termination.STALL, reason) from None
        return arrived - started

    def _go(self, line: str, allowance: int | None, spent: int = 0) -> EngineReply:
        """Ask for a move with `line`; `spent` nanoseconds of the allowance are gone already."""
        started = time.monotonic_ns() - spent
        self._pipe.send(line)
        best, arrived, info = self._answer(started, allowance)
        words = best.decode(errors="replace").split()
        self._expected = words[3] if words[2:3] == ["ponder"] and len(words) > 3 else None
        move, analysis = words[1] if len(words) > 1 else "", parse_info(info)
        elapsed = arrived - started
        if self._spec.pace.nodes_time is not None:
            elapsed = (analysis.nodes or 0) * NS_PER_MS // self._spec.pace.nodes_time
        return EngineReply(move, elapsed, analysis)

    def _answer(self, started: int, allowance: int | None) -> tuple[bytes, int, bytes]:
        """Read a move that was asked for at `started`; `stop` tells a late engine from a dead one.

        Raises EngineGoneError and ForfeitError.
        """
        stall = int(self._stall * NS_PER_S)
        try:
            return self._read_best_move(started + (stall if allowance is None else allowance))
        except EngineSilentError:
            pass
        if allowance is not None:
            self._pipe.send("stop")
            with contextlib.suppress(EngineSilentError):
                _, arrived, _ = self._read_best_move(time.monotonic_ns() + stall)
                raise late(arrived - started, allowance)
        seconds = (time.monotonic_ns() - started) / NS_PER_S
        raise ForfeitError(Termination.STALL, f"no move within {seconds:.1f} s")

    def _read_best_move(self, deadline: int) -> tuple[bytes, int, bytes]:
        """The `bestmove` line, when it arrived, and the last `info` line of the first variation."""
        info = b""
        receive = self._pipe.receive
        while True:
            line, arrived = receive(deadline)
            if line.startswith(b"bestmove"):
                return line, arrived, info
            if b" score " in line and (b" multipv " not in line or b" multipv 1 " in line):
                info = line


def _position(start_fen: str | None, moves: Sequence[str]) -> str:
    start = f"position fen {start_fen}" if start_fen else "position startpos"
    return f"{start} moves {' '.join(moves)}" if moves else start


def _is_legal(board: chess.Board, text: str) -> bool:
    try:
        return bool(board.parse_uci(text))
    except ValueError:
        return False


def go_line(spec: EngineSpec, state: GameState, *, ponders: bool = False) -> str:
    """The `go` line with both clocks and the engine's limits, for the side to move.

    With `ponders` it is for the other side, and the line is `go ponder`.
    """
    words = ["go", "ponder"] if ponders else ["go"]
    side = state.board.turn ^ ponders
    pace = spec.pace
    if pace.clock is not None:
        for letter, clock in zip("wb", state.clocks, strict=True):
            # At least 1 ms: many engines read 0 as no clock at all.
            words += [f"{letter}time {max(1, clock.left // NS_PER_MS)}"] if clock.runs else []
            words += [f"{letter}inc {clock.increment // NS_PER_MS}"] if clock.increment else []
        to_go = state.clock(side).moves_to_go
        words += [f"movestogo {to_go}"] if to_go else []
    words += [f"nodes {pace.nodes}"] if pace.nodes else []
    words += [f"depth {pace.depth}"] if pace.depth else []
    words += [f"movetime {max(1, pace.move_time // NS_PER_MS)}"] if pace.move_time else []
    return " ".join(words)


def parse_info(line: bytes) -> Analysis:
    """Depth, nodes and score of an `info` line; None for what is missing or malformed."""
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
