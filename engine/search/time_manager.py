"""How long to think, and what a game shows about the delays of its machine. All times in milliseconds.

`CLOCK` in engine.search.parameters has the constants of a budget. The reserve of `allot` grows with the
delays that a `Timekeeper` has seen. A *pause*: the longest time in which no thread looked at the clock, or by
which the answer came too late. A *lag*: what our clock lost between two moves in pipes, in the GUI, in the
network, or before `go` was read.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, sqrt

from engine.search.limits import Limits
from engine.search.parameters import CLOCK_DEFAULTS

_DELAYS_IN_RESERVE = 3  # the reserve is at least this many times the longest delay that was seen
_RESERVE_SHARE = 0.8  # of a short clock at most

_LAST_MOVE_SHARE = 0.8
_MOVE_TIME_SHARE = 0.5  # of `movetime` is used at least, however large the overhead
_LEAST = 1.0

_LATEST = 160  # a ply from which on the share of the clock does not grow

_FALL_MOST = 3
"""For each 100 centipawns by which the score has fallen, up to so many of them, the soft budget grows."""

_LONGEST = 1000.0
"""A longer delay counts as this: a computer that slept for an hour will hardly do so again in this game."""

_FADE = 0.99  # the longest delay is multiplied by this after each move

_LAGS_KEPT = 5

Line = tuple[str | None, tuple[str, ...]]
"""How a game came to its position: the FEN that it began with, if known, and the moves since."""


@dataclass(frozen=True, slots=True)
class Budget:
    """`soft`: about when to begin no further depth; `hard`: when to stop. Infinite if there is no limit."""

    soft: float
    hard: float

    def allows_another_depth(
        self,
        elapsed: float,
        stable_depths: int,
        fall: int,
        share: float,
        clock: Mapping[str, int] = CLOCK_DEFAULTS,
    ) -> bool:
        """Whether to search a depth deeper after `elapsed`.

        `stable_depths`: depths in a row before the last one with the same best move; `fall`: centipawns lost
        in the last depth; `share`: the best move's share of its nodes. `clock`: the parameters.
        """
        if self.soft == inf:
            return True
        stability = max(
            clock["time_unstable"] - clock["time_stability"] * stable_depths, clock["time_stable"]
        )
        factor = stability * (clock["time_effort"] - clock["time_effort_slope"] * share)
        factor *= 100 + clock["time_fall"] * min(max(fall, 0) // 100, _FALL_MOST)
        return elapsed < min(self.soft * factor / 100**3, self.hard)


@dataclass(frozen=True, slots=True)
class Delays:
    """The delays to allow for: the `longest` so far, and the `usual` lag of a move in this game."""

    longest: float = 0.0
    usual: float = 0.0


NO_DELAYS = Delays()


def allot(
    limits: Limits,
    side: int,
    overhead: float,
    forced: bool = False,
    delays: Delays = NO_DELAYS,
    *,
    ply: int = 0,
    clock: Mapping[str, int] = CLOCK_DEFAULTS,
) -> Budget:
    """The budget of one move for `side` at a `ply` of the game, measured from the arrival of the command.

    `overhead`, or more if `delays` say so, is kept back for what is lost between engine and clock. `forced`:
    there is only one legal move. `clock`: the parameters. After a ponderhit the hard budget counts from
    there, the soft one still from the beginning.
    """
    if limits.infinite:
        return Budget(inf, inf)
    hard = inf
    if limits.move_time is not None:
        hard = max(limits.move_time - overhead, limits.move_time * _MOVE_TIME_SHARE, _LEAST)
    left = limits.time[side]
    if left is None:
        left = limits.time[side ^ 1]  # `go btime 100` for White: the best guess there is
    if left is None:
        return Budget(inf, hard)
    available = left - max(overhead, delays.usual)
    most = clock["time_hard_share"] / 100
    if forced:
        return Budget(0.0, min(hard, max(most * available, _LEAST)))
    if available <= _LEAST:
        return Budget(_LEAST, min(_LEAST, hard))
    share = (clock["time_share"] + clock["time_growth"] * sqrt(min(ply, _LATEST))) / 10_000
    to_go = limits.moves_to_go
    if to_go is not None and to_go > 0:
        share = max(1 / (to_go + 1), share)
        most = max(most, _LAST_MOVE_SHARE / to_go)
    reserve = max(clock["time_reserve"], _DELAYS_IN_RESERVE * delays.longest)
    spare = available - min(reserve, _RESERVE_SHARE * available)
    # The shorter the clock the less of the increment is spent, so that the clock recovers.
    recovered = min(1.0, available / (2 * reserve))
    soft = spare * share + clock["time_increment"] / 100 * recovered * max(limits.increment[side], 0)
    longest = min(clock["time_hard"] / 100 * soft, spare * most)
    soft = max(min(soft, longest), _LEAST)
    return Budget(min(soft, hard), min(max(longest, _LEAST), hard))


@dataclass(frozen=True, slots=True)
class Spent:
    """How long a move on the clock took until its answer was out, and the longest `pause` in that time."""

    time: float
    pause: float


@dataclass(frozen=True, slots=True)
class _Account:
    """What our clock should show two plies after `line`, by our own account of our last `moves` moves."""

    line: Line
    clock: float
    moves: int = 0

    def leads_to(self, line: Line) -> bool:
        """Whether `line` is the same game after one more move of each side."""
        (start, before), (other_start, after) = self.line, line
        return other_start == start and len(after) == len(before) + 2 and after[: len(before)] == before


class Timekeeper:
    """Keeps an account of our clock through a game; where it is wrong there were delays.

    For each search call `start` when `go` arrives, and `stop` when the search is over.
    """

    def __init__(self) -> None:
        self._longest = 0.0
        self.new_game()

    def new_game(self) -> None:
        """Forget the last game, and a search of it that has yet to `stop`, but not the machine's delays."""
        self._lags = deque([0.0] * _LAGS_KEPT, _LAGS_KEPT)
        self._account: _Account | None = None
        self._running: _Account | None = None
        self._increment = 0
        self._started = False

    @property
    def delays(self) -> Delays:
        """What has been learned so far; the usual lag is the median of the last moves' lags."""
        return Delays(self._longest, sorted(self._lags)[_LAGS_KEPT // 2])

    def start(self, line: Line, limits: Limits, side: int) -> None:
        """`go` has arrived, in the position that `line` leads to, with `side` to move."""
        self._running = self._opened(line, limits, limits.time[side])
        self._increment = limits.increment[side]
        self._started = True

    def stop(self, spent: Spent | None) -> None:
        """The search is over; None if our clock did not run."""
        if not self._started or spent is None:
            return
        self._started = False
        self._longest = max(_FADE * self._longest, min(spent.pause, _LONGEST))
        self._account = None
        if self._running is not None:
            clock = self._running.clock - spent.time + self._increment
            self._account = _Account(self._running.line, clock, self._running.moves + 1)

    def _opened(self, line: Line, limits: Limits, clock: int | None) -> _Account | None:
        if clock is None or limits.infinite:
            return None
        account = self._account if self._account is not None and self._account.leads_to(line) else None
        if limits.ponder:  # clients send this clock in advance, and not all of them predict it correctly
            return None if account is None else _Account(line, account.clock, account.moves)
        if account is not None:
            self._note_lag(account.clock - clock, account.moves)
        return None if limits.moves_to_go == 1 else _Account(line, clock)  # 1: the clock is about to be reset

    def _note_lag(self, lag: float, moves: int) -> None:
        """Each of the moves counts with its share.

        A clock that shows more than it should means no delay: it was reset, or a delay was forgiven.
        """
        lag = min(max(lag, 0.0), _LONGEST) / moves
        self._longest = max(self._longest, lag)
        self._lags.append(lag)
