"""A UCI engine as a player."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING

from chess.engine import Cp, Mate, Score

from scripts.laboratory.engine_pipe import NS_PER_MS, NS_PER_S, EngineGoneError, EngineSilentError
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

if TYPE_CHECKING:
    from collections.abc import Sequence

    import chess

    from scripts.laboratory.matches.plan import EngineSpec


class UciPlayer(EnginePlayer):
    """A UCI engine. See `EnginePlayer` for what the methods promise."""

    def __init__(self, spec: EngineSpec, *, chess960: bool, stall_seconds: float) -> None:
        """Start the engine and set its options. Raises StartError."""
        self._chess960 = chess960
        self._expected: str | None = None  # the reply that the engine expects to its last move
        self._pondered: list[str] | None = None  # the moves of the game on which it ponders
        super().__init__(spec, stall_seconds)

    def new_game(self, state: GameState) -> None:  # noqa: ARG002 - each `go` is preceded by the position
        """Send `ucinewgame`, and wait until the engine is ready."""
        self._pipe.forget()
        self._expected = None
        with crash_forfeits():
            self._pipe.send("ucinewgame")
            self._wait_until_ready()

    def move(self, state: GameState) -> EngineReply:
        """Ask for a move. The clock runs from just before `go` is written until `bestmove` has been read.

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
            self._wait_until_ready()
            return self._go(go_line(self._spec, state), allowance, stopping)

    def ponder(self, state: GameState) -> None:
        """See `EnginePlayer`. The engine's lines stay in the pipe until its next move."""
        expected, self._expected = self._expected, None
        if not self._spec.ponders or expected is None or not _is_legal(state.board, expected):
            return
        self._pondered = [*state.moves, expected]
        with contextlib.suppress(EngineGoneError):
            self._pipe.send(_position(state.start_fen, self._pondered))
            self._pipe.send(go_line(self._spec, state, ponders=True))

    def rest(self) -> None:
        """See `EnginePlayer`."""
        if self._pondered is not None:
            self._pondered = None
            with contextlib.suppress(EngineGoneError, ForfeitError):
                self._stop_pondering()

    def analyse(self, fen: str, nodes: int) -> Analysis:
        """Search a position for `nodes` nodes, with the engine's memory cleared. Raises ForfeitError."""
        with crash_forfeits():
            self._pipe.send("ucinewgame")
            self._pipe.send(f"position fen {fen}")
            self._wait_until_ready()
            return self._go(f"go nodes {nodes}", None).analysis

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
        self._synchronise("isready", "readyok", START_SECONDS)

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

    def _wait_until_ready(self) -> None:
        self._synchronise("isready", "readyok", self._stall)

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
        best, arrived, info = self._answer(self._read_best_move, started, allowance, "stop")
        words = best.decode(errors="replace").split()
        self._expected = words[3] if words[2:3] == ["ponder"] and len(words) > 3 else None
        move, analysis = words[1] if len(words) > 1 else "", parse_info(info)
        elapsed = arrived - started
        if self._spec.pace.nodes_time is not None:
            elapsed = (analysis.nodes or 0) * NS_PER_MS // self._spec.pace.nodes_time
        return EngineReply(move, elapsed, analysis)

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
