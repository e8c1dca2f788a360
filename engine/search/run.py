"""One `go` from beginning to end: the threads that search, the clock, the outcome.

The way of a search: `Uci._go`, `Session.go`, in a thread of its own `Run.run`, `Run._search`,
`RootSearch.deepen` (depths and lines), `RootSearch.search`, without the interpreter lock `RootSearch._search`
(aspiration windows), `RootSearch._search_next`, `Searcher.search_root_move` and `Searcher.search`
(alpha-beta).

Lazy SMP: every thread deepens on its own copy of the position and shares the table. The first thread reports
and decides when it is enough; then all vote. The helpers run `RootSearch.help` without the interpreter lock.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import inf
from threading import Event, RLock

from engine.board.movegen import legal_moves
from engine.board.position import Position
from engine.search.constants import MATE, MATE_BOUND, MAX_DEPTH
from engine.search.engine import Engine
from engine.search.limits import Limits, Settings
from engine.search.parameters import CLOCK_DEFAULTS
from engine.search.probing import Prober
from engine.search.report import (
    Bound,
    Finding,
    Iteration,
    Listener,
    Outcome,
    Progress,
    Report,
    Score,
    Tables,
    Variation,
    Verdict,
    reported,
)
from engine.search.root_search import RootSearch
from engine.search.time_manager import NO_DELAYS, Budget, Delays, Spent, allot
from engine.system.control import now
from engine.system.thread_pool import run_in_thread

_VERBOSE_AFTER = 3_000_000_000  # nanoseconds after which the moves and bounds of the root are reported, too
_TABLES_SHARE = 0.5  # the share of the hard budget in which the endgame tables may be asked
_TABLES_TIME = 20.0  # milliseconds in which they may be asked at least, if a clock has ten times as much

_HURRY = 16.0
"""A move with a smaller hard budget, in milliseconds, is made in a hurry: one thread searches alone. Helpers
would find next to nothing, and delay the move until each of them has run once more to see that it is over."""

_HURRIED_PONDERING = 20_000_000
"""Nanoseconds for which to ponder on a move that will be made in a hurry. The thread then sleeps: on a busy
machine a thread that wakes up runs sooner than one that has to notice that it is to stop."""

_SHORTEST_LINE = 4
"""Plies to which a line is lengthened from the transposition table: its search may not have found how it goes
on, above all where its score is a bound."""

_WORST_MARGIN = 14
"""Centipawns that the worst score of a vote counts above itself, so that its thread has a vote, too."""


class Run:
    """One search under way in a thread of its own; `over` once only its outcome has yet to be delivered.

    Once that is `delivered`, `spent` says what it took of our clock; None if that did not run. `pondering`:
    whether it waits for `ponderhit`.
    """

    def __init__(
        self,
        engine: Engine,
        position: Position,
        moves: list[int],
        limits: Limits,
        settings: Settings,
        listener: Listener,
        *,
        started: int,
        answer: Outcome | None = None,
        tables: Tables | None = None,
        prober: Prober | None = None,
        delays: Delays = NO_DELAYS,
    ) -> None:
        """Search for the best of these root moves, with the first `settings.threads` searchers of the engine.

        `started` is in nanoseconds of the clock. With an `answer` nothing is searched; else the `tables` are
        asked first, and the `prober` inside the search. The `delays` of the game so far shorten the time for
        the move.
        """
        self._engine = engine
        self._position = position
        self._moves = moves
        self._limits = limits
        self._settings = settings
        self._listener = listener
        self._started = self._clock_began = started
        self._answer = answer
        self._tables = tables
        self._prober = prober or Prober()
        self._delays = delays
        self._searchers = engine.searchers[: settings.threads]
        self._roots: list[RootSearch] = []  # of the threads that search
        self._helpers_over: list[Event] = []
        self._verdict: Verdict | None = None
        self._clock = {**CLOCK_DEFAULTS, **settings.parameters}
        self._budget = self._allot()
        self._lock = RLock()  # `stop` may be called by a signal handler that interrupts `stop`
        self._released = False
        self._held_back: Outcome | None = None
        self.pondering = limits.ponder
        self._satisfied = False
        self._best: Variation | None = None
        self._reported: tuple[int, ...] = ()  # the moves of the last line 1
        self.over = False
        self.delivered = Event()
        self.spent: Spent | None = None

    @property
    def ending(self) -> bool:
        """Whether the search has ended or soon will, and its outcome is not held back."""
        return self._engine.control.stopped() and not self._holds_back

    def stop(self) -> None:
        """End the search; if it has ended but holds its outcome back, deliver that at once."""
        self._engine.control.stop()
        self._release()

    def ponderhit(self, received_ns: int | None = None) -> None:
        """Turn pondering into a search on the clock since `received_ns`, or end it if that is enough."""
        with self._lock:
            if not self.pondering:
                return
            self._clock_began = now() if received_ns is None else received_ns
            self.pondering = False
            self._set_deadline()
            if self._satisfied:
                self._engine.control.stop()
        if not self._limits.infinite:
            self._release()

    def run(self) -> None:
        """Search, and deliver one outcome whatever goes wrong: what the thread does."""
        outcome = self._answer or Outcome(next(iter(self._moves), 0), 0)
        try:
            try:
                if self._answer is None:
                    self._search()
            finally:
                self._end_helpers()
            if self._best is not None:
                outcome = self._outcome(self._elected(self._best))
        except Exception as error:  # noqa: BLE001 - whatever it is, a move must be played
            self._listener.failed(error)
            if self._best is not None:
                outcome = Outcome(self._best.move, 0)
        finally:
            self._roots, self._searchers = [], []  # they take memory
            self._deliver_or_hold_back(outcome)

    @property
    def _holds_back(self) -> bool:
        """Whether the outcome, once known, has to wait for `stop` or `ponderhit`."""
        return (self._limits.infinite or self.pondering) and not self._released

    def _deliver_or_hold_back(self, outcome: Outcome) -> None:
        with self._lock:
            if self._holds_back:
                self._held_back = outcome
                return
        self._deliver(outcome)

    def _release(self) -> None:
        """Hold the outcome back no longer. If it is known, this thread delivers it: no other has to wake."""
        with self._lock:
            self._released = True
            outcome, self._held_back = self._held_back, None
        if outcome is not None:
            self._deliver(outcome)

    def _deliver(self, outcome: Outcome) -> None:
        self.over = True
        try:
            self._listener.outcome(outcome)
        finally:
            self.spent = self._spending()
            self.delivered.set()

    # The clock

    def _allot(self) -> Budget:
        forced = len(self._moves) == 1 and not self._limits.search_moves
        return allot(
            self._limits,
            self._position.side,
            self._settings.move_overhead,
            forced,
            self._delays,
            ply=self._position.base_ply + self._position.height,
            clock=self._clock,
        )

    @property
    def _in_a_hurry(self) -> bool:
        """Not where the clock is counted in nodes: no machine delays that."""
        return self._budget.hard < _HURRY and not self._settings.nodes_time

    def _set_deadline(self) -> None:
        if self._budget.hard < inf and not self._settings.nodes_time:
            self._engine.control.set_deadline(self._clock_began + int(self._budget.hard * 1e6))

    def _node_limit(self) -> int | None:
        limit = inf if self._limits.nodes is None else self._limits.nodes
        if self._settings.nodes_time and self._budget.hard < inf:
            limit = min(limit, self._budget.hard * self._settings.nodes_time)
        return None if limit == inf else max(1, int(limit))

    def _elapsed(self) -> float:
        """Milliseconds since the command arrived, or nodes as milliseconds."""
        if self._settings.nodes_time:
            return self._nodes() / self._settings.nodes_time
        return (now() - self._started) / 1e6

    def _spending(self) -> Spent | None:
        if self.pondering or self._budget.hard == inf or self._settings.nodes_time:
            return None
        spent = (now() - self._clock_began) / 1e6
        pause = self._engine.control.longest_pause() / 1e6
        return Spent(spent, max(pause, spent - self._budget.hard))

    # The search

    def _search(self) -> None:
        """Search until it is enough, or nothing is left to search; `_best` is what the first thread found."""
        if not self._moves:
            score = Score(-MATE if self._position.checkers else 0)
            self._listener.report(Report(0, 0, 1, score, Bound.EXACT, 0, 0, 0, 0, ()))
            return
        if self._tables is not None:
            self._consult(self._tables)
        with self._lock:
            if not self.pondering:
                self._set_deadline()
            elif self._in_a_hurry:
                self._engine.control.set_deadline(now() + _HURRIED_PONDERING)
        root = self._root(0, self._settings.lines)
        self._roots.append(root)
        mate = self._limits.mate
        # Without guesses, depth 2N + 2 sees every mate in N.
        deepest = MAX_DEPTH if mate is None else min(2 * mate + 2, MAX_DEPTH)
        depth = min(self._limits.depth or deepest, deepest)
        for finding in root.deepen(depth, self._started + _VERBOSE_AFTER):
            self._tell(finding)
            if isinstance(finding, Iteration) and finding.finished:
                if self._is_mate_wanted(finding) or (self._is_last(finding) and self._satisfy()):
                    return
                # Not earlier, so that there is a line to show, nor again when depth 2 was cut short.
                if finding.depth == 1 and not self._in_a_hurry:
                    self._start_helpers()

    def _root(self, number: int, lines: int = 1) -> RootSearch:
        searcher = self._searchers[number]
        # Where the root is in the tables, all its moves have their result: it is for the search to find mate.
        searcher.prober = self._prober if self._verdict is None else Prober()
        root = RootSearch(searcher)
        root.begin(self._position, self._moves, lines, self._node_limit(), len(self._searchers))
        return root

    def _start_helpers(self) -> None:
        """Let the other threads search, each some of the depths, so that they differ; see `skips`.

        None begins before all have been started: where hundreds share a few processors, each that searches
        would delay the start of the rest by the better part of a second.
        """
        gate = Event()
        try:
            for number in range(1, len(self._searchers)):
                if self._engine.control.expired():
                    return
                root = self._root(number)
                help_out = partial(self._help, root, number, gate)
                self._helpers_over.append(run_in_thread(help_out, f"helper {number}"))
                self._roots.append(root)
        except (MemoryError, RuntimeError):  # the system has no more threads: fewer will do
            self._engine.keep(len(self._roots))
        finally:
            gate.set()

    def _help(self, root: RootSearch, number: int, gate: Event) -> None:
        try:
            gate.wait()
            root.help(number)
        except Exception as error:  # noqa: BLE001 - whatever it is, a move must be played
            self._listener.failed(error)

    def _end_helpers(self) -> None:
        control = self._engine.control
        control.expired()  # what has held the search up since the last look at the clock is a pause, too
        control.stop()
        for over in self._helpers_over:
            over.wait()

    def _consult(self, tables: Tables) -> None:
        control = self._engine.control
        left = (self._limits.time[self._position.side] or 0) - self._settings.move_overhead
        is_long = left >= 10 * _TABLES_TIME and self._limits.move_time is None
        patience = max(self._budget.hard * _TABLES_SHARE, _TABLES_TIME * is_long) * 1e6
        patience = inf if self._settings.nodes_time else patience
        self._verdict = tables.verdict(
            self._position,
            self._moves,
            lambda: control.stopped() or (not self.pondering and now() - self._clock_began > patience),
        )
        if self._verdict:
            with self._lock:
                self._moves = list(self._verdict.best)
                self._budget = self._allot()

    def _is_mate_wanted(self, iteration: Iteration) -> bool:
        mate = Score(iteration.best.score).mate()
        return self._limits.mate is not None and mate is not None and 0 < mate <= self._limits.mate

    def _is_last(self, iteration: Iteration) -> bool:
        if self._budget.soft == inf:
            return False
        mate = Score(iteration.best.score).mate()
        certain = mate is not None and iteration.depth > 2 * abs(mate)
        return certain or not self._budget.allows_another_depth(
            self._elapsed(), iteration.stable_depths, iteration.fall, iteration.share, self._clock
        )

    def _satisfy(self) -> bool:
        """End the search; while pondering `ponderhit` is to end it, and this returns False."""
        with self._lock:
            self._satisfied = True
            return not self.pondering

    def _elected(self, best: Variation) -> Variation:
        """The line to play: the first thread's `best`, or what the threads vote for, which is then reported.

        A search to a given depth answers with that depth, and only the first thread ranks several lines.
        """
        if self._limits.depth is not None or self._settings.lines > 1:
            return best
        lines = [best, *(root.variation(0) for root in self._roots[1:])]
        thread = elect(lines)
        if thread:
            self._listener.report(self._report(1, lines[thread], thread))
        return lines[thread]

    # What it says

    def _tell(self, finding: Finding) -> None:
        match finding:
            case Progress():
                self._listener.progress(finding)
            case Variation():
                self._listener.report(self._report(1, finding))
            case Iteration():
                self._best = finding.best
                for report in self._reports(finding):
                    self._listener.report(report)

    def _reports(self, iteration: Iteration) -> Iterator[Report]:
        """A report for each line; if nothing was searched, one with the static value, as clients need it."""
        best = iteration.best
        if not best.depth:
            static = self._searchers[0].evaluator.static_value(self._position)
            yield self._report(1, Variation(best.moves, 1, static))
            return
        for line, variation in enumerate(iteration.lines, 1):
            if variation.depth:  # otherwise the first depth was cut short before it
                yield self._report(line, variation)
        if self._verdict:  # the lines that need no searching
            wanted = self._settings.lines - len(iteration.lines)
            for line, move in enumerate(self._verdict.others[:wanted], len(iteration.lines) + 1):
                yield self._report(line, Variation((move,), best.depth, 0))

    def _report(self, line: int, variation: Variation, thread: int = 0) -> Report:
        moves = self._lengthened(variation)
        if line == 1:
            self._reported = moves
        score, known = reported(variation.score)
        bound = variation.bound
        if self._verdict:
            score, known = self._verdict.score(variation.move, score)
            bound = Bound.EXACT if known else bound
        return Report(
            depth=variation.depth,
            seldepth=max(self._roots[thread].searcher.seldepth, len(moves)),
            line=line,
            score=Score(score),
            bound=bound,
            nodes=self._nodes(),
            milliseconds=(now() - self._started) // 1_000_000,
            hashfull=self._engine.table.hashfull(),
            table_hits=sum(root.searcher.table_hits for root in self._roots)
            + (self._verdict.hits if self._verdict else 0),
            moves=moves,
            known=known,
        )

    def _nodes(self) -> int:
        return sum(root.searcher.nodes for root in self._roots)

    def _outcome(self, best: Variation) -> Outcome:
        """The reply is that of the line reported: the table may say another by now."""
        tables = self._tables
        line = self._reported if self._reported[:1] == best.moves[:1] else best.moves
        reply = [*self._lengthened(replace(best, moves=line), 2), 0][1]
        return Outcome(best.move, reply, tables.damage() if tables else "")

    def _lengthened(self, variation: Variation, least: int = 1) -> tuple[int, ...]:
        """The moves of a line, lengthened from the table to its depth, and to `least` plies at least."""
        moves = list(variation.moves)
        wanted = max(least, min(variation.depth, _SHORTEST_LINE))
        if len(moves) < wanted:
            position = self._position.copy()
            for move in moves:
                position.make(move)
            while len(moves) < wanted and not _is_drawn(position, len(moves)):
                move = self._best_known(position)
                if not move:
                    break
                position.make(move)
                moves.append(move)
        return tuple(moves)

    def _best_known(self, position: Position) -> int:
        """The best move by the table, 0 if it knows none.

        After a fail-low it has no move for the position; then the move to the position with the lowest score.
        """
        table, moves = self._engine.table, legal_moves(position)
        best = table.move(position.table_key())
        if best in moves:
            return best
        scores: dict[int, int] = {}
        for move in moves:
            position.make(move)
            if (score := table.score(position.table_key())) is not None:
                scores[move] = score
            position.unmake()
        return min(scores, key=scores.__getitem__, default=0)


def _is_drawn(position: Position, ply: int) -> bool:
    return position.is_fifty_moves() or position.is_insufficient() or position.is_repetition(ply)


def elect(lines: Sequence[Variation]) -> int:
    """The index of the line to play, among one line of each thread; of equal ones the first.

    Each thread votes for its best move, with more weight the deeper it has searched and the further its score
    lies above the worst of all; the formula is Stockfish's. The deepest line of the elected move is played.
    The shortest proven win needs no majority, nor does a proof that all moves lose; of two such proofs the
    shorter mate counts. Lines of depth 0 count only if there is no other.
    """
    voters = [index for index, line in enumerate(lines) if line.depth]
    if not voters:
        return 0
    if won := [index for index in voters if _is_won(lines[index])]:
        return max(won, key=lambda index: lines[index].score)
    if lost := [index for index in voters if _is_lost(lines[index])]:
        return min(lost, key=lambda index: lines[index].score)
    worst = min(lines[index].score for index in voters)
    votes: defaultdict[int, int] = defaultdict(int)
    for index in voters:
        line = lines[index]
        votes[line.move] += (line.score - worst + _WORST_MARGIN) * line.depth
    elected = max(votes, key=votes.__getitem__)
    supporters = [index for index in voters if lines[index].move == elected]
    return max(supporters, key=lambda index: (lines[index].bound is Bound.EXACT, lines[index].depth))


def _is_won(line: Variation) -> bool:
    return line.score > MATE_BOUND and line.bound is not Bound.UPPER


def _is_lost(line: Variation) -> bool:
    """Whether every move is proven to be mated: not where only some of them were searched."""
    return line.score < -MATE_BOUND and line.bound is Bound.EXACT
