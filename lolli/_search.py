"""A search in python-chess's terms: what it has told so far, and a running analysis of which it is a part."""

from collections.abc import Callable, Iterator
from threading import Condition, RLock
from typing import Any, Self, cast

import chess
from chess.engine import (
    INFO_PV,
    INFO_SCORE,
    AnalysisComplete,
    BestMove,
    Cp,
    EngineError,
    EngineTerminatedError,
    Info,
    InfoDict,
    Mate,
    PlayResult,
    PovScore,
    PovWdl,
    Wdl,
)

from engine.search.report import Bound, Outcome, Progress, Report
from lolli._positions import chess_move, chess_moves
from protocol.evaluation import Scale
from protocol.text import describe
from protocol.uci.replies import per_second

_PATIENCE = 0.2
"""Seconds after which a thread that waits looks whether it was interrupted: not every system wakes it."""
_BOUNDS = {Bound.LOWER: "lowerbound", Bound.UPPER: "upperbound"}


class Search:
    """One search under way: what it has reported so far, in python-chess's terms, and its outcome.

    The session calls `report`, `progress`, `failed` and `outcome` in the search's thread; the rest may be
    called in any other. `notify` is called whenever there is something new; it must not raise. `wanted`
    selects what is told.
    """

    def __init__(
        self, board: chess.Board, scale: Scale, wanted: Info, notify: Callable[[], None] | None
    ) -> None:
        self.wanted = wanted
        self.notify = notify
        self.terminated = False
        """Whether its engine was closed before it was over."""
        self.items: list[Report | Progress] = []
        """What was reported, in the engine's own terms."""
        self._turn, self._chess960, self._scale = board.turn, board.chess960, scale
        self._infos: list[InfoDict] = []
        self._outcome: Outcome | None = None
        self._error: BaseException | None = None
        lock = RLock()
        self._changed, self._ended = Condition(lock), Condition(lock)

    def report(self, report: Report | Progress) -> None:
        with self._changed:
            self.items.append(report)
            self._changed.notify_all()
        if self.notify is not None:
            self.notify()

    progress = report

    def failed(self, error: BaseException) -> None:
        self._error = error

    def outcome(self, outcome: Outcome) -> None:
        with self._changed:
            self._outcome = outcome
            self._changed.notify_all()
            self._ended.notify_all()
        if self.notify is not None:
            self.notify()

    @property
    def over(self) -> bool:
        """Whether the search has ended."""
        return self._outcome is not None

    def is_ready(self, count: int | None = None) -> bool:
        """Whether there are more than `count` dictionaries, or the search has ended."""
        return self.over or (count is not None and len(self.items) > count)

    def wait(self, count: int | None = None) -> None:
        """Wait until it `is_ready`; to be woken by each report would hold up a short search."""
        condition = self._ended if count is None else self._changed
        with condition:
            while not self.is_ready(count):
                condition.wait(_PATIENCE)

    def infos(self) -> list[InfoDict]:
        """All dictionaries so far, in order; the same list each time, and not to be changed."""
        with self._changed:  # another thread may ask as well
            self._infos += [self.info(item) for item in self.items[len(self._infos) :]]
        return self._infos

    def lines(self) -> list[InfoDict]:
        """What is known so far, a dictionary for each line: the latest of each kind; at least one."""
        lines = [InfoDict()]
        for info in self.infos():
            number = info.get("multipv", 1)
            lines += (InfoDict() for _ in range(len(lines), number))
            if "score" in info:
                for bound in _BOUNDS.values():
                    cast("dict[str, Any]", lines[number - 1]).pop(bound, None)
            lines[number - 1].update(info)
        return lines

    def best(self) -> BestMove:
        """The outcome of a search that has ended.

        Raises EngineTerminatedError where its engine was closed meanwhile, EngineError if it has crashed.
        """
        if self.terminated:
            raise EngineTerminatedError("the engine was closed during the search")
        if self._error is not None or self._outcome is None:
            what = "it has not ended" if self._error is None else describe(self._error)
            raise EngineError(f"the search failed: {what}") from self._error
        moves = (self._outcome.best, self._outcome.ponder)
        return BestMove(*(chess_move(move, self._chess960) if move else None for move in moves))

    def result(self) -> PlayResult:
        """The outcome as a move to play, with all that was told. Raises as `best` does."""
        best, found = self.best(), InfoDict()
        for info in self.infos():
            found.update(info)
        return PlayResult(best.move, best.ponder, found)

    def analysis(self, multipv: int | None) -> InfoDict | list[InfoDict]:
        """The end of an analysis as python-chess has it. Raises as `best` does."""
        self.best()
        return self.lines()[0] if multipv is None else self.lines()

    def info(self, item: Report | Progress) -> InfoDict:
        """The dictionary that python-chess makes of the `info` line over UCI; empty if nothing is wanted."""
        if not self.wanted:
            return InfoDict()
        if isinstance(item, Progress):
            move = chess_move(item.move, self._chess960)
            return InfoDict(depth=item.depth, currmove=move, currmovenumber=item.number)
        found = InfoDict(
            depth=item.depth,
            seldepth=item.seldepth,
            multipv=item.line,
            nodes=item.nodes,
            nps=per_second(item.nodes, item.milliseconds),
            hashfull=item.hashfull,
            tbhits=item.table_hits,
            time=item.milliseconds / 1000,
        )
        if self.wanted & INFO_SCORE:
            mate = item.score.mate()
            score = Cp(self._scale.centipawns(item.score.value, item.known)) if mate is None else Mate(mate)
            found["score"] = PovScore(score, self._turn)
            if item.bound in _BOUNDS:
                cast("dict[str, Any]", found)[_BOUNDS[item.bound]] = True  # as python-chess does
        if self.wanted & INFO_PV and item.moves:
            found["pv"] = chess_moves(item.moves, self._chess960)
        if self._scale.shows_chances and (chances := self._scale.chances(item)) is not None:
            found["wdl"] = PovWdl(Wdl(*chances), self._turn)
        return found


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
        return self._search.lines()

    def stop(self) -> None:
        """End the analysis soon; returns at once."""
        if not self._search.over:
            self._stop()

    def would_block(self) -> bool:
        """Whether `get`, `next` or a step of the iteration would have to wait."""
        return not self._search.is_ready(self._read)

    def empty(self) -> bool:
        """Whether all that has been found so far has been read."""
        return len(self._search.infos()) <= self._read

    def _next_read(self) -> InfoDict:
        """Raises as `Analysis.get` does."""
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
