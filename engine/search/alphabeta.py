"""The search of one thread: negamax alpha-beta, quiescence, and what both need.

All scores are centipawns from the point of view of the side to move; a mate in n plies from the
root scores MATE - n. The search is fail-soft: called with a window (alpha, beta) it returns r where
r <= alpha means that the value is at most r, r >= beta that it is at least r, and anything between
that it is r.
"""

import cython

from engine.board.movegen import MoveStack
from engine.board.position import Position
from engine.search.correction import Correction
from engine.search.ordering import Ordering, Picker
from engine.search.parameters import Parameters
from engine.search.probing import Prober
from engine.search.table import Table
from engine.system.control import Control
from eval.evaluator import Evaluator

if not cython.compiled:
    from engine.board.bitboard import BISHOP, KNIGHT, PAWN, QUEEN, ROOK, popcount
    from engine.board.cycles import has_upcoming_repetition
    from engine.board.move import NO_MOVE, is_en_passant, is_promotion, is_quiet, target
    from engine.board.movegen import generate, gives_check
    from engine.search.constants import (
        EXACT,
        FIFTY_CAUTION,
        INFINITE,
        LOWER,
        MATE,
        MATE_BOUND,
        MAX_PLY,
        PLIES,
        POLL_INTERVAL,
        ROOT_REDUCTION_DEPTH,
        ROOT_REDUCTION_MOVES,
        TABLEBASE_BOUND,
        TABLEBASE_DEPTH,
        UNKNOWN,
        UPPER,
        Ply,
    )
    from engine.search.exchange import exchange_at_least
    from engine.search.table import (
        entry_bound,
        entry_depth,
        entry_move,
        entry_principal,
        entry_score,
        entry_static,
        prefetch,
    )
    from engine.system.control import add_nodes

    def count_node(searcher: "Searcher") -> None:
        """Count a node; an atomic store in C, since other threads may read meanwhile."""
        searcher._nodes += 1

    def read_nodes(searcher: "Searcher") -> int:
        """The nodes counted; an atomic load in C."""
        return searcher._nodes

    def count_table_hit(searcher: "Searcher") -> None:
        """Count a position found in the endgame tables."""
        searcher._table_hits += 1

    def read_table_hits(searcher: "Searcher") -> int:
        """The positions found in the endgame tables."""
        return searcher._table_hits


NO_NODE_LIMIT = 1 << 62
"""More nodes than any search has."""


