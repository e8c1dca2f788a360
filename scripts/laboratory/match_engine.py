"""An engine that plays over UCI: its clock, moves, forfeits and disturbances; the record of its games.

A match has two files: PGN, and a journal to resume from.
"""

import contextlib
import os
import random
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from enum import Enum
from pathlib import Path
from typing import Any, Self

import chess
import chess.pgn
from chess.engine import Cp, Mate, PovScore, Score

from engine.system import files
from lolli.cli.pgn.game_reader import header_value
from scripts.laboratory.engine_pipe import NS_PER_MS, NS_PER_S, EngineGoneError, EnginePipe, EngineSilentError
from scripts.laboratory.long_run import JournalError, RunJournal, strings, whole

START_SECONDS = 30.0
"""How long an engine may take to start."""
_TIME_CONTROL = re.compile(
    r"(?:(?P<moves>\d+)/)?(?:(?P<minutes>\d+):)?(?P<seconds>[\d.]+)(?:\+(?P<inc>[\d.]+))?"
)


class Termination(Enum):
    CHECKMATE = "checkmate"
    STALEMATE = "stalemate"
    REPETITION = "threefold repetition"
    FIFTY_MOVES = "fifty moves"
    INSUFFICIENT_MATERIAL = "insufficient material"
    MOVE_LIMIT = "limit of moves"
    TIME_LOSS = "loss on time"
    ILLEGAL_MOVE = "illegal move"
    CRASH = "crash"
    STALL = "stall"


class StartError(Exception):
    """An engine cannot be started as requested, so no game can be played. The message says why."""


class ForfeitError(Exception):
    def __init__(self, ending: Termination, detail: str, elapsed: int | None = None) -> None:
        """`detail` is shown to the user; `elapsed`: nanoseconds of a late move."""
        super().__init__(f"{ending.value}: {detail}")
        self.ending = ending
        self.detail = detail
        self.elapsed = elapsed


def late(elapsed: int, allowance: int) -> ForfeitError:
    used, allowed = elapsed / NS_PER_MS, allowance / NS_PER_MS
    return ForfeitError(Termination.TIME_LOSS, f"{used:.1f} ms used of {allowed:.1f} ms", elapsed)


