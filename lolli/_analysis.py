"""An analysis that runs while its findings are read."""

from collections.abc import Callable, Iterator
from typing import Self

from chess.engine import AnalysisComplete, BestMove, InfoDict

from lolli._results import combined
from lolli._search import Search


class RunningAnalysis:
    """What `Analysis` and `AsyncAnalysis` share: what is known so far, and how much of it was read."""

    def __init__(self, search: Search, stop: Callable[[], None]) -> None:
        self._search = search
        self._stop = stop
        self._read = 0

    @property
    def info(self) -> InfoDict:
        """What is known so far about the best line: the latest of each kind."""
        return self.multipv[0]

    @property
    def multipv(self) -> list[InfoDict]:
        """What is known so far about each line, the best first; at least one, which may be empty."""
        return combined(self._search.infos())

    def stop(self) -> None:
        """End the analysis soon; returns at once."""
        if not self._search.over:
            self._stop()

    def would_block(self) -> bool:
        """Whether `get`, `next` or a step of the iteration would have to wait."""
        return self.empty() and not self._search.over

    def empty(self) -> bool:
        """Whether all that has been found so far has been read."""
        return self._search.count <= self._read

    def _next_read(self) -> InfoDict:
        """The next dictionary; there is one, or the analysis has ended. See `Analysis.get` for the errors."""
        if self.empty():
            self._search.best()
            raise AnalysisComplete
        self._read += 1
        return self._search.infos()[self._read - 1]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.stop()

    def __del__(self) -> None:
        self.stop()


class Analysis(RunningAnalysis):
    """A running analysis, as `chess.engine.SimpleAnalysisResult`: iterate over it, or ask for what is known.

    Each dictionary is one finished depth of one line, or after three seconds also the move being searched.
    Scores are from the point of view of the side to move, times in seconds. The analysis ends at its limit,
    when it is stopped, when a `with` block around it ends, when its engine is given something else to do,
    and when nothing refers to it any more.
    """

    def wait(self) -> BestMove:
        """Wait until the analysis has ended: the best move and the expected reply, None where there is none.

        Raises EngineTerminatedError where its engine was closed meanwhile, EngineError if the search crashed.
        """
        self._search.wait()
        return self._search.best()

    def get(self) -> InfoDict:
        """The next dictionary, as soon as there is one.

        Raises `chess.engine.AnalysisComplete` at the end, EngineTerminatedError where the engine was closed
        meanwhile, EngineError if the search crashed.
        """
        self._search.wait(self._read)
        return self._next_read()

    def next(self) -> InfoDict | None:
        """The same, with None at the end."""
        try:
            return self.get()
        except AnalysisComplete:
            return None

    def __iter__(self) -> Iterator[InfoDict]:
        return self

    def __next__(self) -> InfoDict:
        try:
            return self.get()
        except AnalysisComplete:
            raise StopIteration from None
