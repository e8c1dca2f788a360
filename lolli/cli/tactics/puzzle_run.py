"""A whole run of `lolli puzzles`: workers, progress, and a journal from which an interrupted run goes on.

The journal has a record for each game, with its puzzles. When all games are done the puzzles are written and
the journal is deleted.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.system import files
from lolli.cli import given_file
from lolli.cli.annotation.annotation_run import failure
from lolli.cli.annotation.annotation_worker import engine_identity
from lolli.cli.annotation.output import AnnotateError, journal_path, opened_source, run_identity
from lolli.cli.journal import Journal, JournalError
from lolli.cli.pgn.known_players import PlayerNameError, outline
from lolli.cli.pgn.raw_games import raw_games
from lolli.cli.tactics.puzzle import position_in
from lolli.cli.tactics.puzzle_worker import GamePuzzles, PuzzleOrder, find
from lolli.cli.terminal.console import messages
from lolli.cli.terminal.progress import FileDisplay
from lolli.cli.terminal.tty import stopping
from lolli.cli.terminal.words import counted
from lolli.cli.workers import LocalWorkers, Pipeline, WorkersError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future

    from engine.search.limits import Limits
    from lolli.cli.analysis.finding import AnalystSettings
    from lolli.cli.annotation.output import GameSource
    from lolli.cli.pgn.raw_games import RawGame
    from lolli.cli.tactics.puzzle_finder import PuzzleOptions

_GAMES_PER_WORKER = 4  # under way, or waiting for a slower one before them
_LARGEST_JOURNAL = 1 << 28
_SOME_UNREADABLE = 1  # exit status
_ADVICE = " (use --restart to start over)"


@dataclass(frozen=True, slots=True)
class PuzzleRequest:
    """The arguments of a run; `target` is the file to write, None for none, and then without a journal."""

    source: str
    target: Path | None
    settings: AnalystSettings
    limits: Limits
    options: PuzzleOptions
    jobs: int
    force: bool
    restart: bool


@dataclass
class PuzzleTally:
    """What a run has found so far; `offset`, `number` and `line` are those of the next game in the input.

    Of several puzzles with the same position only the first counts.
    """

    puzzles: list[str] = field(default_factory=list)
    games: int = 0
    missed: int = 0
    positions: int = 0
    unreadable: int = 0
    offset: int = 0
    number: int = 1
    line: int = 1

    def __post_init__(self) -> None:
        self._known = {position_in(pgn) for pgn in self.puzzles}  # not a field: the journal does not need it

    def add(self, raw: RawGame, found: GamePuzzles) -> list[str]:
        """Count a game; those of its puzzles that are new, as PGN."""
        new = [each for each in found.puzzles if each.position not in self._known]
        self._known.update(each.position for each in new)
        puzzles = [each.pgn for each in new]
        self.puzzles += puzzles
        self.games += found.games
        self.missed += sum(each.missed for each in new)
        self.positions += found.positions
        self.unreadable += found.error is not None
        self.offset = raw.offset + len(raw.data)
        self.number = raw.number + 1
        self.line = raw.line + raw.lines
        return puzzles

    def record(self, puzzles: list[str]) -> dict[str, Any]:
        """The totals after a game, and its own puzzles."""
        return {**asdict(self), "puzzles": puzzles}

    def take_over(self, record: dict[str, Any]) -> None:
        """Go on after a record. Raises AnnotateError if it is not one of a run like this."""
        if record.keys() != {each.name for each in fields(self)}:
            raise AnnotateError(f"the journal is not one of lolli puzzles{_ADVICE}")
        self.puzzles += record["puzzles"]
        self._known.update(map(position_in, record["puzzles"]))
        for name in record.keys() - {"puzzles"}:
            setattr(self, name, record[name])


def find_puzzles(request: PuzzleRequest, write_others: Callable[[list[str]], None]) -> tuple[list[str], int]:
    """Find the puzzles of a file and report progress on stderr: those found, as PGN, and the exit status.

    If the run was interrupted, the status is that of the signal, and nothing is written. Otherwise they are
    given to `write_others` and written to the target; the journal is kept until all is written. Raises
    AnnotateError.
    """
    try:
        with _source(request) as (source, options):
            return _find(request, source, options, write_others)
    except JournalError as error:
        raise AnnotateError(str(error)) from None
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        raise AnnotateError(f"{name}{error.strerror or error}") from None


def _find(
    request: PuzzleRequest,
    source: GameSource,
    options: PuzzleOptions,
    write_others: Callable[[list[str]], None],
) -> tuple[list[str], int]:
    order = PuzzleOrder(request.settings, request.limits, options, engine_identity(request.settings))
    with _journal(request, source, order) as journal:
        tally = PuzzleTally()
        for record in journal.records if journal else ():
            tally.take_over(record)
        # An earlier run may have ended between the target and the end of its journal.
        force = request.force or bool(journal and journal.records and _holds(request.target, tally))
        if request.target is not None:
            _refuse_to_replace(request.target, force=force)
        display = FileDisplay(source.size, tally.offset, tally.games)
        status = _run(request, order, source, tally, journal, display)
        if status:
            again = "; repeat the command to continue" if journal else ""
            display.print(f"Stopped after {counted(tally.games, 'game')}{again}.")
            return tally.puzzles, status
        display.print(_summary(tally, display))
        write_others(tally.puzzles)
        if request.target is not None:
            _write(request.target, tally.puzzles, force=force)
        if journal is not None:
            journal.remove()
    return tally.puzzles, _SOME_UNREADABLE if tally.unreadable else 0


@contextmanager
def _source(request: PuzzleRequest) -> Iterator[tuple[GameSource, PuzzleOptions]]:
    """The games, and the options with the name of the player who is meant.

    Raises AnnotateError, OSError.
    """
    player = request.options.player
    with opened_source(request.source) as source:
        if player is None:
            yield source, request.options
            return
        with given_file.rewindable(request.source, source.file) as file:
            try:
                name, *_ = outline(file).names.meant(player)
            except PlayerNameError as error:
                raise AnnotateError(f"{request.source}: {error}") from None
            file.seek(0)
            yield replace(source, file=file), replace(request.options, player=name.casefold())


@contextmanager
def _journal(request: PuzzleRequest, source: GameSource, order: PuzzleOrder) -> Iterator[Journal | None]:
    """The journal beside the target; None where the run cannot be continued, as its input is a pipe."""
    if request.target is None or source.size is None:
        yield None
        return
    run = {"command": "puzzles", **run_identity(source, order)}
    path = journal_path(request.target)
    journal = Journal(path, run, restart=request.restart, advice=_ADVICE, largest=_LARGEST_JOURNAL)
    try:
        yield journal
    finally:
        if path.exists():
            journal.remove_if_empty()
        journal.close()


def _run(
    request: PuzzleRequest,
    order: PuzzleOrder,
    source: GameSource,
    tally: PuzzleTally,
    journal: Journal | None,
    display: FileDisplay,
) -> int:
    """Look at the games. Returns 0, or the exit status if a signal stopped the run."""
    games = raw_games(source.file, tally.offset, tally.number, tally.line)
    window = _GAMES_PER_WORKER * request.jobs
    with LocalWorkers(request.jobs) as workers:
        pipeline = Pipeline(workers, partial(find, order), games, lambda: window)

        def stop() -> None:
            pipeline.stop()
            source.stop()

        with stopping(stop) as interruption, display.shown():
            try:
                for done in pipeline.results():
                    if done is not None:
                        _keep(*done, tally, journal, display)
            except WorkersError as error:
                raise AnnotateError(str(error)) from None
    return 0 if pipeline.finished else interruption.exit_status


def _keep(
    raw: RawGame,
    future: Future[GamePuzzles],
    tally: PuzzleTally,
    journal: Journal | None,
    display: FileDisplay,
) -> None:
    reason = failure(future)
    found = future.result() if reason is None else GamePuzzles(error=reason)
    puzzles = tally.add(raw, found)
    if journal is not None:
        journal.append(tally.record(puzzles))
    if found.error is not None:
        display.print(f"game {raw.number}, line {raw.line + found.line}: {found.error}; left out")
    display.reached(tally.offset, tally.games, f", {counted(len(tally.puzzles), 'puzzle')}")


def _summary(tally: PuzzleTally, display: FileDisplay) -> str:
    """The totals, earlier parts of the run included; time and rate are those of this part."""
    parts = [
        f"{counted(tally.games, 'game')}, {tally.positions:,} positions",
        f"{counted(len(tally.puzzles), 'puzzle')}, {tally.missed:,} of them missed",
        f"{tally.unreadable:,} left out" if tally.unreadable else "",
        display.spent(tally.games),
    ]
    return "; ".join(part for part in parts if part)


def _refuse_to_replace(path: Path, *, force: bool) -> None:
    if path.is_dir():
        raise AnnotateError(f"{path} is a folder")
    if os.path.lexists(path) and not force:
        raise AnnotateError(f"{path} already exists (use --force to overwrite)")


def _holds(path: Path | None, tally: PuzzleTally) -> bool:
    """Whether a file has these puzzles already."""
    return path is not None and path.is_file() and path.read_bytes() == "".join(tally.puzzles).encode()


def _write(path: Path, puzzles: list[str], *, force: bool) -> None:
    """Raises OSError, AnnotateError."""
    _refuse_to_replace(path, force=force)  # it may have been created meanwhile
    files.write_whole(path, "".join(puzzles).encode())
    messages().print(f"wrote {path}")
