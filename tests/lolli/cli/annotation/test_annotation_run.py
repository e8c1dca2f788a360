"""What a run does when workers fail."""

import io
from concurrent.futures import CancelledError, Executor, Future
from pathlib import Path
from typing import Any

import pytest

from engine.search.limits import Limits
from lolli.cli.analysis.finding import AnalystSettings
from lolli.cli.annotation.annotation_run import AnnotationRun
from lolli.cli.annotation.annotation_worker import AnnotationOrder, engine_identity
from lolli.cli.annotation.annotator import AnnotationOptions
from lolli.cli.annotation.output import StreamOutput
from lolli.cli.pgn.raw_games import RawGame, raw_games
from lolli.cli.workers import WorkerDiedError, WorkersError

PGN = b"".join(b'[Event "%d"]\n\n1. e4 e5 *\n\n' % number for number in range(1, 5))
SETTINGS = AnalystSettings(megabytes=1)
ORDER = AnnotationOrder(SETTINGS, Limits(depth=1), AnnotationOptions(), engine_identity(SETTINGS))


class Failing(Executor):
    """Does at once what it is given, but fails with the third game."""

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        (raw,) = args
        if raw.number == 3:
            future.set_exception(self._error)
        else:
            future.set_result(fn(*args, **kwargs))
        return future


class Notes:
    """In place of a display."""

    def __init__(self) -> None:
        self.wrote_games: list[int] = []
        self.copied_games: list[tuple[int, int, str]] = []
        self.offset = 0

    def wrote(self, raw: RawGame, facts: dict[str, Any]) -> None:
        assert facts["positions"] == 3
        self.wrote_games.append(raw.number)

    def copied(self, raw: RawGame, line: int, reason: str) -> None:
        self.copied_games.append((raw.number, line, reason))

    def reached(self, offset: int, games: int) -> None:
        del games
        self.offset = offset


def run_with(error: BaseException, path: Path) -> tuple[AnnotationRun, Notes, bool]:
    notes: Any = Notes()
    with path.open("wb", buffering=0) as file:
        output = StreamOutput(file.fileno(), "out")
        run = AnnotationRun(raw_games(io.BytesIO(PGN)), ORDER, Failing(error), lambda: 10, output, notes)
        return run, notes, run.go()


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (WorkerDiedError("3 workers died of it"), "3 workers died of it"),
        (ZeroDivisionError("division\nby zero"), "ZeroDivisionError: division by zero"),
        (RecursionError("x" * 999), "RecursionError: " + "x" * 184),
    ],
)
def test_a_game_that_cannot_be_done_is_copied(tmp_path: Path, error: Exception, reason: str) -> None:
    run, notes, finished = run_with(error, tmp_path / "out.pgn")
    assert finished
    assert notes.wrote_games == [1, 2, 4]
    assert notes.copied_games == [(3, 9, reason)]
    assert notes.offset == len(PGN)
    assert (run.tally.games, run.tally.copied, run.tally.positions) == (4, 1, 9)
    written = list(raw_games(io.BytesIO((tmp_path / "out.pgn").read_bytes())))
    games = list(raw_games(io.BytesIO(PGN)))
    assert [one.data == other.data for one, other in zip(games, written, strict=True)] == [
        False,
        False,
        True,
        False,
    ]


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (WorkersError("a worker has Lolli 0.0.9"), "a worker has Lolli 0.0.9"),
        (
            ModuleNotFoundError("No module named 'protocol'"),
            "ModuleNotFoundError: No module named 'protocol'",
        ),
        (CancelledError(), "the connection to the workers is lost"),
    ],
)
def test_what_concerns_all_games_ends_the_run(tmp_path: Path, error: Exception, reason: str) -> None:
    with pytest.raises(WorkersError) as caught:
        run_with(error, tmp_path / "out.pgn")
    assert str(caught.value) == reason
