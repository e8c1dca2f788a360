"""scripts/lab solve-othello: positions of games, positions that are given, and what is wrong with them."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

from scripts.laboratory.games.solve_othello import solve_othello


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
