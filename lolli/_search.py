"""One search under way: what it has reported so far, and its outcome."""

from collections.abc import Callable
from threading import Condition, RLock

from chess.engine import BestMove, EngineError, EngineTerminatedError, InfoDict, PlayResult

from engine.search.report import Outcome, Progress, Report
from lolli._results import Translator
from protocol.text import describe

_PATIENCE = 0.2
"""Seconds after which a thread that waits looks whether it was interrupted: not every system wakes it."""


class Search:
    """Listens to one search of a session. It hears in the search's thread, and may be asked in any other.

    `notify`, where given, is called there whenever there is something new; it must not raise.
    """

    def __init__(self, translator: Translator, notify: Callable[[], None] | None = None) -> None:
        self.translator = translator
        self.notify = notify
        self.terminated = False
        """Whether its engine was closed before it was over."""
        self._items: list[Report | Progress] = []
        self._infos: list[InfoDict] = []
        self._outcome: Outcome | None = None
        self._error: BaseException | None = None
        lock = RLock()
        self._changed, self._ended = Condition(lock), Condition(lock)

    # What the session tells

    def report(self, report: Report) -> None:
        """A depth, or a line of it, is finished."""
        self._add(report)

    def progress(self, progress: Progress) -> None:
        """A root move is about to be searched."""
        self._add(progress)

    def outcome(self, outcome: Outcome) -> None:
        """The search has ended."""
        with self._changed:
            self._outcome = outcome
            self._changed.notify_all()
            self._ended.notify_all()
        if self.notify is not None:
            self.notify()

    def failed(self, error: BaseException) -> None:
        """The search has crashed; `outcome` follows."""
        self._error = error

    def _add(self, item: Report | Progress) -> None:
        with self._changed:
            self._items.append(item)
            self._changed.notify_all()
        if self.notify is not None:
            self.notify()

    # What others ask

    @property
    def over(self) -> bool:
        """Whether the search has ended."""
        return self._outcome is not None

    @property
    def count(self) -> int:
        """How many dictionaries there are so far."""
        return len(self._items)

    def is_ready(self, count: int | None = None) -> bool:
        """Whether there are more than `count` dictionaries, or the search has ended."""
        return self.over or (count is not None and self.count > count)

    def wait(self, count: int | None = None) -> None:
        """Wait until it `is_ready`; to be woken by each report would hold up a short search."""
        condition = self._ended if count is None else self._changed
        with condition:
            while not self.is_ready(count):
                condition.wait(_PATIENCE)

    def infos(self) -> list[InfoDict]:
        """All dictionaries so far, in order; the same list each time, and not to be changed."""
        for item in self._items[len(self._infos) :]:
            self._infos.append(self.translator.info(item))
        return self._infos

    def best(self) -> BestMove:
        """The outcome of a search that has ended.

        Raises EngineTerminatedError where its engine was closed meanwhile, EngineError if it has crashed.
        """
        if self.terminated:
            raise EngineTerminatedError("the engine was closed during the search")
        if self._error is not None or self._outcome is None:
            what = "it has not ended" if self._error is None else describe(self._error)
            raise EngineError(f"the search failed: {what}") from self._error
        return self.translator.best(self._outcome)

    def result(self) -> PlayResult:
        """The outcome as a move to play, with all that was told. Raises as `best` does."""
        best, found = self.best(), InfoDict()
        for info in self.infos():
            found.update(info)
        return PlayResult(best.move, best.ponder, found)
