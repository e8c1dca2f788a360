"""Searching the positions of a suite, one or several at a time."""

from __future__ import annotations

from dataclasses import dataclass
from queue import SimpleQueue
from threading import Lock, Thread
from typing import TYPE_CHECKING

from engine.search.report import Bound

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence

    import chess

    from engine.search.limits import Limits
    from protocol.cli.analysis.analyst import Analyst
    from protocol.cli.analysis.finding import Finding
    from protocol.cli.suites.epd import SuitePosition


@dataclass(frozen=True, slots=True)
class SuiteResult:
    """The result of one position.

    `final` is the last finding. `solution` is the finding from which on all fulfil the task; None if the last
    one does not.
    """

    position: SuitePosition
    final: Finding
    solution: Finding | None

    @property
    def solved(self) -> bool:
        """Whether the task is fulfilled in the end."""
        return self.solution is not None

    @property
    def move(self) -> chess.Move:
        """The move that the engine would play."""
        return self.final.moves[0]

    @property
    def points(self) -> int | None:
        """The points of that move; None if moves have no points here."""
        return self.position.points.get(self.move, 0) if self.position.points else None


def examine(
    position: SuitePosition,
    analyst: Analyst,
    limits: Limits,
    stop_early: int | None = None,
    on_finding: Callable[[Finding], None] | None = None,
) -> SuiteResult:
    """Search one position with an empty table.

    The search ends before the limits when no better answer can follow, which is a mate where that is all the
    task or no shorter one is left; and after `stop_early` depths in a row that fulfil the task.
    """
    analyst.new_game()
    seen: list[Finding] = []
    enough = False
    for finding in analyst.search(position.board, limits):
        if enough:
            continue  # the last finding of a stopped search
        seen.append(finding)
        if on_finding:
            on_finding(finding)
        enough = _is_enough(position, seen, stop_early)
        if enough:
            analyst.stop()
    return SuiteResult(position, seen[-1], _solution(position, seen))


def _solution(position: SuitePosition, findings: Sequence[Finding]) -> Finding | None:
    solution = None
    for finding in reversed(findings):
        if not position.is_solved_by(finding):
            break
        solution = finding
    return solution


def _is_enough(position: SuitePosition, findings: Sequence[Finding], stop_early: int | None) -> bool:
    final, solution = findings[-1], _solution(position, findings)
    if solution is None or final.bound is not Bound.EXACT:
        return False
    mate = final.score.relative.mate()
    if position.asks_only_for_mate or (mate is not None and final.depth > 2 * abs(mate)):
        return True
    return stop_early is not None and final.depth - solution.depth >= stop_early - 1


class SuiteRunner:
    """Examines positions in threads, one for each analyst; searches do not hold Python's lock."""

    def __init__(self, analysts: Sequence[Analyst], limits: Limits, stop_early: int | None = None) -> None:
        self._analysts = analysts
        self._limits = limits
        self._stop_early = stop_early
        self._lock = Lock()
        self._stopped = False
        self._events: SimpleQueue[tuple[int, Finding | SuiteResult | BaseException | None]] = SimpleQueue()

    def run(
        self, positions: Sequence[SuitePosition]
    ) -> Generator[tuple[int, Finding | SuiteResult], None, None]:
        """Events as they come: the number of a position, from 0, and a finding or the result there.

        Positions are begun in their order. After `stop` those under way have no result; closing the
        iterator stops, too. To be called once. Raises any error of a search.
        """
        waiting = iter(enumerate(positions))
        threads = [
            Thread(target=self._work, args=(analyst, waiting), daemon=True) for analyst in self._analysts
        ]
        for thread in threads:
            thread.start()
        busy = len(threads)
        try:
            while busy:
                number, event = self._events.get()
                if event is None:
                    busy -= 1
                elif isinstance(event, BaseException):
                    raise event
                else:
                    yield number, event
        finally:
            self.stop()
            for thread in threads:
                thread.join()

    def stop(self) -> None:
        """End soon. May be called from any thread or signal handler."""
        self._stopped = True
        for analyst in self._analysts:
            analyst.stop()

    def _work(self, analyst: Analyst, waiting: Iterator[tuple[int, SuitePosition]]) -> None:
        try:
            while not self._stopped:
                with self._lock:
                    number, position = next(waiting, (-1, None))
                if position is None:
                    break
                self._examine(analyst, number, position)
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            self._events.put((-1, error))
        finally:
            self._events.put((-1, None))

    def _examine(self, analyst: Analyst, number: int, position: SuitePosition) -> None:
        def report(finding: Finding) -> None:
            self._events.put((number, finding))
            if self._stopped:  # the stop came just before the search began
                analyst.stop()

        result = examine(position, analyst, self._limits, self._stop_early, report)
        if not self._stopped:
            self._events.put((number, result))