@dataclass(frozen=True, slots=True)
class MatchTimeControl:
    """A base time, for the whole game or for every `moves` moves, and an increment a move, in nanoseconds."""

    base: int
    increment: int = 0
    moves: int | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `[moves/][minutes:]seconds[+increment]`. Raises ValueError with the reason."""
        match = _TIME_CONTROL.fullmatch(text)
        if match is None:
            raise ValueError(
                f"{text!r} is not a time control: expected [moves/][minutes:]seconds[+increment]"
            )
        base = _nanoseconds(match["seconds"]) + int(match["minutes"] or 0) * 60 * NS_PER_S
        moves = int(match["moves"]) if match["moves"] else None
        if base <= 0 or moves == 0:
            raise ValueError(f"{text!r} leaves no time for a move")
        return cls(base, _nanoseconds(match["inc"] or "0"), moves)

    def __str__(self) -> str:
        moves = f"{self.moves}/" if self.moves else ""
        increment = f"+{self.increment / NS_PER_S:g}" if self.increment else ""
        return f"{moves}{self.base / NS_PER_S:g}{increment}"


def _nanoseconds(seconds: str) -> int:
    try:
        return int(Decimal(seconds) * NS_PER_S)
    except InvalidOperation:
        raise ValueError(f"{seconds!r} is not a number of seconds") from None


@dataclass(frozen=True, slots=True)
class Pace:
    """`nodes_time`: so many nodes count as a millisecond of the clock.

    Raises ValueError for no limit, for both a clock and a time per move, and for `nodes_time` without a
    clock.
    """

    clock: MatchTimeControl | None = None
    nodes: int | None = None
    depth: int | None = None
    move_time: int | None = None
    nodes_time: int | None = None

    def __post_init__(self) -> None:
        limits = (self.nodes, self.depth, self.move_time, self.nodes_time)
        if self.clock is None and limits[:3] == (None,) * 3:
            raise ValueError("no limit: give tc, nodes, depth or movetime")
        if self.clock is not None and self.move_time is not None:
            raise ValueError("tc and movetime cannot be combined")
        if self.clock is None and self.nodes_time is not None:
            raise ValueError("nodestime needs a tc")
        if any(limit is not None and limit <= 0 for limit in limits):
            raise ValueError("limits must be above zero")

    def __str__(self) -> str:
        parts = [str(self.clock)] if self.clock else []
        parts += [f"{self.nodes_time} nodes for each ms"] if self.nodes_time else []
        parts += [f"{self.nodes} nodes"] if self.nodes else []
        parts += [f"depth {self.depth}"] if self.depth else []
        parts += [f"{self.move_time / NS_PER_MS:g} ms a move"] if self.move_time else []
        return ", ".join(parts)


class GameClock:
    """The clock of one side in one game. All times are in nanoseconds."""

    def __init__(self, pace: Pace, margin: int) -> None:
        """A move may exceed the time by `margin` without a loss on time."""
        self._control = pace.clock
        self._move_time = pace.move_time
        self._margin = margin
        self._moves = 0
        self.runs = pace.clock is not None
        self.increment = pace.clock.increment if pace.clock else 0
        self.left = pace.clock.base if pace.clock else 0
        self.lowest: int | None = None

    @property
    def moves_to_go(self) -> int | None:
        """Moves until the next time control, None if there is none."""
        if self._control is None or self._control.moves is None:
            return None
        return self._control.moves - self._moves % self._control.moves

    @property
    def allowance(self) -> int | None:
        """How long the next move may take without a loss on time; None: no limit."""
        if self.runs:
            return self.left + self._margin
        return None if self._move_time is None else self._move_time + self._margin

    def spend(self, elapsed: int) -> bool:
        """Subtract the time of a move. False if the move loses on time."""
        if (allowance := self.allowance) is not None and elapsed > allowance:
            return False
        if self._control is not None:
            self.left = max(0, self.left - elapsed)
            self.lowest = self.left if self.lowest is None else min(self.lowest, self.left)
            self._moves += 1
            self.left += self.increment
            if self._control.moves is not None and self._moves % self._control.moves == 0:
                self.left += self._control.base
        return True


@dataclass(frozen=True, slots=True)
class EngineSpec:
    """How to start an engine, and its limits. `margin`: nanoseconds by which a move may exceed the clock."""

    name: str
    command: tuple[str, ...]
    directory: str | None
    options: tuple[tuple[str, str], ...]
    pace: Pace
    margin: int
    ponders: bool = False


_KEYS = ("name", "cmd", "dir", "tc", "nodes", "depth", "movetime", "nodestime", "timemargin", "ponder")


def parse_engine(words: Sequence[tuple[str, str]], defaults: Sequence[tuple[str, str]]) -> EngineSpec:
    options: dict[str, str] = {}
    values: dict[str, str] = {}
    for key, value in (*defaults, *words):
        if key.startswith("option."):
            options[key.removeprefix("option.")] = value
        elif key in _KEYS:
            values[key] = value
        else:
            raise ValueError(f"unknown key {key}=: use {', '.join(_KEYS)} or option.NAME")
    if not values.get("cmd", "").strip():
        raise ValueError("an engine needs a cmd=")
    try:
        command = tuple(shlex.split(values["cmd"]))
        pace = _parse_pace(values)
        margin = _from_milliseconds(values.get("timemargin", "0"))
    except ValueError as error:
        raise ValueError(f"engine {values.get('name', values['cmd'])}: {error}") from error
    ponders = values.get("ponder", "false")
    if ponders not in ("true", "false"):
        raise ValueError(f"ponder={ponders}: use true or false")
    if ponders == "true" and pace.nodes_time is not None:
        raise ValueError("ponder=true and nodestime= cannot be combined: pondering takes nodes, but no time")
    name = values.get("name", command[0].rsplit("/", 1)[-1])
    return EngineSpec(
        name, command, values.get("dir"), tuple(options.items()), pace, margin, ponders == "true"
    )


def _from_milliseconds(text: str) -> int:
    try:
        return int(float(text) * NS_PER_MS)
    except (OverflowError, ValueError):
        raise ValueError(f"{text!r} is not a number of milliseconds") from None


def _parse_pace(values: dict[str, str]) -> Pace:
    def number(key: str) -> int | None:
        try:
            return int(values[key]) if key in values else None
        except ValueError:
            raise ValueError(f"{key}={values[key]} is not a whole number") from None

    return Pace(
        clock=MatchTimeControl.parse(values["tc"]) if "tc" in values else None,
        nodes=number("nodes"),
        depth=number("depth"),
        move_time=_from_milliseconds(values["movetime"]) if "movetime" in values else None,
        nodes_time=number("nodestime"),
    )


@dataclass(slots=True)
class GameState:
    board: chess.Board
    start_fen: str | None
    moves: list[str]
    clocks: tuple[GameClock, GameClock]

    def clock(self, colour: chess.Color) -> GameClock:
        return self.clocks[0] if colour else self.clocks[1]


@dataclass(frozen=True, slots=True)
class Analysis:
    depth: int | None = None
    nodes: int | None = None
    score: Score | None = None


@dataclass(frozen=True, slots=True)
class EngineReply:
    move: str
    elapsed: int
    analysis: Analysis


@contextlib.contextmanager
def _crash_forfeits() -> Generator[None, None, None]:
    try:
        yield
    except EngineGoneError as error:
        raise ForfeitError(Termination.CRASH, str(error)) from error


class UciPlayer:
    """A running UCI engine. After a ForfeitError only `pipe.last_lines` and `pipe.kill` may be called."""

    def __init__(self, spec: EngineSpec, *, chess960: bool, stall_seconds: float) -> None:
        """The engine has stalled when it is silent for `stall_seconds` longer than its clock allows."""
        self._spec = spec
        self._stall = stall_seconds
        self._expected: str | None = None  # the reply that the engine expects to its last move
        self._pondered: list[str] | None = None  # the moves of the game on which it ponders
        try:
            self.pipe = EnginePipe(spec.command, spec.directory)
        except OSError as error:
            raise StartError(f"{spec.name} cannot be started: {error}") from error
        try:
            self._initialise(chess960)
        except (EngineGoneError, ForfeitError) as error:
            lines = self.pipe.last_lines()
            self.pipe.kill()
            raise StartError("\n".join((f"{spec.name} did not start: {error}", *lines))) from error
        except StartError:
            self.pipe.kill()
            raise

    def new_game(self) -> None:
        self.pipe.forget()
        self._expected = None
        with _crash_forfeits():
            self.pipe.send("ucinewgame")
            self._wait_until_ready(self._stall)

    def move(self, state: GameState) -> EngineReply:
        """Ask for a move, which need not be legal. Raises ForfeitError.

        The clock runs from just before `go` is written, or `ponderhit`, until `bestmove` has been read. After
        pondering on another move it includes the time from `stop` to its `bestmove`, since clients send
        `stop` and the next `go` at once. A clock that counts nodes shows what the engine reports, and only a
        stall ends the wait.
        """
        counts_nodes = self._spec.pace.nodes_time is not None
        allowance = None if counts_nodes else state.clock(state.board.turn).allowance
        pondered, self._pondered = self._pondered, None
        with _crash_forfeits():
            if pondered == state.moves:
                return self._go("ponderhit", allowance)
            stopping = 0 if pondered is None else self._stop_pondering()
            self.pipe.send(_position(state.start_fen, state.moves))
            self._wait_until_ready(self._stall)
            return self._go(go_line(self._spec, state), allowance, stopping)

    def ponder(self, state: GameState) -> None:
        expected, self._expected = self._expected, None
        if not self._spec.ponders or expected is None or parsed(state.board, expected) is None:
            return
        self._pondered = [*state.moves, expected]
        with contextlib.suppress(EngineGoneError):
            self.pipe.send(_position(state.start_fen, self._pondered))
            self.pipe.send(go_line(self._spec, state, ponders=True))

    def rest(self) -> None:
        if self._pondered is not None:
            self._pondered = None
            with contextlib.suppress(EngineGoneError, ForfeitError):
                self._stop_pondering()

    def _initialise(self, chess960: bool) -> None:
        known = self._handshake()
        wanted = dict(self._spec.options)
        if chess960:
            wanted["UCI_Chess960"] = "true"
        if self._spec.ponders:
            wanted["Ponder"] = "true"
        if self._spec.pace.nodes_time is not None:
            wanted["nodestime"] = str(self._spec.pace.nodes_time)
        for name, value in wanted.items():
            kind = known.get(name.lower())
            if kind is None:
                raise StartError(f"{self._spec.name} has no option {name!r}")
            if not takes(kind, value):
                raise StartError(f"{self._spec.name}: its option {name!r} does not take {value!r}: {kind}")
            self.pipe.send(f"setoption name {name} value {value}" if value else f"setoption name {name}")
        self._wait_until_ready(START_SECONDS)

    def _handshake(self) -> dict[str, str]:
        """What stands after `type`, by the names of the options in lower case."""
        deadline = time.monotonic_ns() + int(START_SECONDS * NS_PER_S)
        known = {}
        self.pipe.send("uci")
        try:
            while (line := self.pipe.receive(deadline)[0].strip()) != b"uciok":
                words = line.decode(errors="replace").split()
                if words[:2] == ["option", "name"] and "type" in words:
                    end = words.index("type")
                    known[" ".join(words[2:end]).lower()] = " ".join(words[end + 1 :])
        except EngineSilentError:
            raise ForfeitError(Termination.STALL, f"no uciok within {START_SECONDS:g} s") from None
        return known

    def _wait_until_ready(self, seconds: float) -> None:
        self.pipe.send("isready")
        try:
            self.pipe.wait_for(b"readyok", seconds)
        except EngineSilentError as error:
            raise ForfeitError(Termination.STALL, f"no readyok within {seconds:g} s") from error

    def _stop_pondering(self) -> int:
        started = time.monotonic_ns()
        self.pipe.send("stop")
        try:
            _, arrived, _ = self._read_best_move(started + int(self._stall * NS_PER_S))
        except EngineSilentError:
            reason = f"no bestmove within {self._stall:g} s of stop"
            raise ForfeitError(Termination.STALL, reason) from None
        return arrived - started

    def _go(self, line: str, allowance: int | None, spent: int = 0) -> EngineReply:
        started = time.monotonic_ns() - spent
        self.pipe.send(line)
        best, arrived, info = self._answer(started, allowance)
        words = best.decode(errors="replace").split()
        self._expected = words[3] if words[2:3] == ["ponder"] and len(words) > 3 else None
        move, analysis = words[1] if len(words) > 1 else "", parse_info(info)
        elapsed = arrived - started
        if self._spec.pace.nodes_time is not None:
            elapsed = (analysis.nodes or 0) * NS_PER_MS // self._spec.pace.nodes_time
        return EngineReply(move, elapsed, analysis)

    def _answer(self, started: int, allowance: int | None) -> tuple[bytes, int, bytes]:
        """Read a move that was asked for at `started`; `stop` tells a late engine from a dead one."""
        stall = int(self._stall * NS_PER_S)
        try:
            if allowance is None:
                return self._read_best_move(started + stall, stall)
            return self._read_best_move(started + allowance)
        except EngineSilentError:
            pass
        if allowance is not None:
            self.pipe.send("stop")
            with contextlib.suppress(EngineSilentError):
                _, arrived, _ = self._read_best_move(time.monotonic_ns() + stall)
                raise late(arrived - started, allowance)
        seconds = (time.monotonic_ns() - started) / NS_PER_S
        raise ForfeitError(Termination.STALL, f"no move within {seconds:.1f} s")

    def _read_best_move(self, deadline: int, after_line: int = 0) -> tuple[bytes, int, bytes]:
        """`after_line`: unless 0, each line moves the deadline to this many ns after it."""
        info = b""
        receive = self.pipe.receive
        while True:
            line, arrived = receive(deadline)
            if line.startswith(b"bestmove"):
                return line, arrived, info
            if after_line:
                deadline = arrived + after_line
            if b" score " in line and (b" multipv " not in line or b" multipv 1 " in line):
                info = line


def takes(kind: str, value: str) -> bool:
    """Whether an option takes a value. `kind`: its type and what follows: `spin default 16 min 1 max 64`."""
    if kind.startswith("spin "):
        bounds = dict(re.findall(r" (min|max) (-?\d+)", kind))
        is_number = re.fullmatch(r"-?\d+", value) is not None
        return is_number and int(bounds.get("min", value)) <= int(value) <= int(bounds.get("max", value))
    if kind.startswith("combo "):
        return value.lower() in re.findall(r" var (.+?)(?= var | default |$)", kind.lower())
    return not kind.startswith("check") or value in {"true", "false"}


def parsed(board: chess.Board, text: str) -> chess.Move | None:
    with contextlib.suppress(ValueError):
        return board.parse_uci(text) or None
    return None


def _position(start_fen: str | None, moves: Sequence[str]) -> str:
    start = f"position fen {start_fen}" if start_fen else "position startpos"
    return f"{start} moves {' '.join(moves)}" if moves else start


def go_line(spec: EngineSpec, state: GameState, *, ponders: bool = False) -> str:
    """For the side to move or, with `ponders`, `go ponder` for the other side."""
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
    words = line.decode(errors="replace").split()

    def after(key: str) -> int | None:
        with contextlib.suppress(ValueError, IndexError):
            return int(words[words.index(key) + 1])
        return None

    score: Score | None = None
    if (centipawns := after("cp")) is not None:
        score = Cp(centipawns)
    elif (mate := after("mate")) is not None:
        score = Mate(mate)
    return Analysis(after("depth"), after("nodes"), score)


_STOPS = 3  # in a game, in the mean
_MOVES = 65  # of a side, in a typical fast game
_BASE_SHARE = 0.75  # of the base time, which is used in that many moves
# A program that keeps a processor busy; it ends with its parent, when its standard input is closed.
_SPIN = """
import os, sys, threading
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
while True:
    sorted(range(1000), key=str)
