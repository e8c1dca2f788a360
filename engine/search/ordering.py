"""Move ordering: what each move is rated by. Captures by victim, killers, quiet moves by history."""

from array import array

import cython

from engine.board.movegen import MoveStack
from engine.board.position import Position
from engine.search.parameters import Parameters

if not cython.compiled:
    from engine.board.attacks import KNIGHT_ATTACKS, PAWN_ATTACKS, bishop_attacks, rook_attacks
    from engine.board.bitboard import BISHOP, EMPTY, KING, KNIGHT, PAWN, QUEEN, ROOK, i32, lsb
    from engine.board.checks import threats
    from engine.board.move import (
        NO_MOVE,
        from_to,
        is_capture,
        is_en_passant,
        is_promotion,
        is_quiet,
        origin,
        promoted_to,
        target,
    )
    from engine.search.preference import gain, is_endgame

    HASH_RANK = 1 << 30
    CAPTURE_RANK = 1 << 28
    KILLER_RANK = 1 << 26
    LOSING_RANK = -(1 << 28)
    PRUNED = -(1 << 30)
    HISTORY_BITS = 14
    CONTINUATIONS = 1 << 20
    TIE = 256


def _gravity(past: int, bonus: int) -> int:
    """History gravity: `past` moved by `bonus`, less so the nearer it is to ±2**HISTORY_BITS.

    By a shift, because C and Python round negative quotients differently.
    """
    return past + bonus - (past * abs(bonus) >> HISTORY_BITS)


