"""Negamax alpha-beta with quiescence, over one thread's own position.

All scores are centipawns from the point of view of the side to move; a mate in n plies from the
root scores MATE - n. The search is fail-soft: called with a window (alpha, beta) it returns r where
r <= alpha means that the value is at most r, r >= beta that it is at least r, and anything between
that it is r.
"""

from math import log

import cython

from engine.board.movegen import MoveStack
from engine.board.position import Position
from engine.control import Control
from engine.search.ordering import Ordering
from engine.search.table import Table
from engine.search.techniques import Techniques
from eval.evaluator import Evaluator

if not cython.compiled:
    from engine.board.bitboard import i32
    from engine.board.movegen import generate
    from engine.control import add_nodes
    from engine.search.parameters import (
        FIFTY_CAUTION,
        INFINITE,
        LMR_DEPTH,
        LMR_HISTORY_BITS,
        LMR_MOVES,
        MATE,
        MATE_BOUND,
        MAX_PLY,
        NULL_BASE,
        NULL_DEPTH,
        NULL_DIVISOR,
        POLL_INTERVAL,
        SINGULAR_DEPTH,
        SINGULAR_MARGIN,
        SINGULAR_TABLE_DEPTH,
        SORT_DEPTH,
        SORT_MOVES,
    )
    from engine.search.table import (
        EXACT,
        LOWER,
        UPPER,
        entry_bound,
        entry_depth,
        entry_move,
        entry_score,
        prefetch,
    )

REDUCTIONS = [0] * 4096
UNLIMITED = 1 << 62