"""
# A slow pipe: it holds back whatever an engine or its client writes for a random time up to so many ms.
_SLOW = """
import os, random, subprocess, sys, threading, time
engine = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
def hand_on(source, sink):
    try:
        while chunk := os.read(source.fileno(), 65536):
            time.sleep(random.uniform(0, int(sys.argv[1]) / 1000))
            os.write(sink.fileno(), chunk)
    except OSError:
        pass
    sink.close()
threading.Thread(target=hand_on, args=(sys.stdin, engine.stdin), daemon=True).start()
hand_on(engine.stdout, sys.stdout)
os._exit(abs(engine.wait()))
"""


@dataclass(frozen=True, slots=True)
class Disturbance:
    """Nothing by default. Times are in milliseconds.

    `stalls`: the shortest and longest stop of both engines, three times a game in the mean. `busy`: how many
    other programs keep each processor busy. `slow`: the longest delay of an engine's pipes.
    """

    stalls: tuple[int, int] | None = None
    busy: int = 0
    slow: int = 0

    @classmethod
    def parse(cls, words: Sequence[tuple[str, str]]) -> Self:
        """Read stalls=LOW-HIGH, busy=PROGRAMS and slow=MS. Raises ValueError."""
        values: dict[str, Any] = {}
        for key, value in words:
            bounds = re.fullmatch(r"(\d+)-(\d+)" if key == "stalls" else r"(\d+)", value)
            if key not in ("stalls", "busy", "slow") or bounds is None:
                raise ValueError(
                    f"--disturb takes stalls=LOW-HIGH, busy=PROGRAMS and slow=MS, not {key}={value}"
                )
            values[key] = tuple(map(int, bounds.groups())) if key == "stalls" else int(value)
        return cls(**values)

    def command(self, engine: tuple[str, ...]) -> tuple[str, ...]:
        return (sys.executable, "-c", _SLOW, str(self.slow), *engine) if self.slow else engine

    def stops(self, number: int, pace: Pace) -> Iterator[tuple[float, float]]:
        if self.stalls is None or pace.clock is None:
            return
        between = 2e-9 * (_BASE_SHARE * pace.clock.base + _MOVES * pace.clock.increment) / _STOPS
        chance = random.Random(f"stalls {number}")
        while True:
            yield chance.expovariate(1 / between), chance.uniform(*self.stalls) / 1000


class Stalls:
    """Stops and continues process groups together, in a thread. At its end all of them run."""

    def __init__(self, groups: Sequence[int], stops: Iterable[tuple[float, float]]) -> None:
        self._groups = groups
        self._stops = stops
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._stopped: list[tuple[int, int]] = []  # when each stop began and ended

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def within(self, began: int, ended: int) -> int:
        """How long the engines were stopped between two monotonic times, in nanoseconds."""
        return sum(max(0, min(ended, last) - max(began, first)) for first, last in self._stopped)

    def _run(self) -> None:
        for wait, length in self._stops:
            if self._over.wait(wait):
                return
            began = time.monotonic_ns()
            try:
                self._send(signal.SIGSTOP)
                self._over.wait(length)
            finally:
                self._send(signal.SIGCONT)
            self._stopped.append((began, time.monotonic_ns()))

    def _send(self, what: signal.Signals) -> None:
        for group in self._groups:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(group, what)


@contextlib.contextmanager
def busy_programs(count: int) -> Generator[None, None, None]:
    programs: list[subprocess.Popen[bytes]] = []
    try:
        programs.extend(
            # In sessions of their own, where Ctrl-C does not reach them.
            subprocess.Popen([sys.executable, "-c", _SPIN], stdin=subprocess.PIPE, start_new_session=True)
            for _ in range(count)
        )
        yield
    finally:
        for program in programs:
            program.kill()
            program.communicate()


RESULTS = {None: "1/2-1/2", chess.WHITE: "1-0", chess.BLACK: "0-1"}
"""By the winner."""
FORFEITS = (Termination.TIME_LOSS, Termination.ILLEGAL_MOVE, Termination.CRASH, Termination.STALL)
"""The terminations in which an engine failed to play on."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Times in ns, memory in bytes. `depth`, `nodes`: sums over reporting moves."""

    moves: int = 0
    time: int = 0
    longest_move: int = 0
    lowest_clock: int | None = None
    depth_moves: int = 0
    depth: int = 0
    nodes: int = 0
    nodes_time: int = 0
    peak_memory: int = 0

    def __add__(self, other: Self) -> Self:
        mine, theirs = asdict(self), asdict(other)
        merged = {name: mine[name] + theirs[name] for name in mine if name != "lowest_clock"}
        merged |= {name: max(mine[name], theirs[name]) for name in ("longest_move", "peak_memory")}
        clocks = [clock for clock in (self.lowest_clock, other.lowest_clock) if clock is not None]
        return replace(self, **merged, lowest_clock=min(clocks, default=None))


