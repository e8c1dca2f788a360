"""The network in PyTorch says what the engine says, and learns. Left out where PyTorch is not installed."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")

from pathlib import Path

import torch

from engine.games.catalogue import game
from engine.games.fast.puct import PuctOptions
from engine.games.fast.puct_games import PuctGamesOptions
from engine.games.networks.file import PolicyWeights, load_policy, save_policy
from engine.games.networks.network import PolicyShape
from scripts.laboratory.jobs import JobRunner
from scripts.laboratory.policy import (
    LoopPlan,
    OwnEvaluator,
    PlayingTerms,
    PolicyExamples,
    Reals,
    drawn,
    first_state,
)
from scripts.laboratory.policy_torch import TorchLearner, Window, arranged, forward
from tests.scripts.laboratory.tiny_runs import COMPILED, FIRST, PLAN, SHAPE, learn_by


def some_weights(shape: PolicyShape) -> Reals:
    """None of which is 0."""
    noise = np.random.default_rng(1).normal(0, 0.1, shape.count())
    return (drawn(shape, 1) + noise).astype(np.float32)


def some_examples(count: int) -> PolicyExamples:
    chance = np.random.default_rng(2)
    policy = chance.random((count, 17))
    return PolicyExamples(
        chance.integers(0, 2, (count, 4, 4, SHAPE.planes)).astype(np.float32),
        (policy / policy.sum(axis=1, keepdims=True)).astype(np.float32),
        chance.uniform(-1, 1, count).astype(np.float32),
        chance.integers(-1, 2, (count, 16)).astype(np.float32),
    )


@pytest.mark.parametrize(("name", "size", "blocks"), [("connectfour", 7, 2), ("othello", 6, 0), ("go", 5, 1)])
def test_the_engine_says_what_pytorch_says(name: str, size: int, blocks: int, tmp_path: Path) -> None:
    """Of the weights as they are, and of those that a file has."""
    first = first_state(name, size)
    shape = PolicyShape(first.plane_count, 32, blocks, 16, 24)
    board = (first.plane_rows, first.plane_columns)
    numbers = memoryview(some_weights(shape).tobytes()).cast("f")
    save_policy(tmp_path / "x.lolli", PolicyWeights(name, *board, shape, numbers, {}))
    for weights in (numbers, load_policy(tmp_path / "x.lolli").numbers):
        engine = OwnEvaluator(first, shape, weights, 3)
        engine.planes[:] = np.random.default_rng(3).integers(0, 2, engine.planes.shape)
        engine.evaluate()
        arrays = arranged(shape, torch.tensor(np.asarray(weights)))
        policy, value, _ = forward(arrays, blocks, torch.tensor(engine.planes))
        np.testing.assert_allclose(engine.policy, policy.numpy(), rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(engine.values, torch.tanh(value / 2).numpy(), rtol=1e-4, atol=1e-4)


def learner(seed: int) -> TorchLearner:
    found = TorchLearner(FIRST, SHAPE, PLAN, drawn(SHAPE, seed), "cpu", seed)
    found.window.add(some_examples(16))
    return found


def test_what_was_seen_often_is_learned() -> None:
    one = learner(1)
    first = one.mean([one.learn(64, 1000, 0.01)])
    for _ in range(150):
        losses = one.learn(64, 1000, 0.01)
    last = one.mean([losses])
    assert last[0] < 0.7 * first[0]
    assert last[1] < first[1]
    assert last[2] < first[2]


def test_a_state_goes_on_as_if_nothing_had_been(tmp_path: Path) -> None:
    one, two = learner(1), learner(2)
    examples = Window(FIRST, 100, "cpu")
    examples.add(some_examples(16))
    steps = [examples.draw(16, 16) for _ in range(5)]
    for step in steps[:3]:
        one.step(*step, 0.01)
    one.save(tmp_path / "state")
    two.load(tmp_path / "state")
    for step in steps[3:]:
        assert one.step(*step, 0.01).tolist() == two.step(*step, 0.01).tolist()
    assert one.weights() == two.weights()
    assert one.steps == two.steps == 5
    other = TorchLearner(
        FIRST, PolicyShape(SHAPE.planes, 32), PLAN, drawn(PolicyShape(SHAPE.planes, 32), 1), "cpu", 1
    )
    with pytest.raises(ValueError, match="the state of another network"):
        other.load(tmp_path / "state")


def test_examples_are_turned_as_a_whole() -> None:
    """A stone, the move to it and its owner stay together, and the pass stays what it is."""
    window = Window(game("go").start(5), 40, "cpu")
    squares = np.arange(25, dtype=np.float32)
    planes = np.zeros((50, 5, 5, game("go").start(5).plane_count), np.float32)
    planes[:] = squares.reshape(1, 5, 5, 1)
    policy = np.append(squares, 99).reshape(1, -1).repeat(50, axis=0).astype(np.float32)
    window.add(PolicyExamples(planes, policy, np.arange(50, dtype=np.float32), policy[:, :-1]))
    seen, wanted, values, owners = window.draw(200, 20)
    np.testing.assert_array_equal(seen[..., 0].reshape(200, 25), wanted[:, :-1])
    np.testing.assert_array_equal(owners.reshape(200, 25), wanted[:, :-1])
    assert (wanted[:, -1] == 99).all()
    assert len(torch.unique(wanted, dim=0)) == 8
    assert sorted({int(value) for value in values}) == [*range(30, 50)]


@pytest.mark.alone
@pytest.mark.skipif(not COMPILED, reason="takes minutes in plain Python")
def test_what_the_games_show_is_learned(tmp_path: Path) -> None:
    """In the middle columns of Connect Four wins are easier; a win at once is seen."""
    first = first_state("connectfour", 7)
    play = PuctGamesOptions(full=24, fast=24, share=1.0, sampled=2, longest=42)
    search = PuctOptions(batch=1, solver=False, megabytes=1)
    plan = LoopPlan(12.0, True, play, search, batch=64, uses=4, window=5000, least=100, rate=0.01)
    shape = PolicyShape(first.plane_count, 16, 0, 16, 16)
    folder = learn_by(PlayingTerms("connectfour", 7, shape, plan, 16), tmp_path, JobRunner(1))
    rules, state = game("connectfour"), first
    for text in ["D1", "A1", "D2", "A2", "D3", "A3"]:
        state = state.play(rules.parse(state, text))
    evaluator = OwnEvaluator(first, shape, load_policy(folder.path / "network.lolli").numbers, 1)
    evaluator.planes[0] = np.asarray(state.planes())
    evaluator.evaluate(1)
    logits = evaluator.policy[0, list(state.policy_indices())]
    assert int(logits.argmax()) == 3
    assert evaluator.values[0] > 0
