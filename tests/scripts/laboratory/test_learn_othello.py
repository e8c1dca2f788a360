"""scripts/lab learn-othello: planted weights are found, and a small run is whole and resumable."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from engine.board.position import COMPILED
from engine.games.rules.othello import Othello
from engine.games.rules.othello_patterns import OthelloPatterns, description
from scripts.laboratory import learn_games as module
from scripts.laboratory.learn_games import SAMPLE, error_of, errors, fit, learn_othello, play, rounded
from scripts.laboratory.long_run import FAILED

GAMES = 500


def replies(own: int, others: int) -> int:
    state = Othello()
    state.place(own, others, 0)
    moves = state.moves() if state.player == 0 else ()
    return 0 if moves in {(), (64,)} else len(moves)


@pytest.mark.skipif(not COMPILED, reason="minutes in plain Python")
def test_planted_weights_are_found() -> None:
    """Two discs for each move more than the opponent, and five for a corner."""
    samples, corners = play(b"", 0, 8, (GAMES, "planted")), 0x8100000000000081
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
    samples = play(b"", 0, 8, (3, "labels"))
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


SMALL = [
    "--games",
    "20",
    "--depth",
    "1",
    "--solved",
    "6",
    "--steps",
    "3",
    "--match",
    "4",
    "--concurrency",
    "1",
]


def learn(folder: Path, *words: str) -> Result:
    return CliRunner().invoke(learn_othello, [*SMALL, "--folder", str(folder), *words])


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of a run of two generations, and smaller portions and fewer probes in this module."""
    if not COMPILED:
        pytest.skip("minutes in plain Python")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_PROBES", 10)
        patch.setattr(module, "_PORTION", 5)
        folder = tmp_path_factory.mktemp("othello") / "run"
        result = learn(folder, "--generations", "2")
        assert result.exit_code == 0, result.output
        assert "Generation 1 against the one before" in result.output
        assert "g01.bin: weights of generation 1" in result.output
        yield folder


def test_a_run_in_small(learned: Path, tmp_path: Path) -> None:
    first = (learned / "g01.bin").read_bytes()
    assert "generation 1 of scripts/lab learn-othello" in description(first)["learned"]
    OthelloPatterns().read(first)
    assert len((learned / "match-1.jsonl").read_text().splitlines()) == 1 + 2
    (learned / "g01.bin").unlink()
    journal = learned / "games-1.jsonl"
    journal.write_bytes(journal.read_bytes()[:-100])
    assert learn(learned, "--generations", "2").exit_code == 0
    assert (learned / "g01.bin").read_bytes() == first
    two = tmp_path / "two"
    assert learn(two, "--generations", "2", "--concurrency", "2").exit_code == 0
    assert (two / "g01.bin").read_bytes() == first
    other = learn(learned, "--depth", "2")
    assert other.exit_code == FAILED
    assert "belongs to another run: depth was 1 and is 2" in other.output