@dataclass(frozen=True, slots=True)
class FinishedGame:
    """Games 2n and 2n + 1 are a pair; engine 0 has White in the first of it. `result` is as in PGN.

    `last_lines`: the end of the dialogue with an engine that forfeited.
    """

    number: int
    result: str
    ending: Termination
    detail: str
    plies: int
    usage: tuple[Usage, Usage]
    last_lines: tuple[str, ...] = ()

    @property
    def white(self) -> int:
        return self.number % 2

    @property
    def points(self) -> int:
        """The half points of engine 0: 0, 1 or 2."""
        if self.result == RESULTS[None]:
            return 1
        return 2 if (self.result == "1-0") == (self.white == 0) else 0

    @property
    def forfeiter(self) -> int | None:
        """Engine 0 or 1, which failed to play on; None if neither did."""
        if self.ending not in FORFEITS:
            return None
        return 1 if self.points == 2 else 0

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"ending": self.ending.name}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Self:
        first, second = (Usage(**used) for used in value["usage"])
        (result,) = {value["result"]} & set(RESULTS.values())
        return cls(
            number=whole(value["number"]),
            result=result,
            ending=Termination[value["ending"]],
            detail=str(value["detail"]),
            plies=whole(value["plies"]),
            usage=(first, second),
            last_lines=strings(value["last_lines"]),
        )


