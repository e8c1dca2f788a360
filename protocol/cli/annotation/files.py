"""The files of a run: where the games come from and where they go."""

from __future__ import annotations

import io
import os
import select
import sys
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from errno import ELOOP
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from protocol import given_file
from protocol.cli.annotation.errors import FilesError
from protocol.cli.annotation.identity import file_identity
from protocol.cli.annotation.output import FileOutput, GameOutput, StreamOutput, journal_path, part_path
from protocol.cli.pgn.games import LARGEST_FILE
from protocol.given_file import STDIO

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from _typeshed import WriteableBuffer

    from protocol.cli.annotation.worker import AnnotationOrder


@dataclass(frozen=True, slots=True)
class GameSource:
    """The games. `size` in bytes and `identity` are None where they cannot be known, as those of a pipe.

    `stop` ends a wait for what comes through a pipe: it is then at its end.
    """

    name: str
    file: BinaryIO
    size: int | None
    identity: str | None
    stop: Callable[[], None]


class _Stream(io.RawIOBase):
    """A descriptor of a pipe or a terminal, the wait for which can be ended."""

    def __init__(self, file: int) -> None:
        self._file = file
        self._ended, self._end = os.pipe()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        ready, _, _ = select.select([self._file, self._ended], [], [])
        return 0 if self._ended in ready else os.readv(self._file, [buffer])

    def stop(self) -> None:
        """Be at the end from now on; from any thread."""
        os.write(self._end, b".")

    def close(self) -> None:
        if not self.closed:
            os.close(self._ended)
            os.close(self._end)
        super().close()


@contextmanager
def opened_source(name: str) -> Iterator[GameSource]:
    """The file of that name, `-` being stdin. Raises OSError."""
    with given_file.opened(name, LARGEST_FILE) as file:
        if not given_file.is_handed_over(name):
            yield GameSource(name, file, os.fstat(file.fileno()).st_size, file_identity(file), lambda: None)
        else:
            with _Stream(file.fileno()) as stream, io.BufferedReader(stream) as reader:
                yield GameSource(name, reader, None, None, stream.stop)


@contextmanager
def opened_target(
    name: str | None, source: GameSource, order: AnnotationOrder, *, force: bool, restart: bool
) -> Iterator[GameOutput]:
    """The file of that name, `-` being stdout; by default it is named after the source.

    Raises FilesError, OutputError, JournalError, OSError.
    """
    if name == STDIO:
        if sys.stdout is None:
            raise FilesError("stdout is closed")
        yield StreamOutput(sys.stdout.fileno(), "stdout")
        return
    if name is not None and given_file.is_stream(name):
        with given_file.open_stream(name) as file:
            yield StreamOutput(file.fileno(), name)
        return
    path = _path(name, source)
    if path.is_dir():
        raise FilesError(f"{path} is a folder")
    run = run_identity(source, order)
    with closing(FileOutput(path, run, size=source.size, force=force, restart=restart)) as output:
        yield output


def run_identity(source: GameSource, order: AnnotationOrder) -> dict[str, Any]:
    """What two runs must have in common to be one, in the words in which a difference is told."""
    limits, options = order.limits, order.options
    return {
        "version": order.engine.version,
        "input": source.identity,
        "evaluator": order.engine.evaluator,
        "weights": order.engine.weights,
        "hash": order.settings.megabytes,
        "depth": limits.depth,
        "nodes": limits.nodes,
        "time": limits.move_time,
        **asdict(options),
    }


def _path(name: str | None, source: GameSource) -> Path:
    """Where the games go, links resolved; nothing that is made there may be the source."""
    if name is None:
        if source.size is None:
            raise FilesError("where the games come from has no name to make another from: give one with -o")
        given = Path(source.name)
        name = str(given.with_name(f"{given.stem}-annotated.pgn"))
    try:
        path = Path(name).resolve()
    except RuntimeError:  # links that lead to one another
        raise FilesError(f"{name}: {os.strerror(ELOOP)}") from None
    for made in (path, part_path(path), journal_path(path)):
        if made.exists() and source.size is not None and made.samefile(source.name):
            raise FilesError(f"{source.name} would be written over: give another name with -o")
    return path
