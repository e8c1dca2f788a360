"""Whole games through Polyglot, as XBoard plays them: pondering, and after a miss all lines at once."""

import os
import shlex
import shutil
from pathlib import Path

import pytest

from engine.board.position import COMPILED
from scripts.laboratory.matches.plan import EngineSpec, MatchRules, parse_adjudication, parse_engine
from tests.scripts.laboratory.matches.fakes import fake_engine, play_match

POLYGLOT = shutil.which("polyglot") or shutil.which("/usr/games/polyglot")
PACE = "2+0.02"
STALL_SECONDS = 20.0

pytestmark = [
    pytest.mark.skipif(POLYGLOT is None and "LOLLI_REQUIRE_POLYGLOT" not in os.environ, reason="no Polyglot"),
    pytest.mark.skipif(not COMPILED, reason="two seconds are too little for plain Python"),
]


def behind_polyglot(name: str, command: list[str], log: Path) -> EngineSpec:
    """Lolli as an XBoard engine that ponders, and the file in which it writes down the dialogue."""
    assert POLYGLOT is not None
    words = [POLYGLOT, "-noini", "-ec", shlex.join(command), "-uci", f"Debug Log File={log}"]
    return parse_engine(
        [("name", name), ("cmd", shlex.join(words)), ("proto", "xboard"), ("ponder", "true"), ("tc", PACE)],
        (),
    )


def rules(first: EngineSpec, second: EngineSpec, longest: int | None) -> MatchRules:
    """Games of at most `longest` moves, None for games to the end."""
    return MatchRules(
        engines=(first, second),
        adjudication=parse_adjudication(None, None, longest),
        chess960=False,
        restart=False,
        stall_seconds=STALL_SECONDS,
        event="Polyglot",
    )


def misses(log: Path) -> int:
    """How often a pondering search was stopped and the next one asked for before it had answered."""
    lines = [line.split(" ", 1)[1] for line in log.read_text().splitlines()]
    said = [line.split()[1] for line in lines if line.startswith((">> ", "<< bestmove"))]
    return sum(said[at : at + 3] == ["stop", "position", "go"] for at in range(len(said)))


def test_misses_at_every_other_move(lolli_command: list[str], tmp_path: Path) -> None:
    """The opponent's moves are random: hardly one is expected."""
    lolli = behind_polyglot("Lolli", lolli_command, tmp_path / "log")
    match, records = play_match(rules(lolli, fake_engine("Random"), 15), 4)
    assert match.tally.forfeits == []
    assert misses(tmp_path / "log") > 10
    assert all(record.plies > 10 for record in records)


@pytest.mark.alone
def test_games_against_itself(lolli_command: list[str], tmp_path: Path) -> None:
    """No hang, no loss on time, no illegal move. `scripts/lab match --help` has the command line for more."""
    both = [behind_polyglot(name, lolli_command, tmp_path / name) for name in ("one", "two")]
    match, _ = play_match(rules(both[0], both[1], None), 6)
    assert match.tally.forfeits == []
    assert misses(tmp_path / "one") > 20
