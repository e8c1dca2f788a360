"""One `go` from beginning to end: the threads that search, the clock, the outcome.

Lazy SMP: every thread deepens on its own copy of the position; what one finds out reaches the
others through the shared table. Only the first thread reports.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf
from threading import Event, Lock, Thread

from engine.board.movegen import legal_moves
from engine.board.position import Position
from engine.clock import now
from engine.control import Control
from engine.search.alphabeta import Searcher
from engine.search.constants import MATE
from engine.search.deepening import MAX_DEPTH, Deepening, RootMove
from engine.search.delays import NO_DELAYS, Delays, Spent
from engine.search.limits import Limits
from engine.search.parameters import Parameters
from engine.search.report import Bound, Listener, Outcome, Progress, Report, Score
from engine.search.settings import Settings
from engine.search.table import Table
from engine.search.time_manager import Budget, allot
from engine.search.verdict import Tables, Verdict

_TALKATIVE_AFTER = 3_000_000_000
"""Nanoseconds until which neither moves nor bounds are told."""

_TABLES_SHARE = 0.5
"""Of the hard budget, this much to ask the endgame tables."""

_HELP_FROM = 5.0
"""With fewer milliseconds than this, one thread searches alone: helpers would find next to nothing in it, and
a busy machine may hold the move up until each of them has run once more to see that it is over."""


@dataclass(frozen=True, slots=True)
class Task:
    """What to search and with what. `moves` are the root moves allowed, `started` in clock nanoseconds.

    An `answer` known already is given without searching; `tables` are asked before anything is searched. The
    clock is shared out with the `delays` of the game in mind.
    """

    position: Position
    moves: list[int]
    limits: Limits
    settings: Settings
    started: int
    searchers: list[Searcher]
    table: Table
    control: Control
    use: Parameters
    answer: Outcome | None = None
    tables: Tables | None = None
    delays: Delays = NO_DELAYS


class Run:
    """One search under way; `over` once it has nothing left to do but tell its outcome.

    Once it has been `delivered`, `spent` tells what it took of our clock; None if that did not run.
    `refused`: the system had fewer threads for it than there are searchers, that is, only `threads`.
    """

    def __init__(self, task: Task, listener: Listener) -> None:
        self._task = task
        self._listener = listener
        self._moves = task.moves
        self._verdict: Verdict | None = None
        self._budget = self._allot()
        self._clock_began = task.started
        self._lock = Lock()
        self._released = Event()
        self._pondering = task.limits.ponder
        self._satisfied = False
        self.over = False
        self.refused = False
        self.delivered = Event()
        self.spent: Spent | None = None
        self._helpers: list[Thread] = []
        self._deepening: Deepening | None = None
        self._main = Thread(target=self._run, name="search", daemon=True)

    @property
    def ending(self) -> bool:
        """Whether nothing is searched any more, or soon will not be, and the outcome is not held back."""
        return self._task.control.stopped() and not self._holds_back

    @property
    def threads(self) -> int:
        """How many have searched."""
        return 1 + len(self._helpers)

    def start(self) -> None:
        """Begin in another thread."""
        self._main.start()

    def stop(self) -> None:
        """End the search; if it has ended but holds its outcome back, let it go."""
        self._task.control.stop()
        self._released.set()

    def ponderhit(self, received_ns: int | None = None) -> None:
        """Turn pondering into a search on the clock since `received_ns`, or end it if that is enough."""
        with self._lock:
            if not self._pondering:
                return
            self._clock_began = now() if received_ns is None else received_ns
            self._pondering = False
            self._set_deadline()
            if self._satisfied:
                self._task.control.stop()
        if not self._task.limits.infinite:
            self._released.set()

    def join(self) -> None:
        """Wait for all threads."""
        self._main.join()

    @property
    def _holds_back(self) -> bool:
        """Whether the outcome, once it is there, has to wait for `stop` or `ponderhit`."""
        return (self._task.limits.infinite or self._pondering) and not self._released.is_set()

    def _allot(self) -> Budget:
        task = self._task
        forced = len(self._moves) == 1 and not task.limits.search_moves
        return allot(task.limits, task.position.side, task.settings.move_overhead, forced, task.delays)

    def _set_deadline(self) -> None:
        """Let the kernel watch the hard budget, unless the clock is counted in nodes."""
        if self._budget.hard < inf and not self._task.settings.nodes_time:
            self._task.control.set_deadline(self._clock_began + int(self._budget.hard * 1e6))

    def _run(self) -> None:
        outcome = Outcome(self._task.moves[0] if self._task.moves else 0, 0)
        try:
            try:
                outcome = self._task.answer or self._think()
            except Exception as error:  # noqa: BLE001 - whatever it is, a move must be played
                self._listener.failed(error)
                if self._deepening:
                    outcome = Outcome(self._deepening.best.move, 0)
            self._deepening = None  # it refers back to this
            self._task.control.stop()  # for who looks: not all outcomes are found by searching
            if self._holds_back:
                self._released.wait()
        finally:
            self.over = True
            try:
                self._listener.outcome(outcome)
            finally:
                self.spent = self._spending()
                self.delivered.set()

    def _spending(self) -> Spent | None:
        """What was spent until now, if this was on the clock."""
        if self._pondering or self._budget.hard == inf or self._task.settings.nodes_time:
            return None
        spent = (now() - self._clock_began) / 1e6
        return Spent(spent, max(self._task.control.longest_pause() / 1e6, spent - self._budget.hard))

    def _think(self) -> Outcome:
        """Search, unless there is nothing to search; the endgame tables may leave only few moves for it."""
        tables = self._task.tables
        if not self._task.moves:
            return self._nothing_to_search()
        if tables is None:
            return self._search()
        self._consult(tables)
        return replace(self._search(), remark=tables.complaint())

    def _consult(self, tables: Tables) -> None:
        """Keep only the moves that the tables find best; there is half the time of a move to ask them."""
        task = self._task
        patience = inf if task.settings.nodes_time else self._budget.hard * _TABLES_SHARE * 1e6
        self._verdict = tables.verdict(
            task.position,
            task.moves,
            lambda: task.control.stopped() or (not self._pondering and now() - self._clock_began > patience),
        )
        if self._verdict:
            with self._lock:
                self._moves = list(self._verdict.best)
                self._budget = self._allot()

    def _nothing_to_search(self) -> Outcome:
        score = Score(-MATE if self._task.position.checkers else 0)
        self._listener.report(Report(0, 0, 1, score, Bound.EXACT, 0, 0, 0, 0, ()))
        return Outcome(0, 0)

    def _search(self) -> Outcome:
        task = self._task
        with self._lock:
            if not self._pondering:
                self._set_deadline()
        limit = self._node_limit()
        for searcher in task.searchers:
            searcher.begin(task.position, limit, len(task.searchers))
        deepening = Deepening(
            task.searchers[0],
            task.position,
            self._moves,
            task.use,
            task.settings.lines,
            self._on_move,
            self._on_bound,
        )
        self._deepening = deepening
        try:
            for depth in deepening.run(min(task.limits.depth or MAX_DEPTH, MAX_DEPTH)):
                for report in self._reports(deepening):
                    self._listener.report(report)
                if deepening.finished and self._enough(deepening, depth):
                    break
                # Not before, so that there is a line to show, nor again where depth 2 was cut short.
                if depth == 1 and deepening.finished and self._has_time_for_helpers():
                    self._start_helpers()
        finally:
            task.control.expired()  # what has held the search up since the last look is a pause, too
            task.control.stop()
            for helper in self._helpers:
                helper.join()
        if not deepening.best.depth:
            self._listener.report(self._unsearched(deepening.best))
        return self._outcome(deepening.best)

    def _has_time_for_helpers(self) -> bool:
        return self._pondering or self._budget.hard >= _HELP_FROM

    def _start_helpers(self) -> None:
        """The other threads; every other one begins a depth deeper, so that they differ.

        None begins before all are there: where hundreds share a few processors, those that search would hold
        up the start of the rest, each for the better part of a second.
        """
        task = self._task
        gate = Event()
        try:
            for index, searcher in enumerate(task.searchers[1:]):
                if task.control.expired():
                    return
                helper = Thread(
                    target=self._help,
                    args=(searcher, 2 - index % 2, gate),
                    name=f"helper {index + 1}",
                    daemon=True,
                )
                helper.start()
                self._helpers.append(helper)
        except (MemoryError, RuntimeError):  # the system has no more threads: fewer will do
            self.refused = True
        finally:
            gate.set()

    def _help(self, searcher: Searcher, first: int, gate: Event) -> None:
        try:
            gate.wait()
            deepening = Deepening(searcher, self._task.position, self._moves, self._task.use)
            for _ in deepening.run(MAX_DEPTH, first):
                pass
        except Exception as error:  # noqa: BLE001 - whatever it is, a move must be played
            self._listener.failed(error)

    def _node_limit(self) -> int | None:
        """The limit given, or the hard budget counted in nodes."""
        task = self._task
        limit = inf if task.limits.nodes is None else task.limits.nodes
        if task.settings.nodes_time and self._budget.hard < inf:
            limit = min(limit, self._budget.hard * task.settings.nodes_time)
        return None if limit == inf else max(1, int(limit))

    def _enough(self, deepening: Deepening, depth: int) -> bool:
        """Whether a finished depth is the last: a mate as asked for, or the time is better saved."""
        limits = self._task.limits
        mate = Score(deepening.best.score).mate()
        if limits.mate is not None and mate is not None and 0 < mate <= limits.mate:
            return True
        if self._budget.soft == inf:
            return False
        certain = mate is not None and depth > 2 * abs(mate)
        if not certain and self._budget.allows_another_depth(
            self._elapsed(), deepening.stable_depths, deepening.fall, deepening.share
        ):
            return False
        with self._lock:
            self._satisfied = True
            return not self._pondering

    def _elapsed(self) -> float:
        """Milliseconds since the command arrived, or nodes as milliseconds."""
        if self._task.settings.nodes_time:
            return self._nodes() / self._task.settings.nodes_time
        return (now() - self._task.started) / 1e6

    def _nodes(self) -> int:
        return sum(searcher.nodes for searcher in self._task.searchers)

    def _reports(self, deepening: Deepening) -> Iterator[Report]:
        for line, root_move in enumerate(deepening.moves[: deepening.lines]):
            if root_move.depth:  # else the first depth was cut short before it
                yield self._report(line, root_move)
        if self._verdict:  # the lines that need no searching
            wanted = self._task.settings.lines - deepening.lines
            for line, move in enumerate(self._verdict.others[:wanted], deepening.lines):
                yield self._told(line, move, deepening.best.depth)

    def _told(self, line: int, move: int, depth: int) -> Report:
        """What the tables say of a move that was not searched."""
        root_move = RootMove(move, 0)
        root_move.depth, root_move.score = depth, 0
        return self._report(line, root_move)

    def _report(self, line: int, root_move: RootMove) -> Report:
        score, known = root_move.score, False
        if self._verdict:
            score, known = self._verdict.score(root_move.move, score)
        return Report(
            depth=root_move.depth,
            seldepth=max(self._task.searchers[0].seldepth, len(root_move.line)),
            line=line + 1,
            score=Score(score),
            bound=Bound.EXACT if known else root_move.bound,
            nodes=self._nodes(),
            milliseconds=(now() - self._task.started) // 1_000_000,
            hashfull=self._task.table.hashfull(),
            table_hits=self._verdict.hits if self._verdict else 0,
            moves=root_move.line,
            known=known,
        )

    def _unsearched(self, first: RootMove) -> Report:
        """What is told where the search was too short for its first move: clients wait for a score."""
        first.depth, first.score = 1, self._task.searchers[0].evaluator.judge(self._task.position)
        return self._report(0, first)

    def _on_move(self, depth: int, move: int, number: int) -> None:
        if now() - self._task.started > _TALKATIVE_AFTER:
            self._listener.progress(Progress(depth, move, number))

    def _on_bound(self, deepening: Deepening, line: int) -> None:
        if now() - self._task.started > _TALKATIVE_AFTER and deepening.lines == 1:
            self._listener.report(self._report(line, deepening.moves[line]))

    def _outcome(self, best: RootMove) -> Outcome:
        if len(best.line) > 1:
            return Outcome(best.move, best.line[1])
        return Outcome(best.move, self._guess_reply(best.move))

    def _guess_reply(self, move: int) -> int:
        """What the table thinks of the position after a move, where the line ends with it."""
        position = self._task.position.copy()
        position.make(move)
        reply = self._task.table.move(position.table_key())
        return reply if reply in legal_moves(position) else 0