class MatchTally:
    """From the point of view of engine 0."""

    def __init__(self, records: Iterable[FinishedGame] = ()) -> None:
        self.games = [0, 0, 0]
        """Losses, draws and wins."""
        self.pairs = [0, 0, 0, 0, 0]
        """The number of finished pairs with 0 to 4 half points."""
        self.endings: Counter[Termination] = Counter()
        self.forfeits: list[FinishedGame] = []
        self.usage = [Usage(), Usage()]
        self._points: dict[int, int] = {}
        for record in records:
            self.add(record)

    def add(self, record: FinishedGame) -> None:
        if record.number in self._points:
            raise ValueError(f"game {record.number} has been played twice")
        self._points[record.number] = record.points
        self.games[record.points] += 1
        self.endings[record.ending] += 1
        if record.forfeiter is not None:
            self.forfeits.append(record)
        self.usage = [sum_ + used for sum_, used in zip(self.usage, record.usage, strict=True)]
        partner = self._points.get(record.number ^ 1)
        if partner is not None:
            self.pairs[record.points + partner] += 1

    def __contains__(self, number: int) -> bool:
        return number in self._points

    @property
    def played(self) -> int:
        return len(self._points)

    def forfeits_of(self, engine: int) -> Counter[Termination]:
        return Counter(record.ending for record in self.forfeits if record.forfeiter == engine)


