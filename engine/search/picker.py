"""Staged move picking: moves are generated and rated only when those before them have not cut off.

The hash move comes first, before anything is generated; then captures and promotions that lose no material;
then quiet moves; at last what loses material.
"""

import cython

from engine.board.movegen import MoveStack
from engine.board.position import Position
from engine.search.ordering import Ordering
from engine.search.parameters import Parameters

if not cython.compiled:
    from engine.board.legality import is_legal
    from engine.board.move import NO_MOVE, is_quiet, origin, target
    from engine.board.movegen import generate, generate_quiet
    from engine.search.constants import PLIES
    from engine.search.exchange import exchange_at_least
    from engine.search.ordering import CAPTURE_RANK, HASH_RANK, LOSING_RANK, PRUNED
    from engine.search.records import Picking

    def list_of(picker: "Picker", n: int) -> Picking:
        """List `n`; in C a pointer."""
        return picker.lists[n]

    HASH_MOVE, CAPTURES, WINNING, QUIET_MOVES, LOSING = 0, 1, 2, 3, 4


class Picker:
    """The move lists of one thread's search.

    Their numbers: twice the ply, and one more for that of a singular search at the same ply.
    """

    def __init__(self, ordering: Ordering, parameters: Parameters) -> None:
        self.ordering = ordering
        self.parameters = parameters
        self.lists = [Picking(HASH_MOVE, NO_MOVE, 0, 0, 0, 0, 0, 0) for _ in range(2 * PLIES)]

    def begin(self, pos: Position, ms: MoveStack, n: int, start: int, hash_move: int) -> None:
        """Begin list `n`, of all legal moves, on the stack from index `start` on; `hash_move` may be any."""
        at = list_of(self, n)
        at.stage = HASH_MOVE
        at.hash_move = NO_MOVE
        at.start = at.noisy = at.noisy_end = at.quiet = at.end = start
        if not self.parameters.ordering:  # all at once, in the generator's order
            at.stage = QUIET_MOVES
            at.end = generate(pos, ms, start, False)
            self.ordering.find_threats(pos, n >> 1)
            self.ordering.rate(pos, ms, start, at.end, NO_MOVE, n >> 1)
        elif hash_move != NO_MOVE and is_legal(pos, hash_move):
            at.hash_move = hash_move
            if is_quiet(hash_move):
                self.ordering.find_threats(pos, n >> 1)

    def next(self, pos: Position, ms: MoveStack, n: int) -> int:
        """The next move of list `n`, or NO_MOVE after the last."""
        at = list_of(self, n)
        if at.stage == HASH_MOVE:
            at.stage = CAPTURES
            if at.hash_move != NO_MOVE:
                ms.move[at.start] = at.hash_move
                ms.score[at.start] = HASH_RANK
                at.end = at.noisy_end = at.start + 1
                return self._next_noisy(ms, n)
        if at.stage == CAPTURES:
            at.stage = WINNING
            at.end = generate(pos, ms, at.noisy_end, True)
            self._rate(pos, ms, n, at.noisy_end)
            at.noisy_end = at.end
        if at.stage == WINNING:
            if at.noisy < at.noisy_end:
                self.pick(pos, ms, at.noisy, at.noisy_end)
                if ms.score[at.noisy] >= 0:
                    return self._next_noisy(ms, n)
            self._generate_quiet(pos, ms, n)
        if at.stage == QUIET_MOVES:
            if at.quiet < at.end:
                at.last = at.quiet
                at.quiet += 1
                return self.pick(pos, ms, at.last, at.end)
            at.stage = LOSING
        if at.noisy < at.noisy_end:
            self.pick(pos, ms, at.noisy, at.noisy_end)
            return self._next_noisy(ms, n)
        return NO_MOVE

    def end(self, n: int) -> int:
        """The end of list `n` as it is now: from here on the stack is free."""
        return list_of(self, n).end

    def skip_quiet(self, n: int) -> int:
        """Leave out the quiet moves to come, once one was picked; their number.

        Without ordering, where captures are among them, none is left out.
        """
        if not self.parameters.ordering:
            return 0
        at = list_of(self, n)
        left = at.end - at.quiet
        at.end = at.quiet
        return left

    def leave_out(self, ms: MoveStack, n: int) -> None:
        """The move picked last is not searched, and so learns nothing."""
        ms.score[list_of(self, n).last] = PRUNED

    def reward(self, pos: Position, ms: MoveStack, n: int, depth: int) -> None:
        """The move picked last cut off: raise its histories, and lower those of the moves tried before it."""
        at = list_of(self, n)
        self.ordering.reward(pos, ms.move[at.last], depth, n >> 1)
        self.ordering.punish(pos, ms, at.start, at.noisy, at.last, depth, n >> 1)
        self.ordering.punish(pos, ms, at.noisy_end, at.quiet, at.last, depth, n >> 1)

    def pick(self, pos: Position, ms: MoveStack, i: int, end: int) -> int:
        """Bring the best of moves i … end - 1 to place i and return it.

        Whether a capture loses material is computed only when its turn has come.
        """
        while True:
            best = i
            rank = ms.score[i]
            for j in range(i + 1, end):
                if ms.score[j] > rank:
                    best = j
                    rank = ms.score[j]
            move = ms.move[best]
            if CAPTURE_RANK // 2 <= rank < HASH_RANK:
                victim = self.parameters.exchange_values[pos.board[target(move)] & 7]
                attacker = self.parameters.exchange_values[pos.board[origin(move)] & 7]
                if attacker > victim and not exchange_at_least(pos, move, 0, self.parameters):
                    ms.score[best] = LOSING_RANK + rank - CAPTURE_RANK
                    continue
            ms.move[best] = ms.move[i]
            ms.score[best] = ms.score[i]
            ms.move[i] = move
            ms.score[i] = rank
            return move

    def _generate_quiet(self, pos: Position, ms: MoveStack, n: int) -> None:
        at = list_of(self, n)
        at.stage = QUIET_MOVES
        at.quiet = at.noisy_end
        at.end = generate_quiet(pos, ms, at.quiet)
        if at.hash_move == NO_MOVE or not is_quiet(at.hash_move):  # else they are known already
            self.ordering.find_threats(pos, n >> 1)
        self._rate(pos, ms, n, at.quiet)

    def _next_noisy(self, ms: MoveStack, n: int) -> int:
        at = list_of(self, n)
        at.last = at.noisy
        at.noisy += 1
        return ms.move[at.last]

    def _rate(self, pos: Position, ms: MoveStack, n: int, start: int) -> None:
        """Rate the moves that were just generated, from `start` on, and drop the hash move, tried before."""
        at = list_of(self, n)
        kept = start
        for i in range(start, at.end):
            if ms.move[i] != at.hash_move:
                ms.move[kept] = ms.move[i]
                kept += 1
        at.end = kept
        self.ordering.rate(pos, ms, start, kept, NO_MOVE, n >> 1)
