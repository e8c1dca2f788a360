"""The match of Othello: the file of games, the summary, and a game against GRhino itself."""

import os
import shutil
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from engine.games.rules.othello import OthelloGame
from scripts.laboratory.games.match_rhino import (
    RhinoGameRecord,
    RhinoMatchTerms,
    match_rhino,
    play,
    summary,
)
from scripts.laboratory.long_run import FAILED


def game(number: int, won: float) -> RhinoGameRecord:
    return RhinoGameRecord(number, "white" if number % 2 else "black", won, 6, 1.0, 3.0, ("d3",))


def test_summary_counts_pairs_and_times() -> None:
    line = summary([game(0, 1.0), game(1, 0.0), game(2, 1.0), game(3, 0.5)])
    assert line.startswith("+2 =1 -1, 62.5% [38.0, 87.0]; ")
    assert summary([game(1, 1.0), game(0, 1.0)]).startswith("+2 =0 -0, 100.0% [20.7, 100.0]; "), "by Wilson"
    assert line.endswith("+6.0 discs; 1.0 s a game, GRhino 3.0 s")


@pytest.mark.skipif(
    shutil.which(RhinoMatchTerms().program) is None and "LOLLI_REQUIRE_GRHINO" not in os.environ,
    reason="no GRhino",
)
def test_a_game_comes_to_its_end_by_the_rules() -> None:
    played = play(1, RhinoMatchTerms(level=1, nodes=200))
    assert played.colour == "white"
    rules = OthelloGame()
    state = rules.start()
    for text in played.moves:
        if not state.empty() >> state.moves()[0] & 1:
            state = state.play(state.moves()[0])
        state = state.play(rules.parse(state, text))
    while state.player >= 0:
        state = state.play(state.moves()[0])
    assert rules.margin(state) == -played.ahead
    assert played.won == (0.5 if played.ahead == 0 else float(played.ahead > 0))


def test_what_cannot_be_is_said_before_a_game_begins(tmp_path: Path) -> None:
    program = ["--rhino", sys.executable]  # it is not asked
    for words, message in (
        (["--rhino", "/nowhere/gtp-rhino"], "/nowhere/gtp-rhino not found"),
        ([*program, "--games", "3"], "--games must be even"),
        ([*program, "--record", str(tmp_path / "none" / "games")], "No such file"),
    ):
        result = CliRunner().invoke(match_rhino, words)
        assert result.exit_code == 2, result.output
        assert message in result.output


def test_an_engine_that_is_none_ends_the_match() -> None:
    result = CliRunner().invoke(match_rhino, ["--games", "2", "--nodes", "5", "--rhino", "/bin/true"])
    assert result.exit_code == FAILED
    assert "Cannot go on: the engine ended" in result.output
