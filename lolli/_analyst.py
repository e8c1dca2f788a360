"""The engine for python-chess boards: it searches a board and yields findings."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Self

import chess
from chess.engine import INFO_ALL, InfoDict

from engine.search.limits import Limits, Settings
from engine.search.report import Bound, Report
from engine.session import Session
from eval.choice import Choices
from lolli._findings import AnalystSettings, Finding
from lolli._positions import history
from lolli._search import Analysis, Search
from protocol.evaluation import scale_of
from protocol.writer import warn


class Analyst:
    """One engine. All methods but `stop` are for one thread."""

    def __init__(self, settings: AnalystSettings | None = None) -> None:
        """Raises EvaluatorError, WeightsError, TableError. Too many threads only warn on stderr."""
        settings = settings or AnalystSettings()
        choices = Choices()
        evaluator = settings.evaluator
        if settings.weights is not None:
            loaded = choices.load(settings.weights)
            evaluator = evaluator or loaded
        search = Settings(threads=settings.threads, lines=settings.lines, move_overhead=0)
        self.session = Session(search, settings.megabytes, choices)
        self._accountant: Analyst | None = None
        self.stops = 0
        """How often `stop` was called."""
        if evaluator is not None:
            self.session.use_evaluator(evaluator)
        if settings.threads > 1:
            self.session.get_ready()
            for shortage in self.session.shortages():
                warn(shortage)

    @property
    def evaluator(self) -> str:
        return self.session.evaluator

    def search(self, board: chess.Board, limits: Limits) -> Generator[Finding, None, None]:
        """The lines of each depth as they come, best first; at least one, static if time was too short.

        The moves on the board's stack count for repetitions. Closing the iterator stops the search. Raises
        FenError, MoveError if `search_moves` are not legal, EngineError if the search fails.
        """
        with self._searching(board, limits) as search:
            for info in Analysis(search, self.stop):
                if "score" in info:
                    yield _finding(info)

    def lines(self, board: chess.Board, limits: Limits) -> list[InfoDict]:
        """What was last found of each line, best first. See `search`."""
        search = self._ended(board, limits)
        last = {item.line: item for item in search.items if isinstance(item, Report)}
        return [search.info(last[line]) for line in sorted(last)]

    def findings(self, board: chess.Board, limits: Limits) -> tuple[Finding, ...]:
        """The last finding of each line, best first. See `search`."""
        return tuple(map(_finding, self.lines(board, limits)))

    def choice(self, board: chess.Board, limits: Limits) -> tuple[chess.Move, int]:
        """A move to play, and its score for the mover, in the evaluator's own centipawns, or 0. See `search`.

        The game must not be over.
        """
        search = self._ended(board, limits)
        values = [item.score.value for item in search.items if isinstance(item, Report)]
        return search.best().move or chess.Move.null(), values[-1] if values else 0

    def material(self, board: chess.Board, limits: Limits) -> tuple[int | None, Sequence[chess.Move]]:
        """The material, in centipawns, that the side to move comes out with if both play for nothing else.

        None if that is mate; with the line. The game must not be over.
        """
        if self._accountant is None:
            self._accountant = Analyst(AnalystSettings("material", megabytes=1))
            # A pawn is to count as one: no scale, no corrections.
            self._accountant.session.settings.parameters = {"value_scale": 0, "correction_history": 0}
        self._accountant.new_game()  # what was counted before must not change the count
        finding = self._accountant.best(board, limits)
        return finding.score.relative.score(), finding.moves

    def best(self, board: chess.Board, limits: Limits) -> Finding:
        return self.findings(board, limits)[0]

    def stop(self) -> None:
        """May be called from any thread or signal handler."""
        self.stops += 1
        self.session.stop()
        if self._accountant is not None:
            self._accountant.stop()

    def new_game(self) -> None:
        self.session.new_game()

    def close(self) -> None:
        """Stop, and wait until no thread is left."""
        self.session.close()
        if self._accountant is not None:
            self._accountant.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _searching(self, board: chess.Board, limits: Limits) -> Iterator[Search]:
        session = self.session
        session.set_position(*history(board))
        scale = scale_of(session.position, session.outcome_model, session.normalises, shows_chances=True)
        search = Search(board, scale, INFO_ALL, None)
        session.go(limits, search)
        try:
            yield search
        finally:
            session.stop()
            session.wait()

    def _ended(self, board: chess.Board, limits: Limits) -> Search:
        with self._searching(board, limits) as search:
            search.wait()  # waking this thread for each report costs more than a short search
            search.best()
        return search


def _finding(info: InfoDict) -> Finding:
    bounds = {"lowerbound": Bound.LOWER, "upperbound": Bound.UPPER}
    return Finding(
        line=info["multipv"],
        depth=info["depth"],
        seldepth=info["seldepth"],
        score=info["score"],
        chances=info.get("wdl"),
        bound=next((bound for name, bound in bounds.items() if name in info), Bound.EXACT),
        nodes=info["nodes"],
        milliseconds=round(1000 * info["time"]),
        hashfull=info["hashfull"],
        moves=tuple(info.get("pv", ())),
    )
