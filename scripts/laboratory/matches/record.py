"""What is kept of a finished game."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from enum import Enum
from typing import Any, Self

from .journal import whole, words

_RESULTS = ("1-0", "0-1", "1/2-1/2")


class Termination(Enum):
    """Why a game ended."""

    CHECKMATE = "checkmate"
    STALEMATE = "stalemate"
    REPETITION = "threefold repetition"
    FIFTY_MOVES = "fifty moves"
    INSUFFICIENT_MATERIAL = "insufficient material"
    RESIGNATION = "resignation"
    DRAW_ADJUDICATED = "draw by adjudication"
    WIN_ADJUDICATED = "win by adjudication"
    MOVE_LIMIT = "limit of moves"
    TIME_LOSS = "loss on time"
    ILLEGAL_MOVE = "illegal move"
    CRASH = "crash"
    STALL = "stall"


FORFEITS = (Termination.TIME_LOSS, Termination.ILLEGAL_MOVE, Termination.CRASH, Termination.STALL)
"""The endings that are an engine's failure to play, not the game's."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What one engine spent, in one game or in many. Times in nanoseconds, memory in bytes.

    Depth and nodes are sums over the moves at which the engine told them.
    """

    moves: int = 0
    time: int = 0
    longest_move: int = 0
    overrun: int = 0
    """The most by which a move overdrew its clock."""
    lowest_clock: int | None = None
    depth_moves: int = 0
    depth: int = 0
    nodes: int = 0
    nodes_time: int = 0
    peak_memory: int = 0

    def __add__(self, other: Self) -> Self:
        clocks = [clock for clock in (self.lowest_clock, other.lowest_clock) if clock is not None]
        return replace(
            self,
            moves=self.moves + other.moves,
            time=self.time + other.time,
            longest_move=max(self.longest_move, other.longest_move),
            overrun=max(self.overrun, other.overrun),
            lowest_clock=min(clocks, default=None),
            depth_moves=self.depth_moves + other.depth_moves,
            depth=self.depth + other.depth,
            nodes=self.nodes + other.nodes,
            nodes_time=self.nodes_time + other.nodes_time,
            peak_memory=max(self.peak_memory, other.peak_memory),
        )


@dataclass(frozen=True, slots=True)
class FinishedGame:
    """One finished game. Games 2n and 2n + 1 are a pair; engine 0 has White in the first of it."""

    number: int
    result: str
    """`1-0`, `0-1` or `1/2-1/2`."""
    ending: Termination
    detail: str
    plies: int
    usage: tuple[Usage, Usage]
    """Of engine 0 and of engine 1."""
    last_lines: tuple[str, ...] = ()
    """The end of the dialogue with the engine that forfeited."""

    @property
    def white(self) -> int:
        """Which engine had White, 0 or 1."""
        return self.number % 2

    @property
    def points(self) -> int:
        """Half points of engine 0: 0, 1 or 2."""
        if self.result == "1/2-1/2":
            return 1
        return 2 if (self.result == "1-0") == (self.white == 0) else 0

    @property
    def forfeiter(self) -> int | None:
        """The engine that failed to play on, 0 or 1; None if the game ended in order."""
        if self.ending not in FORFEITS:
            return None
        return 1 if self.points == 2 else 0

    def to_json(self) -> dict[str, Any]:
        """As a value that JSON can hold."""
        return asdict(self) | {"ending": self.ending.name}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Self:
        """From what `to_json` made. Raises KeyError, TypeError or ValueError on anything else."""
        first, second = value["usage"]
        (result,) = {value["result"]} & set(_RESULTS)
        return cls(
            number=whole(value["number"]),
            result=result,
            ending=Termination[value["ending"]],
            detail=" ".join(words([value["detail"]])),
            plies=whole(value["plies"]),
            usage=(_usage(first), _usage(second)),
            last_lines=words(value["last_lines"]),
        )


def _usage(value: dict[str, Any]) -> Usage:
    """Raises TypeError or ValueError on what is none; a clock may be overdrawn."""
    for name, number in value.items():
        if name != "lowest_clock":
            whole(number)
        elif number is not None:
            whole(abs(number))
    return Usage(**value)
