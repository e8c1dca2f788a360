"""scripts/lab solve-othello: positions of games, positions that are given, and what is wrong with them."""

from __future__ import annotations

import random
import re

import pytest
from click.testing import CliRunner

from engine.games.rules.othello import Othello
from scripts.laboratory.games.plain_othello import has_score
from scripts.laboratory.games.solve_othello import solve_othello
from tests.engine.games.compiled.test_solver import discs, unfinished_othello
from tests.engine.games.textbook.plain_negamax import negamax


def run(*words: str) -> str:
    result = CliRunner().invoke(solve_othello, ["--table-mb", "1", *words], env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    return result.output


def test_positions_of_games_are_solved_and_the_same_again() -> None:
    words = "--empty", "6", "--positions", "2"
    output = run(*words)
    positions = re.findall(r"[XO-]{64} [XO]", output)
    assert len(positions) == 2
    assert positions == re.findall(r"[XO-]{64} [XO]", run(*words))
    assert "2 positions: median" in output


def test_a_second_solver_agrees() -> None:
    assert "the second solver agrees where at most 6 squares are empty" in run(
        "--empty", "8", "--positions", "3", "--check", "6"
    )


def test_a_second_solver_that_does_not_agree_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scripts.laboratory.games.solve_othello.has_score", lambda *_: False)
    words = ["--table-mb", "1", "--empty", "6", "--positions", "1", "--check", "6"]
    result = CliRunner().invoke(solve_othello, words)
    assert result.exit_code == 1
    assert "the second solver finds another score than " in result.output


@pytest.mark.parametrize(("size", "left"), [(4, 9), (6, 7), (8, 7)])
def test_the_second_solver_finds_what_plain_minimax_finds(size: int, left: int) -> None:
    draws, known = random.Random(size), dict[Othello, int]()
    for _ in range(4):
        state = unfinished_othello(size, left, draws)
        score = negamax(state, discs, known)
        assert [off for off in range(-2, 3) if has_score(state, score + off)] == [0]


def test_a_given_position_is_solved() -> None:
    output = run("--position", "-" + "O" * 6 + "X" * 57 + " X")
    assert "+64" in output
    assert "a1" in output.lower()


@pytest.mark.parametrize(
    ("position", "message"),
    [("XO", "is not 64 times"), ("X" * 64 + " X", "the game is over"), ("Z" * 64 + " X", "is not 64 times")],
)
def test_says_what_is_wrong(position: str, message: str) -> None:
    result = CliRunner().invoke(solve_othello, ["--position", position])
    assert result.exit_code == 1
    assert message in result.output
