"""What `scripts/lab selfplay --stats` and `--verify` say about a folder of games."""

from __future__ import annotations

import zlib
from collections import Counter
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from engine.adjudication import Ending
from eval.learning.game_file import GameRecord, description, open_games, verify
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

    def lose(self, path: Path, first: int, last: int) -> None:
        """Note damaged bytes of a file."""
        self.damaged.append(f"{path}: {last - first} bytes from byte {first} on are damaged")


def rows_of(folder: Path, *, prove: bool) -> tuple[list[tuple[str, str]], list[str]]:
    """The names and values of a table of statistics, and what is damaged, a line each.

    If `prove`, all games are replayed by the rules, and compared with the checksum of what was packed. Raises
    GameFileError and OSError.
    """
    tally = GameTally()
    descriptions = []
    for path in files([folder]):
        description, blocks = open_games(path.read_bytes(), str(path), partial(tally.lose, path))
        descriptions.append(description)
        for block, packed in blocks:
            unpacked = list(block.unpack(packed))
            if prove and zlib.crc32(b"".join(unpacked)) != block.checksum_unpacked:
                tally.damaged.append(f"{path}: the games at byte {block.first} are not as they were")
            tally.kept += block.kept
            for game in map(GameRecord.from_bytes, unpacked):
                if prove:
                    verify(game)
                tally.add(game, kind_of_opening(description, game.number))
    learned = ("positions to learn from", f"{tally.kept} ({100 * tally.kept / max(tally.plies, 1):.0f}%)")
    rows = [*_played(tally), learned, *_ended(tally), *_made(descriptions), *_begun(tally.kinds, tally.games)]
    return rows, tally.damaged


def pack_old_files(folder: Path) -> Iterator[str]:
    """Pack the files of version 1 in a folder; a line for each. Raises GameFileError and OSError."""
    for path in files([folder]):
        data = path.read_bytes()
        if "kept" in description(path):
            continue
        tally = GameTally()
        about, blocks = open_games(data, str(path), partial(tally.lose, path))
        games = [game for block, packed in blocks for game in block.unpack(packed)]
        if not games or tally.damaged:
            yield from tally.damaged or [f"{path}: no games"]
            yield f"{path}: not packed"
            continue
        games.sort(key=lambda game: GameRecord.from_bytes(game).number)
        write_shard(path, about, games)
        yield f"{path}: {len(games)} games, {len(data)} bytes became {path.stat().st_size}"


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