class Searcher:
    """One thread's search. Table and control are shared with the other threads of the same search."""

    def __init__(self, table: Table, control: Control, evaluator: Evaluator, parameters: Parameters) -> None:
        self.pos = Position()
        self.ms = MoveStack()
        self.table = table
        self.control = control
        self.evaluator = evaluator
        self.ordering = Ordering(parameters)
        self.picker = Picker(self.ordering, parameters)
        self.correction = Correction()
        self.parameters = parameters
        self.prober = Prober()
        self._nodes = 0
        self._table_hits = 0
        self.seldepth = 0
        self.stopped = False
        self._node_limit = NO_NODE_LIMIT
        self._shares_limit = False
        self._next_poll = 0
        self._poll_interval = POLL_INTERVAL
        self._counted = 0
        self._root_depth = 0
        self._correction = 0
        self.pv_length = [0] * 256
        self.pv = [0] * 65536
        self.plies = [Ply(NO_MOVE, UNKNOWN, False, False, 0, 0) for _ in range(PLIES)]

    @property
    def nodes(self) -> int:
        """The nodes of this search so far; any thread may ask."""
        return read_nodes(self)

    @property
    def table_hits(self) -> int:
        """How often this search has found a position in the endgame tables; any thread may ask."""
        return read_table_hits(self)

    def begin(self, position: Position, node_limit: int | None = None, threads: int = 1) -> None:
        """Get ready for a search from this position by `threads` threads, with `node_limit` nodes in all.

        One thread keeps the limit to the node; several may exceed it by an eighth.
        """
        self.pos = position.copy()
        if node_limit is None:
            self._begin(NO_NODE_LIMIT, 1)  # without a limit there is nothing to count together
        else:
            self._begin(node_limit, threads)

    def _begin(self, node_limit: int, threads: int) -> None:
        """`begin` from the position that is there. The root has a static value at once."""
        self._nodes = 0
        self._table_hits = 0
        self.stopped = False
        self._node_limit = node_limit
        self._shares_limit = threads > 1
        self._poll_interval = max(1, min(POLL_INTERVAL, self._node_limit // (8 * threads)))
        self._next_poll = 0
        self._counted = 0
        self.ordering.forget_plies()
        for ply in range(PLIES):
            self.plies[ply] = Ply(NO_MOVE, UNKNOWN, False, False, 0, 0)
        if not self.pos.checkers:
            self.plies[0].static_value = self._corrected(self.evaluator.evaluate(self.pos))

    def new_depth(self, depth: int) -> None:
        """Begin to search the root to a depth, which bounds the extensions."""
        self.seldepth = 0
        self._root_depth = depth

    def forget_moves(self) -> None:
        """Forget what was learned about moves."""
        self.ordering.clear()

    def forget_positions(self) -> None:
        """Forget what was learned about positions; called when the table is cleared."""
        self.correction.clear()

    def use_evaluator(self, evaluator: Evaluator) -> None:
        """Use another evaluator from now on; `forget_positions` and an empty table belong to it."""
        self.evaluator = evaluator

    def search_root_move(self, move: int, alpha: int, beta: int, depth: int, number: int) -> int:
        """The value of a legal root move, searched to `depth` plies in all, the move included.

        `number` is how many root moves were tried before it in this window. Fail-soft, from the root side's
        point of view. Without meaning when `stopped` is set afterwards: stop, node limit or deadline then
        cut it short. Principal variation search: null windows for all but the first move.
        """
        whole = number == 0 or not self.parameters.principal_variation
        late = number >= ROOT_REDUCTION_MOVES and depth >= ROOT_REDUCTION_DEPTH and is_quiet(move)
        reduced = depth - 1
        if late and not whole and self.parameters.late_move_reductions:
            reduced -= self._root_reduction(move, depth, number)
        self.pos.make(move)
        score = alpha + 1
        if reduced < depth - 1:
            score = -self.search(-alpha - 1, -alpha, reduced, 1, 0, True, False)
        if score > alpha and not whole and not self.stopped:
            score = -self.search(-alpha - 1, -alpha, depth - 1, 1, 0, True, False)
        if whole or (alpha < score < beta and not self.stopped):
            score = -self.search(-beta, -alpha, depth - 1, 1, 0, beta - alpha == 1, False)
        self.pos.unmake()
        return score

    def _root_reduction(self, move: int, depth: int, number: int) -> int:
        """By how many plies to reduce a late quiet root move at first: at least one."""
        self.ordering.find_threats(self.pos, 0)
        history = self.ordering.quiet_history(self.pos, move, 0)
        reduction = self.parameters.reductions[min(depth, 63) * 64 + min(number, 63)]
        reduction -= self.parameters.reduction_principal + (history * self.parameters.reduction_history >> 13)
        return max(min(reduction >> 7, depth - 2), 1)

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

        # Step 2. Check extensions; at the horizon, quiescence.
        checkers = self.pos.checkers
        if checkers and not excluded and self.parameters.check_extension and self._may_extend(ply):
            depth += 1
        if checkers and depth <= 0 and self.parameters.horizon_extension and self._may_extend(ply):
            depth = 1
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

        # Step 6. Static evaluation, improving, hindsight extension, static history.
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
        self.plies[ply].reduction = 0
        if not excluded:
            depth += self._hindsight_extension(ply)
        if ply > 1 and static != UNKNOWN and self.plies[ply - 1].static_value != UNKNOWN and not excluded:
            self.ordering.credit(self.pos, -static - self.plies[ply - 1].static_value, ply - 1)

        # Step 7. Reverse futility, razoring, null move, ProbCut.
        if not pv and not checkers and not excluded:
            value = self._table_adjusted(static, entry, known)
            score = self._forward_pruning(beta, depth, ply, start, value, cut, verifying)
            if self.stopped:
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
        old_alpha = alpha
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

            # Step 11. Singular extension, multicut; shallow extension.
            new_depth = depth - 1
            end = self.picker.end(moves)
            if move == hash_move and not excluded and self._may_be_singular(entry, known, depth, ply):
                threshold = known - self.parameters.singular_margin * depth // 10
                self.plies[ply].excluded = move
                others = self.search(threshold - 1, threshold, (depth - 1) // 2, ply, end, cut, verifying)
                self.plies[ply].excluded = NO_MOVE
                if self.stopped:
                    return 0
                if self._multicut(others, threshold, beta):
                    if not checkers and self.parameters.correction_history:
                        self._learn_correction(threshold, LOWER, static, (depth - 1) // 2)
                    return threshold
                new_depth += self._singular_extension(others, threshold, known, beta, pv, cut)
            elif move == hash_move and self._may_extend_shallow(alpha, entry, static, depth, ply):
                new_depth += 1

            # Step 12. Principal variation search: null windows after the first move; late move reductions.
            self.plies[ply].number = number
            self.pos.make(move)
            if best == -INFINITE or not self.parameters.principal_variation:
                score = -self.search(-beta, -alpha, new_depth, ply + 1, end, not pv and not cut, verifying)
            else:
                reduced = new_depth - self._late_move_reduction(
                    move, number, new_depth, ply, reduction, history, cut
                )
                self.plies[ply].reduction = new_depth - reduced
                score = -self.search(-alpha - 1, -alpha, reduced, ply + 1, end, True, verifying)
                self.plies[ply].reduction = 0
                if score > alpha and reduced < new_depth and not self.stopped:
                    if score > best + self.parameters.deeper_margin and self._may_extend(ply):
                        new_depth += 1
                    score = -self.search(-alpha - 1, -alpha, new_depth, ply + 1, end, not cut, verifying)
                if alpha < score < beta and pv and not self.stopped:
                    score = -self.search(-beta, -alpha, new_depth, ply + 1, end, False, verifying)
            self.pos.unmake()
            if self.stopped:
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
                        # A surprise to the static value counts as a ply deeper.
                        is_surprise = static != UNKNOWN and static <= old_alpha
                        self.picker.reward(self.pos, self.ms, moves, depth + is_surprise)
                        if ply > 1 and self.plies[ply - 1].number == 0:
                            self.ordering.refute(self.pos, depth)
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

    def _hindsight_extension(self, ply: int) -> int:
        """1 if the last move was much reduced and the mover stands no better than before it, else 0."""
        if ply == 0 or self.plies[ply - 1].reduction < self.parameters.hindsight_reduction:
            return 0
        static = self.plies[ply].static_value
        before = self.plies[ply - 1].static_value
        if not self.parameters.hindsight_extension or static == UNKNOWN:
            return 0
        return 1 if before != UNKNOWN and static <= -before else 0

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
            margin += abs(self._correction) * self.parameters.correction_margin >> 7
            if value - margin >= beta and value < TABLEBASE_BOUND:
                return beta + (value - beta) // 3

        # Razoring: so far below the window that only captures can help.
        margin = self.parameters.razoring_margin * depth
        if self.parameters.razoring and depth <= self.parameters.razoring_depth and value + margin < beta:
            score = self.quiesce(beta - 1, beta, ply, start)
            if score < beta or self.stopped:
                return score

        # Null move pruning: even a pass holds beta.
        passes = self.parameters.null_move and depth >= self.parameters.null_depth and not verifying
        if passes and value >= beta:
            score = self._null_move(beta, depth, ply, start, value, cut)
            if score >= beta or self.stopped:
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
        reduced -= min((value - beta) // self.parameters.null_margin, 3) + self.plies[ply].improving
        self.plies[ply].number = -1
        self.pos.make_null()
        score = -self.search(-beta, -beta + 1, reduced, ply + 1, start, not cut, False)
        self.pos.unmake_null()
        if score < beta or self.stopped:
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
        self.ordering.score_moves(self.pos, self.ms, start, end, NO_MOVE, ply)
        reduced = depth - self.parameters.probcut_reduction
        self.plies[ply].number = -1
        for i in range(start, end):
            move = self.picker.pick(self.pos, self.ms, i, end)
            if self.ms.score[i] < 0:
                break
            if not exchange_at_least(self.pos, move, threshold - value, self.parameters):
                continue
            self.pos.make(move)
            score = -self.quiesce(-threshold, -threshold + 1, ply + 1, end)
            if score >= threshold and reduced > 0 and not self.stopped:
                score = -self.search(-threshold, -threshold + 1, reduced, ply + 1, end, not cut, verifying)
            self.pos.unmake()
            if self.stopped:
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

    def _may_extend_shallow(self, alpha: int, entry: int, static: int, depth: int, ply: int) -> bool:
        """Whether to extend the hash move where there is too little depth to see whether it is singular."""
        if not self.parameters.shallow_extension or depth >= self.parameters.singular_depth:
            return False
        if static == UNKNOWN or entry_bound(entry) != LOWER or not self._may_extend(ply):
            return False
        return static <= alpha - self.parameters.shallow_margin

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

    # Quiescence

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
        self.ordering.score_moves(self.pos, self.ms, start, end, entry_move(entry), ply)
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
            if self.stopped:
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

    # Limits, draws, static values, endgame tables

    def _enter(self, ply: int) -> bool:
        """Count a node; True if the search is stopped."""
        if self._nodes >= self._next_poll:
            self._poll()
            if self.stopped:
                return True
        count_node(self)
        self.pv_length[ply] = ply
        self.seldepth = max(self.seldepth, ply)
        return False

    def _poll(self) -> None:
        spent = self._nodes
        if self._shares_limit:
            spent = add_nodes(self.control, self._nodes - self._counted)
            self._counted = self._nodes
        if spent >= self._node_limit:
            self.control.stop()
        if self.control.expired():
            self.stopped = True
        self._next_poll = self._nodes + min(self._poll_interval, max(self._node_limit - spent, 1))

    def _prefetch_children(self, start: int, end: int) -> None:
        """Fetch what the table may know of the positions after moves start … end - 1 of the stack.

        All at once, before they are rated: memory takes longer than to make the first move.
        """
        for i in range(start, end):
            prefetch(self.table, self.pos.key_after(self.ms.move[i]))

    def _is_draw(self, ply: int, start: int) -> bool:
        """Whether the position is a draw by the rules or by `is_repetition`; mate takes precedence."""
        if self.pos.is_fifty_moves():
            return not self.pos.checkers or generate(self.pos, self.ms, start, False) > start
        return self.pos.is_insufficient() or self.pos.is_repetition(ply)

    def _static_value(self, entry: int) -> int:
        """The evaluator's value, from the table's entry if that has it."""
        static = entry_static(entry) if entry else UNKNOWN
        return self.evaluator.evaluate(self.pos) if static == UNKNOWN else static

    def _corrected(self, static: int) -> int:
        """The static value, scaled, plus its correction, kept below the scores of known wins."""
        if self.parameters.value_scale:
            static = self._scaled(static)
        self._correction = 0
        if self.parameters.correction_history:
            self._correction = self.correction.find(self.pos, self.parameters)
        return max(min(static + self._correction, TABLEBASE_BOUND - 1), 1 - TABLEBASE_BOUND)

    def _scaled(self, static: int) -> int:
        """The static value: more with many pieces on the board, less with few or near the fifty-move draw."""
        phase = popcount(self.pos.by_type[KNIGHT] | self.pos.by_type[BISHOP])
        phase += 2 * popcount(self.pos.by_type[ROOK]) + 4 * popcount(self.pos.by_type[QUEEN])
        static += static * (phase - 14) * self.parameters.material_scale >> 10
        return static - (static * (min(self.pos.halfmoves, 100) * 1024 // self.parameters.fifty_scale) >> 10)

    def _table_adjusted(self, static: int, entry: int, known: int) -> int:
        """The static value, or the table's score `known` where its bound shows that it is nearer.

        A mate or a known win from the table may come too late for the fifty-move rule.
        """
        if entry and (abs(known) < TABLEBASE_BOUND or self.pos.halfmoves < FIFTY_CAUTION):
            bound = entry_bound(entry)
            if bound == EXACT or (bound == LOWER and known > static) or (bound == UPPER and known < static):
                return known
        return static

    def _table_cutoff(self, entry: int, known: int, beta: int) -> bool:
        """Whether the table's score `known` decides the null window below beta."""
        if self.pos.halfmoves >= FIFTY_CAUTION:
            return False
        return entry_bound(entry) & (LOWER if known >= beta else UPPER) != 0

    def _probe_tablebases(self, depth: int, ply: int) -> int:
        """The endgame tables' score, UNKNOWN where they are not asked or have none."""
        if not self.prober.is_asked(self.pos, depth):
            return UNKNOWN
        score = self.prober.score(self.pos, ply)
        if score != UNKNOWN:
            count_table_hit(self)
            self._next_poll = self._nodes  # the disk may be slow: look at the clock again at once
        return score

    def _tablebase_cutoff(
        self, result: int, alpha: int, beta: int, depth: int, ply: int, principal: bool
    ) -> bool:
        """Whether the endgame tables' score decides the window; then it is stored, too.

        A draw is certain, a win or a loss may still become a mate.
        """
        bound = EXACT
        if result > TABLEBASE_BOUND:
            bound = LOWER
        elif result < -TABLEBASE_BOUND:
            bound = UPPER
        if (bound == LOWER and result < beta) or (bound == UPPER and result > alpha):
            return False
        if self.parameters.table:
            stored = self._to_table(result, ply)
            deeper = min(depth + TABLEBASE_DEPTH, MAX_PLY)
            self.table.store(self.pos.table_key(), NO_MOVE, stored, deeper, bound, UNKNOWN, principal)
        return True

    def _update_pv(self, ply: int, move: int) -> None:
        """Set the principal variation at this ply: the move, and the line of the next ply."""
        self.pv[ply * 256 + ply] = move
        length = self.pv_length[ply + 1]
        for i in range(ply + 1, length):
            self.pv[ply * 256 + i] = self.pv[(ply + 1) * 256 + i]
        self.pv_length[ply] = length

    def _to_table(self, score: int, ply: int) -> int:
        """Mates and known wins count from the root in the search, in the table from the entry's position."""
        if score > TABLEBASE_BOUND:
            return score + ply
        if score < -TABLEBASE_BOUND:
            return score - ply
        return score

    def _from_table(self, score: int, ply: int) -> int:
        if score > TABLEBASE_BOUND:
            return score - ply
        if score < -TABLEBASE_BOUND:
            return score + ply
        return score
