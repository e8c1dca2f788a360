"""The base of the search: one thread's position, node counters, limits, draws and principal variation."""

import cython

from engine.board.movegen import MoveStack
from engine.board.position import Position
from engine.search.correction import Correction
from engine.search.ordering import Ordering
from engine.search.parameters import Parameters
from engine.search.picker import Picker
from engine.search.probing import Prober
from engine.search.table import Table
from engine.system.control import Control
from eval.evaluator import Evaluator

if not cython.compiled:
    from engine.board.move import NO_MOVE
    from engine.board.movegen import generate
    from engine.search.constants import (
        EXACT,
        FIFTY_CAUTION,
        LOWER,
        MAX_PLY,
        POLL_INTERVAL,
        TABLEBASE_BOUND,
        TABLEBASE_DEPTH,
        UNKNOWN,
        UPPER,
    )
    from engine.search.table import entry_bound, entry_static, prefetch
    from engine.system.control import add_nodes

    def count_node(worker: "Worker") -> None:
        """Count a node; an atomic store in C, since other threads may read meanwhile."""
        worker._nodes += 1

    def read_nodes(worker: "Worker") -> int:
        """The nodes counted; an atomic load in C."""
        return worker._nodes

    def count_table_hit(worker: "Worker") -> None:
        """Count a position found in the endgame tables."""
        worker._table_hits += 1

    def read_table_hits(worker: "Worker") -> int:
        """The positions found in the endgame tables."""
        return worker._table_hits


NO_NODE_LIMIT = 1 << 62
"""More nodes than any search has."""


class Worker:
    """What quiescence and alpha-beta both need: the base class of the searcher.

    Table and control are shared with the other threads of the same search.
    """

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
        self.unwinding = False
        self._node_limit = NO_NODE_LIMIT
        self._shares_limit = False
        self._next_poll = 0
        self._poll_interval = POLL_INTERVAL
        self._counted = 0
        self._root_depth = 0
        self.pv_length = [0] * 256
        self.pv = [0] * 65536

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
            self._start(NO_NODE_LIMIT, 1)  # without a limit there is nothing to count together
        else:
            self._start(node_limit, threads)

    def _start(self, node_limit: int, threads: int) -> None:
        """`begin` from the position that is there."""
        self._nodes = 0
        self._table_hits = 0
        self.unwinding = False
        self._node_limit = node_limit
        self._shares_limit = threads > 1
        self._poll_interval = max(1, min(POLL_INTERVAL, self._node_limit // (8 * threads)))
        self._next_poll = 0
        self._counted = 0
        self.ordering.forget_killers()

    def forget_moves(self) -> None:
        """Forget what was learned about moves."""
        self.ordering.clear()

    def forget_positions(self) -> None:
        """Forget what was learned about positions; called when the table is cleared."""
        self.correction.clear()

    def use_evaluator(self, evaluator: Evaluator) -> None:
        """Use another evaluator from now on; `forget_positions` and an empty table belong to it."""
        self.evaluator = evaluator

    def begin_depth(self, depth: int) -> None:
        """Start counting the selective depth anew; `depth` bounds the extensions."""
        self.seldepth = 0
        self._root_depth = depth

    def _enter(self, ply: int) -> bool:
        """Count a node; True if the search has to unwind."""
        if self._nodes >= self._next_poll:
            self._poll()
            if self.unwinding:
                return True
        count_node(self)
        self.pv_length[ply] = ply
        self.seldepth = max(self.seldepth, ply)
        return False

    def _poll(self) -> None:
        """Look at the limits."""
        spent = self._nodes
        if self._shares_limit:
            spent = add_nodes(self.control, self._nodes - self._counted)
            self._counted = self._nodes
        if spent >= self._node_limit:
            self.control.stop()
        if self.control.expired():
            self.unwinding = True
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
        """The static value plus its correction, kept below the scores of known wins."""
        if not self.parameters.correction_history:
            return static
        corrected = static + self.correction.find(self.pos, self.parameters)
        return max(min(corrected, TABLEBASE_BOUND - 1), 1 - TABLEBASE_BOUND)

    def _table_adjusted(self, static: int, entry: int, known: int) -> int:
        """The static value, or the table's score `known` where its bound shows that it is nearer."""
        if entry:
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
