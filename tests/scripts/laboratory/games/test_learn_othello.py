"""scripts/lab learn-othello: planted weights are found, and a small run is whole and resumable."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import numpy as np
import pytest
from click.testing import CliRunner

from engine.board.position import COMPILED
from engine.games.rules.othello import Othello
from engine.games.rules.othello_patterns import OthelloPatterns, description
from scripts.laboratory.games import learn_othello as module
from scripts.laboratory.games.learn_othello import learn_othello
from scripts.laboratory.games.othello_fit import errors, fit, rounded
from scripts.laboratory.games.othello_games import SAMPLE, play
from scripts.laboratory.games.othello_probcut import error_of

if TYPE_CHECKING:
    from pathlib import Path

GAMES = 500


def replies(own: int, others: int) -> int:
    state = Othello()
    state.place(own, others, 0)
    moves = state.moves() if state.player == 0 else ()
    return 0 if moves in {(), (64,)} else len(moves)


@pytest.mark.skipif(not COMPILED, reason="minutes in plain Python")
def test_planted_weights_are_found() -> None:
    """Two discs for each move more than the opponent, and five for a corner."""
    samples, corners = play(b"", 0, 8, GAMES, "planted"), 0x8100000000000081
    for sample in samples:
        own, others = int(sample["own"]), int(sample["others"])
        moves = replies(own, others) - replies(others, own)
        sample["score"] = 2 * moves + 5 * ((own & corners).bit_count() - (others & corners).bit_count())
    half = len(samples) // 2
    weights = fit(samples[:half], 3, 20)
    left = errors(samples[half:], weights)
    assert left.std() < samples["score"].std() / 2  # four fifths of the variance and more
    patterns = OthelloPatterns()
    patterns.set_knots(rounded(weights), 4)
    patterns.prepare(4, 64)
    values = [patterns.value(int(each["own"]), int(each["others"])) / 100 for each in samples[half:]]
    moved = [n for n, each in enumerate(samples[half:]) if replies(int(each["own"]), int(each["others"]))]
    differences = [values[n] - (samples["score"][half + n] - left[n]) for n in moved]
    assert max(map(abs, differences)) < 1.5  # the weights are rounded


def test_positions_are_labelled_with_the_result_for_who_is_to_move() -> None:
    samples = play(b"", 0, 8, 3, "labels")
    assert samples.dtype == SAMPLE
    for sample in samples:
        own, others = int(sample["own"]), int(sample["others"])
        assert not own & others
        assert replies(own, others)
    last = samples[-1]
    state = Othello()
    state.place(int(last["own"]), int(last["others"]), 0)
    after = state.play(state.moves()[0])
    assert after.player < 0 or len(state.moves()) > 1 or after.moves() == (64,)


def test_probcuts_error_is_that_of_the_differences() -> None:
    draws = random.Random(1)
    found = [
        (depth, empty, round(draws.gauss(0, 200 * 1.1**depth)))
        for depth in range(3, 9)
        for empty in (20, 30, 40)
        for _ in range(400)
    ]
    constant, deeper, foretelling, square = error_of(found)
    for depth, before in ((4, 2), (8, 4)):
        known = np.exp(constant + deeper * depth + foretelling * before + square * 30)
        assert known == pytest.approx(200 * 1.1**depth, rel=0.2)


@pytest.mark.skipif(not COMPILED, reason="minutes in plain Python")
def test_a_run_in_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PROBES", 10)
    monkeypatch.setattr(module, "_PORTION", 5)
    output, folder = tmp_path / "weights.bin", tmp_path / "run"
    settings = ["--games", "20", "--generations", "2", "--depth", "1", "--solved", "6", "--steps", "3"]
    words = [*settings, "--match", "4", "--folder", str(folder), "--output", str(output)]
    words += ["--concurrency", "1"]
    result = CliRunner().invoke(learn_othello, words)
    assert result.exit_code == 0, result.output
    assert "Generation 1 against the one before" in result.output
    assert "generation 1 of scripts/lab learn-othello" in description(output.read_bytes())["learned"]
    patterns = OthelloPatterns()
    patterns.read(output.read_bytes())
    assert len(json.loads((folder / "g01.json").read_text())) == 4
    first = output.read_bytes()
    (folder / "g01.bin").unlink()
    again = CliRunner().invoke(learn_othello, words)
    assert again.exit_code == 0
    assert output.read_bytes() == first
    words[-1] = "2"
    two = CliRunner().invoke(learn_othello, [*words, "--folder", str(tmp_path / "two")])
    assert two.exit_code == 0
    assert output.read_bytes() == first
    other = CliRunner().invoke(learn_othello, [*words, "--depth", "2"])
    assert other.exit_code == 2
    assert "holds a run with other options" in other.output


def test_where_nothing_can_be_written_nothing_is_learned(tmp_path: Path) -> None:
    words = ["--folder", str(tmp_path / "run"), "--output", str(tmp_path / "none" / "weights.bin")]
    result = CliRunner().invoke(learn_othello, words)
    assert result.exit_code == 2
    assert "No such file" in result.output
