"""The match of Go: the pipe to the other engine, the file of games, the interval, and a game."""

import os
import shutil
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from scripts.laboratory.games.kept_games import RecordError, keep
from scripts.laboratory.games.match_go import (
    GoGameRecord,
    GoMatchTerms,
    GtpEngine,
    GtpEngineError,
    games_of,
    match_go,
    play,
    summary,
)
from scripts.laboratory.long_run import FAILED

_ENGINE = """
for line in iter(input, "quit"):
    print({"name": "= one\\ntwo\\n", "bad": "? unknown command\\n"}.get(line, "=\\n"), flush=True)
"""


def test_answers_are_read_whole_and_refusals_are_errors() -> None:
    with GtpEngine([sys.executable, "-c", _ENGINE]) as engine:
        assert engine.ask("name") == "one\ntwo"
        assert not engine.ask("clear_board")
        with pytest.raises(GtpEngineError, match="unknown command"):
            engine.ask("bad")
        with pytest.raises(GtpEngineError, match="ended"):
            engine.ask("quit")


def game(number: int, won: float) -> GoGameRecord:
    return GoGameRecord(
        number, "white" if number % 2 else "black", won, "passes", "B+1.5", "B+1.5", ("E5",), 1000
    )


def test_games_are_kept_and_found_again(tmp_path: Path) -> None:
    path, terms = tmp_path / "games.jsonl", GoMatchTerms(level=3)
    assert games_of(path, terms) == []
    for number in range(3):
        keep(path, terms, game(number, 1.0))
    assert games_of(path, terms) == [game(number, 1.0) for number in range(3)]
    with pytest.raises(RecordError, match="other terms"):
        games_of(path, GoMatchTerms(level=4))
    path.write_text('{"number": 1}\n')
    with pytest.raises(RecordError, match="not a game"):
        games_of(path, terms)


def test_summary_counts_by_colour() -> None:
    line = summary([game(0, 1.0), game(1, 0.0), game(2, 1.0), game(3, 0.5)])
    assert line.startswith("2.5/4 = 62%")
    assert "2/2 as black, 0.5/2 as white" in line


@pytest.mark.skipif(
    shutil.which(GoMatchTerms().program) is None and "LOLLI_REQUIRE_GNUGO" not in os.environ,
    reason="no GNU Go",
)
def test_a_small_game_comes_to_its_end() -> None:
    played = play(1, GoMatchTerms(level=0, size=5, playouts=30))
    assert played.colour == "white"
    assert played.won in {0.0, 1.0}
    assert played.ending == "resignation" or played.moves[-2:] == ("pass", "pass")


def test_what_cannot_be_is_said_before_a_game_begins(tmp_path: Path) -> None:
    program = ["--gnugo", sys.executable]  # it is not asked
    other = tmp_path / "other"
    other.write_bytes(b"\xff\n")
    for words, message in (
        (["--gnugo", "/nowhere/gnugo"], "/nowhere/gnugo not found"),
        ([*program, "--komi", "nan"], "komi"),
        ([*program, "--record", str(tmp_path / "none" / "games")], "No such file"),
        ([*program, "--record", str(other)], "a line is not a game of Go"),
    ):
        result = CliRunner().invoke(match_go, words)
        assert result.exit_code == 2, result.output
        assert message in result.output


def test_an_engine_that_is_none_ends_the_match() -> None:
    result = CliRunner().invoke(match_go, ["--games", "2", "--playouts", "5", "--gnugo", "/bin/true"])
    assert result.exit_code == FAILED
    assert "Cannot go on: the engine ended" in result.output