class Ordering:
    """Killer moves and histories of one thread, and the order of moves by them.

    A history, from -2**14 to 2**14, grows when a move cuts off and falls when it was tried in vain; `history`
    also grows with the static value that a move gained. `continuations` has a row for each earlier move, by
    piece and target square.
    """

    def __init__(self, parameters: Parameters) -> None:
        self.parameters = parameters
        self.killers = [0] * 512
        self.history = [0] * 32768
        self._threats = [0] * 256
        self._checks = [0] * 8
        self.captures = [0] * 8192
        self.continuations = array("h", bytes(2 * CONTINUATIONS))

    def clear(self) -> None:
        """Forget everything, in place."""
        self.forget_killers()
        for i in range(8192):
            self.captures[i] = 0
        for i in range(32768):
            self.history[i] = 0
        for i in range(CONTINUATIONS):
            self.continuations[i] = 0

    def forget_killers(self) -> None:
        """Forget the killers: at the next root the same plies are other positions."""
        for i in range(512):
            self.killers[i] = 0

    def find_threats(self, pos: Position, ply: int) -> None:
        """Find the squares that the opponent attacks: before anything is asked about quiet moves at `ply`."""
        self._threats[ply] = threats(pos) if self.parameters.threat_history else 0

    def rate(self, pos: Position, ms: MoveStack, start: int, end: int, hash_move: int, ply: int) -> None:
        """Give the moves start … end - 1 ranks; those that are worth the same keep their order.

        `find_threats` was called for that ply, if there are quiet moves.
        """
        stage = 1024 if is_endgame(pos) else 0
        looked = False
        last, before, earlier = (
            self._continuation_row(pos, 1),
            self._continuation_row(pos, 2),
            self._continuation_row(pos, 4),
        )
        for i in range(start, end):
            move = ms.move[i]
            if not looked and is_quiet(move):
                looked = True
                self._find_checks(pos)
            if not self.parameters.ordering:
                rank = 0
            elif move == hash_move:
                rank = HASH_RANK
            elif not is_quiet(move):
                rank = self._rate_noisy(pos, move)
            elif self.parameters.killers and self.is_killer(move, ply):
                rank = KILLER_RANK + (TIE if move == self.killers[ply * 2] else 0)
            else:
                history = 8 * gain(pos, move, stage)
                if self.parameters.history:
                    history += self.history[self._quiet_index(pos.side, move, ply)]
                if self.parameters.continuation_history:
                    place = self._piece_to(pos, move)
                    history += self.continuations[last + place] + self.continuations[before + place]
                    history += self.continuations[earlier + place] >> 1
                if self._checks[pos.board[origin(move)] & 7] >> target(move) & 1:
                    history += self.parameters.check_rank
                rank = TIE * history
            ms.score[i] = rank + TIE - 1 - (i - start)

    def reward(self, pos: Position, move: int, depth: int, ply: int) -> None:
        """Raise the histories of a move that cut off."""
        if is_quiet(move) and self.parameters.killers and self.killers[ply * 2] != move:
            self.killers[ply * 2 + 1] = self.killers[ply * 2]
            self.killers[ply * 2] = move
        self._learn(pos, move, self._bonus(depth), ply)

    def punish(
        self, pos: Position, ms: MoveStack, start: int, end: int, refutation: int, depth: int, ply: int
    ) -> None:
        """Lower the histories of the moves from `start` to `end` that were tried before one that cut off.

        That is at place `refutation`. If it is a capture or promotion, quiet moves are not punished.
        """
        quiet = is_quiet(ms.move[refutation])
        bonus = self._bonus(depth)
        for j in range(start, end):
            if j != refutation and ms.score[j] != PRUNED and (quiet or not is_quiet(ms.move[j])):
                self._learn(pos, ms.move[j], -bonus, ply)

    def credit(self, pos: Position, gained: int, ply: int) -> None:
        """Static history: the last move, made at `ply`, gained the side that made it `gained` centipawns.

        Counts if the move was quiet; `find_threats` was called for that ply.
        """
        move = pos.undo_move[pos.height - 1]
        if self.parameters.static_history and move != NO_MOVE and is_quiet(move):
            bonus = max(
                min(self.parameters.static_credit * gained, self.parameters.static_most),
                -self.parameters.static_most,
            )
            i = self._quiet_index(pos.side ^ 1, move, ply)
            self.history[i] = _gravity(self.history[i], bonus)

    def quiet_history(self, pos: Position, move: int, ply: int) -> int:
        """The sum of a quiet move's histories, from -2**16 to 2**16; see `find_threats`."""
        total = 0
        if self.parameters.history:
            total = self.history[self._quiet_index(pos.side, move, ply)]
        if self.parameters.continuation_history:
            place = self._piece_to(pos, move)
            total += self.continuations[self._continuation_row(pos, 1) + place]
            total += self.continuations[self._continuation_row(pos, 2) + place]
            total += self.continuations[self._continuation_row(pos, 4) + place] >> 1
        return total

    def capture_history(self, pos: Position, move: int) -> int:
        """The history of a capture or promotion: from -2**14 to 2**14."""
        return self.captures[self._capture_index(pos, move)] if self.parameters.capture_history else 0

    def is_killer(self, move: int, ply: int) -> bool:
        """Whether a quiet move is a killer: it cut off in another position at the same ply."""
        return move == self.killers[ply * 2] or move == self.killers[ply * 2 + 1]

    def _rate_noisy(self, pos: Position, move: int) -> int:
        """MVV-LVA: most valuable victim, then least valuable attacker; a large history outweighs both."""
        attacker = pos.board[origin(move)] & 7
        victim = pos.board[target(move)] & 7
        won = 0
        if is_en_passant(move):
            won = self.parameters.exchange_values[PAWN]
        elif is_capture(move):
            won = self.parameters.exchange_values[victim]
        if is_promotion(move):
            if promoted_to(move) != QUEEN:
                return LOSING_RANK + TIE * won
            won += self.parameters.exchange_values[QUEEN]
        history = (self.capture_history(pos, move) >> 2) * 2
        return CAPTURE_RANK + TIE * (won * 16 - attacker * 2 + history)

    def _bonus(self, depth: int) -> int:
        bonus = self.parameters.history_bonus * depth - self.parameters.history_offset
        return max(min(bonus, self.parameters.history_most), 0)

    def _learn(self, pos: Position, move: int, bonus: int, ply: int) -> None:
        """Add a bonus to all histories of a move."""
        if not is_quiet(move):
            i = self._capture_index(pos, move)
            self.captures[i] = _gravity(self.captures[i], bonus)
            return
        i = self._quiet_index(pos.side, move, ply)
        self.history[i] = _gravity(self.history[i], bonus)
        if self.parameters.continuation_history:
            place = self._piece_to(pos, move)
            self._learn_continuation(self._continuation_row(pos, 1) + place, bonus)
            self._learn_continuation(self._continuation_row(pos, 2) + place, bonus)
            self._learn_continuation(self._continuation_row(pos, 4) + place, bonus)

    def _learn_continuation(self, i: int, bonus: int) -> None:
        self.continuations[i] = _gravity(self.continuations[i], bonus)

    def _continuation_row(self, pos: Position, back: int) -> int:
        """The row of the move made `back` plies ago; if there was none, the row of EMPTY."""
        n = pos.height - back
        if n < 0:
            return EMPTY << 16
        return (pos.undo_piece[n] << 16) + (target(pos.undo_move[n]) << 10)

    def _quiet_index(self, side: int, move: int, ply: int) -> int:
        """The index in `history`: by squares, and whether the opponent attacks them."""
        leaves = self._threats[ply] >> origin(move) & 1
        enters = self._threats[ply] >> target(move) & 1
        return i32(leaves * 16384 + enters * 8192) + side * 4096 + from_to(move)

    def _find_checks(self, pos: Position) -> None:
        """Find the squares from which each kind of piece would check."""
        if not self.parameters.check_ordering:
            for kind in range(8):
                self._checks[kind] = 0
            return
        king = lsb(pos.by_type[KING] & pos.by_colour[pos.side ^ 1])
        occ = pos.by_colour[0] | pos.by_colour[1]
        self._checks[PAWN] = PAWN_ATTACKS[(pos.side ^ 1) * 64 + king]
        self._checks[KNIGHT] = KNIGHT_ATTACKS[king]
        self._checks[BISHOP] = bishop_attacks(king, occ)
        self._checks[ROOK] = rook_attacks(king, occ)
        self._checks[QUEEN] = self._checks[BISHOP] | self._checks[ROOK]

    def _piece_to(self, pos: Position, move: int) -> int:
        return (pos.board[origin(move)] << 6) + target(move)

    def _capture_index(self, pos: Position, move: int) -> int:
        """The index in `captures`: by piece, target square and victim."""
        dst = target(move)
        return (pos.board[origin(move)] << 9) + (dst << 3) + (pos.board[dst] & 7)
