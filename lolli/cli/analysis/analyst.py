"""The engine for python-chess boards: it searches a board and yields findings."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from queue import SimpleQueue
from typing import Self

import chess
from chess.engine import Cp, Mate, PovScore, PovWdl, Wdl

from engine.board.notation import move_text
from engine.search.limits import Limits, Settings
from engine.search.report import Outcome, Progress, Report
from engine.session import Session
from eval.choice import Choices
from lolli._positions import history
from lolli.cli.analysis import AnalystSettings, Finding
from protocol.evaluation import Scale, scale_of
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
        FenError, MoveError if `search_moves` are not legal, and any error of the search.
        """
        self.session.set_position(*history(board))
        translator = _Translator(board, self._scale())
        return (translator.finding(report) for report in self._reports(limits, _Listener()))

    def findings(self, board: chess.Board, limits: Limits) -> tuple[Finding, ...]:
        """The last finding of each line, best first. See `search`."""
        self.session.set_position(*history(board))
        translator = _Translator(board, self._scale())
        last = {report.line: report for report in self._reports(limits, _Listener(), at_end=True)}
        return tuple(translator.finding(last[line]) for line in sorted(last))

    def choice(self, board: chess.Board, limits: Limits) -> tuple[list[Report], Outcome]:
        """All reports, in the engine's own terms, and the outcome. See `search`."""
        self.session.set_position(*history(board))
        listener = _Listener()
        return list(self._reports(limits, listener, at_end=True)), listener.decision

    def best(self, board: chess.Board, limits: Limits) -> Finding:
        return self.findings(board, limits)[0]

    def stop(self) -> None:
        """May be called from any thread or signal handler."""
        self.session.stop()

    def new_game(self) -> None:
        self.session.new_game()

    def close(self) -> None:
        """Stop, and wait until no thread is left."""
        self.session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _reports(self, limits: Limits, listener: _Listener, *, at_end: bool = False) -> Iterator[Report]:
        """Reports as they come, or all `at_end`: waking this thread often costs more than a short search."""
        self.session.go(limits, listener)
        try:
            if at_end:
                self.session.wait()
            while (report := listener.reports.get()) is not None:
                yield report
        finally:
            self.session.stop()
            self.session.wait()
        if listener.error is not None:
            raise listener.error

    def _scale(self) -> Scale:
        session = self.session
        return scale_of(session.position, session.outcome_model, session.normalises, shows_chances=True)


class _Listener:
    """Hands the reports to the waiting thread; None marks the end."""

    def __init__(self) -> None:
        self.reports: SimpleQueue[Report | None] = SimpleQueue()
        self.decision = Outcome(0, 0)
        self.error: BaseException | None = None

    def report(self, report: Report) -> None:
        self.reports.put(report)

    def progress(self, progress: Progress) -> None:
        pass

    def outcome(self, outcome: Outcome) -> None:
        self.decision = outcome
        self.reports.put(None)

    def failed(self, error: BaseException) -> None:
        self.error = error


class _Translator:
    def __init__(self, board: chess.Board, scale: Scale) -> None:
        self._turn = board.turn
        self._chess960 = board.chess960
        self._scale = scale

    def finding(self, report: Report) -> Finding:
        return Finding(
            line=report.line,
            depth=report.depth,
            seldepth=report.seldepth,
            score=PovScore(self._score(report), self._turn),
            chances=self._chances(report),
            bound=report.bound,
            nodes=report.nodes,
            milliseconds=report.milliseconds,
            hashfull=report.hashfull,
            moves=tuple(self._move(move) for move in report.moves),
        )

    def _score(self, report: Report) -> Cp | Mate:
        mate = report.score.mate()
        return Cp(self._scale.centipawns(report.score.value, report.known)) if mate is None else Mate(mate)

    def _chances(self, report: Report) -> PovWdl | None:
        numbers = self._scale.chances(report)
        return None if numbers is None else PovWdl(Wdl(*numbers), self._turn)

    def _move(self, move: int) -> chess.Move:
        return chess.Move.from_uci(move_text(move, self._chess960))
