"""The last squares of Othello: the exact score, by alpha-beta to the end of the game.

For boards of every size. A score is by how many discs the player to move is ahead at the end; squares that
stay empty count for nobody.

A principal variation search with a table of positions, which has bounds and the best move of each. Moves come
first that leave the opponent few replies, take a corner, or lie in a quarter of the board where an odd number
of squares is empty: there one can have the last move.
"""

from __future__ import annotations

from collections.abc import Iterator

import cython

from engine.games.rules.othello import Othello
from engine.games.search.basics import SearchLimits, SearchStoppedError
from engine.system.control import Control, deadline_after
from engine.system.memory import reserve

if not cython.compiled:
    from engine.games.rules.game import OVER
    from engine.games.rules.othello import stable_discs
    from engine.games.rules.othello_lines import captures, legal_moves
    from engine.system.bits import bit, i32, i64, lsb, popcount, u64

    FEW, ROOM, WORDS, WORST = 7, 40, 4, -100

    def count_node(solver: OthelloEndgame) -> None:
        """Count one node more; an atomic store in C, since others may read it meanwhile."""
        solver._nodes += 1

    def read_nodes(solver: OthelloEndgame) -> int:
        """The nodes counted; an atomic load in C."""
        return solver._nodes


_NO_MOVE = 65
_TRANSPOSED = 10  # empty squares, with which, or more, the table is asked about all moves first
_ENDLESS = 1 << 62
_LOOK_EVERY = 512  # nodes between looks at the clock: at most a tenth of a second in plain Python
_CORNERS = 0x8100000000000081  # of the usual board; on smaller ones the order is only less good
_USUAL = 0xFFFFFFFFFFFFFFFF  # the usual board
_QUARTER = 0x0F0F0F0F  # the upper left one; the others lie 4, 32 and 36 bits further


