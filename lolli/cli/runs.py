"""A run over a file of games, for `annotate`, `puzzles` and `report --all`: workers, and a file that grows.

`do_game` runs in a worker, on this machine or another; `over_games` hands out the games and takes the results
in order. An interrupted run continues after the last game that is whole in its `GrowingFile`.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, Future
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass
from errno import ELOOP
from functools import cache
from io import BufferedReader
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import Any, BinaryIO
from zlib import crc32

from engine.board.fen import FenError
from engine.board.position import COMPILED
from engine.lookup.book import BookError
from engine.search.limits import Limits
from engine.search.table import TableError
from engine.system import files
from eval.choice import STANDARDS, Choices, EvaluatorError, owner
from eval.weight_file import LARGEST_FILE as LARGEST_WEIGHTS
from eval.weight_file import WeightsError
from lolli._analyst import Analyst
from lolli._findings import AnalystSettings
from lolli.cli import given_file
from lolli.cli.given_file import STDIO, BadInputError, InterruptibleStream
from lolli.cli.pgn import LARGEST_FILE, LARGEST_GAME, RawGame, raw_games
from lolli.cli.pgn.game_reader import NoGameError, ReadGame, UnreadableError, read_game
from lolli.cli.terminal.keys import stopping
from lolli.cli.workers import Pipeline, WorkerDiedError, WorkersError
from protocol import about
from protocol.text import escaped_lines

_LONGEST_REASON = 200  # characters
_DIGITS = 16  # of a hash
_BEGIN = 64 * 1024  # bytes of a part that show whether it is one
_SYNC_EVERY = 10.0  # seconds of work that a power cut may take
_RESTART = " (use --restart to start over)"
GOES_ON = "; repeat the command to continue"
_MARK = b"%lolli "
_LINE = re.compile(rb"%lolli ([0-9a-f]{8}) (\{.*\})\n")


@dataclass(frozen=True, slots=True)
class EngineIdentity:
    version: str
    evaluator: str
    weights: str
    compiled: bool

    def difference(self, other: EngineIdentity) -> str | None:
        """Why this engine cannot do the work of `other`; None if it can."""
        if self.version != other.version:
            return f"has {about.NAME} {self.version}, not {other.version}"
        if (self.evaluator, self.weights) != (other.evaluator, other.weights):
            return (
                f"has other weights of the evaluator {other.evaluator} ({self.weights}, not {other.weights})"
            )
        if other.compiled and not self.compiled:
            return "runs uncompiled, about 100 times slower"
        return None


def hash_of(file: BinaryIO) -> str:
    return hashlib.file_digest(file, "sha256").hexdigest()[:_DIGITS]  # type: ignore[arg-type] # has readinto


@cache
def engine_identity(settings: AnalystSettings) -> EngineIdentity:
    loaded = owner(settings.weights) if settings.weights else Choices().names[0]
    name = settings.evaluator or loaded
    weights = "none"
    if name in STANDARDS:
        content = files.read_file(settings.weights or STANDARDS[name], LARGEST_WEIGHTS)
        weights = hashlib.sha256(content).hexdigest()[:_DIGITS]
    return EngineIdentity(about.VERSION, name, weights, COMPILED)


@dataclass(frozen=True, slots=True)
class Job:
    settings: AnalystSettings
    limits: Limits
    options: Any
    engine: EngineIdentity

    def identity(self) -> dict[str, Any]:
        """What the results depend on; the keys are the words for a difference."""
        return {
            "version": self.engine.version,
            "evaluator": self.engine.evaluator,
            "weights": self.engine.weights,
            "hash": self.settings.megabytes,
            "threads": self.settings.threads,
            "lines": self.settings.lines,
            "depth": self.limits.depth,
            "nodes": self.limits.nodes,
            "time": self.limits.move_time,
            **asdict(self.options),
        }

    def problem(self) -> str | None:
        try:
            return engine_identity(self.settings).difference(self.engine)
        except OSError as error:
            return f"has no weights: {error}"


def job_of(settings: AnalystSettings, limits: Limits, options: Any) -> Job:
    with given_file.bad_files(), given_file.bad_input(WeightsError):
        return Job(settings, limits, options, engine_identity(settings))


@dataclass(frozen=True, slots=True)
class Result:
    """`data` is what the work made of a piece; `facts` are of a game that was read.

    Otherwise `error` says why not, and `line`, from 0, where. A piece without a game has none of these.
    """

    data: bytes | None = None
    facts: dict[str, Any] | None = None
    error: str | None = None
    line: int = 0


_UNREAD_WORK = "Error during deserialization of the task graph"  # the beginning of Dask's message
_own = threading.local()  # the analyst of this thread and its settings


def do_game(work: Callable[[ReadGame, Analyst, Job, RawGame], Result], job: Job, raw: RawGame) -> Result:
    """Do the work on a game in a worker. Raises WorkersError if this engine does not suit the job."""
    analyst = _analyst(job)
    try:
        return work(read_game(raw.data), analyst, job, raw)
    except NoGameError:
        return Result()
    except UnreadableError as error:
        return Result(error=str(error), line=error.line)
    except BookError as error:
        raise WorkersError(f"a worker cannot use the book: {error}") from None
    except FenError as error:
        return Result(error=f"the engine cannot use one of its positions: {error}")


def _analyst(job: Job) -> Analyst:
    if (problem := job.problem()) is not None:
        raise WorkersError(f"a worker {problem}")
    if getattr(_own, "settings", None) != job.settings:
        try:
            _own.analyst, _own.settings = Analyst(job.settings), job.settings
        except (EvaluatorError, TableError, WeightsError) as error:
            raise WorkersError(f"a worker cannot start the engine: {error}") from None
    analyst: Analyst = _own.analyst
    return analyst


def over_games(
    games: Iterator[RawGame],
    work: Callable[[RawGame], Result],
    workers: Executor,
    window: Callable[[], int],
    take: Callable[[RawGame, Result], None],
    stop_reading: Callable[[], None] = lambda: None,
) -> int:
    """Call `take` with each game and its result, in order; at most `window()` games are under way.

    Returns 0, or the exit status of a signal; then ready results are taken. Raises WorkersError.
    """
    pipeline = Pipeline(workers, work, games, window)

    def stop() -> None:
        pipeline.stop()
        stop_reading()

    with stopping(stop) as interruption:
        for done in pipeline.results():
            if done is not None:
                raw, future = done
                take(raw, _result(future))
    return 0 if pipeline.finished else interruption.exit_status


def _result(future: Future[Result]) -> Result:
    try:
        return future.result()
    except CancelledError:
        raise WorkersError("the connection to the workers is lost") from None
    except WorkersError:
        raise
    except ImportError as error:
        raise WorkersError(_one_line(error)) from None
    except WorkerDiedError as error:
        return Result(error=str(error))
    except Exception as error:  # noqa: BLE001 - whatever a game leads to in a worker
        if _UNREAD_WORK in str(error):
            raise WorkersError("the Dask scheduler cannot read the work: it needs the same Lolli") from None
        return Result(error=_one_line(error))


def _one_line(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:_LONGEST_REASON]


@dataclass(frozen=True, slots=True)
class Source:
    """The input; `size` is None if it is not known, as for a pipe. `stop` ends a wait for input."""

    name: str
    file: BinaryIO
    size: int | None
    stop: Callable[[], None] = lambda: None

    def identity(self) -> str | None:
        """The size, and a hash of the content; None for a pipe. Raises OSError."""
        if self.size is None:
            return None
        self.file.seek(0)
        content = hash_of(self.file)
        self.file.seek(0)
        return f"{self.size} bytes, {content}"

    def games_after(self, done: Counter[str]) -> Iterator[RawGame]:
        return raw_games(self.file, done["bytes"], done["pieces"] + 1, done["lines"] + 1)


@contextmanager
def games_in(name: str) -> Iterator[Source]:
    """The file of that name, `-` being stdin. Raises OSError."""
    with given_file.opened(name, LARGEST_FILE) as file:
        if not given_file.is_handed_over(name):
            yield Source(name, file, os.fstat(file.fileno()).st_size)
        else:
            with InterruptibleStream(file.fileno()) as stream, BufferedReader(stream) as reader:
                yield Source(name, reader, None, stream.stop)


class ResultStream:
    """Results written at once to a descriptor; for a terminal, control characters are escaped."""

    path = None
    resumable = False

    def __init__(self, descriptor: int, name: str) -> None:
        self.totals: Counter[str] = Counter()
        self._descriptor = descriptor
        self._name = name

    def write(self, raw: RawGame, data: bytes, **counts: int) -> None:
        shown = escaped_lines(data) if os.isatty(self._descriptor) else data
        files.write_all(self._descriptor, shown, self._name)
        self.totals.update(_counts(raw, counts))

    def finish(self) -> None:
        pass


class GrowingFile:
    """A file of results: NAME.part grows, and becomes NAME when all games are done.

    The part begins with the description of the run. Then follow, for each piece of the input, a line such as

        %lolli 7d2f90b1 {"size": 1210, "pieces": 1, "bytes": 812, "lines": 14, "games": 1, "positions": 40}

    and the `size` bytes of its result. The number is the CRC-32 of the object and these bytes: a run
    continues after the last piece that is undamaged. PGN has such lines for remarks.
    """

    def __init__(
        self, path: Path, run: dict[str, Any], source: Source, *, force: bool = False, restart: bool = False
    ) -> None:
        """Begin, or continue an interrupted `run` with the same description; never that of a pipe.

        `force` replaces an existing file; `restart` discards an earlier run. No other file is overwritten,
        and no link followed. Raises BadInputError, OSError.
        """
        self.path = path
        self.resumable = source.size is not None
        self.totals: Counter[str] = Counter()
        self._part = part_path(path)
        self._force = force
        self._finished = False
        self._synced = monotonic()
        self._file = given_file.locked(self._part)
        try:
            self._take_over({**run, "input": source.identity()}, source.size, restart=restart)
        except BaseException:
            if not os.fstat(self._file).st_size:
                self._part.unlink()
            os.close(self._file)
            raise

    def write(self, raw: RawGame, data: bytes, **counts: int) -> None:
        counts = _counts(raw, counts)
        files.append_to(self._file, _piece({"size": len(data), **counts}, data), str(self._part))
        self.totals.update(counts)
        if monotonic() > self._synced + _SYNC_EVERY:
            os.fsync(self._file)
            self._synced = monotonic()

    def pieces(self) -> Iterator[bytes]:
        with self._part.open("rb") as file:
            for _, data in islice(_pieces(file), 1, None):
                yield data

    def finish(self) -> None:
        """Raises BadInputError, OSError."""
        if not self._is_made():
            self._refuse_to_replace()  # it may have been created meanwhile
            with files.writing(self.path) as file:
                file.writelines(self.pieces())
        self._part.unlink()
        self._finished = True

    def close(self) -> None:
        if not (self._finished or self.totals):
            self._part.unlink()
        os.close(self._file)

    def _take_over(self, run: dict[str, Any], size: int | None, *, restart: bool) -> None:
        end = 0
        with os.fdopen(os.dup(self._file), "rb") as file:
            begin = file.read(_BEGIN)
            file.seek(0)
            pieces = _pieces(file)
            found, _ = next(pieces, (None, b""))
            if found is None and (b"\n" in begin or begin[: len(_MARK)] != _MARK[: len(begin)]):
                raise BadInputError(f"{self._part} is not an unfinished run of this version: move it away")
            if found is not None and not restart:
                for counts, _ in pieces:
                    self.totals.update(counts)
                    end = file.tell()
        del self.totals["size"]
        if self.totals and found != run:
            raise BadInputError(
                f"{self._part} belongs to another run: {given_file.difference(found or {}, run)}{_RESTART}"
            )
        if self.totals and size is None:
            raise BadInputError(f"{self._part} belongs to a run that cannot be continued{_RESTART}")
        self._is_whole = bool(self.totals) and self.totals["bytes"] == size
        if not self._is_made():
            self._refuse_to_replace()
        os.ftruncate(self._file, end)
        if not end:
            files.append_to(self._file, _piece(run), str(self._part))

    def _is_made(self) -> bool:
        if not (self._is_whole and self.path.is_file()):
            return False
        with self.path.open("rb") as file:
            return all(file.read(len(data)) == data for data in self.pieces()) and not file.read(1)

    def _refuse_to_replace(self) -> None:
        if os.path.lexists(self.path) and not self._force:
            raise BadInputError(f"{self.path} already exists (use --force to overwrite)")


def _counts(raw: RawGame, counts: dict[str, int]) -> dict[str, int]:
    return {"pieces": 1, "bytes": len(raw.data), "lines": raw.lines, **counts}


def _piece(content: dict[str, Any], data: bytes = b"") -> bytes:
    text = json.dumps(content).encode()
    return b"%b%08x %b\n%b" % (_MARK, crc32(data, crc32(text)), text, data)


def _pieces(file: BinaryIO) -> Iterator[tuple[dict[str, Any], bytes]]:
    """The whole pieces from here on, and the description of the run as the first of them."""
    most = os.fstat(file.fileno()).st_size
    while (line := _LINE.fullmatch(file.readline(LARGEST_GAME))) is not None:
        try:
            content = json.loads(line[2])
        except (ValueError, RecursionError):
            return
        size = content.get("size", 0)
        if not isinstance(size, int) or not 0 <= size <= most:
            return
        data = file.read(size)
        if len(data) < size or crc32(data, crc32(line[2])) != int(line[1], 16):
            return
        yield content, data


def part_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.part")


@contextmanager
def results_in(
    name: str | None, ending: str, source: Source, run: dict[str, Any], *, force: bool, restart: bool
) -> Iterator[GrowingFile | ResultStream]:
    """`-` is stdout; by default named after the source, with this `ending`. Raises BadInputError, OSError."""
    if name == STDIO:
        yield ResultStream(sys.stdout.fileno(), "stdout")
    elif name is not None and given_file.is_stream(name):
        with given_file.open_stream(name) as file:
            yield ResultStream(file.fileno(), name)
    else:
        path = _path(name, ending, source)
        with closing(GrowingFile(path, run, source, force=force, restart=restart)) as growing:
            yield growing


def _path(name: str | None, ending: str, source: Source) -> Path:
    if name is None:
        name = given_file.named_after(source.name, ending, "name the output with -o")
    try:
        path = Path(name).resolve()
    except RuntimeError:  # links that lead to one another
        raise BadInputError(f"{name}: {os.strerror(ELOOP)}") from None
    if path.is_dir():
        raise BadInputError(f"{path} is a folder")
    for made in (path, part_path(path)):
        if made.exists() and source.size is not None and made.samefile(source.name):
            raise BadInputError(f"{source.name} would be overwritten: choose another name with -o")
    return path


def shown(path: Path) -> Path:
    """An absolute path as one would type it here."""
    with suppress(OSError, ValueError):  # the folder is gone; the file is elsewhere
        return path.relative_to(Path.cwd())
    return path
