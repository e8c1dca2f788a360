"""Activities that run while the dialogue goes on reading: a search, a perft, a bench.

`busy` becomes false before the last line is written, so that a client which answers that line at once
need not wait; `join` then waits for the little that is left.
"""

from collections.abc import Callable, Iterable
from threading import Event, Thread
from typing import Protocol

from engine.search.report import Outcome, Progress, Report
from engine.session import Session
from protocol.evaluation import scale_of
from protocol.text import describe, info_string
from protocol.uci import replies as uci_replies
from protocol.writer import Writer, report_error

GRACE = 4.0  # seconds that a job may still take after `quit`: it could go on for ever


class Activity(Protocol):
    """Something that runs beside the dialogue."""

    @property
    def busy(self) -> bool:
        """Whether the answer is still to come."""

    @property
    def ending(self) -> bool:
        """Whether only the answer is still to come: it has ended, by itself or after a `stop`."""

    def stop(self) -> None:
        """Ask it to end soon, with its answer; returns at once."""

    def join(self) -> None:
        """Wait until it is over."""

    def finish(self) -> None:
        """End it because the dialogue ends."""


class Search:
    """Listens to one `go` of a session: writes its reports and one `bestmove`."""

    def __init__(self, session: Session, writer: Writer, chess960: bool, shows_chances: bool) -> None:
        self.busy = True
        self._session = session
        self._writer = writer
        self._chess960 = chess960
        self._scale = scale_of(session.position, session.outcome_model, session.normalises, shows_chances)

    def report(self, report: Report) -> None:
        """A finished depth."""
        if self.busy:
            self._writer.line(uci_replies.info(report, self._chess960, self._scale))

    def progress(self, progress: Progress) -> None:
        """The root move that is being searched."""
        if self.busy:
            self._writer.line(uci_replies.progress(progress, self._chess960))

    def outcome(self, outcome: Outcome) -> None:
        """The answer: written once, whatever comes after it."""
        if self.busy:
            self.busy = False
            if outcome.remark:
                self._writer.message(outcome.remark)
            self._writer.line(uci_replies.best_move(outcome, self._chess960))

    def failed(self, error: BaseException) -> None:
        """An error in the search. The game goes on: an outcome with a legal move still follows."""
        report_error("the search failed", error)
        self._writer.message(f"the search failed: {describe(error)}")

    @property
    def ending(self) -> bool:
        """Whether the move is on its way, and not held back until `stop` or `ponderhit`."""
        return self._session.ending

    def stop(self) -> None:
        """Ask for the move now."""
        self._session.stop()

    def join(self) -> None:
        """Wait until the session is idle."""
        self._session.wait()

    def finish(self) -> None:
        """Stop, and wait for the move."""
        self.stop()
        self.join()


class Job:
    """A task in a thread of its own.

    `task(stopped)` asks `stopped()` now and then whether to stop, and returns the lines to write at its end.
    When the dialogue ends, it may take `grace` more seconds, None for no limit.
    """

    def __init__(
        self, task: Callable[[Callable[[], bool]], Iterable[str]], writer: Writer, grace: float | None = GRACE
    ) -> None:
        self.busy = True
        self._task = task
        self._writer = writer
        self._grace = grace
        self._stopping = Event()
        self._thread = Thread(target=self._run, name="job", daemon=True)
        self._thread.start()

    @property
    def ending(self) -> bool:
        """Whether the task was asked to end."""
        return self._stopping.is_set()

    def stop(self) -> None:
        """Ask the task to end."""
        self._stopping.set()

    def join(self) -> None:
        """Wait until the thread is gone."""
        self._thread.join()

    def finish(self) -> None:
        """Let a short task end, as scripts expect that send `quit` right after it; stop a long one."""
        self._thread.join(self._grace)
        self.stop()
        self.join()

    def _run(self) -> None:
        try:
            closing = list(self._task(self._stopping.is_set))
        except Exception as error:  # noqa: BLE001 - whatever it is, the dialogue goes on
            report_error("internal error", error)
            closing = [info_string(f"internal error: {describe(error)}")]
        self.busy = False
        self._writer.lines(closing)
