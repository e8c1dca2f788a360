"""What a page of many was made from. It stands in the page, so that a later run need not analyse again."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import chess.pgn

from engine import files
from protocol.cli.annotation.annotation_worker import engine_identity
from protocol.cli.pgn.game_reader import read_game
from protocol.cli.pgn.movetext import UnreadableError

if TYPE_CHECKING:
    from pathlib import Path

    from engine.search.limits import Limits
    from protocol.cli.analysis.finding import AnalystSettings
    from protocol.cli.annotation.annotator import AnnotationOptions
    from protocol.cli.pgn.raw_games import RawGame

_LARGEST = 1 << 26  # bytes of a page
_BLOCK = re.compile(r'<script type="application/json" id="origin">(.+?)</script>')


@dataclass(frozen=True, slots=True)
class PageOrigin:
    """`game` is a digest of the game in the file, `analysis` the settings, None if it was not analysed.

    `look` is what else the page depends on.
    """

    game: str
    analysis: dict[str, Any] | None
    look: dict[str, Any]

    def block(self, game: chess.pgn.Game) -> dict[str, Any]:
        """The content of the block in the page of a game, which has been annotated."""
        return {**asdict(self), "pgn": game.accept(chess.pgn.StringExporter(columns=None))}


def game_digest(raw: RawGame) -> str:
    """The same for games with the same text, wherever they stand."""
    return hashlib.sha256(raw.data.strip()).hexdigest()


def analysis_identity(
    settings: AnalystSettings, limits: Limits, options: AnnotationOptions
) -> dict[str, Any]:
    """What the analysis of a game depends on. Raises OSError where the weights cannot be read."""
    engine = engine_identity(settings)
    return {
        "version": engine.version,
        "evaluator": engine.evaluator,
        "weights": engine.weights,
        "hash": settings.megabytes,
        "threads": settings.threads,
        "depth": limits.depth,
        "nodes": limits.nodes,
        "time": limits.move_time,
        "opening": options.opening,
    }


def origin_in(page: Path) -> tuple[PageOrigin, chess.pgn.Game] | None:
    """What a page was made from, and the annotated game in it; None where there is no such page."""
    try:
        text = files.read_file(page, _LARGEST).decode()
    except (OSError, UnicodeDecodeError):
        return None
    found = _BLOCK.search(text)
    if found is None or not text.rstrip().endswith("</html>"):
        return None
    try:
        content = json.loads(found[1])
        game = read_game(content.pop("pgn").encode()).game
        return PageOrigin(**content), game
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError, UnreadableError):
        return None