_LARGEST_GAME = 1 << 20  # bytes


class Store:
    """The journal says where the PGN of its last game ends. Anything beyond will be played again."""

    def __init__(self, pgn: Path, run: Mapping[str, Any]) -> None:
        journal = pgn.with_suffix(".jsonl")
        self._path = pgn
        if pgn == journal:
            raise JournalError(f"{pgn}: the games cannot be in a file with the journal's suffix")
        if pgn.exists() and not journal.exists():
            raise JournalError(f"{pgn} exists, but not {journal.name}, from which the match would resume")
        self._journal = RunJournal(journal, run)
        try:
            entries = self._journal.read(_entry)
            self.tally = MatchTally(record for record, _ in entries)
            self._pgn = _open_cut(pgn, max((end for _, end in entries), default=0))
        except BaseException as error:
            self._journal.close()
            if isinstance(error, (OSError, ValueError)):
                reason = error.strerror if isinstance(error, OSError) else error
                raise JournalError(f"cannot resume {pgn}: {reason}") from error
            raise

    def keep(self, record: FinishedGame, text: str) -> None:
        files.append_to(self._pgn, text.encode(), str(self._path))
        self._journal.append({"game": record.to_json(), "pgn_end": os.fstat(self._pgn).st_size})

    def close(self) -> None:
        os.close(self._pgn)
        self._journal.close()


