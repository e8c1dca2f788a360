"""Games against other programs: the loop, the journal, the score, and each adapter at a pipe."""

import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from engine.games.catalogue import Rules
from engine.games.rules.backgammon import BackgammonGame
from engine.games.rules.othello import OthelloGame
from engine.games.search.basics import SearchLimits
from scripts.laboratory.long_run import FAILED
from scripts.laboratory.match_game import (
    OPPONENTS,
    GnuBackgammon,
    GtpOpponent,
    MatchGame,
    OpponentError,
    PlayedGame,
    match_game,
    play,
    summary,
)
from scripts.laboratory.statistics import share_interval

FAKE = Path(__file__).with_name("fake_gnubg.py")
GNUBG = "/usr/games/gnubg"
_ENGINE = """
for line in iter(input, "quit"):
    print({"name": "= one\\ntwo\\n", "bad": "? unknown command\\n"}.get(line, "=\\n"), flush=True)
"""


def needs(opponent: str) -> pytest.MarkDecorator:
    """Skips where the opponent is not installed, unless an environment variable says that it must be."""
    there = shutil.which(OPPONENTS[opponent].program) or f"LOLLI_REQUIRE_{opponent.upper()}" in os.environ
    return pytest.mark.skipif(not there, reason=f"no {opponent}")


def match_of(opponent: str, limits: SearchLimits | None, level: int = 0) -> MatchGame:
    kind = OPPONENTS[opponent]
    rules = Rules(kind.game, options=kind.options)
    return MatchGame(
        opponent, kind.program, level, rules, None, kind.searcher, limits=limits, plies=kind.plies
    )


def run(*words: str) -> Result:
    return CliRunner().invoke(match_game, words)


def fake_gnubg(directory: Path, word: str = "") -> str:
    program = directory / "gnubg"
    program.write_text(f"#!/bin/sh\nexec {sys.executable} {FAKE} {word}\n")
    program.chmod(0o755)
    return str(program)


def test_answers_over_gtp_are_read_whole_and_refusals_are_errors() -> None:
    with GtpOpponent(OthelloGame(), [sys.executable, "-c", _ENGINE]) as engine:
        assert engine.ask("name") == "one\ntwo"
        assert not engine.ask("clear_board")
        with pytest.raises(OpponentError, match="unknown command"):
            engine.ask("bad")
        with pytest.raises(OpponentError, match="ended"):
            engine.ask("quit")


def game(number: int, payoff: float) -> PlayedGame:
    return PlayedGame(number, payoff, False, "", ("d3",), (1.0, 3.0), 1000)


def test_the_score_has_an_interval_from_pairs_and_is_told_by_side() -> None:
    line = summary([game(0, 1.0), game(1, -1.0), game(2, 1.0), game(3, 0.0)])
    assert line.startswith("+2 =1 -1, 62.5% [38.0, 87.0], Elo +89 ")
    assert "moving first 2/2; moving second 0.5/2; Lolli 1.0 s a game, 1,000 playouts/s; the" in line
    assert summary([game(1, 1.0), game(0, 1.0)]).startswith("+2 =0 -0, 100.0% [20.7, 100.0]"), "by Wilson"
    assert summary([game(5, 1.0)]).startswith("+1 =0 -0, 100.0% [0.0, 100.0], Elo +inf [-inf, +inf]")


def test_the_interval_is_that_of_pairs() -> None:
    # Ten pairs of 1½ points and ten of ½: the pairs' means are ¼ from ½, so 1.96 · ¼ / √19.
    margin = 1.959964 * 0.25 / 19**0.5
    assert share_interval([1.0, 0.5] * 10 + [0.0, 0.5] * 10) == pytest.approx((0.5 - margin, 0.5 + margin))
    # Where all pairs are equal, that of Wilson: n / (n + 1.96²).
    assert share_interval([1.0] * 60) == pytest.approx((30 / (30 + 1.959964**2), 1.0))


def test_games_of_a_pair_have_the_same_dice_and_exchanged_sides(tmp_path: Path) -> None:
    """Here both play the first legal move, so that only the dice decide."""
    match = replace(match_of("gnubg", SearchLimits(depth=1)), program=fake_gnubg(tmp_path), searcher="random")
    rules = Rules("backgammon", options={"scoring": "points"})
    first, second, other, again = (play(number, replace(match, rules=rules)) for number in (0, 1, 2, 0))
    assert first == replace(again, seconds=first.seconds)
    assert first.moves != other.moves
    assert {abs(each.payoff) for each in (first, second, other)} <= {1, 2, 3}


@needs("gnugo")
def test_a_small_game_of_go_comes_to_its_end() -> None:
    played = play(1, replace(match_of("gnugo", SearchLimits(playouts=30)), size=5))
    assert played.payoff in {-1, 1}
    assert played.resigned or played.moves[-2:] == ("pass", "pass")


@needs("grhino")
def test_a_game_of_othello_comes_to_its_end_by_the_rules() -> None:
    played = play(1, match_of("grhino", SearchLimits(nodes=200), level=1))
    rules = OthelloGame()
    state = rules.start()
    for text in played.moves:
        state = state.play(rules.parse(state, text))
    assert played.payoff == state.payoff()[1]


@pytest.mark.skipif(shutil.which(GNUBG) is None, reason="no GNU Backgammon")
def test_gnubg_itself_plays_the_best_known_opening_moves() -> None:
    """31, 42 and 61 each make a point; nobody plays them otherwise."""
    rules = BackgammonGame(scoring="points")
    with GnuBackgammon(match_of("gnubg", None), rules) as peer:
        for roll, best in ((31, "8/5,6/5"), (24, "8/4,6/4"), (61, "13/7,8/7")):
            state = rules.start().play(roll)
            assert peer.choose(state) == rules.parse(state, best)


def test_a_match_resumes_from_its_record(tmp_path: Path) -> None:
    record = tmp_path / "games.jsonl"
    words = "gnubg", "--program", fake_gnubg(tmp_path), "--searcher", "uct", "--record", str(record)
    done = run(*words, "--playouts", "5", "--games", "2")
    assert done.exit_code == 0, done.output
    assert done.output.splitlines()[-1].startswith("Lolli (uct) against GNU Backgammon, level 0. +")
    assert "playouts/s; the opponent" in done.output
    known = record.read_text()
    assert run(*words, "--playouts", "5", "--games", "4").exit_code == 0
    assert record.read_text().startswith(known)
    assert len(record.read_text().splitlines()) == 5
    other = run(*words, "--playouts", "6", "--games", "4")
    assert other.exit_code == 2
    assert "games.jsonl" in other.output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("gnugo", "--program", "/nowhere/gnugo"), "/nowhere/gnugo not found"),
        (("gnugo", "--set", "komi=nan"), "not a finite number"),
        (("gnugo", "--level", "11"), "GNU Go has levels 0 to 10, not 11"),
        (("gnugo", "--searcher", "best"), "unknown searcher 'best'"),
    ],
)
def test_what_cannot_be_is_said_before_a_game_begins(words: tuple[str, ...], message: str) -> None:
    opponent, *rest = words
    result = run(opponent, "--program", sys.executable, *rest)  # it is not asked
    assert result.exit_code == 2, result.output
    assert message in result.output


@pytest.mark.parametrize("opponent", ["gnugo", "grhino"])
def test_an_opponent_that_is_none_ends_the_match(opponent: str) -> None:
    result = run(opponent, "--games", "2", "--nodes", "5", "--program", "/bin/true")
    assert result.exit_code == FAILED
    assert "Cannot go on: the opponent " in result.output
