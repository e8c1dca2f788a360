"""Which move to try first: hash move, winning captures, killers, quiet moves by history, the rest."""

import cython

from engine.board.movegen import MoveStack
from engine.board.position import Position
from engine.search.techniques import Techniques

if not cython.compiled:
    from engine.board.bitboard import PAWN, QUEEN
    from engine.search.exchange import EXCHANGE_VALUES, exchange_at_least
    from engine.search.preference import gain, is_endgame

    HASH_RANK = 1 << 30
    CAPTURE_RANK = 1 << 28
    KILLER_RANK = 1 << 26
    LOSING_RANK = -(1 << 28)
    HISTORY_BITS, HISTORY_STEP, HISTORY_LARGEST = 14, 16, 2048


class Ordering:
    """What one thread has learned about which moves are good, and its use."""

    def __init__(self, use: Techniques) -> None:
        self.use = use
        self.killers = [0] * 512
        self.history = [0] * 8192

    def clear(self) -> None:
        """Forget all."""
        self.forget_killers()
        for i in range(8192):
            self.history[i] = 0

    def forget_killers(self) -> None:
        """Killers belong to plies of one search; at the next root these mean other positions."""
        for i in range(512):
            self.killers[i] = 0

    def rate(self, pos: Position, ms: MoveStack, start: int, end: int, hash_move: int, ply: int) -> None:
        """Give the moves start … end - 1 the ranks that `pick` goes by."""
        stage = 1024 if is_endgame(pos) else 0
        for i in range(start, end):
            move = ms.move[i]
            if not self.use.ordering:
                rank = 0
            elif move == hash_move:
                rank = HASH_RANK
            elif move & 0xC000:
                rank = self._rate_noisy(pos, move)
            elif self.use.killers and self.is_killer(move, ply):
                rank = KILLER_RANK + (1 if move == self.killers[ply * 2] else 0)
            else:
                rank = self.past(pos, move) + 8 * gain(pos, move, stage)
            ms.score[i] = rank

    def pick(self, pos: Position, ms: MoveStack, i: int, end: int) -> int:
        """Bring the best of moves i … end - 1 to place i and return it.

        Whether a capture loses material is looked into only when its turn has come.
        """
        while True:
            best = i
            rank = ms.score[i]
            for j in range(i + 1, end):
                if ms.score[j] > rank:
                    best = j
                    rank = ms.score[j]
            move = ms.move[best]
            if CAPTURE_RANK <= rank < HASH_RANK and not rank & 1:
                victim = EXCHANGE_VALUES[pos.board[(move >> 6) & 63] & 7]
                if EXCHANGE_VALUES[pos.board[move & 63] & 7] > victim and not exchange_at_least(pos, move, 0):
                    ms.score[best] = LOSING_RANK + rank - CAPTURE_RANK
                    continue
                ms.score[best] = rank | 1
            ms.move[best] = ms.move[i]
            ms.score[best] = ms.score[i]
            ms.move[i] = move
            ms.score[i] = rank
            return move

    def reward(self, pos: Position, ms: MoveStack, start: int, i: int, depth: int, ply: int) -> None:
        """Remember that quiet move i cut off and that the quiet moves before it did not."""
        move = ms.move[i]
        if self.use.killers and self.killers[ply * 2] != move:
            self.killers[ply * 2 + 1] = self.killers[ply * 2]
            self.killers[ply * 2] = move
        if not self.use.history:
            return
        bonus = min(HISTORY_STEP * depth * depth, HISTORY_LARGEST)
        side = pos.side * 4096
        self._nudge(side + (move & 4095), bonus)
        for j in range(start, i):
            if not ms.move[j] & 0xC000:
                self._nudge(side + (ms.move[j] & 4095), -bonus)

    def past(self, pos: Position, move: int) -> int:
        """The history of a quiet move of the side to move: from -2**14 to 2**14."""
        return self.history[pos.side * 4096 + (move & 4095)]

    def is_killer(self, move: int, ply: int) -> bool:
        """Whether a quiet move refuted a position at the same ply."""
        return move == self.killers[ply * 2] or move == self.killers[ply * 2 + 1]

    def _rate_noisy(self, pos: Position, move: int) -> int:
        """Most valuable victim, then least valuable attacker; even, so that `pick` can mark it."""
        flag = move >> 12
        attacker = pos.board[move & 63] & 7
        victim = pos.board[(move >> 6) & 63] & 7
        gain = 0
        if flag == 5:
            gain = EXCHANGE_VALUES[PAWN]
        elif flag & 4:
            gain = EXCHANGE_VALUES[victim]
        if flag & 8:
            if flag & 3 != QUEEN - 1:
                return LOSING_RANK + gain
            gain += EXCHANGE_VALUES[QUEEN]
        return CAPTURE_RANK + gain * 16 - attacker * 2

    def _nudge(self, i: int, bonus: int) -> None:
        """Move a history towards ±2**HISTORY_BITS, the less the nearer it is.

        A shift, because division rounds negative numbers otherwise in C than in Python.
        """
        self.history[i] += bonus - (self.history[i] * abs(bonus) >> HISTORY_BITS)
