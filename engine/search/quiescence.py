"""Quiescence search: only quiet positions are evaluated, so captures are played out first.

Scores are those of `alphabeta`: centipawns from the point of view of the side to move, fail-soft.
"""

import cython

from engine.search.worker import Worker

if not cython.compiled:
    from engine.board.bitboard import PAWN
    from engine.board.move import is_en_passant, is_promotion, target
    from engine.board.movegen import generate
    from engine.search.constants import INFINITE, LOWER, MATE, MATE_BOUND, MAX_PLY, UNKNOWN, UPPER
    from engine.search.table import entry_move, entry_principal, entry_score


class Quiescence(Worker):
    """The end of every line."""

    def quiesce(self, alpha: int, beta: int, ply: int, start: int) -> int:
        """Play out captures and promotions, and all moves out of check, until the position is quiet."""
        # Step 1. Limits of the search; draws.
        if self._enter(ply):
            return 0
        if self._is_draw(ply, start):
            return 0
        checkers = self.pos.checkers
        if not self.parameters.quiescence or ply >= MAX_PLY:
            if checkers and generate(self.pos, self.ms, start, False) == start:
                return -MATE + ply
            return self.evaluator.evaluate(self.pos)
        if not self.parameters.alpha_beta:
            alpha = -INFINITE
            beta = INFINITE

        # Step 2. Transposition table cutoff.
        remembers = self.parameters.table and self.parameters.quiescence_table
        entry = self.table.probe(self.pos.table_key()) if remembers else 0
        known = self._from_table(entry_score(entry), ply)
        if entry and beta - alpha == 1 and self._table_cutoff(entry, known, beta):
            return known

        # Step 3. Stand pat: the mover need not capture.
        best = -MATE + ply
        static = UNKNOWN
        floor = -INFINITE
        if not checkers:
            static = self._static_value(entry)
            best = self._corrected(static)
            floor = best + self.parameters.delta_margin
            if beta - alpha == 1:  # a principal variation must end in the score that it reports
                best = self._table_adjusted(best, entry, known)
            if best >= beta:
                return best
            alpha = max(alpha, best)

        # Step 4. Captures and promotions, best first; in check all moves.
        best_move = 0
        end = generate(self.pos, self.ms, start, not checkers)
        self._prefetch_children(start, end)
        if checkers:
            self.ordering.find_threats(self.pos, ply)
        self.ordering.rate(self.pos, self.ms, start, end, entry_move(entry), ply)
        for i in range(start, end):
            move = self.picker.pick(self.pos, self.ms, i, end)
            if not checkers:
                if self.parameters.quiescence_exchange and self.ms.score[i] < 0:
                    break  # exchange pruning: from here on all lose material or underpromote
                if self.parameters.delta_pruning and abs(alpha) < MATE_BOUND and not is_promotion(move):
                    # Delta pruning.
                    victim = PAWN if is_en_passant(move) else self.pos.board[target(move)] & 7
                    hope = floor + self.parameters.exchange_values[victim]
                    if hope <= alpha:
                        best = max(best, hope)
                        continue
            self.pos.make(move)
            score = -self.quiesce(-beta, -alpha, ply + 1, end)
            self.pos.unmake()
            if self.unwinding:
                return 0
            if score > best:
                best = score
                if score > alpha:
                    best_move = move
                    self._update_pv(ply, move)
                    if score >= beta:
                        break
                    alpha = score

        # Step 5. Store the result.
        if remembers:
            bound = LOWER if best >= beta else UPPER
            stored = self._to_table(best, ply)
            principal = entry != 0 and entry_principal(entry)
            self.table.store(self.pos.table_key(), best_move, stored, 0, bound, static, principal)
        return best
