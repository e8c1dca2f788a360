"""The fit of Go's linear policy, and the games that it is learned from."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import numpy as np
import pytest
from click.testing import CliRunner, Result

from engine.games.rules.go.policy import NAMES, Policy
from scripts.laboratory.learn_games import (
    Samples,
    fit_policy,
    learn_go_policy,
    play_go,
    samples,
    weight_file,
)
from scripts.laboratory.long_run import FAILED

PATTERNS = 12  # features beside those with names


def planted(positions: int, weights: np.ndarray, seed: int) -> Samples:
    """Positions of eight moves with three random features each, one chosen by its probability."""
    random = np.random.default_rng(seed)
    kinds = np.array([*range(10), *range(1 << 20, (1 << 20) + PATTERNS)], dtype=np.uint64)
    places = random.integers(0, len(kinds), size=(positions, 8, 3))
    worth = weights[places].sum(axis=2)
    chances = np.exp(worth) / np.exp(worth).sum(axis=1, keepdims=True)
    chosen = (random.random((positions, 1)) < chances.cumsum(axis=1)).argmax(axis=1)
    shares = np.zeros((positions, 8))
    shares[np.arange(positions), chosen] = 1
    return Samples(
        kinds[places].ravel(),
        np.full(positions * 8, 3),
        np.arange(0, positions * 8, 8),
        shares.ravel(),
    )


def test_the_fit_finds_planted_strengths() -> None:
    true = np.random.default_rng(1).normal(0, 1, 10 + PATTERNS)
    kinds, weights = fit_policy(planted(20_000, true, 2), least=1, penalty=0.1, passes=200)
    found = np.concatenate((weights[:10], weights[len(kinds) - PATTERNS :]))
    # All moves have three features, so that a constant added to all weights changes nothing.
    assert found - found.mean() == pytest.approx(true - true.mean(), abs=0.1)


def test_games_become_weights_that_the_policy_reads() -> None:
    game = play_go(5, 60, 3, {})
    assert play_go(5, 60, 3, {}) == game
    learned = samples([game])
    assert len(learned.starts) == len(game.moves)
    assert np.add.reduceat(learned.shares, learned.starts) == pytest.approx(1)
    kinds, weights = fit_policy(learned, least=2, passes=20)
    policy = Policy()
    policy.read(weight_file(kinds, weights, "test", lightest=0))
    for kind, weight in zip(kinds, weights, strict=True):
        assert policy.weight_of(int(kind)) == pytest.approx(
            weight, abs=0.001 if kind < len(NAMES) else 0.0003
        )


def invoked(folder: Path, plan: str, generations: int, processes: int = 2, *others: str) -> Result:
    words = ["--folder", str(folder), "--plan", plan, "--generations", str(generations), "--least", "5"]
    return CliRunner().invoke(learn_go_policy, [*words, "--concurrency", str(processes), *others])


def learn(folder: Path, plan: str, generations: int, processes: int = 2) -> int:
    return invoked(folder, plan, generations, processes).exit_code


def test_learning_goes_on_where_it_ended(tmp_path: Path) -> None:
    assert learn(tmp_path, "5x11x20", 1) == 0
    games = (tmp_path / "games-0.jsonl").read_bytes()
    assert games.count(b"\n") == 12  # the first line describes the run
    assert learn(tmp_path, "5x11x20", 2) == 0
    assert (tmp_path / "games-0.jsonl").read_bytes() == games
    assert "22 games" in json.loads((tmp_path / "weights-1.json").read_text())["learned"]
    other = invoked(tmp_path, "5x11x20", 2, 2, "--penalty", "3")
    assert other.exit_code == FAILED
    assert "penalty was" in other.output
    other = invoked(tmp_path, "5x12x20", 1)
    assert other.exit_code == FAILED
    assert "plan was [[5, 11, 20]] and is [[5, 12, 20]]" in other.output
    assert learn(tmp_path, "4x12x20", 1) == 2


def test_games_that_come_in_another_order_teach_the_same(tmp_path: Path) -> None:
    """Two processes, of whose journal some lines are lost and the others shuffled, beside one process."""
    assert learn(tmp_path / "one", "5x5x20,6x3x20", 2, 1) == 0
    assert learn(tmp_path / "two", "5x5x20,6x3x20", 1, 2) == 0
    journal = tmp_path / "two" / "games-0.jsonl"
    first, *lines = journal.read_bytes().splitlines(keepends=True)
    Random(1).shuffle(lines)
    journal.write_bytes(first + b"".join(lines[:5]))
    assert learn(tmp_path / "two", "5x5x20,6x3x20", 2, 2) == 0
    for name in ("weights-0.json", "weights-1.json"):
        assert (tmp_path / "two" / name).read_bytes() == (tmp_path / "one" / name).read_bytes()
