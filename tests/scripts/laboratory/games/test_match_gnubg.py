"""Matches of backgammon: dice, scores, and GNU Backgammon at the other end of a pipe."""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random
from shutil import which
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from engine.games.rules.backgammon.game import BackgammonGame
from scripts.laboratory.games.match_gnubg import (
    BackgammonScore,
    GnubgError,
    GnubgPlayer,
    match_gnubg,
    play,
    play_match,
)
from scripts.laboratory.long_run import FAILED

if TYPE_CHECKING:
    from engine.games.rules.backgammon.board import Backgammon

FAKE = Path(__file__).with_name("fake_gnubg.py")
GNUBG = "/usr/games/gnubg"
GAME = BackgammonGame(scoring="points")


def first(state: Backgammon) -> int:
    return state.moves()[0]


def last(state: Backgammon) -> int:
    return state.moves()[-1]


def fake(directory: Path, word: str = "") -> str:
    """A program that talks like gnubg."""
    program = directory / "gnubg"
    program.write_text(f"#!/bin/sh\nexec {sys.executable} {FAKE} {word}\n")
    program.chmod(0o755)
    return str(program)


def test_the_games_of_a_pair_have_the_same_dice_and_sides_exchanged() -> None:
    points = list(play_match(GAME, first, last, 6, seed=1))
    again = list(play_match(GAME, last, first, 6, seed=1))
    assert points == [-value for pair in range(3) for value in reversed(again[2 * pair : 2 * pair + 2])]
    assert sum(play_match(GAME, first, first, 4, seed=2)) == 0
    assert points != list(play_match(GAME, first, last, 6, seed=2))


def test_points_and_wins_have_intervals_by_pairs() -> None:
    """Pairs of means 1.5, -0.5, 0 and 1: mean 0.5, standard error √(2.5 / 3 / 4)."""
    score = BackgammonScore([2, 1, -2, 1, -1, 1, 1, 1])
    assert score.wins == 6
    assert score.line() == "8 games: +0.500 ± 0.895 points a game, 75.0% [46.7, 100.0] won"
    assert BackgammonScore([1.0]).line().startswith("1 games: +1.000 ± 6.000")
    assert (
        BackgammonScore([1.0] * 60).line()
        == "60 games: +1.000 ± 0.600 points a game, 100.0% [88.6, 100.0] won"
    )


def test_gnubg_is_asked_from_the_view_of_the_side_to_move(tmp_path: Path) -> None:
    with GnubgPlayer(fake(tmp_path), 0, GAME) as peer:
        assert play(GAME, (peer.choose, first), Random(1)) == play(GAME, (first, first), Random(1))
        assert play(GAME, (last, peer.choose), Random(2)) == play(GAME, (last, first), Random(2))


def test_what_ends_without_a_word_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(GnubgError, match="says a lot"), GnubgPlayer(fake(tmp_path, "mute"), 0, GAME):
        pass
    with pytest.raises(GnubgError, match="cannot be started"):
        GnubgPlayer(str(tmp_path / "none"), 0, GAME)


def test_the_command_tells_points_and_wins(tmp_path: Path, is_pure: bool) -> None:
    if is_pure:
        pytest.skip("the network takes its time")
    result = CliRunner().invoke(match_gnubg, ["--games", "4", "--every", "2", "--gnubg", fake(tmp_path)])
    assert result.exit_code == 0, result.output
    assert "2/4" in result.output
    assert "Lolli, network, depth 1, against gnubg, 0 plies. 4 games: +" in result.output


@pytest.mark.parametrize(
    ("words", "message"),
    [(["--games", "3"], "even"), (["--gnubg", "/nowhere/gnubg"], "/nowhere/gnubg not found")],
)
def test_bad_options_get_a_clear_line(words: list[str], message: str) -> None:
    result = CliRunner().invoke(match_gnubg, words)
    assert result.exit_code == 2
    assert message in result.output


def test_the_command_says_why_it_cannot_go_on(tmp_path: Path) -> None:
    result = CliRunner().invoke(match_gnubg, ["--games", "2", "--gnubg", fake(tmp_path, "mute")])
    assert result.exit_code == FAILED
    assert "Cannot go on: gnubg has ended" in result.output


@pytest.mark.skipif(which(GNUBG) is None, reason="no GNU Backgammon")
def test_gnubg_itself_plays_the_best_known_opening_moves() -> None:
    """31, 42 and 61 each make a point; nobody plays them otherwise."""
    with GnubgPlayer(GNUBG, 0, GAME) as peer:
        for roll, best in ((31, "8/5,6/5"), (24, "8/4,6/4"), (61, "13/7,8/7")):
            state = GAME.start().play(roll)
            assert peer.choose(state) == GAME.parse(state, best)
