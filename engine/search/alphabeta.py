"""Negamax alpha-beta over one thread's own position.

All scores are centipawns from the point of view of the side to move; a mate in n plies from the
root scores MATE - n. The search is fail-soft: called with a window (alpha, beta) it returns r where
r <= alpha means that the value is at most r, r >= beta that it is at least r, and anything between
that it is r.
"""

import cython

from engine.board.position import Position
from engine.search.parameters import Parameters
from engine.search.quiescence import Quiescence
from engine.search.table import Table
from engine.system.control import Control
from eval.evaluator import Evaluator

if not cython.compiled:
    from engine.board.checks import gives_check
    from engine.board.cycles import has_upcoming_repetition
    from engine.board.move import NO_MOVE, is_quiet
    from engine.board.movegen import generate
    from engine.search.constants import (
        EXACT,
        INFINITE,
        LOWER,
        MATE,
        MAX_PLY,
        PLIES,
        ROOT_REDUCTION_DEPTH,
        ROOT_REDUCTION_MOVES,
        TABLEBASE_BOUND,
        UNKNOWN,
        UPPER,
    )
    from engine.search.exchange import exchange_at_least
    from engine.search.records import Ply
    from engine.search.table import (
        entry_bound,
        entry_depth,
        entry_move,
        entry_principal,
        entry_score,
        prefetch,
    )


