"""Fathom, the C library that probes Syzygy tables fast enough for the search, where the system has it.

Debian and Ubuntu: libfathom1; source: https://github.com/jdart1/Fathom. The search calls it by address, see
engine.search.probing. It has one set of tables in a process, trusts each file of a fitting name, ends the
process if one cannot be mapped, and opens a table when first asked for it, in Debian's build without a lock.
"""

import ctypes
import mmap
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from threading import Lock
from weakref import finalize

import chess

from engine.lookup import trial
from engine.search.probing import Prober

NAMES = ("libfathom.so.1", "libfathom.so", "libfathom.dylib")

_RESULTS = {"0", "1", "2", "3", "4"}
_PATIENCE, _PER_TABLE = 20.0, 0.5
"""Seconds for all tables, and for each of them besides, that opening them may take on a slow disk."""

_taken = Lock()  # held while somebody uses the library


class FathomError(RuntimeError):
    """Why the library cannot be used, in one line."""


class Fathom:
    """The library with some tables, until `close`: not before the last search that asks it has ended.

    `damaged`: the files that cannot be used. `men`: the pieces of the largest usable table, or 0.
    """

    def __init__(self, tables: Sequence[Path]) -> None:
        """Load the results in these files, whose names and headers have been checked. Raises FathomError."""
        self._name, self._library = installed()
        if not _taken.acquire(blocking=False):
            raise FathomError("another engine in this process uses Fathom")
        self.close = finalize(self, _give_back, self._library)
        self.close.atexit = False  # a search may still run
        self.damaged: list[Path] = []
        try:
            size = sum(path.stat().st_size for path in tables)
            try:
                mmap.mmap(-1, size, mmap.MAP_PRIVATE, mmap.PROT_READ).close()
            except (OSError, OverflowError):
                raise OSError(f"no room for {size >> 20} MiB in the address space") from None
            with TemporaryDirectory(prefix="lolli-tables-") as folder:
                usable = self._open(tables, Path(folder))
        except OSError as error:
            self.close()
            raise FathomError(error.strerror or str(error)) from None
        self.men = max((len(path.stem) - 1 for path in usable), default=0)

    def _open(self, tables: Sequence[Path], folder: Path) -> Sequence[Path]:
        """Open those tables that can be used, by links in an empty folder; their files."""
        boards = {path: _without_captures(path.stem) for path in tables}
        for path in tables:
            (folder / path.name).symlink_to(path.absolute())
        while (damaged := self._first_damaged(folder, boards)) is not None:
            self.damaged.append(damaged)
            (folder / damaged.name).unlink()
            del boards[damaged]
        self._library.tb_init(os.fsencode(folder))
        for each in boards.values():  # not when first needed, perhaps in several threads at once
            trial.result(self._library, each)
        return list(boards)

    def _first_damaged(self, folder: Path, boards: Mapping[Path, Sequence[int]]) -> Path | None:
        """The first file without a sensible result, or at which a process that opens all of them ends."""
        try:
            done = subprocess.run(  # noqa: S603 - this Python, with a script of ours
                [sys.executable, "-I", "-S", Path(trial.__file__).absolute(), self._name, folder],
                cwd=folder,  # where a core dump goes with it
                input="".join(" ".join(map(str, each)) + "\n" for each in boards.values()),
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                timeout=_PATIENCE + _PER_TABLE * len(boards),
                start_new_session=True,  # Ctrl-C is for the engine
                text=True,
                check=False,
            )
            said = done.stdout
        except subprocess.TimeoutExpired as expired:
            said = (expired.stdout or b"").decode()
        begun, *results = said.split() or [""]
        if begun != trial.BEGUN:
            raise OSError("the tables cannot be tried in another process")
        for number, path in enumerate(boards):
            if number >= len(results) or results[number] not in _RESULTS:
                return path
        return None

    def prober(self, most_men: int, depth: int = 1, fifty_moves: bool = True) -> Prober:
        """What a search asks for positions of up to `most_men` pieces; see Prober."""
        address = ctypes.cast(self._library.tb_probe_wdl_impl, ctypes.c_void_p).value or 0
        return Prober(address, min(most_men, self.men), depth, fifty_moves, self)


def installed() -> tuple[str, ctypes.CDLL]:
    """The library and its name. Raises FathomError."""
    for name in NAMES:
        try:
            return name, trial.load(name)
        except (OSError, AttributeError):
            continue
    raise FathomError(f"Fathom is not installed ({NAMES[0]})")


def _give_back(library: ctypes.CDLL) -> None:
    """Unload the tables, stderr silenced: to Debian's Fathom each table well unmapped is an error."""
    kept = None
    with suppress(OSError):  # stderr may be closed
        kept = os.dup(2)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 2)
        os.close(nowhere)
    try:
        library.tb_init(b"")
    finally:
        if kept is not None:
            os.dup2(kept, 2)
            os.close(kept)
        _taken.release()


def _without_captures(name: str) -> Sequence[int]:
    """The bitboards of a position in which Black, to move, can take nothing.

    Then Fathom opens only the table of this ending, such as `KRPvK`.
    """
    white, black = name.split("v")
    men = [chess.Piece.from_symbol(man) for man in white + black.lower()]
    chooser = Random(name)
    board = chess.Board(None)
    board.turn = chess.BLACK
    while True:
        board.set_piece_map(dict(zip(chooser.sample(range(8, 56), len(men)), men, strict=True)))
        if board.is_valid() and not any(board.generate_legal_captures()):
            kinds = (board.kings, board.queens, board.rooks, board.bishops, board.knights, board.pawns)
            return [*reversed(board.occupied_co), *kinds]
