"""PyTorch learns the same as the compiled trainer. Left out where it is not installed."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

from eval.training.float_network import FloatNetwork, king_places
from eval.training.positions import Examples
from eval.training.training import (
    Descent,
    DescentState,
    Device,
    NetworkPlan,
    Processor,
    open_device,
)
from tests.eval.training.record_files import corpus_of, some_records
from tests.eval.training.test_trainer import some_network
from tests.eval.training.test_training import Quiet, plan, planned, settings

__all__ = ["plan"]  # a fixture

COUNT = 60


def examples() -> Examples:
    wanted = np.random.default_rng(1).random(COUNT).astype(np.float32)
    return Examples(some_records(COUNT), wanted)


def both(network: FloatNetwork) -> list[tuple[DescentState, Device]]:
    found = []
    for name in ("cpu", "cpu-torch"):
        state = DescentState.start(network)
        found.append((state, open_device(name, state, 2, 0.5)))
        found[-1][1].take(examples())
    return found


@pytest.mark.parametrize(("width", "buckets"), [(32, 1), (64, 4)])
def test_logits_and_steps(width: int, buckets: int) -> None:
    network = some_network(width, buckets)
    rows = np.random.default_rng(2).permutation(COUNT).astype(np.uint32)
    (ours, processor), (theirs, torch) = both(network)
    assert np.abs(processor.judge(network, examples()) - torch.judge(network, examples())).max() < 1e-5
    for step in range(1, 6):
        losses = [device.learn(rows, 0.01, step) for device in (processor, torch)]
        assert losses[0] == pytest.approx(losses[1], rel=1e-5)
        torch.save()
        assert np.abs(ours.mean - theirs.mean).max() < 1e-5 * np.abs(ours.mean).max()
        assert np.abs(ours.square - theirs.square).max() < 1e-5 * np.abs(ours.square).max()
        moved = np.abs(ours.mean) > 1e-6  # where the gradient is 0 but for rounding, Adam steps either way
        assert np.abs(ours.network.values - theirs.network.values)[moved].max() < 1e-3


def test_the_curves_are_the_same() -> None:
    corpus = corpus_of(some_records(COUNT), 4, 3)
    curves = []
    for name in ("cpu", "cpu-torch"):
        state = DescentState.start(FloatNetwork.drawn(32, king_places(2), 1))
        device = open_device(name, state, 2, 0.5)
        there = planned(epochs=4, batch=10, chunk=20)
        descent = Descent(corpus, there, state, device)
        curves.append([(epoch.training, epoch.validation) for epoch in descent.run() if epoch])
    assert np.allclose(curves[0], curves[1], atol=1e-4)


def test_a_training_cut_short_goes_on(plan: NetworkPlan, tmp_path: Path) -> None:
    trained = []
    for batches in (1 << 30, 5):
        there = replace(plan, settings=settings(device="cpu-torch"))
        state = tmp_path / f"{batches}.state"
        if batches == 5:
            with pytest.raises(KeyboardInterrupt):
                Quiet(batches).train(there, state)
        trained.append(Quiet().train(there, state)[0].values)
    assert np.allclose(trained[0], trained[1], atol=1e-6)


def test_a_device_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    state = DescentState.start(FloatNetwork.drawn(32, king_places(1), 1))
    with pytest.raises(ValueError, match="finds no GPU"):
        open_device("cuda", state, 1)
    assert isinstance(open_device("cpu", state, 1), Processor)