class Searcher(Quiescence):
    """One thread's search."""

    def __init__(self, table: Table, control: Control, evaluator: Evaluator, parameters: Parameters) -> None:
        super().__init__(table, control, evaluator, parameters)
        self.plies = [Ply(NO_MOVE, UNKNOWN, False, False) for _ in range(PLIES)]

    def begin(self, position: Position, node_limit: int | None = None, threads: int = 1) -> None:
        """Get ready for a search from this position; see Worker."""
        super().begin(position, node_limit, threads)
        self._begin_plies()

    def _begin_plies(self) -> None:
        """Forget the plies of the last search; the root has a static value at once."""
        for ply in range(PLIES):
            self.plies[ply] = Ply(NO_MOVE, UNKNOWN, False, False)
        if not self.pos.checkers:
            self.plies[0].static_value = self._corrected(self.evaluator.evaluate(self.pos))

    def examine(self, move: int, alpha: int, beta: int, depth: int, number: int) -> int:
        """The value of a legal root move, searched to `depth` plies in all, the move included.

        `number` is how many root moves were tried before it in this window. Fail-soft, from the root side's
        point of view. Without meaning when `unwinding` is set afterwards: stop, node limit or deadline then
        cut it short. Principal variation search: null windows for all but the first move.
        """
        self.pos.make(move)
        whole = number == 0 or not self.parameters.principal_variation
        late = number >= ROOT_REDUCTION_MOVES and depth >= ROOT_REDUCTION_DEPTH and is_quiet(move)
        score = alpha + 1
        if late and not whole and self.parameters.late_move_reductions:
            score = -self.search(-alpha - 1, -alpha, depth - 2, 1, 0, True, False)
        if score > alpha and not whole and not self.unwinding:
            score = -self.search(-alpha - 1, -alpha, depth - 1, 1, 0, True, False)
        if whole or (alpha < score < beta and not self.unwinding):
            score = -self.search(-beta, -alpha, depth - 1, 1, 0, beta - alpha == 1, False)
        self.pos.unmake()
        return score

    def search(
        self, alpha: int, beta: int, depth: int, ply: int, start: int, cut: bool, verifying: bool
    ) -> int:
        """The value of the position `ply` plies below the root; move lists go from `start` on.

        `cut`: an expected cut node, which has a null window: a move is expected to reach beta.
        `verifying`: the search verifies a null move, so none is tried in it.
        """
        # Step 1. Upcoming repetition: the mover can have a draw, so no less than 0.
        excluded = self.plies[ply].excluded
        pv = beta - alpha > 1
        least = -INFINITE
        may_repeat = self.parameters.upcoming_repetition and alpha < 0 and not excluded
        if may_repeat and has_upcoming_repetition(self.pos, ply):
            if beta <= 0:
                self._enter(ply)
                return 0
            alpha = 0
            least = 0

        # Step 2. Check extension; at the horizon, quiescence.
        checkers = self.pos.checkers
        if checkers and not excluded and self.parameters.check_extension and self._may_extend(ply):
            depth += 1
        if depth <= 0:
            return max(self.quiesce(alpha, beta, ply, start), least)

        # Step 3. Limits of the search; draws.
        if self._enter(ply):
            return 0
        if self._is_draw(ply, start):
            return 0
        if ply >= MAX_PLY:
            return self.evaluator.evaluate(self.pos)
        if not self.parameters.alpha_beta:
            alpha = -INFINITE
            beta = INFINITE
            pv = True

        # Step 4. Mate distance pruning: no line from here beats a mate already found, either way.
        if self.parameters.mate_distance:
            if alpha >= MATE - ply - 1:
                return MATE - ply - 1
            if beta <= ply - MATE:
                return ply - MATE

        # Step 5. Cutoffs by the transposition table and by endgame tables, which may also give a bound.
        entry = self.table.probe(self.pos.table_key()) if self.parameters.table else 0
        hash_move = entry_move(entry)
        known = self._from_table(entry_score(entry), ply)
        if not excluded:
            self.plies[ply].principal = pv or (entry != 0 and entry_principal(entry))
        deep_enough = entry != 0 and entry_depth(entry) >= depth
        if deep_enough and not pv and not excluded and self._table_cutoff(entry, known, beta):
            return known
        most = INFINITE
        if self.prober.men and not excluded:
            result = self._probe_tablebases(depth, ply)
            if result != UNKNOWN:
                if self._tablebase_cutoff(result, alpha, beta, depth, ply, self.plies[ply].principal):
                    return result
                if pv and result > 0:
                    least = max(least, result)
                    alpha = max(alpha, least)
                elif pv:
                    most = result

        # Step 6. Static evaluation, improving, static history.
        raw = UNKNOWN
        static = UNKNOWN
        if excluded:
            static = self.plies[ply].static_value
        elif not checkers:
            if not pv:  # a null move is likely
                prefetch(self.table, self.pos.key_after_null())
            raw = self._static_value(entry)
            static = self._corrected(raw)
        self.plies[ply].static_value = static
        self.plies[ply].improving = self._is_improving(ply)
        if ply > 1 and static != UNKNOWN and self.plies[ply - 1].static_value != UNKNOWN and not excluded:
            self.ordering.credit(self.pos, -static - self.plies[ply - 1].static_value, ply - 1)

        # Step 7. Reverse futility, razoring, null move, ProbCut.
        if not pv and not checkers and not excluded:
            value = self._table_adjusted(static, entry, known)
            score = self._forward_pruning(beta, depth, ply, start, value, cut, verifying)
            if self.unwinding:
                return 0
            if score != UNKNOWN:
                return score

        # Step 8. Internal iterative reduction where no hash move is known: the next time there is one.
        if (
            hash_move == NO_MOVE
            and (pv or cut)
            and self.parameters.internal_reduction
            and depth >= self.parameters.internal_depth
        ):
            depth -= 1

        # Step 9. The moves, in order, generated only when needed.
        moves = ply * 2 + 1 if excluded else ply * 2
        self.picker.begin(self.pos, self.ms, moves, start, hash_move)
        best = -INFINITE
        best_move = NO_MOVE
        bound = UPPER
        number = -1
        while True:
            move = self.picker.next(self.pos, self.ms, moves)
            if move == NO_MOVE:
                break
            number += 1
            if move == excluded:
                self.picker.leave_out(self.ms, moves)
                continue
            prefetch(self.table, self.pos.key_after(move))
            quiet = is_quiet(move)
            if quiet:
                history = self.ordering.quiet_history(self.pos, move, ply)
            else:
                history = self.ordering.capture_history(self.pos, move)
            reduction = self.parameters.reductions[min(depth, 63) * 64 + min(number, 63)]

            # Step 10. Late move pruning; futility, history and exchange pruning.
            if best > -TABLEBASE_BOUND and not pv and not checkers and self.pos.has_pieces(self.pos.side):
                if quiet and self._late_move_pruning(number, depth, ply):
                    self.picker.leave_out(self.ms, moves)
                    number += self.picker.skip_quiet(moves)
                    continue
                if self._futile(move, alpha, depth, ply, reduction, history):
                    self.picker.leave_out(self.ms, moves)
                    continue

            # Step 11. Singular extension, multicut.
            new_depth = depth - 1
            end = self.picker.end(moves)
            if move == hash_move and not excluded and self._may_be_singular(entry, known, depth, ply):
                threshold = known - self.parameters.singular_margin * depth // 10
                self.plies[ply].excluded = move
                others = self.search(threshold - 1, threshold, (depth - 1) // 2, ply, end, cut, verifying)
                self.plies[ply].excluded = NO_MOVE
                if self.unwinding:
                    return 0
                if self._multicut(others, threshold, beta):
                    return threshold
                new_depth += self._singular_extension(others, threshold, known, beta, pv, cut)

            # Step 12. Principal variation search: null windows after the first move; late move reductions.
            self.pos.make(move)
            if best == -INFINITE or not self.parameters.principal_variation:
                score = -self.search(-beta, -alpha, new_depth, ply + 1, end, not pv and not cut, verifying)
            else:
                reduced = new_depth - self._late_move_reduction(
                    move, number, new_depth, ply, reduction, history, cut
                )
                score = -self.search(-alpha - 1, -alpha, reduced, ply + 1, end, True, verifying)
                if score > alpha and reduced < new_depth and not self.unwinding:
                    if score > best + self.parameters.deeper_margin and self._may_extend(ply):
                        new_depth += 1
                    score = -self.search(-alpha - 1, -alpha, new_depth, ply + 1, end, not cut, verifying)
                if alpha < score < beta and pv and not self.unwinding:
                    score = -self.search(-beta, -alpha, new_depth, ply + 1, end, False, verifying)
            self.pos.unmake()
            if self.unwinding:
                return 0

            # Step 13. Alpha-beta: raise alpha, or cut off at beta.
            if score > best:
                best = score
                if score > alpha:
                    best_move = move
                    alpha = score
                    bound = EXACT
                    if pv:
                        self._update_pv(ply, move)
                    if score >= beta:
                        bound = LOWER
                        self.picker.reward(self.pos, self.ms, moves, depth)
                        break

        # Step 14. Checkmate and stalemate; store the result; correction history.
        if number < 0:
            return -MATE + ply if checkers else 0
        if best == -INFINITE:
            return alpha
        if excluded:
            return best
        best = min(max(best, least), most)
        if self.parameters.table:
            stored = self._to_table(best, ply)
            principal = self.plies[ply].principal
            self.table.store(self.pos.table_key(), best_move, stored, depth, bound, raw, principal)
        if not checkers and is_quiet(best_move) and self.parameters.correction_history:
            self._learn_correction(best, bound, static, depth)
        return best

    def _may_extend(self, ply: int) -> bool:
        """Whether the line is shorter than twice the depth of the root: extensions must end."""
        return ply < 2 * self._root_depth

    def _learn_correction(self, value: int, bound: int, static: int, depth: int) -> None:
        """Learn from the difference to the static value where the bound says on which side of it this is."""
        if abs(value) < TABLEBASE_BOUND and (bound == EXACT or (value > static) == (bound == LOWER)):
            self.correction.learn(self.pos, value - static, depth)

    def _is_improving(self, ply: int) -> bool:
        """Whether the mover stands better than before his last move; if that was in check, the one before."""
        static = self.plies[ply].static_value
        if not self.parameters.improving or static == UNKNOWN:
            return False
        for back in range(2, 5, 2):
            if ply >= back and self.plies[ply - back].static_value != UNKNOWN:
                return static > self.plies[ply - back].static_value
        return False

    def _forward_pruning(
        self, beta: int, depth: int, ply: int, start: int, value: int, cut: bool, verifying: bool
    ) -> int:
        """A bound for the null window below beta, without the full search of the moves; else UNKNOWN.

        `value` is the static one, or what the table knows.
        """
        # Reverse futility pruning: so far above the window that hardly any move will spoil it.
        if (
            self.parameters.reverse_futility
            and depth <= self.parameters.reverse_futility_depth
            and abs(beta) < TABLEBASE_BOUND
        ):
            margin = self.parameters.reverse_futility_margin * (depth - self.plies[ply].improving)
            if value - margin >= beta and value < TABLEBASE_BOUND:
                return beta + (value - beta) // 3

        # Razoring: so far below the window that only captures can help.
        margin = self.parameters.razoring_margin * depth
        if self.parameters.razoring and depth <= self.parameters.razoring_depth and value + margin < beta:
            score = self.quiesce(beta - 1, beta, ply, start)
            if score < beta or self.unwinding:
                return score

        # Null move pruning: even a pass holds beta.
        passes = self.parameters.null_move and depth >= self.parameters.null_depth and not verifying
        if passes and value >= beta:
            score = self._null_move(beta, depth, ply, start, value, cut)
            if score >= beta or self.unwinding:
                return score

        # ProbCut: a capture exceeds beta by far at less depth.
        if self.parameters.probcut and depth >= self.parameters.probcut_depth and abs(beta) < TABLEBASE_BOUND:
            return self._probcut(beta, depth, ply, start, value, cut, verifying)
        return UNKNOWN

    def _null_move(self, beta: int, depth: int, ply: int, start: int, value: int, cut: bool) -> int:
        """Null move pruning: at least beta if the mover keeps that even by passing, else -INFINITE.

        Not where zugzwang is likely; where much depth is left, a search of the moves verifies it.
        """
        if beta <= -TABLEBASE_BOUND or not self.pos.has_pieces(self.pos.side):
            return -INFINITE
        if self.pos.undo_move[self.pos.height - 1] == NO_MOVE:
            return -INFINITE
        reduced = depth - self.parameters.null_base - depth // self.parameters.null_divisor
        reduced -= min((value - beta) // self.parameters.null_margin, 3)
        self.pos.make_null()
        score = -self.search(-beta, -beta + 1, reduced, ply + 1, start, not cut, False)
        self.pos.unmake_null()
        if score < beta or self.unwinding:
            return -INFINITE
        score = min(score, TABLEBASE_BOUND)
        if depth < self.parameters.null_verification:
            return score
        verified = self.search(beta - 1, beta, max(reduced, 1), ply, start, False, True)
        return score if verified >= beta else -INFINITE

    def _probcut(
        self, beta: int, depth: int, ply: int, start: int, value: int, cut: bool, verifying: bool
    ) -> int:
        """ProbCut: what a capture reaches at less depth if that is far above beta, else UNKNOWN."""
        threshold = beta + self.parameters.probcut_margin
        end = generate(self.pos, self.ms, start, True)
        self._prefetch_children(start, end)
        self.ordering.rate(self.pos, self.ms, start, end, NO_MOVE, ply)
        reduced = depth - self.parameters.probcut_reduction
        for i in range(start, end):
            move = self.picker.pick(self.pos, self.ms, i, end)
            if self.ms.score[i] < 0:
                break
            if not exchange_at_least(self.pos, move, threshold - value, self.parameters):
                continue
            self.pos.make(move)
            score = -self.quiesce(-threshold, -threshold + 1, ply + 1, end)
            if score >= threshold and reduced > 0 and not self.unwinding:
                score = -self.search(-threshold, -threshold + 1, reduced, ply + 1, end, not cut, verifying)
            self.pos.unmake()
            if self.unwinding:
                return 0
            if score >= threshold:
                return score
        return UNKNOWN

    def _late_move_pruning(self, number: int, depth: int, ply: int) -> bool:
        """Late move pruning: whether to skip the quiet moves from the one with this number on."""
        if not self.parameters.late_move_pruning or depth > self.parameters.late_depth:
            return False
        enough = self.parameters.late_base + depth * depth
        return number >= (enough if self.plies[ply].improving else enough // 2)

    def _futile(self, move: int, alpha: int, depth: int, ply: int, reduction: int, history: int) -> bool:
        """Futility, history and exchange pruning: whether a move, not yet made, can hardly raise alpha.

        `reduction` is the usual one of late moves, in 128ths of a ply; `history` belongs to the move.
        """
        if not is_quiet(move):
            if not self.parameters.exchange_pruning or depth > self.parameters.exchange_depth:
                return False
            least = -self.parameters.exchange_capture * depth
            return not exchange_at_least(self.pos, move, least, self.parameters)
        left = max(depth - 1 - (reduction >> 7) + (history * self.parameters.pruning_history >> 16), 0)
        static = self.plies[ply].static_value
        hopeless = False
        if self.parameters.futility and left <= self.parameters.futility_depth and static != UNKNOWN:
            margin = self.parameters.futility_base + self.parameters.futility_margin * left
            hopeless = static + margin <= alpha
        if self.parameters.history_pruning and left <= self.parameters.history_depth and not hopeless:
            hopeless = history < -self.parameters.history_margin * depth
        if self.parameters.exchange_pruning and left <= self.parameters.exchange_depth and not hopeless:
            least = -self.parameters.exchange_quiet * left * left
            hopeless = not exchange_at_least(self.pos, move, least, self.parameters)
        return hopeless and not gives_check(self.pos, move)

    def _may_be_singular(self, entry: int, known: int, depth: int, ply: int) -> bool:
        """Whether to search the other moves for how far they fall short of the hash move's score, `known`."""
        if not self.parameters.singular_extensions or depth < self.parameters.singular_depth:
            return False
        if entry_bound(entry) == UPPER or entry_depth(entry) < depth - self.parameters.singular_table_depth:
            return False
        return abs(known) < TABLEBASE_BOUND and self._may_extend(ply)

    def _multicut(self, others: int, threshold: int, beta: int) -> bool:
        """Multicut: whether the other moves, worth `others`, reach a threshold that exceeds beta."""
        if not self.parameters.multicut:
            return False
        return others >= threshold >= beta and abs(threshold) < TABLEBASE_BOUND

    def _singular_extension(
        self, others: int, threshold: int, known: int, beta: int, pv: bool, cut: bool
    ) -> int:
        """By how many plies to extend the hash move, whose score is `known`; less than 0 to reduce it.

        It is singular if the other moves, searched to half the depth, stay below the threshold.
        """
        if others < threshold:
            far = others < threshold - self.parameters.double_margin
            return 2 if far and self.parameters.double_extensions and not pv else 1
        if not self.parameters.negative_extensions:
            return 0
        if known >= beta:
            return -2
        return -1 if cut else 0

    def _late_move_reduction(
        self, move: int, number: int, depth: int, ply: int, reduction: int, history: int, cut: bool
    ) -> int:
        """By how many plies to reduce a move at first; `depth`, to which it is to be searched, is at least 1.

        Called after the move was made. `reduction` is the usual one in 128ths of a ply.
        """
        if not self.parameters.late_move_reductions or depth < self.parameters.reduction_depth - 1:
            return 0
        principal = self.plies[ply].principal
        if number < self.parameters.reduction_moves + principal:
            return 0
        quiet = is_quiet(move)
        if not quiet:
            reduction >>= 1
        if principal:
            reduction -= self.parameters.reduction_principal
        if cut:
            reduction += self.parameters.reduction_cut
        if not self.plies[ply].improving:
            reduction += self.parameters.reduction_worsening
        if self.pos.checkers:
            reduction -= self.parameters.reduction_check
        if quiet and self.ordering.is_killer(move, ply):
            reduction -= self.parameters.reduction_killer
        reduction -= history * self.parameters.reduction_history >> 13
        return min(max(reduction >> 7, 0), depth - 1)
