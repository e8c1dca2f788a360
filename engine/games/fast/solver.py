"""Solving Connect Four: the exact value of a position by alpha-beta to the end of the game.

Every search is one with a null window, which only asks "more than this, or not?"; a few such questions close
in on a score. Bounds that are proved are kept in a table, so that later questions, and the search for the
line of play, begin where earlier ones ended. The rules say which moves are worth a try, and in which order.
Together that is Pons's solver ("Solving Connect 4: how to build a perfect AI", 2015).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import cython

from engine.games.rules.compiled_state import Moves
from engine.games.rules.connectfour import ConnectFour
from engine.games.search.basics import SearchLimits, SearchStoppedError
from engine.system.control import Control, deadline_after
from engine.system.memory import reserve

if not cython.compiled:
    from engine.games.rules.connectfour import UNSEEN
    from engine.games.rules.game import OVER
    from engine.system.bits import i64, msb, u64

    SLOTS = 8

    def count_node(solver: Solver) -> None:
        """Count one node more; an atomic store in C, since others may read it meanwhile."""
        solver._nodes += 1

    def read_nodes(solver: Solver) -> int:
        """The nodes counted; an atomic load in C."""
        return solver._nodes

    def lower_bound(entry: int) -> int:
        return (entry & 0xFF) - 128

    def upper_bound(entry: int) -> int:
        return (entry >> 8 & 0xFF) - 128

    def prefetch(table: Bounds, place: int) -> None:
        """Bring the bucket into the cache; without effect in plain Python."""


_DEEPEST = 64  # plies: a board has fewer squares
ENDLESS = 1 << 62
_TAG = 42
_LOOK_EVERY = 1024  # nodes between looks at the clock; a power of 2


class Bounds:
    """The transposition table: a lower and an upper bound of each score, by numbers below 2**bits.

    No position is ever mistaken for another: numbers of up to 64 bits are mixed so that no two become the
    same place, the upper 32 bits of a place are its bucket, and the tag of an entry distinguishes the places
    that share a bucket. Buckets of eight entries fill one cache line. An entry is one word: tag 42 bits |
    log2 of the nodes it took, 6 | upper bound + 128, 8 | lower bound + 128, 8. Of a bucket, the entry that
    took the fewest nodes is replaced.
    """

    def __init__(self, megabytes: int, bits: int) -> None:
        """Raises NoMemoryError, and ValueError for a table too small to distinguish such numbers."""
        self.bits = max(bits, 32)
        self.buckets = megabytes << 14
        if megabytes < 1 or bits > 64 or self.bits - 32 + 32 - msb(self.buckets) > _TAG:
            raise ValueError(f"a table of {megabytes} MB is too small for positions of {bits} bits")
        self._memory = reserve(megabytes << 20)
        self.slots = memoryview(self._memory).cast("B").cast("Q")
        self._all = u64(0xFFFFFFFFFFFFFFFF) >> (64 - self.bits)
        self._half = self.bits // 2
        self._rest = self.bits - 32

    def place(self, number: int) -> int:
        """The place of a number: each step can be undone, so that different numbers have different places."""
        mixed = u64(number * u64(0x9E3779B97F4A7C15)) & self._all
        mixed ^= mixed >> self._half
        mixed = u64(mixed * u64(0xBF58476D1CE4E5B9)) & self._all
        return mixed ^ (mixed >> self._half)

    def find(self, place: int) -> int:
        """The entry for a place, for `lower_bound` and `upper_bound`; 0 if there is none."""
        base = self._bucket(place)
        tag = u64(place << 22) >> 22
        for i in range(SLOTS):
            entry = self.slots[base + i]
            if entry >> 22 == tag and entry != 0:
                return entry
        return 0

    def enter(self, place: int, lower: int, upper: int, work: int) -> None:
        """Store the bounds and the nodes that they took, over the entry that took the fewest."""
        base = self._bucket(place)
        tag = u64(place << 22) >> 22
        at, least = base, u64(64)
        for i in range(SLOTS):
            entry = self.slots[base + i]
            if entry >> 22 == tag and entry != 0:
                at = base + i
                break
            if (entry >> 16 & 63) < least:
                least = entry >> 16 & 63
                at = base + i
        entry = tag << 22 | u64(msb(work | 1)) << 16 | u64(upper + 128) << 8 | u64(lower + 128)
        self.slots[at] = entry

    def _bucket(self, place: int) -> int:
        return i64(u64((place >> self._rest) * self.buckets) >> 32) * SLOTS


class SolverPly:
    """One ply: the position there, and room for its moves."""

    def __init__(self, state: ConnectFour, below: SolverPly | None) -> None:
        self.state = state.copy()
        self.moves = Moves()
        self.below: SolverPly = below or self  # of the last one it is never used: there the board is full


class Solver:
    """Answers questions about positions, and remembers what it has proved.

    A score is 1, 0 or -1 for won, drawn or lost; if `strong`, the number of men that the winner has left, and
    one more. All but `stop` and `nodes` are for one thread.
    Questions raise SearchStoppedError when they are ended by `stop` or a limit; what was proved up to then is
    kept.
    """

    def __init__(self, state: ConnectFour, megabytes: int = 64) -> None:
        """For all positions on a board like that of `state`.

        Raises NoMemoryError or ValueError where there can be no such table.
        """
        self.table = Bounds(megabytes, state.columns * (state.rows + 1))
        self._nodes = 0
        self._ended = False
        self._control = Control()
        self._most_nodes = ENDLESS
        self._top = SolverPly(state, None)
        for _ in range(_DEEPEST):
            self._top = SolverPly(state, self._top)

    @property
    def nodes(self) -> int:
        return read_nodes(self)

    def begin(self, limits: SearchLimits) -> None:
        self._ended = False
        self._most_nodes = ENDLESS if limits.nodes is None else self._nodes + limits.nodes
        self._control.begin()
        self._control.set_deadline(deadline_after(limits.seconds))

    def stop(self) -> None:
        self._control.stop()

    def score(self, state: ConnectFour, *, strong: bool = True) -> int:
        """The score for the player to move. Raises ValueError at OVER."""
        if state.player == OVER:
            raise ValueError("the game is over")
        self._top.state.assign(state)
        low, high = self._known(state)
        if not strong:
            low, high = min(max(low, -1), 1), min(max(high, -1), 1)
        while low < high:
            middle = _middle(low, high)
            found = self._prove(middle, middle + 1)
            if found <= middle:
                high = max(found, low)
            else:
                low = min(found, high)
        return low

    def line(self, state: ConnectFour, *, strong: bool = True) -> Iterator[int]:
        """Best play of both from here to the end: no move in it gives away anything of the score."""
        while state.player >= 0:
            move = self.best_move(state, strong=strong)
            yield move
            state = state.play(move)

    def best_move(self, state: ConnectFour, *, strong: bool = True) -> int:
        """A move that keeps the score; of several, one that is already proved, else the first."""
        score = self.score(state, strong=strong)
        moves = self._candidates(state)
        if not strong and score < 0:
            return moves[0]
        for move in moves:
            child = state.play(move)
            if self._least_after(child, state.player) >= score:
                return move
        for move in moves:
            child = state.play(move)
            if child.player != OVER and self._keeps(child, score):
                return move
        raise AssertionError("no move keeps the score")

    def _candidates(self, state: ConnectFour) -> Sequence[int]:
        """The candidates, or where the score is foreseen all moves."""
        ply = self._top
        ply.state.assign(state)
        if ply.state.foresee() != UNSEEN:
            return state.moves()
        return [ply.moves.at[i] for i in range(ply.state.candidates(ply.moves))]

    def _known(self, state: ConnectFour) -> tuple[int, int]:
        ply = self._top
        ply.state.assign(state)
        seen = ply.state.foresee()
        if seen != UNSEEN:
            return seen, seen
        low, high = ply.state.lowest(), ply.state.highest()
        entry = self.table.find(self.table.place(ply.state.canonical()))
        if entry:
            low, high = max(low, lower_bound(entry)), min(high, upper_bound(entry))
        return low, high

    def _least_after(self, child: ConnectFour, player: int) -> int:
        if child.player == OVER:
            self._top.state.assign(child)
            return self._top.state.score_of(player)
        return -self._known(child)[1]

    def _keeps(self, child: ConnectFour, score: int) -> bool:
        self._top.state.assign(child)
        return self._prove(-score, 1 - score) <= -score

    def _prove(self, alpha: int, beta: int) -> int:
        """Search the position of the top ply with a null window. Raises SearchStoppedError."""
        with cython.nogil:
            found = self._value(self._top, alpha, beta)
        if self._ended:
            raise SearchStoppedError
        return found

    # The search itself

    def _value(self, ply: SolverPly, alpha: int, beta: int) -> int:
        """The score s of the player to move, fail-soft; any number when stopped.

        At most alpha: an upper bound of s. At least beta: a lower bound of s. In between: s itself.
        """
        count_node(self)
        if self._must_end():
            return 0
        # Step 1. Static bounds
        seen = ply.state.foresee()
        if seen != UNSEEN:
            return seen
        lower, upper = ply.state.lowest(), ply.state.highest()
        if lower >= beta or upper <= alpha:
            return lower if lower >= beta else upper
        # Step 2. Near the end, or at a forced move, a search is faster than the table
        if ply.state.near_end():
            return self._search(ply, ply.state.candidates(ply.moves), alpha, beta)
        place = self.table.place(ply.state.canonical())
        prefetch(self.table, place)
        count = ply.state.candidates(ply.moves)
        if count == 1:
            return self._search(ply, count, alpha, beta)
        # Step 3. The transposition table
        return self._listed(ply, count, place, alpha, beta, lower, upper)

    def _listed(
        self, ply: SolverPly, count: int, place: int, alpha: int, beta: int, lower: int, upper: int
    ) -> int:
        """`_value` with the transposition table; lower <= s <= upper."""
        entry = self.table.find(place)
        if entry:
            lower = max(lower, lower_bound(entry))
            upper = min(upper, upper_bound(entry))
        if lower >= beta or lower == upper:
            return lower
        if upper <= alpha:
            return upper
        before = self._nodes
        best = self._search(ply, count, alpha, beta)
        if self._ended:
            return 0
        if best > alpha:
            lower = max(lower, best)
        if best < beta:
            upper = min(upper, best)
        self.table.enter(place, lower, upper, u64(self._nodes - before))
        return best

    def _must_end(self) -> bool:
        if self._nodes >= self._most_nodes or (
            self._nodes & (_LOOK_EVERY - 1) == 0 and self._control.expired()
        ):
            self._ended = True
        return self._ended

    def _search(self, ply: SolverPly, count: int, alpha: int, beta: int) -> int:
        """`_value` of a position whose first `count` moves must be tried: none of them ends the game."""
        best = -UNSEEN
        for i in range(count):
            ply.below.state.assign(ply.state)
            ply.below.state.advance(ply.moves.at[i])
            found = -self._value(ply.below, -beta, -max(alpha, best))
            if self._ended:
                return 0
            if found > best:
                best = found
                if best >= beta:
                    break
        return best


def _middle(low: int, high: int) -> int:
    """The score to ask about next: near 0 first, for most positions are decided late."""
    middle = low + (high - low) // 2
    if middle <= 0 and -(-low // 2) < middle:
        return -(-low // 2)
    if middle >= 0 and high // 2 > middle:
        return high // 2
    return middle
