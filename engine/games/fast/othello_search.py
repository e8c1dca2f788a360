"""Alpha-beta for Othello's usual board, with an evaluation by learned patterns and an exact end.

A principal variation search with a table of positions. Values are hundredths of a disc, for the player to
move; a search that is as deep as squares are empty goes to the end of the game, and its values are exact
unless ProbCut was used. The last squares are left to the solver of endgames.

ProbCut (M. Buro, "ProbCut: an effective selective extension of the alpha-beta algorithm", 1995, and
"Experiments with Multi-ProbCut", 1997): a shallow search foretells the value of a deeper one, with a normal
error whose standard deviation was measured. Where the window lies so many standard deviations away, the
deeper search is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

import cython

from engine.games.fast.othello_endgame import OthelloEndgame
from engine.games.rules.othello import Othello
from engine.games.rules.othello_patterns import OthelloPatterns
from engine.games.search.basics import SearchLimits, SearchStoppedError
from engine.system.control import Control, deadline_after
from engine.system.memory import reserve_most

if not cython.compiled:
    from engine.games.rules.game import OVER
    from engine.games.rules.othello import PASS
    from engine.games.rules.othello_lines import captures, legal_moves
    from engine.games.rules.othello_patterns import DISC, MOST
    from engine.system.bits import bit, i32, i64, lsb, popcount, u64

    ROOM, WORDS, INFINITE, NO_MOVE = 40, 4, 10_000, 65
    WHOLE, SURE, PROBABLE, SQUARES = 62, 61, 60, 64

    def count_node(search: OthelloSearch) -> None:
        """Count one node more; an atomic store in C, since others may read it meanwhile."""
        search._nodes += 1

    def read_nodes(search: OthelloSearch) -> int:
        """The nodes counted; an atomic load in C."""
        return search._nodes


_ENDLESS = 1 << 62
_LOOK_EVERY = 128  # nodes between looks at the clock: at most a tenth of a second in plain Python
_ALL = 0xFFFFFFFFFFFFFFFF
_CORNERS, _NEAR_CORNERS = 0x8100000000000081, 0x42C300000000C342
_LAST = 14  # empty squares that are left to the solver of endgames
_TABLE_DEPTH, _PROBCUT_DEPTH = 2, 3  # the least that are worth it
_REPLIES = 300  # what a reply counts in the order of moves of a search to the end
_SURE = 200  # hundredths of standard deviations
_PARTS, _MOST_PART = 4, 16  # as large as a part of the table is that of the solver of endgames; megabytes
_TABLES = 32 << 20  # bytes, for the tables of weights
ERROR = (5.6, 0.02, -0.04, 0.0)
"""The logarithm of the standard deviation: a constant; for a ply of depth; a ply of foretelling; a square."""


class OthelloSearch:
    """Searches positions, and remembers what it has found.

    `move` is the best move of the last search, also of one that was ended if it had come to any, else
    NO_MOVE; `found` is its value. All methods but `stop` and `nodes` are for one thread.
    """

    def __init__(
        self, patterns: OthelloPatterns, megabytes: int = 64, error: Sequence[float] = ERROR
    ) -> None:
        """A table of so many `megabytes`, or of what there is; `error`: see ERROR. Raises NoMemoryError."""
        self._patterns = patterns
        self._endgame = OthelloEndgame(min(max(megabytes // _PARTS, 1), _MOST_PART))
        self._memory = reserve_most(megabytes << 20, 1 << 20, _TABLES)
        self._slots = memoryview(self._memory).cast("B").cast("Q")
        self._entries = len(self._memory) // (16 * WORDS)
        self._control = Control()
        self._most_nodes = _ENDLESS
        self._nodes = 0
        self._next_look = 0
        self._ended = False
        self._age = 0
        self._confidence = 0
        self._foretelling = 0
        self.move = NO_MOVE
        self.found = 0
        self._best = [0] * 64
        self._at = [0] * 2560
        self._by = [0] * 2560
        self._turned = [0] * 2560
        self._error = [0] * 4096
        for depth in range(SQUARES):
            for empty in range(SQUARES):
                terms = zip(error, (1, depth, foretelling_depth(depth), empty), strict=True)
                self._error[depth * SQUARES + empty] = round(exp(sum([a * b for a, b in terms])))

    @property
    def nodes(self) -> int:
        return read_nodes(self) + self._endgame.nodes

    def begin(self, limits: SearchLimits) -> None:
        """Forget an earlier stop; seconds and nodes hold for all searches until the next call."""
        self._ended = False
        self._age = (self._age + 1) & 63
        self._most_nodes = _ENDLESS if limits.nodes is None else self.nodes + limits.nodes
        self._next_look = self._nodes
        deadline = deadline_after(limits.seconds)
        self._control.begin()
        self._control.set_deadline(deadline)
        self._endgame.begin_until(deadline)

    def stop(self) -> None:
        self._control.stop()
        self._endgame.stop()

    def forget(self) -> None:
        for place in range(0, 2 * WORDS * self._entries, WORDS):
            self._slots[place + 2] = 0
        self._endgame.clear()

    def search(
        self, state: Othello, depth: int, alpha: int = -10_000, beta: int = 10_000, confidence: float = 0.0
    ) -> int:
        """The value of a position for the player to move, fail-soft, `depth` plies deep.

        `confidence`: standard deviations for ProbCut, 0 for none. Raises ValueError at OVER, and
        SearchStoppedError where a limit comes first; `move` and `found` are good then, too.
        """
        if state.player == OVER:
            raise ValueError("the game is over")
        discs = popcount(state.discs(0) | state.discs(1))
        self._patterns.prepare(discs, discs + depth)
        self._confidence = round(100 * confidence)
        self._foretelling = 0
        self.move = NO_MOVE
        return self._ask(state, depth, alpha, beta)

    def line(self, state: Othello, most: int = 60) -> list[int]:
        """The best moves from a position on, as far as they are remembered."""
        moves = list[int]()
        while len(moves) < most and state.player != OVER:
            move = self._remembered_move(state.discs(state.player), state.discs(1 - state.player))
            legal = state.moves()
            if len(legal) == 1:
                move = legal[0]
            if move not in legal:
                break
            moves.append(move)
            state = state.play(move)
        return moves

    # Inside: positions as the discs of the player to move and the others'

    def _ask(self, state: Othello, depth: int, alpha: int, beta: int) -> int:
        own, others = state.discs(state.player), state.discs(1 - state.player)
        with cython.nogil:
            value = self._from_root(own, others, alpha, beta, depth)
        if self._ended:
            raise SearchStoppedError
        return value

    def _from_root(self, own: int, others: int, alpha: int, beta: int, depth: int) -> int:
        """`_value` of the position that was asked about, where one may have to pass."""
        if legal_moves(own, others, u64(_ALL)):
            return self._value(own, others, alpha, beta, depth, 0)
        value = -self._value(others, own, -beta, -alpha, depth, 1)
        if not self._ended:
            self.move, self.found = PASS, value
        return value

    def _value(self, own: int, others: int, alpha: int, beta: int, depth: int, ply: int) -> int:
        """The value, fail-soft; any number when stopped."""
        if depth <= 0:
            count_node(self)
            return self._patterns.value(own, others)
        if self._must_end():
            return 0
        empty = SQUARES - popcount(own | others)
        if empty <= _LAST and depth >= empty and ply:
            return self._solved(own, others, alpha, beta)
        count_node(self)
        legal = legal_moves(own, others, u64(_ALL))
        if not legal:
            return self._passed(own, others, alpha, beta, depth, ply)
        if depth < _TABLE_DEPTH and ply:
            return self._shallow(own, others, legal, alpha, beta, depth, ply)
        return self._remembered(own, others, legal, alpha, beta, min(depth, empty), ply)

    def _passed(self, own: int, others: int, alpha: int, beta: int, depth: int, ply: int) -> int:
        if legal_moves(others, own, u64(_ALL)):
            return -self._value(others, own, -beta, -alpha, depth, ply)
        return DISC * (popcount(own) - popcount(others))

    def _solved(self, own: int, others: int, alpha: int, beta: int) -> int:
        low = i32(alpha + INFINITE) // DISC - INFINITE // DISC
        high = i32(beta + INFINITE + DISC - 1) // DISC - INFINITE // DISC
        value = self._endgame.solve(own, others, low, high, self._most_nodes - self._nodes)
        if self._endgame.was_ended():
            self._ended = True
        return DISC * value

    def _shallow(self, own: int, others: int, legal: int, alpha: int, beta: int, depth: int, ply: int) -> int:
        """`_value` where neither table nor order pays; corners first, squares beside them last."""
        best = -INFINITE
        for kind in range(3):
            left = legal & u64(_CORNERS) if kind == 0 else legal & ~u64(_CORNERS | _NEAR_CORNERS)
            if kind == 2:
                left = legal & u64(_NEAR_CORNERS)
            while left:
                placed = left & (0 - left)
                left ^= placed
                turned = captures(placed, own, others)
                found = -self._value(
                    others ^ turned, own | turned | placed, -beta, -max(alpha, best), depth - 1, ply + 1
                )
                if found > best:
                    best = found
                    if best >= beta:
                        return best
        return best

    def _remembered(
        self, own: int, others: int, legal: int, alpha: int, beta: int, depth: int, ply: int
    ) -> int:
        empty = SQUARES - popcount(own | others)
        grade = self._grade(depth, empty)
        lower, upper, first = -MOST, MOST, NO_MOVE
        place = self._find(own, others)
        if place >= 0:
            known = self._slots[place + 2]
            first = i32(known >> 40 & 127)
            if i32(known >> 32 & 127) >= grade:
                lower, upper = i32(known & 0xFFFF) - INFINITE, i32(known >> 16 & 0xFFFF) - INFINITE
        low, high = max(alpha, lower), min(beta, upper)
        if ply == 0:
            low, high = alpha, beta
        elif low >= high:
            return lower if lower >= beta or lower == upper else upper
        if ply and self._confidence and depth >= _PROBCUT_DEPTH and high - low <= DISC:
            cut = self._probcut(own, others, low, high, depth, empty, ply)
            if cut or self._ended:
                return high if cut > 0 else low
        if first == NO_MOVE and depth >= 5 and self._foretelling < 4:
            first = self._first_move(own, others, low, high, depth, ply)
        count = self._list(own, others, legal, first, depth, empty, ply)
        best = self._search(own, others, count, low, high, depth, ply)
        if self._ended:
            return 0
        self._keep(own, others, grade, low, high, best, self._best[ply])
        return best

    def _grade(self, depth: int, empty: int) -> int:
        """How much a value of this search is worth: the deeper the more, and most to the end of the game."""
        if depth < empty:
            return depth
        if not self._confidence:
            return WHOLE
        return SURE if self._confidence >= _SURE else PROBABLE

    def _first_move(self, own: int, others: int, alpha: int, beta: int, depth: int, ply: int) -> int:
        """Internal iterative deepening: the best move of a search less deep."""
        if depth < 7 or beta - alpha <= 1:
            return NO_MOVE
        self._value(own, others, -INFINITE, INFINITE, depth // 2, ply + 1)
        place = self._find(own, others)
        return i32(self._slots[place + 2] >> 40 & 127) if place >= 0 else NO_MOVE

    def _probcut(self, own: int, others: int, alpha: int, beta: int, depth: int, empty: int, ply: int) -> int:
        """1 where the value is probably beta or more, -1 where it is probably alpha or less, else 0."""
        if self._foretelling >= 1:
            return 0
        foretelling = foretelling_depth(depth)
        margin = self._confidence * self._error[depth * SQUARES + empty] // 100
        value = self._patterns.value(own, others)
        cut = 0
        self._foretelling += 1
        if value >= beta and beta + margin < MOST:
            found = self._value(own, others, beta + margin - 1, beta + margin, foretelling, ply)
            if found >= beta + margin:
                cut = 1
        elif value <= alpha and alpha - margin > -MOST:
            found = self._value(own, others, alpha - margin, alpha - margin + 1, foretelling, ply)
            if found <= alpha - margin:
                cut = -1
        self._foretelling -= 1
        return 0 if self._ended else cut

    def _search(self, own: int, others: int, count: int, alpha: int, beta: int, depth: int, ply: int) -> int:
        """`_value` of a position whose moves are listed; the best one goes to `_best`."""
        best = self._transposed(own, others, count, beta, depth, ply)
        if best >= beta:
            return best
        for i in range(ply * ROOM, ply * ROOM + count):
            child = others ^ self._turned[i]
            mine = own | self._turned[i] | bit(self._at[i])
            if best == -INFINITE:
                found = -self._value(child, mine, -beta, -alpha, depth - 1, ply + 1)
            else:
                found = -self._value(child, mine, -alpha - 1, -alpha, depth - 1, ply + 1)
                if alpha < found < beta and not self._ended:
                    found = -self._value(child, mine, -beta, -alpha, depth - 1, ply + 1)
            if self._ended:
                return 0
            if found > best:
                best = found
                self._best[ply] = self._at[i]
                if ply == 0 and (found > alpha or self.move == NO_MOVE):
                    self.move, self.found = self._at[i], found
                alpha = max(alpha, best)
                if best >= beta:
                    break
        return best

    def _transposed(self, own: int, others: int, count: int, beta: int, depth: int, ply: int) -> int:
        """What a listed move brings at least, where the table says `beta` or more; otherwise -INFINITE.

        Enhanced transposition cut-off (Schaeffer and Plaat, 1996), in searches to the end of the game.
        """
        empty = SQUARES - popcount(own | others)
        if ply and depth == empty:
            for i in range(ply * ROOM, ply * ROOM + count):
                place = self._find(others ^ self._turned[i], own | self._turned[i] | bit(self._at[i]))
                if place >= 0 and i32(self._slots[place + 2] >> 32 & 127) >= self._grade(depth, empty):
                    least = INFINITE - i32(self._slots[place + 2] >> 16 & 0xFFFF)
                    if least >= beta:
                        self._best[ply] = self._at[i]
                        return least
        return -INFINITE

    def _list(self, own: int, others: int, legal: int, first: int, depth: int, empty: int, ply: int) -> int:
        """List the moves of a ply with the discs that they turn, the most promising first; their number."""
        start = ply * ROOM
        count = 0
        while legal:
            move = lsb(legal)
            placed = bit(move)
            legal ^= placed
            turned = captures(placed, own, others)
            worth = self._worth(others ^ turned, own | turned | placed, depth == empty)
            if move == first:
                worth = -2 * INFINITE
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

    def _worth(self, own: int, others: int, to_the_end: bool) -> int:
        """What the position after a move seems to be worth to the opponent."""
        count_node(self)
        worth = self._patterns.value(own, others)
        if to_the_end:
            worth += _REPLIES * popcount(legal_moves(own, others, u64(_ALL)))
        return worth

    # The table: buckets of two entries, the first for those that took the most work

    def _find(self, own: int, others: int) -> int:
        place = self._place(own, others)
        for _ in range(2):
            if self._slots[place] == own and self._slots[place + 1] == others and self._slots[place + 2]:
                return place
            place += WORDS
        return -1

    def _keep(self, own: int, others: int, grade: int, alpha: int, beta: int, value: int, move: int) -> None:
        lower = value if value > alpha else -MOST
        upper = value if value < beta else MOST
        place = self._place(own, others)
        known = self._slots[place + 2]
        same = self._slots[place] == own and self._slots[place + 1] == others
        if known and not same and i32(known >> 48 & 63) == self._age and i32(known >> 32 & 127) > grade:
            place += WORDS
            known = self._slots[place + 2]
            same = self._slots[place] == own and self._slots[place + 1] == others
        if known and same and i32(known >> 32 & 127) == grade:
            lower = max(lower, i32(known & 0xFFFF) - INFINITE)
            upper = min(upper, i32(known >> 16 & 0xFFFF) - INFINITE)
            if lower > upper:  # ProbCut may err
                lower = value if value > alpha else -MOST
                upper = value if value < beta else MOST
        self._slots[place] = own
        self._slots[place + 1] = others
        self._slots[place + 2] = (
            u64(lower + INFINITE)
            | u64(upper + INFINITE) << 16
            | u64(grade) << 32
            | u64(move) << 40
            | u64(self._age) << 48
        )

    def _remembered_move(self, own: int, others: int) -> int:
        place = self._find(own, others)
        return i32(self._slots[place + 2] >> 40 & 127) if place >= 0 else NO_MOVE

    def _place(self, own: int, others: int) -> int:
        mixed = u64(own * u64(0x9E3779B97F4A7C15)) ^ u64(others * u64(0xBF58476D1CE4E5B9))
        mixed = u64((mixed ^ (mixed >> 32)) * u64(0x94D049BB133111EB))
        return i64(u64((mixed >> 32) * self._entries) >> 32) * 2 * WORDS

    def _must_end(self) -> bool:
        if self._nodes >= self._next_look:
            self._next_look = self._nodes + _LOOK_EVERY
            if self._nodes + self._endgame.counted() >= self._most_nodes or self._control.expired():
                self._ended = True
            self._next_look = min(self._next_look, self._most_nodes - self._endgame.counted())
        return self._ended


def foretelling_depth(depth: int) -> int:
    """How deep ProbCut searches to foretell a search of this depth: half of it, even or odd as that."""
    return 2 * (depth // 4) + (depth & 1)
