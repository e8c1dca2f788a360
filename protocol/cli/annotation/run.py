"""A whole run: from the games of a file to the games of another."""

from __future__ import annotations

from concurrent.futures import CancelledError
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

from protocol.cli.annotation.facts import MARKS, PLAYERS
from protocol.cli.annotation.worker import Order, Outcome, annotate
from protocol.workers import Pipeline, WorkerDiedError, WorkersError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Executor, Future

    from protocol.cli.annotation.facts import Facts
    from protocol.cli.annotation.output import Output, Tally
    from protocol.cli.pgn.games import RawGame

_LONGEST_REASON = 200  # characters


class Listener(Protocol):
    """Who is told how a run goes."""

    def wrote(self, raw: RawGame, facts: Facts) -> None:
        """A game is annotated and written."""

    def copied(self, raw: RawGame, line: int, reason: str) -> None:
        """A game is written as it is, because of what stands in this line of the input."""

    def moved(self, offset: int, tally: Tally) -> None:
        """The input is done up to this offset in bytes."""


class Run:
    """Has games annotated and writes them in order."""

    def __init__(
        self,
        games: Iterator[RawGame],
        order: Order,
        executor: Executor,
        window: Callable[[], int],
        output: Output,
        listener: Listener,
    ) -> None:
        """`window` tells how many games may be under way at a time."""
        self._pipeline = Pipeline(executor, partial(annotate, order), games, window)
        self._output = output
        self._listener = listener
        self.tally = replace(output.begin.tally)

    def stop(self) -> None:
        """Write what is ready and end; from any thread."""
        self._pipeline.stop()

    def go(self) -> bool:
        """Whether all has been written; if not, it was stopped. Raises WorkersError, OSError."""
        for done in self._pipeline.results():
            if done is not None:
                self._write(*done)
            self._output.commit()
        return self._pipeline.finished

    def _write(self, raw: RawGame, future: Future[Outcome]) -> None:
        outcome = _outcome(future)
        self._count(outcome)
        data = raw.data if outcome.data is None else outcome.data
        end = raw.offset + len(raw.data)
        self._output.write(data, end, raw.number + 1, raw.line + _lines(raw.data), self.tally)
        if outcome.error is not None:
            self._listener.copied(raw, raw.line + outcome.line, outcome.error)
        elif outcome.facts is not None:
            self._listener.wrote(raw, outcome.facts)
        self._listener.moved(end, self.tally)

    def _count(self, outcome: Outcome) -> None:
        tally = self.tally
        if outcome.error is not None:
            tally.games += 1
            tally.copied += 1
        elif outcome.facts is not None:
            tally.games += 1
            tally.positions += outcome.facts["positions"]
            for name in MARKS:
                marks = sum(outcome.facts[player][name] for player in PLAYERS)
                setattr(tally, name, getattr(tally, name) + marks)


def _outcome(future: Future[Outcome]) -> Outcome:
    """What came of a game, an error that concerns it alone included. Raises WorkersError for any other."""
    try:
        error = future.exception()
    except CancelledError as cancelled:
        error = cancelled
    if error is None:
        return future.result()
    if isinstance(error, CancelledError):
        raise WorkersError("the connection to the workers is lost")
    if isinstance(error, (ImportError, WorkersError)):
        raise WorkersError(_one_line(error))
    return Outcome(error=_one_line(error))


def _one_line(error: BaseException) -> str:
    text = " ".join(str(error).split())
    if isinstance(error, (WorkerDiedError, WorkersError)):
        return text
    return f"{type(error).__name__}: {text}"[:_LONGEST_REASON]


def _lines(data: bytes) -> int:
    return data.count(b"\n") or data.count(b"\r")
