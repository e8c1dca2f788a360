"""What `scripts/lab selfplay --stats` and `--verify` say about a folder of games."""

from __future__ import annotations

import io
import zlib
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.adjudication import Ending
from eval.learning import records
from eval.learning.decoder import GameDecoder
from eval.learning.game_file import (
    GameRecord,
    read_blocks,
    read_games,
    read_header,
    split,
    verify,
)
from eval.learning.layout import PLY_SIZE
from eval.learning.samples import files
from scripts.laboratory.learning.selfplay_games import chosen_source, write_shard
from scripts.laboratory.openings import OpeningSuite

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_ENDINGS = [ending.value for ending in Ending]


@dataclass(slots=True)
class GameTally:
    """Counts by result (White's 1, 0, -1), by ending and by kind of opening; and what is damaged."""

    games: int = 0
    plies: int = 0
    kept: int = 0
    results: Counter[int] = field(default_factory=Counter)
    endings: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    damaged: list[str] = field(default_factory=list)

    def add(self, game: GameRecord, kind: str) -> None:
        """Count a game."""
        self.games += 1
        self.plies += len(game.plies)
        self.results[game.result] += 1
        self.endings[_ENDINGS[game.ending]] += 1
        self.kinds[kind] += 1


def rows_of(folder: Path, *, prove: bool) -> tuple[list[tuple[str, str]], list[str]]:
    """The names and values of a table of statistics, and what is damaged, a line each.

    If `prove`, all games are replayed by the rules, and packed ones are compared with their checksum. Raises
    GameFileError and OSError.
    """
    tally = GameTally()
    descriptions = []
    for path in files([folder]):
        file = io.BytesIO(path.read_bytes())
        has_blocks, description = read_header(file, str(path))
        descriptions.append(description)
        for game in (_in_blocks if has_blocks else _one_by_one)(file, path, tally, prove=prove):
            if prove:
                verify(game)
            tally.add(game, kind_of_opening(description, game.number))
    learned = ("positions to learn from", f"{tally.kept} ({100 * tally.kept / max(tally.plies, 1):.0f}%)")
    rows = [*_played(tally), learned, *_ended(tally), *_made(descriptions), *_begun(tally.kinds, tally.games)]
    return rows, tally.damaged


def _in_blocks(file: io.BytesIO, path: Path, tally: GameTally, *, prove: bool) -> Iterator[GameRecord]:
    def lost(first: int, last: int) -> None:
        tally.damaged.append(
            f"{path}: {last - first} bytes from byte {place + first} of the file on are damaged"
        )

    place = file.tell()
    for block, data in read_blocks(file.read(), 0, lost):
        games = block.unpack(data)
        if prove and zlib.crc32(games) != block.checksum_unpacked:
            tally.damaged.append(
                f"{path}: the games at byte {place + block.first} are not those that were packed"
            )
        tally.kept += block.kept
        yield from map(GameRecord.from_bytes, split(games))


def _one_by_one(file: io.BytesIO, path: Path, tally: GameTally, **_: bool) -> Iterator[GameRecord]:
    place = file.tell()
    yield from read_games(file, str(path))
    if left := len(file.getvalue()) - file.tell():
        tally.damaged.append(f"{path}: the last {left} bytes are not a whole game")
    data = file.getvalue()
    room = np.empty((len(data) - place) // PLY_SIZE + 1, records.RECORD)
    tally.kept += GameDecoder().decode(memoryview(data), place, records.words(room), 0)


def pack_old_files(folder: Path) -> Iterator[str]:
    """Pack the files of version 1 in a folder; a line for each. Raises GameFileError and OSError."""
    for path in files([folder]):
        file = io.BytesIO(path.read_bytes())
        has_blocks, description = read_header(file, str(path))
        if has_blocks:
            continue
        place = file.tell()
        whole = sum(1 for _ in read_games(file, str(path)))
        data = file.getvalue()[place : file.tell()]
        games = sorted(split(data), key=lambda game: GameRecord.from_bytes(game).number)
        write_shard(path, description, games)
        left = len(file.getvalue()) - file.tell()
        size = f"{len(file.getvalue())} bytes became {path.stat().st_size}"
        yield f"{path}: {whole} games, {size}" + (
            f"; {left} at the end were not a whole game" if left else ""
        )


def _played(tally: GameTally) -> list[tuple[str, str]]:
    plies = f"{tally.plies} ({tally.plies / max(tally.games, 1):.1f} a game)"
    return [("games", f"{tally.games}"), ("plies", plies)]


def _ended(tally: GameTally) -> list[tuple[str, str]]:
    names = (("White won", 1), ("drawn", 0), ("Black won", -1))
    counts = [(name, tally.results[result]) for name, result in names] + tally.endings.most_common()
    return [(name, _share(count, tally.games)) for name, count in counts]


def _made(descriptions: Sequence[dict[str, Any]]) -> list[tuple[str, str]]:
    """How the games were made, by the headers of their files."""
    return [
        (key, ", ".join(sorted({str(description.get(key)) for description in descriptions})))
        for key in ("nodes", "seed", "weights", "commit")
    ]


def _begun(kinds: Counter[str], games: int) -> list[tuple[str, str]]:
    return [(f"from {kind}", _share(count, games)) for kind, count in kinds.most_common()]


def _share(count: int, games: int) -> str:
    return f"{count} ({100 * count / max(games, 1):.1f}%)"


def kind_of_opening(description: dict[str, Any], number: int) -> str:
    """From where game `number` of a run with this description began."""
    try:
        sources = [(str(digest), float(share)) for digest, _, _, share in description["openings"]]
        digest, _ = sources[chosen_source([share for _, share in sources], description["seed"], number)]
    except (KeyError, TypeError, ValueError, IndexError):
        return "unknown openings"
    return _names().get(digest, "a book")


@cache
def _names() -> dict[str, str]:
    """The names of suites of openings by their digests."""
    return {
        OpeningSuite.of_start_position().digest(): "the start position",
        OpeningSuite.of_named().digest(): "a named opening",
        OpeningSuite.of_chess960().digest(): "Chess960",
    }
