"""What the moves of a game show of the delays of its machine. All times in milliseconds.

Two things can be seen from inside. A *pause*: for so long no thread of the search came to look at the clock,
or the answer came so long after it was due. A *lag*: at the next `go` our clock shows less than it should by
our own account; so much was lost in pipes, in the GUI, in the network, or before `go` was read.
"""

from collections import deque
from dataclasses import dataclass

from engine.search.limits import Limits

_LONGEST = 1000.0
"""A longer delay counts as this: a computer that slept for an hour will hardly do so again in this game."""

_FADE = 0.99
"""By so much the longest delay counts for less after each move."""

_LAGS_KEPT = 5

Line = tuple[str | None, tuple[str, ...]]
"""How a game came to its position: where it began, as FEN if that is known, and the moves since."""


@dataclass(frozen=True, slots=True)
class Delays:
    """What is to be reckoned with: the `longest` delay of the game so far, the `usual` lag of a move."""

    longest: float = 0.0
    usual: float = 0.0


NO_DELAYS = Delays()


@dataclass(frozen=True, slots=True)
class Spent:
    """What a move on the clock took, until its answer was out, and the longest `pause` in this."""

    time: float
    pause: float


@dataclass(frozen=True, slots=True)
class _Account:
    """What our clock should show two plies after `line`, by our own account of the last `moves` of ours."""

    line: Line
    clock: float
    moves: int = 0

    def leads_to(self, line: Line) -> bool:
        """Whether a move of each side comes in between."""
        (start, before), (other_start, after) = self.line, line
        return other_start == start and len(after) == len(before) + 2 and after[: len(before)] == before


class Timekeeper:
    """Keeps the account of our clock through a game, and learns from where it is wrong.

    For each search: `begin` when `go` comes, `end` when it is over.
    """

    def __init__(self) -> None:
        self.new_game()

    def new_game(self) -> None:
        """Forget the last game, and a search of it that has yet to `end`."""
        self._longest = 0.0
        self._lags = deque([0.0] * _LAGS_KEPT, _LAGS_KEPT)
        self._account: _Account | None = None
        self._running: _Account | None = None
        self._increment = 0
        self._begun = False

    @property
    def delays(self) -> Delays:
        """What has been learned so far; the usual lag is the median of those of the last moves."""
        return Delays(self._longest, sorted(self._lags)[_LAGS_KEPT // 2])

    def begin(self, line: Line, limits: Limits, side: int) -> None:
        """`go` has come, in the position that `line` leads to, with `side` to move."""
        self._running = self._opened(line, limits, limits.time[side])
        self._increment = limits.increment[side]
        self._begun = True

    def end(self, spent: Spent | None) -> None:
        """The search is over; None where our clock did not run."""
        if not self._begun or spent is None:
            return
        self._begun = False
        self._longest = max(_FADE * self._longest, min(spent.pause, _LONGEST))
        self._account = None
        if self._running is not None:
            clock = self._running.clock - spent.time + self._increment
            self._account = _Account(self._running.line, clock, self._running.moves + 1)

    def _opened(self, line: Line, limits: Limits, clock: int | None) -> _Account | None:
        """The account of the clock in this search; on the way it is compared with the one kept so far."""
        if clock is None or limits.infinite:
            return None
        account = self._account if self._account is not None and self._account.leads_to(line) else None
        if limits.ponder:  # clients tell this clock beforehand, and not all of them as it will be
            return None if account is None else _Account(line, account.clock, account.moves)
        if account is not None:
            self._note_lag(account.clock - clock, account.moves)
        return None if limits.moves_to_go == 1 else _Account(line, clock)  # 1: the clock will be set anew

    def _note_lag(self, lag: float, moves: int) -> None:
        """A clock that shows more than it should is no news: it was set anew, or a delay was forgiven."""
        lag = min(max(lag, 0.0), _LONGEST)
        self._longest = max(self._longest, lag)
        self._lags.append(lag / moves)
