"""The words of the command line, and what they mean."""

import chess
import pytest
from chess.engine import Cp, Mate
from click.testing import CliRunner

from scripts.laboratory.engine_pipe import NS_PER_MS
from scripts.laboratory.lab_options import gather
from scripts.laboratory.matches.engine import GameState, go_line, parse_info
from scripts.laboratory.matches.match import match
from scripts.laboratory.matches.record import Analysis
from scripts.laboratory.matches.rules import (
    GameClock,
    MatchRulesError,
    MatchTimeControl,
    Pace,
    parse_engine,
    parse_sprt,
)
from scripts.laboratory.statistics import Model, Sprt


def test_words_are_gathered_up_to_the_next_option() -> None:
    args = ["--engine", "name=A", "cmd=run --x=1", "--games", "2", "--engine", "name=B", "--pgn", "a=b.pgn"]
    gathered = gather(args, {"--engine"})
    assert gathered == [
        "--engine",
        "name=A\ncmd=run --x=1",
        "--games",
        "2",
        "--engine",
        "name=B",
        "--pgn",
        "a=b.pgn",
    ]


def test_an_engine_in_words() -> None:
    words = [
        ("cmd", "'/a b/run' --uci"),
        ("option.Move Overhead", "20"),
        ("option.Hash", "8"),
        ("nodes", "5"),
    ]
    spec = parse_engine(words, [("option.Hash", "16"), ("tc", "40/60"), ("timemargin", "2.5")])
    assert spec.name == "run"
    assert spec.command == ("/a b/run", "--uci")
    assert dict(spec.options) == {"Hash": "8", "Move Overhead": "20"}
    assert spec.pace == Pace(MatchTimeControl.parse("40/60"), nodes=5)
    assert spec.margin == 2_500_000


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ([("name", "A")], "needs a cmd="),
        ([("cmd", "x"), ("speed", "1")], "unknown key speed="),
        ([("cmd", "x"), ("proto", "uci")], "unknown key proto="),
        ([("cmd", "x")], "no limit: give tc"),
        ([("cmd", "x"), ("tc", "fast")], "not a time control"),
        ([("cmd", "x"), ("nodes", "many")], "invalid literal"),
        ([("cmd", "x"), ("nodes", "1"), ("ponder", "yes")], "ponder=yes: use true or false"),
        ([("cmd", "'x"), ("nodes", "1")], "No closing quotation"),
    ],
)
def test_engines_that_make_no_sense(words: list[tuple[str, str]], reason: str) -> None:
    with pytest.raises(MatchRulesError, match=reason):
        parse_engine(words, [])


def test_while_pondering_an_engine_is_told_its_own_time_control() -> None:
    spec = parse_engine([("cmd", "x"), ("tc", "40/60"), ("ponder", "true")], [])
    white, black = GameClock(spec.pace, 0), GameClock(spec.pace, 0)
    white.spend(NS_PER_MS)
    told = go_line(spec, GameState(chess.Board(), None, [], (white, black)), ponders=True)
    assert told == "go ponder wtime 59999 btime 60000 movestogo 40"


def test_a_sequential_test_in_words() -> None:
    assert parse_sprt(None) is None
    assert parse_sprt([("elo0", "0"), ("elo1", "10")]) == Sprt(0, 10)
    words = [("elo0", "-5"), ("elo1", "0"), ("alpha", "0.1"), ("model", "normalised")]
    assert parse_sprt(words) == Sprt(-5, 0, 0.1, 0.05, Model.NORMALISED)
    for wrong in (
        [("elo0", "0")],
        [("elo0", "9"), ("elo1", "0")],
        [("elo0", "0"), ("elo1", "1"), ("x", "1")],
    ):
        with pytest.raises(MatchRulesError, match="--sprt"):
            parse_sprt(wrong)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--engine", "cmd=x"], "two engines, not 1"),
        (["--engine", "cmd=x", "--engine", "cmd=y", "--games", "3"], "must be even"),
        (["--engine", "cmd"], "not of the form key=value"),
        (["--engine", "cmd=x", "--engine", "cmd=y", "--openings", "/nonexistent.epd"], "nonexistent"),
    ],
)
def test_command_lines_that_make_no_sense(arguments: list[str], reason: str) -> None:
    outcome = CliRunner().invoke(match, [*arguments, "--each", "nodes=1"])
    assert outcome.exit_code == 2
    assert reason in outcome.output


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ({"tc": "3+0.03"}, "go wtime 3000 btime 2000 winc 30 binc 30"),
        ({"tc": "40/60"}, "go wtime 60000 btime 59000 movestogo 40"),
        ({"tc": "0.0001"}, "go wtime 1 btime 1"),
        ({"nodes": "20000"}, "go nodes 20000"),
        ({"depth": "7", "nodes": "5"}, "go nodes 5 depth 7"),
        ({"movetime": "100"}, "go movetime 100"),
    ],
)
def test_what_the_engine_is_told(words: dict[str, str], line: str) -> None:
    spec = parse_engine([("cmd", "x"), *words.items()], [])
    white, black = GameClock(spec.pace, 0), GameClock(spec.pace, 0)
    black.left -= 1000 * NS_PER_MS
    told = go_line(spec, GameState(chess.Board(), None, [], (white, black)))
    assert sorted(told.split()) == sorted(line.split())


@pytest.mark.parametrize(
    ("line", "analysis"),
    [
        (b"info depth 9 seldepth 12 score cp -31 nodes 20000 nps 1 pv e2e4", Analysis(9, 20000, Cp(-31))),
        (b"info depth 9 score mate -2 nodes 7", Analysis(9, 7, Mate(-2))),
        (b"info depth x score cp", Analysis()),
        (b"info score cp 5 lowerbound", Analysis(score=Cp(5))),
        (b"", Analysis()),
        (b"\xff\xfe", Analysis()),
    ],
)
def test_what_the_engine_tells(line: bytes, analysis: Analysis) -> None:
    assert parse_info(line) == analysis
