"""An engine as the referee of a game sees it, whichever protocol it speaks."""

from __future__ import annotations

import contextlib
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from scripts.laboratory.engine_pipe import NS_PER_MS, NS_PER_S, EngineGoneError, EnginePipe, EngineSilentError
from scripts.laboratory.matches.record import Termination

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    import chess
    from chess.engine import Score

    from scripts.laboratory.matches.plan import EngineSpec
    from scripts.laboratory.matches.time_control import GameClock

START_SECONDS = 30.0
"""How long an engine may take to start."""

_Read = TypeVar("_Read", bound=tuple[Any, int, Any])
"""What an engine answered to a request for a move; the second element is the time at which it arrived."""


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
class Analysis:
    """What an engine reported about its search, None where it did not. The score is from its own side."""

    depth: int | None = None
    nodes: int | None = None
    score: Score | None = None


@dataclass(frozen=True, slots=True)
class EngineReply:
    """A move as the engine wrote it, None if it resigned, and how many nanoseconds of its clock it took."""

    move: str | None
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


class EnginePlayer(ABC):
    """A running engine. After a ForfeitError only `last_lines` and `kill` may be called."""

    def __init__(self, spec: EngineSpec, stall_seconds: float) -> None:
        """Start the engine and set its options. Raises StartError.

        The engine has stalled when it is silent for `stall_seconds` longer than its clock allows.
        """
        self._spec = spec
        self._stall = stall_seconds
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

    @abstractmethod
    def _initialise(self) -> None:
        """Do the handshake and set the options. Raises EngineGoneError, ForfeitError and StartError."""

    @abstractmethod
    def new_game(self, state: GameState) -> None:
        """Prepare for a game from the start of `state`.

        Raises ForfeitError, or StartError if the engine cannot set up that position.
        """

    @abstractmethod
    def move(self, state: GameState) -> EngineReply:
        """Ask for a move of the side to move. Raises ForfeitError if it is late; it need not be legal."""

    @abstractmethod
    def ponder(self, state: GameState) -> None:
        """Think while the opponent does, if the engine has been set to. Errors are left to `move`."""

    @abstractmethod
    def rest(self) -> None:
        """Stop pondering: the game is over."""

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

    def _synchronise(self, question: str, answer: str, seconds: float) -> None:
        """Wait until the engine has read all commands. Raises EngineGoneError and ForfeitError."""
        self._pipe.send(question)
        try:
            self._pipe.wait_for(answer.encode(), seconds)
        except EngineSilentError as error:
            reason = f"no {answer.split(maxsplit=1)[0]} within {seconds:g} s"
            raise ForfeitError(Termination.STALL, reason) from error

    def _answer(self, read: Callable[[int], _Read], started: int, allowance: int | None, hurry: str) -> _Read:
        """Read a move that was asked for at `started`. Raises EngineGoneError and ForfeitError.

        `read` takes a deadline and may raise EngineSilentError. `hurry` is the command that asks an engine
        for its move at once: the answer tells a late engine from a dead one.
        """
        stall = int(self._stall * NS_PER_S)
        try:
            return read(started + (stall if allowance is None else allowance))
        except EngineSilentError:
            pass
        if allowance is not None:
            self._pipe.send(hurry)
            with contextlib.suppress(EngineSilentError):
                _, arrived, _ = read(time.monotonic_ns() + stall)
                raise late(arrived - started, allowance)
        seconds = (time.monotonic_ns() - started) / NS_PER_S
        raise ForfeitError(Termination.STALL, f"no move within {seconds:.1f} s")


@contextlib.contextmanager
def crash_forfeits() -> Generator[None, None, None]:
    """Turn EngineGoneError into a ForfeitError."""
    try:
        yield
    except EngineGoneError as error:
        raise ForfeitError(Termination.CRASH, str(error)) from error
