"""What `scripts/lab selfplay --stats` and `--verify` say about a folder of games."""

from __future__ import annotations

import io
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from eval.learning import records
from eval.learning.decoder import GameDecoder
from eval.learning.game_file import GameFileError, Stats, read_games, read_header, verify
from eval.learning.samples import files
from scripts.laboratory.learning.selfplay_games import chosen_source
from scripts.laboratory.openings import OpeningSuite

if TYPE_CHECKING:
    from pathlib import Path

_LEAST_PLY_BYTES = 4


def rows_of(folder: Path, *, prove: bool) -> list[tuple[str, str]]:
    """The names and values of a table of statistics; all games are replayed by the rules if `prove`.

    Raises GameFileError and OSError.
    """
    stats, kinds, kept = Stats(), Counter[str](), 0
    for path in files([folder]):
        data = path.read_bytes()
        file = io.BytesIO(data)
        description = read_header(file, str(path))
        stats.descriptions.append(description)
        kept += _kept(data, file.tell(), path)
        for game in read_games(file, str(path)):
            if prove:
                verify(game)
            stats.add(game)
            kinds[kind_of_opening(description, game.number)] += 1
    rows = stats.rows()
    rows.insert(2, ("positions to learn from", f"{kept} ({100 * kept / max(stats.plies, 1):.0f}%)"))
    for kind, count in kinds.most_common():
        rows.append((f"from {kind}", f"{count} ({100 * count / max(stats.games, 1):.1f}%)"))
    return rows


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
        OpeningSuite.of_chess960().digest(): "Chess960",
    }


def _kept(data: bytes, first: int, path: Path) -> int:
    """The number of positions that training takes from the games in `data` from byte `first` on."""
    room = np.empty((len(data) - first) // _LEAST_PLY_BYTES + 1, records.RECORD)
    try:
        return GameDecoder().decode(memoryview(data), first, records.words(room), 0)
    except GameFileError as error:
        raise GameFileError(f"{path}: {error}") from None