class OthelloEndgame:
    """Answers questions about positions, and remembers what it has proved.

    Questions raise SearchStoppedError when they are ended by `stop` or a limit; what was proved up to then is
    kept. All but `stop` and `nodes` are for one thread.
    """

    def __init__(self, megabytes: int = 64) -> None:
        """Raises NoMemoryError."""
        self._memory = reserve(megabytes << 20)
        self._slots = memoryview(self._memory).cast("B").cast("Q")
        self._entries = (megabytes << 20) // (8 * WORDS)
        self._control = Control()
        self._most_nodes = _ENDLESS
        self._nodes = 0
        self._next_look = 0
        self._ended = False
        self._board = 0
        self._best = [0] * 64
        self._at = [0] * 2560
        self._by = [0] * 2560
        self._turned = [0] * 2560

    @property
    def nodes(self) -> int:
        return read_nodes(self)

    def begin(self, limits: SearchLimits) -> None:
        self._most_nodes = _ENDLESS if limits.nodes is None else self._nodes + limits.nodes
        self.begin_until(deadline_after(limits.seconds))

    def begin_until(self, deadline: int) -> None:
        """The same for a search that asks by `solve`, with a moment of `control.now`, or 0."""
        self._ended = False
        self._next_look = self._nodes
        self._control.begin()
        self._control.set_deadline(deadline)

    def stop(self) -> None:
        self._control.stop()

    def clear(self) -> None:
        for place in range(1, WORDS * self._entries, WORDS):  # no position is without the others' discs
            if self._slots[place]:
                self._slots[place] = 0

    def score(self, state: Othello, *, strong: bool = True) -> int:
        """The score for the player to move; if not `strong`, only its sign. Raises ValueError at OVER."""
        if state.player == OVER:
            raise ValueError("the game is over")
        most = 64 if strong else 1
        found = self._ask(state, -most, most)
        return found if strong else (found > 0) - (found < 0)

    def best_move(self, state: Othello, *, strong: bool = True) -> int:
        """The first of the moves that keep the score, or if not `strong`, its sign."""
        score = self.score(state, strong=strong)
        if not strong and score < 0:
            score = -64
        for move in state.moves():
            if self._keeps(state.play(move), state.player, score):
                return move
        raise AssertionError("no move keeps the score")

    def line(self, state: Othello, *, strong: bool = True) -> Iterator[int]:
        """Best play of both from here to the end: no move in it gives away anything of the score."""
        while state.player >= 0:
            move = self.best_move(state, strong=strong)
            yield move
            state = state.play(move)

    def _keeps(self, child: Othello, player: int, score: int) -> bool:
        if child.player == OVER:
            return popcount(child.discs(player)) - popcount(child.discs(1 - player)) >= score
        return -self._ask(child, -score, 1 - score) >= score

    def _ask(self, state: Othello, alpha: int, beta: int) -> int:
        """The score of the player to move, fail-soft. Raises SearchStoppedError."""
        self._board = state.board
        own, others = state.discs(state.player), state.discs(1 - state.player)
        with cython.nogil:
            found = self._value(own, others, alpha, beta, 0)
        if self._ended:
            raise SearchStoppedError
        return found

    # For a search of the usual board that leaves the last squares to this one

    def solve(self, own: int, others: int, alpha: int, beta: int, most_nodes: int) -> int:
        """The score for the player to move, fail-soft; any number when ended, as by `most_nodes` in all."""
        self._board = u64(_USUAL)
        self._most_nodes = most_nodes
        self._next_look = min(self._next_look, most_nodes)
        return self._value(own, others, alpha, beta, 0)

    def was_ended(self) -> bool:
        return self._ended

    def counted(self) -> int:
        """The same as `nodes`, for the thread that searches."""
        return self._nodes

    # The search: positions as the discs of the player to move and the others'

    def _value(self, own: int, others: int, alpha: int, beta: int, ply: int) -> int:
        """The score, fail-soft; any number when stopped."""
        if self._must_end():
            return 0
        empty = self._board & ~(own | others)
        if popcount(empty) <= FEW:
            return self._finish(own, others, empty, alpha, beta, False)
        count_node(self)
        if alpha >= 2 * popcount(empty) and self._board == u64(_USUAL):
            most = 64 - 2 * popcount(stable_discs(others, own))
            if most <= alpha:
                return most
        legal = legal_moves(own, others, self._board)
        if not legal:
            if not legal_moves(others, own, self._board):
                return popcount(own) - popcount(others)
            return -self._value(others, own, -beta, -alpha, ply)
        return self._remembered(own, others, legal, alpha, beta, ply)

    def _remembered(self, own: int, others: int, legal: int, alpha: int, beta: int, ply: int) -> int:
        place = self._place(own, others)
        lower, upper, first = -64, 64, _NO_MOVE
        if self._slots[place] == own and self._slots[place + 1] == others:
            known = self._slots[place + 2]
            lower, upper, first = (known & 255) - 128, (known >> 8 & 255) - 128, known >> 16 & 127
        low, high = max(alpha, lower), min(beta, upper)
        if low >= high:
            return lower if lower >= beta or lower == upper else upper
        count = self._list(own, others, legal, first, ply)
        best = self._search(own, others, count, low, high, ply)
        if self._ended:
            return 0
        if best > low:
            lower = max(lower, best)
        if best < high:
            upper = min(upper, best)
        self._slots[place] = own
        self._slots[place + 1] = others
        self._slots[place + 2] = u64(lower + 128) | u64(upper + 128) << 8 | u64(self._best[ply]) << 16
        return best

    def _search(self, own: int, others: int, count: int, alpha: int, beta: int, ply: int) -> int:
        """`_value` of a position whose moves are listed; the best one goes to `_best`."""
        best = self._transposed(own, others, count, beta, ply)
        if best >= beta:
            return best
        for i in range(ply * ROOM, ply * ROOM + count):
            child = others ^ self._turned[i]
            mine = own | self._turned[i] | bit(self._at[i])
            if best == WORST:
                found = -self._value(child, mine, -beta, -alpha, ply + 1)
            else:
                found = -self._value(child, mine, -alpha - 1, -alpha, ply + 1)
                if alpha < found < beta and not self._ended:
                    found = -self._value(child, mine, -beta, -found, ply + 1)
            if self._ended:
                return 0
            if found > best:
                best = found
                self._best[ply] = self._at[i]
                alpha = max(alpha, best)
                if best >= beta:
                    break
        return best

    def _transposed(self, own: int, others: int, count: int, beta: int, ply: int) -> int:
        """What a listed move brings at least, where the table says `beta` or more; otherwise WORST.

        Enhanced transposition cut-off (Schaeffer and Plaat, 1996).
        """
        if popcount(self._board & ~(own | others)) >= _TRANSPOSED:
            for i in range(ply * ROOM, ply * ROOM + count):
                child = others ^ self._turned[i]
                mine = own | self._turned[i] | bit(self._at[i])
                place = self._place(child, mine)
                if self._slots[place] == child and self._slots[place + 1] == mine:
                    least = 128 - i32(self._slots[place + 2] >> 8 & 255)
                    if least >= beta:
                        self._best[ply] = self._at[i]
                        return least
        return WORST

    def _finish(self, own: int, others: int, empty: int, alpha: int, beta: int, passed: bool) -> int:
        """`_value` where so few squares are empty that neither table nor order pays; odd quarters first."""
        count_node(self)
        best = WORST
        odd = self._odd_quarters(empty)
        left = empty & odd
        later = empty & ~odd
        while left | later:
            if not left:
                left = later
                later = 0
            placed = left & (0 - left)
            left ^= placed
            turned = captures(placed, own, others)
            if not turned:
                continue
            rest = empty ^ placed
            if rest:
                found = -self._finish(
                    others ^ turned, own | turned | placed, rest, -beta, -max(alpha, best), False
                )
            else:
                found = popcount(own) - popcount(others) + 2 * popcount(turned) + 1
            if found > best:
                best = found
                if best >= beta:
                    return best
        if best > WORST:
            return best
        if passed:
            return popcount(own) - popcount(others)
        return -self._finish(others, own, empty, -beta, -alpha, True)

    def _list(self, own: int, others: int, legal: int, first: int, ply: int) -> int:
        """List the moves of a ply with the discs that they turn, the most promising first; their number."""
        start = ply * ROOM
        count = 0
        odd = self._odd_quarters(self._board & ~(own | others))
        while legal:
            move = lsb(legal)
            placed = bit(move)
            legal ^= placed
            turned = captures(placed, own, others)
            replies = legal_moves(others ^ turned, own | turned | placed, self._board)
            worth = 2 * popcount(replies) + 2 * popcount(replies & _CORNERS)
            if placed & _CORNERS:
                worth -= 8
            if placed & odd:
                worth -= 1
            if move == first:
                worth = WORST
            at = start + count
            while at > start and self._by[at - 1] > worth:
                self._by[at] = self._by[at - 1]
                self._at[at] = self._at[at - 1]
                self._turned[at] = self._turned[at - 1]
                at -= 1
            self._by[at] = worth
            self._at[at] = move
            self._turned[at] = turned
            count += 1
        return count

    def _odd_quarters(self, empty: int) -> int:
        odd = u64(0)
        for shift in range(0, 5, 4):
            for below in range(0, 33, 32):
                quarter = u64(_QUARTER) << (shift + below)
                if popcount(empty & quarter) & 1:
                    odd |= quarter
        return odd

    def _place(self, own: int, others: int) -> int:
        mixed = u64(own * u64(0x9E3779B97F4A7C15)) ^ u64(others * u64(0xBF58476D1CE4E5B9))
        mixed = u64((mixed ^ (mixed >> 32)) * u64(0x94D049BB133111EB))
        return i64(u64((mixed >> 32) * self._entries) >> 32) * WORDS

    def _must_end(self) -> bool:
        if self._nodes >= self._next_look:
            self._next_look = self._nodes + _LOOK_EVERY
            if self._nodes >= self._most_nodes or self._control.expired():
                self._ended = True
            self._next_look = min(self._next_look, self._most_nodes)
        return self._ended