def _entry(entry: dict[str, Any]) -> tuple[FinishedGame, int]:
    return FinishedGame.from_json(entry["game"]), whole(entry["pgn_end"], 1)


def _open_cut(path: Path, end: int) -> int:
    """Cut a file after `end` bytes. Raises ValueError if it is shorter, or longer by more than one game."""
    file = files.descriptor_of(path, os.O_WRONLY | os.O_APPEND | (0 if end else os.O_CREAT))
    size = os.fstat(file).st_size
    if not end <= size <= end + _LARGEST_GAME * (end > 0):
        os.close(file)
        raise ValueError(f"it has {size} bytes, and {end} according to its journal")
    os.ftruncate(file, end)
    return file


_TERMINATIONS = {
    Termination.TIME_LOSS: "time forfeit",
    Termination.ILLEGAL_MOVE: "rules infraction",
    Termination.CRASH: "abandoned",
    Termination.STALL: "abandoned",
    Termination.MOVE_LIMIT: "adjudication",
}


@dataclass(frozen=True, slots=True)
class MoveNote:
    """The comment on a move: the analysis, the time it took and the clock after it, in nanoseconds."""

    analysis: Analysis
    elapsed: int
    clock: int | None


def pgn_text(
    board: chess.Board, notes: list[MoveNote], record: FinishedGame, engines: Sequence[EngineSpec]
) -> str:
    """Ends with a blank line. The notes belong to the last moves of the board."""
    game = chess.pgn.Game.from_board(board)
    white, black = engines[record.white], engines[1 - record.white]
    paces = {"TimeControl": str(white.pace)}
    if white.pace != black.pace:
        paces = {"WhiteTimeControl": str(white.pace), "BlackTimeControl": str(black.pace)}
    headers = {
        "Event": "Match",
        "Site": "?",
        "Date": datetime.now(UTC).strftime("%Y.%m.%d"),
        "Round": f"{record.number // 2 + 1}.{record.number % 2 + 1}",
        "White": header_value(white.name),
        "Black": header_value(black.name),
        "Result": record.result,
        **paces,
        "PlyCount": str(record.plies),
        "Termination": _TERMINATIONS.get(record.ending, "normal"),
    }
    game.headers.update(headers)
    mainline = list(game.mainline())
    plain = len(mainline) - len(notes)  # moves of the opening, which have no notes
    mover = game.turn() ^ bool(plain % 2)
    for node, note in zip(mainline[plain:], notes, strict=True):
        if note.analysis.score is not None:
            node.set_eval(PovScore(note.analysis.score, mover), note.analysis.depth)
        mover = not mover
        node.set_emt(note.elapsed / NS_PER_S)
        if note.clock is not None:
            node.set_clock(note.clock / NS_PER_S)
    end = game.end()
    ending = f"{record.ending.value}: {record.detail}" if record.detail else record.ending.value
    end.comment = f"{end.comment} {ending.replace('{', '(').replace('}', ')')}".strip()
    return f"{game}\n\n"
