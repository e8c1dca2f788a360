"""One `go` from beginning to end: the threads that search, the clock, the outcome.

A search goes this way: `Uci._go`, `Session.go`, then in a thread of its own `Run.run`, `Deepening.run` (a
depth), `Deepening._search_line` (a line of it), `RootSearch.search`, and with the interpreter lock released
`RootSearch._search` (its windows), `RootSearch._search_next` and `Searcher.examine` (a root move) and
`Searcher.search` (alpha-beta). Deepening yields what it finds; `Run` decides what to report and when it is
enough.

Lazy SMP: every thread deepens on its own copy of the position; what one finds out reaches the others through
the shared table. The first thread reports and decides when it is enough; then all vote on what to play. The
other threads, the helpers, report nothing: from `RootSearch.help` on they go without the interpreter lock.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import inf
from threading import Event, RLock
from typing import Self

from engine.board.movegen import legal_moves
from engine.board.position import Position
from engine.search.constants import MATE
from engine.search.deepening import MAX_DEPTH, Deepening, Finding, Iteration
from engine.search.engine import Engine
from engine.search.limits import Limits, Settings
from engine.search.probing import Prober
from engine.search.report import (
    Bound,
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
from engine.search.vote import elect
from engine.system.clock import now
from engine.system.thread_pool import run_in_thread

_VERBOSE_AFTER = 3_000_000_000
"""Nanoseconds after which the moves and bounds of the root are reported, too."""

_TABLES_SHARE = 0.5
"""The share of the hard budget in which the endgame tables may be asked."""

_HURRY = 16.0
"""A move with a smaller hard budget, in milliseconds, is made in a hurry: one thread searches alone. Helpers
would find next to nothing, and delay the move until each of them has run once more to see that it is over."""

_HURRIED_PONDERING = 20_000_000
"""Nanoseconds for which to ponder on a move that will be made in a hurry. The thread then sleeps: on a busy
machine a thread that wakes up runs sooner than one that has to notice that it is to stop."""


_SHORTEST_LINE = 4
"""Plies to which a line is lengthened from the transposition table: its search may not have found how it goes
on, above all where its score is a bound."""


@dataclass(frozen=True, slots=True)
class Task:
    """What to search and with what. `moves` are the root moves allowed, `started` in clock nanoseconds.

    The first `threads` searchers of the engine take part. If an `answer` is given, nothing is searched;
    otherwise the `tables` are asked first, and the `prober` inside the search. The `delays` of the game so
    far shorten the time for the move.
    """

    position: Position
    moves: list[int]
    limits: Limits
    settings: Settings
    started: int
    engine: Engine
    threads: int
    answer: Outcome | None = None
    tables: Tables | None = None
    prober: Prober = field(default_factory=Prober)
    delays: Delays = NO_DELAYS


class Helpers:
    """The threads of a search besides the first one. As a context manager it ends the search on leaving.

    `over` has an event for each, set when it has ended, and `lines` what each has found best, once it has
    ended; at depth 0 it has found nothing. `refused`: the system had fewer threads than were wanted.
    """

    def __init__(self, task: Task, listener: Listener) -> None:
        self._task = task
        self._listener = listener
        self.over: list[Event] = []
        self.lines: list[Variation] = []
        self.refused = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        control = self._task.engine.control
        control.expired()  # what has held the search up since the last look at the clock is a pause, too
        control.stop()
        for over in self.over:
            over.wait()

    def start(self, moves: Sequence[int]) -> None:
        """Let them search these root moves, each some of the depths, so that they differ; see `skips`.

        None begins before all have been started: where hundreds share a few processors, those that search
        would delay the start of the rest, each for the better part of a second.
        """
        gate = Event()
        try:
            for number in range(1, self._task.threads):
                if self._task.engine.control.expired():
                    return
                self.lines.append(Variation((moves[0],)))
                job = partial(self._help, number, moves, gate)
                self.over.append(run_in_thread(job, f"helper {number}"))
        except (MemoryError, RuntimeError):  # the system has no more threads: fewer will do
            self.refused = True
        finally:
            gate.set()

    def _help(self, number: int, moves: Sequence[int], gate: Event) -> None:
        try:
            gate.wait()
            root = RootSearch(self._task.engine.searchers[number])
            root.begin(moves)
            root.help(number)
            self.lines[number - 1] = root.variation(0)
        except Exception as error:  # noqa: BLE001 - whatever it is, a move must be played
            self._listener.failed(error)


class Run:
    """One search under way in a thread of its own; `over` once only its outcome has yet to be delivered.

    Once that is `delivered`, `spent` says what it took of our clock; None if that did not run.
    """

    def __init__(self, task: Task, listener: Listener) -> None:
        self._task = task
        self._listener = listener
        self._searchers = task.engine.searchers[: task.threads]
        self._moves = task.moves
        self._verdict: Verdict | None = None
        self._budget = self._allot()
        self._clock_began = task.started
        self._lock = RLock()  # `stop` may be called by a signal handler that interrupts `stop`
        self._released = False
        self._held_back: Outcome | None = None
        self._pondering = task.limits.ponder
        self._satisfied = False
        self._best: Variation | None = None
        self.helpers = Helpers(task, listener)
        self.over = False
        self.delivered = Event()
        self.spent: Spent | None = None

    @property
    def ending(self) -> bool:
        """Whether the search has ended or soon will, and its outcome is not held back."""
        return self._task.engine.control.stopped() and not self._holds_back

    @property
    def pondering(self) -> bool:
        """Whether the move that is pondered on has yet to be played."""
        return self._pondering

    def stop(self) -> None:
        """End the search; if it has ended but holds its outcome back, deliver that at once."""
        self._task.engine.control.stop()
        self._release()

    def ponderhit(self, received_ns: int | None = None) -> None:
        """Turn pondering into a search on the clock since `received_ns`, or end it if that is enough."""
        with self._lock:
            if not self._pondering:
                return
            self._clock_began = now() if received_ns is None else received_ns
            self._pondering = False
            self._set_deadline()
            if self._satisfied:
                self._task.engine.control.stop()
        if not self._task.limits.infinite:
            self._release()

    def run(self) -> None:
        """Search, and deliver one outcome whatever goes wrong: what the thread does."""
        outcome = self._task.answer or Outcome(next(iter(self._moves), 0), 0)
        try:
            try:
                with self.helpers:
                    for finding in self._findings():
                        if self._is_enough(finding):
                            break
                if self._best is not None:
                    outcome = self._outcome(self._elected(self._best))
            except Exception as error:  # noqa: BLE001 - whatever it is, a move must be played
                self._listener.failed(error)
                if self._best is not None:
                    outcome = Outcome(self._best.move, 0)
        finally:
            self._deliver_or_hold_back(outcome)

    @property
    def _holds_back(self) -> bool:
        """Whether the outcome, once known, has to wait for `stop` or `ponderhit`."""
        return (self._task.limits.infinite or self._pondering) and not self._released

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
        task = self._task
        forced = len(self._moves) == 1 and not task.limits.search_moves
        return allot(task.limits, task.position.side, task.settings.move_overhead, forced, task.delays)

    @property
    def _in_a_hurry(self) -> bool:
        """Not where the clock is counted in nodes: no machine delays that."""
        return self._budget.hard < _HURRY and not self._task.settings.nodes_time

    def _set_deadline(self) -> None:
        """Let the kernel watch the hard budget, unless the clock is counted in nodes."""
        if self._budget.hard < inf and not self._task.settings.nodes_time:
            self._task.engine.control.set_deadline(self._clock_began + int(self._budget.hard * 1e6))

    def _node_limit(self) -> int | None:
        """The limit given, or the hard budget counted in nodes."""
        task = self._task
        limit = inf if task.limits.nodes is None else task.limits.nodes
        if task.settings.nodes_time and self._budget.hard < inf:
            limit = min(limit, self._budget.hard * task.settings.nodes_time)
        return None if limit == inf else max(1, int(limit))

    def _elapsed(self) -> float:
        """Milliseconds since the command arrived, or nodes as milliseconds."""
        if self._task.settings.nodes_time:
            return self._nodes() / self._task.settings.nodes_time
        return (now() - self._task.started) / 1e6

    def _spending(self) -> Spent | None:
        """What was spent until now, if this was on the clock."""
        if self._pondering or self._budget.hard == inf or self._task.settings.nodes_time:
            return None
        spent = (now() - self._clock_began) / 1e6
        pause = self._task.engine.control.longest_pause() / 1e6
        return Spent(spent, max(pause, spent - self._budget.hard))

    # The search

    def _findings(self) -> Iterable[Finding]:
        """What the deepening yields; nothing if the answer is known, or there is no legal move."""
        task = self._task
        if task.answer is not None:
            return ()
        if not task.moves:
            score = Score(-MATE if task.position.checkers else 0)
            self._listener.report(Report(0, 0, 1, score, Bound.EXACT, 0, 0, 0, 0, ()))
            return ()
        if task.tables is not None:
            self._consult(task.tables)
        with self._lock:
            if not self._pondering:
                self._set_deadline()
            elif self._in_a_hurry:
                task.engine.control.set_deadline(now() + _HURRIED_PONDERING)
        limit = self._node_limit()
        # Where the root is in the tables, all its moves have their result: it is for the search to find mate.
        prober = task.prober if self._verdict is None else Prober()
        for searcher in self._searchers:
            searcher.prober = prober
            searcher.begin(task.position, limit, task.threads)
        verbose_from = task.started + _VERBOSE_AFTER
        deepening = Deepening(self._searchers[0], self._moves, task.settings.lines, verbose_from)
        return deepening.run(min(task.limits.depth or MAX_DEPTH, MAX_DEPTH))

    def _consult(self, tables: Tables) -> None:
        """Keep only the moves that the tables find best."""
        task, control = self._task, self._task.engine.control
        patience = inf if task.settings.nodes_time else self._budget.hard * _TABLES_SHARE * 1e6
        self._verdict = tables.verdict(
            task.position,
            task.moves,
            lambda: control.stopped() or (not self._pondering and now() - self._clock_began > patience),
        )
        if self._verdict:
            with self._lock:
                self._moves = list(self._verdict.best)
                self._budget = self._allot()

    def _is_enough(self, finding: Finding) -> bool:
        """Report what was found; whether the search may end with it."""
        match finding:
            case Progress():
                self._listener.progress(finding)
            case Variation():
                self._listener.report(self._report(1, finding))
            case Iteration(depth, finished):
                self._best = finding.best
                for report in self._reports(finding):
                    self._listener.report(report)
                if finished and self._is_last(finding):
                    return True
                # Not earlier, so that there is a line to show, nor again when depth 2 was cut short.
                if finished and depth == 1 and not self._in_a_hurry:
                    self.helpers.start(self._moves)
        return False

    def _is_last(self, iteration: Iteration) -> bool:
        """Whether a finished depth is the last: a mate as short as asked for, or the time is better saved."""
        limits = self._task.limits
        mate = Score(iteration.best.score).mate()
        if limits.mate is not None and mate is not None and 0 < mate <= limits.mate:
            return True
        if self._budget.soft == inf:
            return False
        certain = mate is not None and iteration.depth > 2 * abs(mate)
        if not certain and self._budget.allows_another_depth(
            self._elapsed(), iteration.stable_depths, iteration.fall, iteration.share
        ):
            return False
        with self._lock:
            self._satisfied = True
            return not self._pondering

    def _elected(self, best: Variation) -> Variation:
        """The line to play: the first thread's `best`, or what the threads vote for, which is then reported.

        A search to a given depth answers with that depth, and only the first thread ranks several lines.
        """
        if self._task.limits.depth is not None or self._task.settings.lines > 1:
            return best
        lines = [best, *self.helpers.lines]
        thread = elect(lines)
        if thread:
            self._listener.report(self._report(1, lines[thread], thread))
        return lines[thread]

    # What it says

    def _reports(self, iteration: Iteration) -> Iterator[Report]:
        """A report for each line; if nothing was searched, one with the static value, as clients need it."""
        task, best = self._task, iteration.best
        if not best.depth:
            static = self._searchers[0].evaluator.static_value(task.position)
            yield self._report(1, Variation(best.moves, 1, static))
            return
        for line, variation in enumerate(iteration.lines, 1):
            if variation.depth:  # otherwise the first depth was cut short before it
                yield self._report(line, variation)
        if self._verdict:  # the lines that need no searching
            wanted = task.settings.lines - len(iteration.lines)
            for line, move in enumerate(self._verdict.others[:wanted], len(iteration.lines) + 1):
                yield self._report(line, Variation((move,), best.depth, 0))

    def _report(self, line: int, variation: Variation, thread: int = 0) -> Report:
        """The report of a line that was found by a thread."""
        moves = self._lengthened(variation)
        score, known = reported(variation.score)
        bound = variation.bound
        if self._verdict:
            score, known = self._verdict.score(variation.move, score)
            bound = Bound.EXACT if known else bound
        return Report(
            depth=variation.depth,
            seldepth=max(self._searchers[thread].seldepth, len(moves)),
            line=line,
            score=Score(score),
            bound=bound,
            nodes=self._nodes(),
            milliseconds=(now() - self._task.started) // 1_000_000,
            hashfull=self._task.engine.table.hashfull(),
            table_hits=self._table_hits(),
            moves=moves,
            known=known,
        )

    def _nodes(self) -> int:
        return sum(searcher.nodes for searcher in self._searchers)

    def _table_hits(self) -> int:
        asked_first = self._verdict.hits if self._verdict else 0
        return asked_first + sum(searcher.table_hits for searcher in self._searchers)

    def _outcome(self, best: Variation) -> Outcome:
        tables = self._task.tables
        return Outcome(best.move, [*self._lengthened(best, 2), 0][1], tables.damage() if tables else "")

    def _lengthened(self, variation: Variation, least: int = 1) -> tuple[int, ...]:
        """The moves of a line; a short one is lengthened as far as the table knows and the game lasts.

        To its depth, but at least to `least` plies.
        """
        moves = list(variation.moves)
        wanted = max(least, min(variation.depth, _SHORTEST_LINE))
        if len(moves) < wanted:
            position = self._task.position.copy()
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

        After a fail-low the table has no move for the position; then it is the move to the position with the
        lowest score, whatever the depths and bounds are.
        """
        table, moves = self._task.engine.table, legal_moves(position)
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
    """Whether a line may end in the position, `ply` plies below the root, as a draw."""
    return position.is_fifty_moves() or position.is_insufficient() or position.is_repetition(ply)
