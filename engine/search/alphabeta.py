"""Negamax alpha-beta over one thread's own position.

All scores are centipawns from the point of view of the side to move; a mate in n plies from the
root scores MATE - n. The search is fail-soft: called with a window (alpha, beta) it returns r where
r <= alpha means that the value is at most r, r >= beta that it is at least r, and anything between
that it is r.
"""

import cython

from engine.board.position import Position
from engine.control import Control
from engine.search.parameters import Parameters
from engine.search.quiescence import Quiescence
from engine.search.table import Table
from eval.evaluator import Evaluator

if not cython.compiled:
    from engine.board.movegen import generate
    from engine.search.constants import (
        INFINITE,
        MATE,
        MATE_BOUND,
        MAX_PLY,
        ROOT_REDUCTION_DEPTH,
        ROOT_REDUCTION_MOVES,
        UNKNOWN,
    )
    from engine.search.exchange import exchange_at_least
    from engine.search.ordering import LEFT_OUT
    from engine.search.table import (
        EXACT,
        LOWER,
        UPPER,
        entry_bound,
        entry_depth,
        entry_move,
        entry_principal,
        entry_score,
        prefetch,
    )

    MULTICUT = 100


class Searcher(Quiescence):
    """One thread's search."""

    def __init__(self, table: Table, control: Control, evaluator: Evaluator, use: Parameters) -> None:
        super().__init__(table, control, evaluator, use)
        self.excluded = [0] * 256
        self.statics = [0] * 256
        self.improving = [False] * 256
        self.cutting = [False] * 256
        self.principal = [False] * 256
        self._verifying = False
        self._multicut = 0

    def begin(self, position: Position, node_limit: int | None = None, threads: int = 1) -> None:
        """Get ready for a search from this position; see Worker."""
        super().begin(position, node_limit, threads)
        self._begin_plies()

    def _begin_plies(self) -> None:
        """Forget the plies of the last search; the root has a static value at once."""
        for ply in range(256):
            self.excluded[ply] = 0
            self.statics[ply] = UNKNOWN
            self.improving[ply] = self.cutting[ply] = self.principal[ply] = False
        if not self.pos.checkers:
            self.statics[0] = self._corrected(self.evaluator.evaluate(self.pos))
        self._verifying = False

    def examine(self, move: int, alpha: int, beta: int, depth: int, number: int) -> int:
        """The value of a legal root move, searched to `depth` plies in all, the move included.

        `number` is how many root moves were tried before it in this window. Fail-soft, from the root side's
        point of view. Without meaning when `unwinding` is set afterwards: stop, node limit or deadline then
        cut it short.
        """
        with cython.nogil:
            score = self._examine(move, alpha, beta, depth, number)
        return score

    def _examine(self, move: int, alpha: int, beta: int, depth: int, number: int) -> int:
        """Principal variation search at the root: null windows for all but the first move."""
        self.pos.make(move)
        whole = number == 0 or not self.use.principal_variation
        late = number >= ROOT_REDUCTION_MOVES and depth >= ROOT_REDUCTION_DEPTH and not move & 0xC000
        score = alpha + 1
        if late and not whole and self.use.late_move_reductions:
            score = -self.search(-alpha - 1, -alpha, depth - 2, 1, 0, True)
        if score > alpha and not whole and not self.unwinding:
            score = -self.search(-alpha - 1, -alpha, depth - 1, 1, 0, True)
        if whole or (alpha < score < beta and not self.unwinding):
            score = -self.search(-beta, -alpha, depth - 1, 1, 0, beta - alpha == 1)
        self.pos.unmake()
        return score

    def search(self, alpha: int, beta: int, depth: int, ply: int, start: int, cut: bool) -> int:
        """The value of the position `ply` plies below the root; move lists go from `start` on.

        `cut`: the first move is expected to exceed the window, which is then a null window.
        """
        # Step 1. Extend checks; leave the horizon to quiescence.
        checkers = self.pos.checkers
        excluded = self.excluded[ply]
        if checkers and not excluded and self.use.check_extension and self._may_extend(ply):
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
        known = self._from_table(entry_score(entry), ply)
        if not excluded:
            self.principal[ply] = pv or (entry != 0 and entry_principal(entry))
        self.cutting[ply] = cut
        deep_enough = entry != 0 and entry_depth(entry) >= depth
        if deep_enough and not pv and not excluded and self._settles(entry, known, beta):
            return known

        # Step 5. The static value.
        raw = UNKNOWN
        static = UNKNOWN
        if excluded:
            static = self.statics[ply]
        elif not checkers:
            raw = self._static_value(entry)
            static = self._corrected(raw)
        self.statics[ply] = static
        self.improving[ply] = self._is_improving(ply)
        if ply >= 2 and static != UNKNOWN and self.statics[ply - 1] != UNKNOWN and not excluded:
            self.ordering.credit(self.pos, -static - self.statics[ply - 1], ply - 1)

        # Step 6. Where the position is far from the window, guess.
        if not pv and not checkers and not excluded:
            score = self._guess(alpha, beta, depth, ply, start, self._informed(static, entry, known))
            if self.unwinding:
                return 0
            if score != UNKNOWN:
                return score

        # Step 7. Where nothing is known of the position spend less on it: the next time more will be.
        if (
            hash_move == 0
            and (pv or cut)
            and self.use.internal_reduction
            and depth >= self.use.internal_depth
        ):
            depth -= 1

        # Step 8. The moves.
        end = generate(self.pos, self.ms, start, False)
        if end == start:
            return -MATE + ply if checkers else 0
        self.ordering.rate(self.pos, self.ms, start, end, hash_move, ply)
        best = -INFINITE
        best_move = 0
        bound = UPPER
        skips_quiet = False
        for i in range(start, end):
            move = self.ms.move[i] if skips_quiet else self.ordering.pick(self.pos, self.ms, i, end)
            quiet = not move & 0xC000
            if move == excluded or (quiet and skips_quiet):
                self.ms.score[i] = LEFT_OUT
                continue
            if quiet:
                past = self.ordering.past(self.pos, move, ply)
            else:
                past = self.ordering.capture_past(self.pos, move)
            reduction = self.use.reductions[min(depth, 63) * 64 + min(i - start, 63)]

            # Step 9. Near the horizon leave out what is without hope, once one move is known not to lose.
            if best > -MATE_BOUND and not pv and not checkers and self.pos.has_pieces(self.pos.side):
                if quiet:
                    skips_quiet = self._is_late(i - start, depth, ply)
                if (quiet and skips_quiet) or self._is_hopeless(move, alpha, depth, ply, reduction, past):
                    self.ms.score[i] = LEFT_OUT
                    continue

            # Step 10. Extend the only move that holds the position.
            new_depth = depth - 1
            if move == hash_move and not excluded:
                extension = self._singularity(entry, beta, depth, ply, end, pv)
                if self.unwinding:
                    return 0
                if extension == MULTICUT:
                    return self._multicut
                new_depth += extension

            # Step 11. Late moves first at less depth, all but the first with a null window.
            prefetch(self.table, self.pos.key_after(move))
            self.pos.make(move)
            if best == -INFINITE or not self.use.principal_variation:
                score = -self.search(-beta, -alpha, new_depth, ply + 1, end, not pv and not cut)
            else:
                reduced = self._reduced(move, i - start, new_depth, ply, reduction, past)
                score = -self.search(-alpha - 1, -alpha, reduced, ply + 1, end, True)
                if score > alpha and reduced < new_depth and not self.unwinding:
                    if score > best + self.use.deeper_margin and self._may_extend(ply):
                        new_depth += 1
                    score = -self.search(-alpha - 1, -alpha, new_depth, ply + 1, end, not cut)
                if alpha < score < beta and pv and not self.unwinding:
                    score = -self.search(-beta, -alpha, new_depth, ply + 1, end, False)
            self.pos.unmake()
            if self.unwinding:
                return 0

            # Step 12. A better move, perhaps good enough to stop here.
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
                        self.ordering.reward(self.pos, self.ms, start, i, depth, ply)
                        break

        # Step 13. Remember.
        if best == -INFINITE:
            return alpha
        if excluded:
            return best
        if self.use.table:
            stored = self._to_table(best, ply)
            principal = self.principal[ply]
            self.table.store(self.pos.table_key(), best_move, stored, depth, bound, raw, principal)
        if not checkers and not best_move & 0xC000 and self.use.correction_history:
            self._learn_correction(best, bound, static, depth)
        return best

    def _may_extend(self, ply: int) -> bool:
        """Whether this line is not yet twice as long as wanted: no search may go on for ever."""
        return ply < 2 * self._root_depth

    def _learn_correction(self, value: int, bound: int, static: int, depth: int) -> None:
        """Learn from the difference to the static value where the bound allows to say on which side it is."""
        if abs(value) < MATE_BOUND and (bound == EXACT or (value > static) == (bound == LOWER)):
            self.correction.learn(self.pos, value - static, depth)

    def _is_improving(self, ply: int) -> bool:
        """Whether the mover stands better than before his last move, or the one before that."""
        static = self.statics[ply]
        if not self.use.improving or static == UNKNOWN or ply < 2:
            return False
        if self.statics[ply - 2] != UNKNOWN:
            return static > self.statics[ply - 2]
        return ply >= 4 and self.statics[ply - 4] != UNKNOWN and static > self.statics[ply - 4]

    def _guess(self, alpha: int, beta: int, depth: int, ply: int, start: int, value: int) -> int:
        """A bound for a null window, found without the full search of the moves, or UNKNOWN.

        `value` is the static one, or what the table knows.
        """
        # Far above: hardly any move will spoil it.
        if self.use.reverse_futility and depth <= self.use.reverse_futility_depth and abs(beta) < MATE_BOUND:
            margin = self.use.reverse_futility_margin * (depth - self.improving[ply])
            if value - margin >= beta and value < MATE_BOUND:
                return beta + (value - beta) // 3

        # Far below: only captures can help.
        margin = self.use.razoring_margin * depth
        if self.use.razoring and depth <= self.use.razoring_depth and value + margin <= alpha:
            score = self.quiesce(alpha, beta, ply, start)
            if score <= alpha or self.unwinding:
                return score

        # Even a pass holds beta.
        if self.use.null_move and depth >= self.use.null_depth and value >= beta:
            score = self._pass(beta, depth, ply, start, value)
            if score >= beta or self.unwinding:
                return score

        # A capture exceeds it by far at less depth.
        if self.use.probcut and depth >= self.use.probcut_depth and abs(beta) < MATE_BOUND:
            return self._capture_far_above(beta + self.use.probcut_margin, depth, ply, start, value)
        return UNKNOWN

    def _pass(self, beta: int, depth: int, ply: int, start: int, value: int) -> int:
        """Null move: at least beta if the mover keeps that even by passing.

        Not where zugzwang is likely; where much depth is left what a pass promises is verified by moves.
        """
        if self._verifying or beta <= -MATE_BOUND or not self.pos.has_pieces(self.pos.side):
            return -INFINITE
        if self.pos.undo_move[self.pos.height - 1] == 0:
            return -INFINITE
        reduced = depth - self.use.null_base - depth // self.use.null_divisor
        reduced -= min((value - beta) // self.use.null_margin, 3)
        self.pos.make_null()
        score = -self.search(-beta, -beta + 1, reduced, ply + 1, start, not self.cutting[ply])
        self.pos.unmake_null()
        if score < beta or self.unwinding:
            return -INFINITE
        score = min(score, MATE_BOUND)
        if depth < self.use.null_verification:
            return score
        cut = self.cutting[ply]
        self._verifying = True
        verified = self.search(beta - 1, beta, max(reduced, 1), ply, start, False)
        self._verifying = False
        self.cutting[ply] = cut
        return score if verified >= beta else -INFINITE

    def _capture_far_above(self, threshold: int, depth: int, ply: int, start: int, value: int) -> int:
        """ProbCut: what a capture reaches at less depth if that is at least the threshold, else UNKNOWN."""
        end = generate(self.pos, self.ms, start, True)
        self.ordering.rate(self.pos, self.ms, start, end, 0, ply)
        reduced = depth - self.use.probcut_reduction
        for i in range(start, end):
            move = self.ordering.pick(self.pos, self.ms, i, end)
            if self.ms.score[i] < 0:
                break
            if not exchange_at_least(self.pos, move, threshold - value):
                continue
            self.pos.make(move)
            score = -self.quiesce(-threshold, -threshold + 1, ply + 1, end)
            if score >= threshold and reduced > 0 and not self.unwinding:
                score = -self.search(-threshold, -threshold + 1, reduced, ply + 1, end, not self.cutting[ply])
            self.pos.unmake()
            if self.unwinding:
                return 0
            if score >= threshold:
                return score
        return UNKNOWN

    def _is_late(self, number: int, depth: int, ply: int) -> bool:
        """Whether so many moves have been tried that quiet ones need not be any more."""
        if not self.use.late_move_pruning or depth > self.use.late_depth:
            return False
        enough = self.use.late_base + depth * depth
        return number >= (enough if self.improving[ply] else enough // 2)

    def _is_hopeless(self, move: int, alpha: int, depth: int, ply: int, reduction: int, past: int) -> bool:
        """Whether a move, not yet made, is very unlikely to raise alpha."""
        if move & 0xC000:
            if not self.use.exchange_pruning or depth > self.use.exchange_depth:
                return False
            return not exchange_at_least(self.pos, move, -self.use.exchange_capture * depth)
        left = max(depth - 1 - (reduction >> 7) + (past * self.use.pruning_history >> 16), 0)
        static = self.statics[ply]
        hopeless = False
        if self.use.futility and left <= self.use.futility_depth and static != UNKNOWN:
            hopeless = static + self.use.futility_base + self.use.futility_margin * left <= alpha
        if self.use.history_pruning and left <= self.use.history_depth and not hopeless:
            hopeless = past < -self.use.history_margin * depth
        if self.use.exchange_pruning and left <= self.use.exchange_depth and not hopeless:
            hopeless = not exchange_at_least(self.pos, move, -self.use.exchange_quiet * left * left)
        return hopeless and not self.pos.gives_check(move)

    def _singularity(self, entry: int, beta: int, depth: int, ply: int, start: int, pv: bool) -> int:
        """By how many plies to extend the hash move, less than none to reduce it; or MULTICUT.

        At half the depth all other moves fall short of it by a margin, or they don't. With MULTICUT the
        position is cut off with the score in `_multicut`.
        """
        if not self.use.singular_extensions or depth < self.use.singular_depth:
            return 0
        if entry_bound(entry) == UPPER or entry_depth(entry) < depth - self.use.singular_table_depth:
            return 0
        known = self._from_table(entry_score(entry), ply)
        if abs(known) >= MATE_BOUND or not self._may_extend(ply):
            return 0
        target = known - self.use.singular_margin * depth // 10
        cut = self.cutting[ply]
        self.excluded[ply] = entry_move(entry)
        score = self.search(target - 1, target, (depth - 1) // 2, ply, start, cut)
        self.excluded[ply] = 0
        self.cutting[ply] = cut
        if score < target:
            if self.use.double_extensions and not pv and score < target - self.use.double_margin:
                return 2
            return 1
        if self.use.multicut and target >= beta and abs(target) < MATE_BOUND:
            self._multicut = target
            return MULTICUT
        if not self.use.negative_extensions:
            return 0
        if known >= beta:
            return -2
        return -1 if cut else 0

    def _reduced(self, move: int, number: int, depth: int, ply: int, reduction: int, past: int) -> int:
        """How deep to search a move at first that is to be searched to `depth`; called after it was made.

        `reduction` is the usual one in 128ths of a ply.
        """
        if not self.use.late_move_reductions or depth < self.use.reduction_depth - 1:
            return depth
        if number < self.use.reduction_moves + self.principal[ply]:
            return depth
        quiet = not move & 0xC000
        if not quiet:
            reduction >>= 1
        if self.principal[ply]:
            reduction -= self.use.reduction_principal
        if self.cutting[ply]:
            reduction += self.use.reduction_cut
        if not self.improving[ply]:
            reduction += self.use.reduction_worsening
        if self.pos.checkers:
            reduction -= self.use.reduction_check
        if quiet and self.ordering.is_killer(move, ply):
            reduction -= self.use.reduction_killer
        reduction -= past * self.use.reduction_history >> 13
        return max(min(depth - (reduction >> 7), depth), 1)
