"""A whole run of `lolli annotate`: files, workers, progress, and what interrupts them."""

from __future__ import annotations

import json
import sys
from concurrent.futures import CancelledError
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.system import files, installation
from lolli.cli.annotation.annotation_worker import (
    AnnotationOrder,
    AnnotationResult,
    annotate,
    engine_identity,
    problem,
)
from lolli.cli.annotation.annotator import MARKS, PLAYERS
from lolli.cli.annotation.output import AnnotateError, GameOutput, GameSource, opened_source, opened_target
from lolli.cli.given_file import STDIO
from lolli.cli.journal import JournalError
from lolli.cli.pgn.raw_games import raw_games
from lolli.cli.terminal.progress import FileDisplay
from lolli.cli.terminal.tty import stopping
from lolli.cli.terminal.words import counted
from lolli.cli.workers import LocalWorkers, Pipeline, WorkerDiedError, WorkersError
from protocol.text import escaped_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Executor, Future

    from engine.search.limits import Limits
    from lolli.cli.analysis.finding import AnalystSettings
    from lolli.cli.annotation.annotator import AnnotationOptions, Facts
    from lolli.cli.annotation.output import AnnotationTally, Checkpoint
    from lolli.cli.pgn.raw_games import RawGame

_LONGEST_REASON = 200  # characters
_GAMES_PER_WORKER = 32  # under way, or waiting for a slower one before them
_SOME_COPIED = 1  # exit status
_GOES_ON = "; repeat the command to continue"