class Searcher:
    """One thread's search: its position, its move lists, what it has learned about moves.

    Table and control are shared with the other threads of the same search.
    """

    def __init__(self, table: Table, control: Control, evaluator: Evaluator, use: Techniques) -> None:
        self.pos = Position()
        self.ms = MoveStack()
        self.table = table
        self.control = control
        self.evaluator = evaluator
        self.ordering = Ordering(use)
        self.use = use
        self.nodes = 0
        self.seldepth = 0
        self.unwinding = False
        self._node_limit = UNLIMITED
        self._shares_limit = False
        self._next_poll = 0
        self._poll_interval = POLL_INTERVAL
        self._counted = 0
        self._root_depth = 0
        self.excluded = [0] * 256
        self.pv_length = [0] * 256
        self.pv = [0] * 65536

    def begin(self, position: Position, node_limit: int | None = None, threads: int = 1) -> None:
        """Get ready for a search from this position by so many threads, of `node_limit` nodes in all.

        One thread keeps the limit to the node; several may exceed it by an eighth.
        """
        self.pos = position.copy()
        self.nodes = 0
        self.unwinding = False
        self._node_limit = UNLIMITED if node_limit is None else node_limit
        self._shares_limit = threads > 1
        self._poll_interval = max(1, min(POLL_INTERVAL, self._node_limit // (8 * threads)))
        self._next_poll = 0
        self._counted = 0
        self.ordering.forget_killers()

    def forget_moves(self) -> None:
        """Forget what was learned about moves."""
        self.ordering.clear()

    def forget_positions(self) -> None:
        """Forget what was learned about positions; for when the table is emptied."""
        self.evaluator.forget()

    def use_table(self, table: Table) -> None:
        """Go on with another table."""
        self.table = table

    def use_evaluator(self, evaluator: Evaluator) -> None:
        """Go on with another evaluator."""
        self.evaluator = evaluator

    def begin_depth(self, depth: int) -> None:
        """Start counting the selective depth anew; `depth` bounds the check extensions."""
        self.seldepth = 0
        self._root_depth = depth

    def examine(self, move: int, alpha: int, beta: int, depth: int) -> int:
        """The value of a legal root move, searched to `depth` plies in all, the move included.

        Fail-soft, from the root side's point of view. Without meaning when `unwinding` is set
        afterwards: stop, node limit or deadline then cut it short.
        """
        return self._examine(move, alpha, beta, depth)

    def line(self) -> list[int]:
        """The principal variation after the move last examined; of meaning only inside its window."""
        return [self.pv[256 + i] for i in range(1, self.pv_length[1])]

    def _examine(self, move: int, alpha: int, beta: int, depth: int) -> int:
        self.pos.make(move)
        with cython.nogil:
            score = -self.search(-beta, -alpha, depth - 1, 1, 0)
        self.pos.unmake()
        return score

    def search(self, alpha: int, beta: int, depth: int, ply: int, start: int) -> int:
        """The value of the position `ply` plies below the root; move lists go from `start` on."""
        # Step 1. Extend checks; leave the horizon to quiescence.
        checkers = self.pos.checkers
        excluded = self.excluded[ply]
        if checkers and not excluded and self.use.check_extension and ply < 2 * self._root_depth:
            depth += 1
        if depth <= 0:
            return self.quiesce(alpha, beta, ply, start)

        # Step 2. Limits and draws.
        if self._enter(ply):
            return 0
        if self._is_draw(ply, start):
            return 0
        if ply >= MAX_PLY:
            return self.evaluator.evaluate(self.pos)
        if not self.use.alpha_beta:
            alpha = -INFINITE
            beta = INFINITE
        pv = beta - alpha > 1

        # Step 3. No line from here can be better than a mate already found, or worse.
        if self.use.mate_distance:
            if alpha >= MATE - ply - 1:
                return MATE - ply - 1
            if beta <= ply - MATE:
                return ply - MATE

        # Step 4. The table.
        entry = self.table.probe(self.pos.table_key()) if self.use.table else 0
        hash_move = entry_move(entry)
        if entry and not pv and not excluded and entry_depth(entry) >= depth:
            score = self._from_table(entry_score(entry), ply)
            bound = entry_bound(entry)
            if self.pos.halfmoves < FIFTY_CAUTION and (
                bound == EXACT or (bound == LOWER and score >= beta) or (bound == UPPER and score <= alpha)
            ):
                return score

        # Step 5. Null move: if even a pass holds beta, so will the best move.
        if self.use.null_move and depth >= NULL_DEPTH and not pv and not checkers and not excluded:
            standing = self.evaluator.evaluate_near(self.pos, beta - 1, beta)
            if standing >= beta and self._passing_suffices(beta, depth, ply, start):
                return beta
            if self.unwinding:
                return 0

        # Step 6. The moves.
        end = generate(self.pos, self.ms, start, False)
        if end == start:
            return -MATE + ply if checkers else 0
        self.ordering.rate(self.pos, self.ms, start, end, hash_move, ply)
        best = -INFINITE
        best_move = 0
        bound = UPPER
        for i in range(start, end):
            if depth >= SORT_DEPTH or i - start < SORT_MOVES:
                move = self.ordering.pick(self.pos, self.ms, i, end)
            else:
                move = self.ms.move[i]
            if move == excluded:
                continue
            quiet = not move & 0xC000

            # Step 7. Singular extension: only this move holds the position.
            new_depth = depth - 1
            if move == hash_move and self._is_singular(move, entry, depth, ply, end):
                new_depth += 1
            if self.unwinding:
                return 0

            # Step 8. Late moves first at less depth, all but the first with a null window.
            self.pos.make(move)
            if new_depth > 0:
                prefetch(self.table, self.pos.table_key())
            if best == -INFINITE or not self.use.principal_variation:
                score = -self.search(-beta, -alpha, new_depth, ply + 1, end)
            else:
                reduction = self._reduction(move, i - start, depth, ply, pv, quiet)
                score = -self.search(-alpha - 1, -alpha, new_depth - reduction, ply + 1, end)
                if score > alpha and reduction > 0 and not self.unwinding:
                    score = -self.search(-alpha - 1, -alpha, new_depth, ply + 1, end)
                if alpha < score < beta and pv and not self.unwinding:
                    score = -self.search(-beta, -alpha, new_depth, ply + 1, end)
            self.pos.unmake()
            if self.unwinding:
                return 0

            # Step 9. A better move, perhaps good enough to stop here.
            if score > best:
                best = score
                if score > alpha:
                    best_move = move
                    alpha = score
                    bound = EXACT
                    if pv:
                        self._extend_line(ply, move)
                    if score >= beta:
                        bound = LOWER
                        if quiet:
                            self.ordering.reward(self.pos, self.ms, start, i, depth, ply)
                        break

        # Step 10. Remember.
        if best == -INFINITE:
            return alpha
        if self.use.table and not excluded:
            self.table.store(self.pos.table_key(), best_move, self._to_table(best, ply), depth, bound)
        return best

    def quiesce(self, alpha: int, beta: int, ply: int, start: int) -> int:
        """Play out captures and promotions, and all moves out of check, until the position is quiet."""
        if self._enter(ply):
            return 0
        if self._is_draw(ply, start):
            return 0
        checkers = self.pos.checkers
        if not self.use.quiescence or ply >= MAX_PLY:
            if checkers and generate(self.pos, self.ms, start, False) == start:
                return -MATE + ply
            return self.evaluator.evaluate(self.pos)
        if not self.use.alpha_beta:
            alpha = -INFINITE
            beta = INFINITE
        best = -MATE + ply
        if not checkers:
            best = self.evaluator.evaluate_near(self.pos, alpha, beta)
            if best >= beta:
                return best
            alpha = max(alpha, best)
        end = generate(self.pos, self.ms, start, not checkers)
        self.ordering.rate(self.pos, self.ms, start, end, 0, ply)
        for i in range(start, end):
            move = self.ordering.pick(self.pos, self.ms, i, end)
            if not checkers and self.ms.score[i] < 0:
                break  # this and all that follow lose material
            self.pos.make(move)
            score = -self.quiesce(-beta, -alpha, ply + 1, end)
            self.pos.unmake()
            if self.unwinding:
                return 0
            if score > best:
                best = score
                if score > alpha:
                    if score >= beta:
                        break
                    alpha = score
                    self._extend_line(ply, move)
        return best

    def _enter(self, ply: int) -> bool:
        """Count a node; True when the search has to unwind."""
        if self.nodes >= self._next_poll:
            self._poll()
            if self.unwinding:
                return True
        self.nodes += 1
        self.pv_length[ply] = ply
        self.seldepth = max(self.seldepth, ply)
        return False

    def _poll(self) -> None:
        """Look at the limits."""
        spent = self.nodes
        if self._shares_limit:
            spent = add_nodes(self.control, self.nodes - self._counted)
            self._counted = self.nodes
        if spent >= self._node_limit:
            self.control.stop()
        if self.control.expired():
            self.unwinding = True
        self._next_poll = self.nodes + min(self._poll_interval, max(self._node_limit - spent, 1))

    def _is_draw(self, ply: int, start: int) -> bool:
        """By the rules, or by repetition as `Position.is_repetition` has it; mate comes first."""
        if self.pos.halfmoves >= 100:
            return not self.pos.checkers or generate(self.pos, self.ms, start, False) > start
        return self.pos.is_insufficient() or self.pos.is_repetition(ply)

    def _passing_suffices(self, beta: int, depth: int, ply: int, start: int) -> bool:
        """Whether the mover keeps at least beta even if he passes; False where zugzwang is likely."""
        if abs(beta) >= MATE_BOUND or not self.pos.has_pieces(self.pos.side):
            return False
        if self.pos.undo_move[self.pos.height - 1] == 0:
            return False
        reduced = depth - NULL_BASE - depth // NULL_DIVISOR
        self.pos.make_null()
        score = -self.search(-beta, -beta + 1, reduced, ply + 1, start)
        self.pos.unmake_null()
        return score >= beta and not self.unwinding

    def _is_singular(self, move: int, entry: int, depth: int, ply: int, start: int) -> bool:
        """Whether all moves but the hash move fall short of it by a margin, at half the depth."""
        if not self.use.singular_extensions or depth < SINGULAR_DEPTH or self.excluded[ply]:
            return False
        score = self._from_table(entry_score(entry), ply)
        if entry_bound(entry) == UPPER or entry_depth(entry) < depth - SINGULAR_TABLE_DEPTH:
            return False
        if score > MATE_BOUND or score < -MATE_BOUND or ply >= 2 * self._root_depth:
            return False
        target = score - SINGULAR_MARGIN * depth
        self.excluded[ply] = move
        score = self.search(target - 1, target, (depth - 1) // 2, ply, start)
        self.excluded[ply] = 0
        return score < target

    def _reduction(self, move: int, number: int, depth: int, ply: int, pv: bool, quiet: bool) -> int:
        """By how many plies to search a move less at first; called after it was made."""
        if not self.use.late_move_reductions or depth < LMR_DEPTH or number < LMR_MOVES:
            return 0
        if not quiet or self.pos.checkers or self.pos.undo_checkers[self.pos.height - 1]:
            return 0
        reduction = REDUCTIONS[min(depth, 63) * 64 + min(number, 63)]
        reduction -= self.ordering.history[(self.pos.side ^ 1) * 4096 + (move & 4095)] >> LMR_HISTORY_BITS
        if pv or self.ordering.is_killer(move, ply):
            reduction -= 1
        return max(min(reduction, depth - 2), 0)

    def _extend_line(self, ply: int, move: int) -> None:
        """The principal variation here: this move and what follows it one ply deeper."""
        self.pv[ply * 256 + ply] = move
        length = self.pv_length[ply + 1]
        for i in range(ply + 1, length):
            self.pv[ply * 256 + i] = self.pv[(ply + 1) * 256 + i]
        self.pv_length[ply] = length

    def _to_table(self, score: int, ply: int) -> int:
        """Mates count from the root in the search, from the entry's own position in the table."""
        if score > MATE_BOUND:
            return score + ply
        if score < -MATE_BOUND:
            return score - ply
        return score

    def _from_table(self, score: int, ply: int) -> int:
        if score > MATE_BOUND:
            return score - ply
        if score < -MATE_BOUND:
            return score + ply
        return score


def _fill() -> None:
    """Reductions grow with the logarithms of depth and of the move's number."""
    for depth in range(1, 64):
        for number in range(1, 64):
            REDUCTIONS[depth * 64 + number] = i32(int(0.5 + log(depth) * log(number) / 2.25))


_fill()
