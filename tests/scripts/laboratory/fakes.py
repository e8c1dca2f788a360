"""Matches between scripted engines."""

import sys
from pathlib import Path

from scripts.laboratory.match import EngineMatch, MatchRules
from scripts.laboratory.match_engine import EngineSpec, FinishedGame, Store, parse_engine
from scripts.laboratory.openings import OpeningSuite

FAKE_ENGINE = Path(__file__).with_name("fake_engine.py")
LONGEST_GAME = 12  # full moves
STALL_SECONDS = 0.7  # of an engine that is to stall


def fake_engine(name: str, manner: str = "legal", **words: str) -> EngineSpec:
    """An engine played by `fake_engine.py` in this manner, with further words of the command line."""
    command = f"{sys.executable} {FAKE_ENGINE} {manner}"
    pace = [] if "nodes" in words else [("tc", "600+0.1")]
    return parse_engine([("name", name), ("cmd", command), *words.items()], pace)


def short_rules(
    first: EngineSpec, second: EngineSpec, *, chess960: bool = False, stall_seconds: float = 60
) -> MatchRules:
    return MatchRules((first, second), chess960, LONGEST_GAME, stall_seconds)


def play_match(
    rules: MatchRules,
    games: int,
    book: OpeningSuite | None = None,
    store: Store | None = None,
    concurrency: int = 1,
) -> tuple[EngineMatch, list[FinishedGame]]:
    """Play a match out; the match and its games by number."""
    match = EngineMatch(rules, games, book or OpeningSuite.of_start_position(), 7, store=store)
    return match, sorted(match.play(concurrency), key=lambda record: record.number)
