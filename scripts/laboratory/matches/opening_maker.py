"""Makes a collection of openings from candidates that an engine judges."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from .journal import whole, words
from .opening_check import OpeningRules, OpeningWorker
from .slots import run_jobs

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence
    from pathlib import Path

    from .journal import RunJournal

_CHUNK = 50
_COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    ".bz2": bz2.compress,
    ".gz": partial(gzip.compress, mtime=0),
    ".xz": partial(lzma.compress, preset=9 | lzma.PRESET_EXTREME),
}


class OpeningMaker:
    """Collects openings; the same rules always give the same ones, with any number of workers."""

    def __init__(self, rules: OpeningRules, wanted: int | None, journal: RunJournal) -> None:
        """Go on after what the journal holds. Without a number wanted all that are fit are taken.

        Raises JournalError.
        """
        self._rules = rules
        self._wanted = wanted
        self._journal = journal
        self._chunks: dict[int, Sequence[str]] = {}
        known = journal.read(lambda record: (whole(record["chunk"]), words(record["openings"])))
        self._done = {chunk for chunk, _ in known}
        self._next_chunk = 0
        self._openings: dict[str, None] = {}
        for chunk, openings in known:
            self._add(chunk, openings)

    @property
    def openings(self) -> list[str]:
        """The openings collected so far, without duplicates, in the order of the candidates."""
        return list(islice(self._openings, self._wanted))

    @property
    def examined(self) -> int:
        """How many candidates these were chosen from, about."""
        return self._next_chunk * _CHUNK

    def run(self, concurrency: int) -> Generator[None, None, None]:
        """Collect until there are enough, yielding now and then. Raises SlotError, BookError."""
        if self._is_complete():
            return
        make_worker = partial(OpeningWorker, self._rules)
        with contextlib.closing(run_jobs(make_worker, self._jobs(), concurrency)) as results:
            for chunk, openings in results:
                self._journal.append({"chunk": chunk, "openings": openings})
                self._add(chunk, openings)
                yield
                if self._is_complete():
                    return

    def _is_complete(self) -> bool:
        return self._wanted is not None and len(self._openings) >= self._wanted

    def _add(self, chunk: int, openings: Sequence[str]) -> None:
        """Take in a chunk once all before it are in: what is collected must not depend on who was first."""
        self._chunks[chunk] = openings
        while self._next_chunk in self._chunks:
            self._openings.update(dict.fromkeys(self._chunks.pop(self._next_chunk)))
            self._next_chunk += 1

    def _jobs(self) -> Iterator[tuple[int, tuple[int, ...]]]:
        numbers = self._rules.source.numbers()
        chunk = 0
        while candidates := tuple(islice(numbers, _CHUNK)):
            if chunk not in self._done:
                yield chunk, candidates
            chunk += 1


def write_openings(path: Path, lines: list[str]) -> None:
    """Write the sorted lines, compressed where the name ends with `.gz`, `.xz` or `.bz2`. Raises OSError.

    The same lines always make the same file, which is written whole or not at all.
    """
    data = "".join(f"{line}\n" for line in sorted(lines)).encode()
    compress = _COMPRESSORS.get(path.suffix.lower())
    scratch = path.with_name(f"{path.name}.new")
    scratch.write_bytes(compress(data) if compress else data)
    scratch.replace(path)
