"""`lolli annotate` from beginning to end: files, workers, display, and what interrupts them."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from protocol.cli.annotation.display import AnnotationDisplay, games_text
from protocol.cli.annotation.errors import AnnotateError
from protocol.cli.annotation.files import GameSource, opened_source, opened_target
from protocol.cli.annotation.identity import engine_identity
from protocol.cli.annotation.output import GameOutput
from protocol.cli.annotation.run import AnnotationRun
from protocol.cli.annotation.worker import AnnotationOrder
from protocol.cli.pgn.games import raw_games
from protocol.cli.terminal.interrupt import stopping
from protocol.given_file import STDIO
from protocol.journal import JournalError
from protocol.workers import LocalWorkers, WorkersError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Executor

    from engine.search.limits import Limits
    from protocol.cli.analysis.settings import AnalystSettings
    from protocol.cli.annotation.annotator import AnnotationOptions

_GAMES_PER_WORKER = 32  # under way or waiting for a slower one before them
_SOME_COPIED = 1  # exit status
_GOES_ON = "; the same command goes on from there"


@dataclass(frozen=True, slots=True)
class AnnotationRequest:
    """What is asked for.

    `source` and `target` are names of files or `-`; a target of None is named after the source. `cluster` is
    the address of a scheduler, None for `jobs` workers here.
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
    """Do it, and tell on stderr how it goes. The exit status. Raises AnnotateError, BrokenPipeError."""
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
    if request.as_json and sys.stdout is None:
        raise AnnotateError("stdout is closed")
    order = AnnotationOrder(
        request.settings, request.limits, request.options, engine_identity(request.settings)
    )
    restart, force = request.restart, request.force
    with (
        opened_source(request.source) as source,
        opened_target(request.target, source, order, restart=restart, force=force) as output,
    ):
        display = AnnotationDisplay(
            output.begin, source.size, bar=_has_room_for_bar(request), as_json=request.as_json
        )
        status = 0 if output.complete else _run(request, order, source, output, display)
        if status == 0:
            output.finish()
    if status:
        games = games_text(output.now.tally.games)
        display.say(f"Stopped after {games}{_GOES_ON if output.resumable else ''}.")
        return status
    display.say(display.summary(output.now.tally))
    return _SOME_COPIED if output.now.tally.copied else 0


def _run(
    request: AnnotationRequest,
    order: AnnotationOrder,
    source: GameSource,
    output: GameOutput,
    display: AnnotationDisplay,
) -> int:
    """Have the games annotated; 0, or the exit status when a signal has stopped that."""
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


@contextmanager
def _workers(
    request: AnnotationRequest, order: AnnotationOrder, display: AnnotationDisplay
) -> Iterator[tuple[Executor, Callable[[], int]]]:
    """Who does the work, and how many games they can be given at a time. Raises AnnotateError."""
    if request.cluster is None:
        with LocalWorkers(request.jobs) as workers:
            yield workers, lambda: _GAMES_PER_WORKER * request.jobs
        return
    try:
        from protocol.cli.annotation.cluster import Cluster  # noqa: PLC0415 - slow, and an extra
    except ModuleNotFoundError as error:
        raise AnnotateError(f"--cluster needs {error.name}: pip install 'lolli[cluster]'") from None
    with Cluster(request.cluster, order) as cluster:
        if not cluster.has_workers():
            display.say("The cluster has no workers yet.")
        yield cluster, lambda: _GAMES_PER_WORKER * cluster.threads()


def _has_room_for_bar(request: AnnotationRequest) -> bool:
    """Whether nothing else is written to the terminal that the progress is shown on."""
    return not (sys.stdout and sys.stdout.isatty() and (request.as_json or request.target == STDIO))
