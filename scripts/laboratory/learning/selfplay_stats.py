"""What `scripts/lab selfplay --stats` and `--verify` say about a folder of games."""

from __future__ import annotations

import io
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from eval.learning import records
from eval.learning.decoder import GameDecoder
from eval.learning.game_file import GAMES, GameFileError, read_games, verify
from eval.learning.layout import PLY_SIZE
from eval.learning.samples import files
from scripts.laboratory.learning.game_tally import GameTally
from scripts.laboratory.learning.selfplay_games import chosen_source
from scripts.laboratory.openings import OpeningSuite

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def rows_of(folder: Path, *, prove: bool) -> list[tuple[str, str]]:
    """The names and values of a table of statistics; all games are replayed by the rules if `prove`.

    Raises GameFileError and OSError.
    """
    tally, kinds, kept = GameTally(), Counter[str](), 0
    descriptions = []
    for path in files([folder]):
        data = path.read_bytes()
        file = io.BytesIO(data)
        description = GAMES.read_header(file, str(path))
        descriptions.append(description)
        kept += _kept(data, file.tell(), path)
        for game in read_games(file, str(path)):
            if prove:
                verify(game)
            tally.add(game)
            kinds[kind_of_opening(description, game.number)] += 1
    learned = ("positions to learn from", f"{kept} ({100 * kept / max(tally.plies, 1):.0f}%)")
    return [*_played(tally), learned, *_ended(tally), *_made(descriptions), *_begun(kinds, tally.games)]


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
        OpeningSuite.of_chess960().digest(): "Chess960",
    }


def _kept(data: bytes, first: int, path: Path) -> int:
    """The number of positions that training takes from the games in `data` from byte `first` on."""
    room = np.empty((len(data) - first) // PLY_SIZE + 1, records.RECORD)
    try:
        return GameDecoder().decode(memoryview(data), first, records.words(room), 0)
    except GameFileError as error:
        raise GameFileError(f"{path}: {error}") from None
