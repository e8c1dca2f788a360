"""scripts/lab bench-python: its positions, and that both ways find the same."""

import shlex

import chess
import pytest
from click.testing import CliRunner

from scripts.laboratory.benchmarks.python_speed import python, some_positions


def test_positions_are_of_games() -> None:
    found = some_positions(130, seed=1)
    assert len(found) == 130
    assert all(board.is_valid() for board in found)
    assert some_positions(130, seed=1) == found != some_positions(130, seed=2)
    after = [board.copy() for board in found[:1]]
    successors = []
    for move in after[0].legal_moves:
        child = after[0].copy(stack=False)
        child.push(move)
        successors.append(child)
    assert found[1] in successors
    assert isinstance(found[0], chess.Board)


def test_the_tables(lolli_command: list[str], is_pure: bool) -> None:
    if is_pure:
        pytest.skip("a benchmark of compiled modules")
    words = ["--lolli", shlex.join(lolli_command), "--positions", "10", "--nodes", "300", "--rounds", "2"]
    told = CliRunner().invoke(python, [*words, "--boards", "50", "--million", "100"], catch_exceptions=False)
    assert told.exit_code == 0, told.output
    assert "Both found the same in all positions." in told.output
    assert "10 positions, 300 nodes each" in told.output
    assert "evaluate_many, arrays, shuffled" in told.output