class AnnotationDisplay(FileDisplay):
    """Reports a run on stderr; with `as_json` also each game on stdout."""

    def __init__(self, begin: Checkpoint, size: int | None, *, has_bar: bool, as_json: bool) -> None:
        """The run begins at a checkpoint in an input of `size` bytes, None if that is not known."""
        super().__init__(size, begin.offset, begin.tally.games)
        self._prints_games = as_json
        self._has_bar = has_bar

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Show the progress, if there is a bar, while the run lasts."""
        with super().shown() if self._has_bar else nullcontext():
            yield

    def wrote(self, raw: RawGame, facts: Facts) -> None:
        """A game was annotated and written."""
        if self._prints_games:
            _print_json({"number": raw.number, **facts})

    def copied(self, raw: RawGame, line: int, reason: str) -> None:
        """A game was copied unchanged, because of an error in this line of the input."""
        self.print(f"game {raw.number}, line {line}: {reason}; copied unchanged")
        if self._prints_games:
            _print_json({"number": raw.number, "error": reason, "line": line})

    def summary(self, tally: AnnotationTally) -> str:
        """The totals, including earlier parts of the run; time and rate are those of this part."""
        parts = [
            f"{counted(tally.games, 'game')}, {tally.positions:,} positions",
            f"{tally.inaccuracies:,} ?!, {tally.mistakes:,} ?, {tally.blunders:,} ??",
            f"{tally.copied:,} copied unchanged" if tally.copied else "",
            self.spent(tally.games),
        ]
        return "; ".join(part for part in parts if part)


def _print_json(content: Facts) -> None:
    line = escaped_json(json.dumps(content, ensure_ascii=False))
    files.write_all(sys.stdout.fileno(), f"{line}\n".encode(), "stdout")


class AnnotationRun:
    """Has games annotated by workers and writes them in order."""

    def __init__(
        self,
        games: Iterator[RawGame],
        order: AnnotationOrder,
        executor: Executor,
        window: Callable[[], int],
        output: GameOutput,
        display: AnnotationDisplay,
    ) -> None:
        """At most `window()` games are under way at a time."""
        self._pipeline = Pipeline(executor, partial(annotate, order), games, window)
        self._output = output
        self._display = display
        self.tally = replace(output.begin.tally)

    def stop(self) -> None:
        """Write the games that are ready, then end. May be called from any thread."""
        self._pipeline.stop()

    def go(self) -> bool:
        """Whether all games were written; if not, the run was stopped. Raises WorkersError, OSError."""
        for done in self._pipeline.results():
            if done is not None:
                self._write(*done)
            self._output.commit()
        return self._pipeline.finished

    def _write(self, raw: RawGame, future: Future[AnnotationResult]) -> None:
        outcome = _outcome(future)
        self._count(outcome)
        data = raw.data if outcome.data is None else outcome.data
        end = raw.offset + len(raw.data)
        if outcome.error is not None:  # told first: what cannot be told is told when the run is continued
            self._display.copied(raw, raw.line + outcome.line, outcome.error)
        elif outcome.facts is not None:
            self._display.wrote(raw, outcome.facts)
        self._output.write(data, end, raw.number + 1, raw.line + raw.lines, self.tally)
        self._display.reached(end, self.tally.games)

    def _count(self, outcome: AnnotationResult) -> None:
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


def _outcome(future: Future[AnnotationResult]) -> AnnotationResult:
    """The result of a game, or the error in it. Raises WorkersError for an error of the workers."""
    reason = failure(future)
    return future.result() if reason is None else AnnotationResult(error=reason)


def failure(future: Future[Any]) -> str | None:
    """Why a game could not be worked on; None if it was. Raises WorkersError for an error of the workers."""
    try:
        error = future.exception()
    except CancelledError as cancelled:
        error = cancelled
    if error is None:
        return None
    if isinstance(error, CancelledError):
        raise WorkersError("the connection to the workers is lost")
    if isinstance(error, (ImportError, WorkersError)):
        raise WorkersError(_one_line(error))
    return _one_line(error)


def _one_line(error: BaseException) -> str:
    text = " ".join(str(error).split())
    if isinstance(error, (WorkerDiedError, WorkersError)):
        return text
    return f"{type(error).__name__}: {text}"[:_LONGEST_REASON]


@dataclass(frozen=True, slots=True)
class AnnotationRequest:
    """The arguments of `lolli annotate`.

    `source` and `target` are names of files or `-`; a target of None is named after the source. `cluster` is
    the address of a scheduler; None for `jobs` workers on this machine.
    """

    source: str
    target: str | None
    settings: AnalystSettings
    limits: Limits
    options: AnnotationOptions
    jobs: int
    cluster: str | None
    as_json: bool
    force: bool
    restart: bool


def annotate_file(request: AnnotationRequest) -> int:
    """Annotate a file and report progress on stderr. Returns the exit status.

    Raises AnnotateError, BrokenPipeError.
    """
    try:
        return _annotate(request)
    except BrokenPipeError:
        raise
    except JournalError as error:
        raise AnnotateError(str(error)) from None
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        raise AnnotateError(f"{name}{error.strerror or error}") from None


def _annotate(request: AnnotationRequest) -> int:
    order = AnnotationOrder(
        request.settings, request.limits, request.options, engine_identity(request.settings)
    )
    restart, force = request.restart, request.force
    with (
        opened_source(request.source) as source,
        opened_target(request.target, source, order, restart=restart, force=force) as output,
    ):
        display = AnnotationDisplay(
            output.begin, source.size, has_bar=_has_room_for_bar(request), as_json=request.as_json
        )
        status = 0 if output.complete else _run(request, order, source, output, display)
        if status == 0:
            output.finish()
    if status:
        games = counted(output.now.tally.games, "game")
        display.print(f"Stopped after {games}{_GOES_ON if output.resumable else ''}.")
        return status
    display.print(display.summary(output.now.tally))
    if output.path is not None:
        display.print(f"wrote {_shown(output.path)}")
    return _SOME_COPIED if output.now.tally.copied else 0


def _run(
    request: AnnotationRequest,
    order: AnnotationOrder,
    source: GameSource,
    output: GameOutput,
    display: AnnotationDisplay,
) -> int:
    """Annotate the games. Returns 0, or the exit status if a signal stopped the run."""
    begin = output.begin
    games = raw_games(source.file, begin.offset, begin.number, begin.line)
    with _workers(request, order, display) as (executor, window):
        run = AnnotationRun(games, order, executor, window, output, display)

        def stop() -> None:
            run.stop()
            source.stop()

        with stopping(stop) as interruption, display.shown():
            try:
                finished = run.go()
            except WorkersError as error:
                raise AnnotateError(f"{error}{_GOES_ON if output.resumable else ''}") from None
    return 0 if finished else interruption.exit_status


def _shown(path: Path) -> Path:
    """A whole path as one would type it here."""
    with suppress(OSError, ValueError):  # the folder is gone; the file is elsewhere
        return path.relative_to(Path.cwd())
    return path


@contextmanager
def _workers(
    request: AnnotationRequest, order: AnnotationOrder, display: AnnotationDisplay
) -> Iterator[tuple[Executor, Callable[[], int]]]:
    """The workers, and how many games may be under way at a time. Raises AnnotateError."""
    if request.cluster is None:
        with LocalWorkers(request.jobs) as workers:
            yield workers, lambda: _GAMES_PER_WORKER * request.jobs
        return
    try:
        from lolli.cli.cluster import Cluster  # noqa: PLC0415 - slow, and an extra
    except ModuleNotFoundError as error:
        raise AnnotateError(f"--cluster needs {error.name}: {installation.to_add('cluster')}") from None
    with Cluster(request.cluster, partial(problem, order)) as cluster:
        if not cluster.has_workers():
            display.print("The cluster has no workers yet.")
        yield cluster, lambda: _GAMES_PER_WORKER * cluster.threads()


def _has_room_for_bar(request: AnnotationRequest) -> bool:
    """Whether only the progress is written to the terminal."""
    return not (sys.stdout and sys.stdout.isatty() and (request.as_json or request.target == STDIO))
