"""The results of games: one game, and the score of a match."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Any, Self

from scripts.laboratory.long_run import strings, whole

if TYPE_CHECKING:
    from collections.abc import Iterable


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
"""The terminations in which an engine failed to play on."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What one engine used, in one game or in many. Times in nanoseconds, memory in bytes.

    `depth` and `nodes` are sums over the moves at which the engine reported them.
    """

    moves: int = 0
    time: int = 0
    longest_move: int = 0
    overrun: int = 0
    """The most by which a move exceeded its clock."""
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
    """For engine 0 and engine 1."""
    last_lines: tuple[str, ...] = ()
    """The end of the dialogue with the engine that forfeited."""

    @property
    def white(self) -> int:
        """The engine that had White, 0 or 1."""
        return self.number % 2

    @property
    def points(self) -> int:
        """The half points of engine 0: 0, 1 or 2."""
        if self.result == "1/2-1/2":
            return 1
        return 2 if (self.result == "1-0") == (self.white == 0) else 0

    @property
    def forfeiter(self) -> int | None:
        """The engine that failed to play on, 0 or 1; None if neither did."""
        if self.ending not in FORFEITS:
            return None
        return 1 if self.points == 2 else 0

    def to_json(self) -> dict[str, Any]:
        """A value for JSON."""
        return asdict(self) | {"ending": self.ending.name}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Self:
        """Read a value that `to_json` made. Raises KeyError, TypeError or ValueError for any other."""
        first, second = value["usage"]
        (result,) = {value["result"]} & set(_RESULTS)
        return cls(
            number=whole(value["number"]),
            result=result,
            ending=Termination[value["ending"]],
            detail=" ".join(strings([value["detail"]])),
            plies=whole(value["plies"]),
            usage=(_usage(first), _usage(second)),
            last_lines=strings(value["last_lines"]),
        )


def _usage(value: dict[str, Any]) -> Usage:
    """Raises TypeError or ValueError if `value` is no Usage. The lowest clock may be negative."""
    for name, number in value.items():
        if name != "lowest_clock":
            whole(number)
        elif number is not None:
            whole(abs(number))
    return Usage(**value)


class MatchTally:
    """The score of a match, from the point of view of engine 0."""

    def __init__(self, records: Iterable[FinishedGame] = ()) -> None:
        """Count `records`."""
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
        """Count one game. Raises ValueError if a game of this number has been counted."""
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
        """The number of finished games."""
        return len(self._points)

    @property
    def points(self) -> float:
        """The points of engine 0."""
        return self.games[1] / 2 + self.games[2]

    def forfeits_of(self, engine: int) -> Counter[Termination]:
        """How often engine 0 or 1 failed to play on, by reason."""
        return Counter(record.ending for record in self.forfeits if record.forfeiter == engine)
