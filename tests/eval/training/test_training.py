"""Trainings: they learn, they are repeatable, and go on where they were."""

import json
import random
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from weakref import ref

import numpy as np
import pytest

from eval.network_file import save_network
from eval.network_shape import ROWS
from eval.training import trainer, training
from eval.training.float_network import FloatNetwork, king_places
from eval.training.positions import Corpus, Examples, Reals, RecordsError
from eval.training.training import (
    MEAN,
    Checkpoint,
    Descent,
    DescentState,
    Device,
    NetworkPlan,
    Processor,
    Rows,
    Settings,
    losses,
    postponed_interruption,
    train,
)
from tests.eval.training.record_files import corpus_of, some_records, write_games

COMPILED = not trainer.__file__.endswith(".py")
COUNT = 40 if COMPILED else 8  # games; positions of each are few

Trained = tuple[FloatNetwork, dict[str, Any]]


class Quiet:
    """Hears what a training says, and interrupts it after some batches."""

    def __init__(self, batches: int = 1 << 30, sent: signal.Signals | None = None) -> None:
        self.lines: list[str] = []
        self.shown = 0
        self._left, self._sent = batches, sent

    def show(self, _epochs: int, _status: str) -> None:
        self.shown += 1
        if self.shown == self._left:
            if self._sent is None:
                raise KeyboardInterrupt
            signal.raise_signal(self._sent)

    def train(self, plan: NetworkPlan, state: Path) -> Trained:
        return train(plan, state, self.lines.append, self.show)


def settings(**changes: Any) -> Settings:
    return replace(Settings(3, 50, 4e-3, 4, 1, 2), **changes)


def planned(**changes: Any) -> NetworkPlan:
    return NetworkPlan((), (), 32, 1, None, 0.1, 0.3, 0.9, settings(**changes))


@pytest.fixture
def plan(tmp_path: Path) -> NetworkPlan:
    write_games(tmp_path / "games" / "a.games", COUNT, 30, seed=1)
    return replace(planned(), games=(tmp_path / "games",))


Train = Callable[[NetworkPlan], Trained]


@pytest.fixture
def run(tmp_path: Path) -> Train:
    """Train from the beginning."""

    def from_the_beginning(plan: NetworkPlan) -> Trained:
        (tmp_path / "out.state").unlink(missing_ok=True)
        return Quiet().train(plan, tmp_path / "out.state")

    return from_the_beginning


def descent_of(data: Corpus, plan: NetworkPlan, start: FloatNetwork) -> Descent:
    state = DescentState.start(start)
    return Descent(data, plan, state, Processor(state, plan.settings.threads, plan.settings.decay))


def drawn(buckets: int = 1) -> FloatNetwork:
    return FloatNetwork.drawn(32, king_places(buckets), 1)


def corpus(count: int, held_out: int = 4, blocks: int = 1) -> Corpus:
    """Its scores say who has more men."""
    found = some_records(count)
    pieces = found["pieces"].astype(int)
    black = (pieces >> 3 & 1).sum(axis=1) + (pieces >> 7).sum(axis=1)
    found["score"] = 100 * (np.bitwise_count(found["occupied"]) - 2 * black)
    return corpus_of(found, held_out, blocks)


def validation_loss(descent: Descent, network: FloatNetwork) -> float:
    return float(losses(descent.judge(network), descent.validation.targets).mean(dtype=float))


def test_learning_reduces_the_loss() -> None:
    data = corpus(800 if COMPILED else 80, 10)
    plan = replace(planned(epochs=12, batch=20, rate=2e-2), share=0.0, last_share=0.0)
    descent = descent_of(data, plan, drawn())
    state = descent.state
    before = validation_loss(descent, state.network)
    epochs = [epoch for epoch in descent.run() if epoch is not None]
    assert [epoch.number for epoch in epochs] == list(range(1, 13))
    best = min(epoch.validation for epoch in epochs)
    assert validation_loss(descent, state.best) == pytest.approx(epochs[-1].validation)
    assert epochs[-1].training < 0.8 * epochs[0].training
    assert best < before or not COMPILED  # plain Python learns from too few


def test_the_last_network_is_kept_even_if_no_epoch_made_it_better() -> None:
    data, start = corpus(200 if COMPILED else 30), drawn()
    descent = descent_of(data, planned(epochs=2, batch=10, rate=2.0), start)
    epochs = [epoch for epoch in descent.run() if epoch is not None]
    state = descent.state
    assert validation_loss(descent, start) < min(epoch.validation for epoch in epochs)
    assert validation_loss(descent, state.best) == pytest.approx(epochs[-1].validation)
    assert np.array_equal(state.best.values, state.network.values)


def test_the_same_again_and_other_seeds_and_threads() -> None:
    data = corpus(200 if COMPILED else 30, blocks=5)

    def learned(**changes: Any) -> FloatNetwork:
        descent = descent_of(data, planned(epochs=2, batch=10, chunk=60, **changes), drawn(2))
        for _ in descent.run():
            pass
        return descent.state.network

    once, again = learned(), learned()
    assert np.array_equal(once.values, again.values)
    assert not np.allclose(once.values, learned(seed=2).values, atol=1e-4)
    assert np.allclose(once.values, learned(threads=1).values, atol=1e-2)


def test_too_few_games() -> None:
    with pytest.raises(RecordsError, match="too few games"):
        descent_of(corpus(3), planned(), drawn())


def test_weights_decay_apart_from_the_step() -> None:
    data = corpus(20).validation(0.1, 0.9)
    stepped = []
    for decay in (0.0, 0.5):
        state = DescentState.start(drawn())
        device = Processor(state, 2, decay)
        device.take(data)
        device.learn(np.arange(len(data.records), dtype=np.uint32), 0.1, 1)
        stepped.append(state.network.values)
    assert np.allclose(stepped[0] - stepped[1], 0.1 * 0.5 * drawn().values, atol=1e-6)


class Watcher(Device):
    """Notes games and rates, and makes all weights the number of the step."""

    def __init__(self, state: DescentState) -> None:
        self.state = state
        self.games: list[int] = []
        self.rates: list[float] = []

    def take(self, examples: Examples) -> None:
        self.examples = examples

    def learn(self, rows: Rows, rate: float, step: int) -> float:
        self.games += self.examples.records["game"][rows].tolist()
        self.rates.append(rate)
        self.state.network.values[:] = step
        return 0.0

    def judge(self, _network: FloatNetwork, examples: Examples) -> Reals:
        return np.zeros(len(examples.records), np.float32)

    def save(self) -> None:
        pass


def test_an_epoch_learns_from_each_position_once() -> None:
    """In other chunks and in another order each epoch."""
    data, state = corpus(40, blocks=6), DescentState.start(drawn())
    watcher = Watcher(state)
    descent = Descent(data, planned(epochs=3, batch=4, chunk=10), state, watcher)
    seen = []
    for epoch in descent.run():
        if epoch is not None:
            seen.append(watcher.games)
            watcher.games = []
    learned = [game for game in range(40) if game % 4 != 3]
    assert descent.chunks == 3
    assert [sorted(games) for games in seen] == [learned] * 3
    firsts = [frozenset(games[:10]) for games in seen]
    assert len({*firsts}) == 3


def test_at_most_two_chunks_are_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """That which is learned from, and the next."""
    chunks: list[ref[np.ndarray]] = []
    alive = []
    read = Corpus.examples

    def counted(*args: Any) -> Examples:
        alive.append(sum(chunk() is not None for chunk in chunks))
        found = read(*args)
        chunks.append(ref(found.records))
        return found

    monkeypatch.setattr(Corpus, "examples", counted)
    descent = descent_of(corpus(40, blocks=10), planned(epochs=2, batch=2, chunk=3), drawn())
    for _ in descent.run():
        pass
    assert len(alive) == 2 * descent.chunks == 20
    assert max(alive) == 1


def test_the_rate_falls_along_a_cosine_and_the_share_rises_on_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    shares = []
    read = Corpus.examples

    def noted(*args: Any) -> Examples:
        shares.append(args[2])
        return read(*args)

    monkeypatch.setattr(Corpus, "examples", noted)
    monkeypatch.setattr(training, "_WARM_UP", 1)
    state = DescentState.start(drawn())
    watcher = Watcher(state)
    plan = planned(epochs=5, batch=10, chunk=20, rate=1e-3, last_rate=1e-5)
    for _ in Descent(corpus(80, blocks=3), plan, state, watcher).run():
        pass
    assert shares == pytest.approx(np.linspace(0.1, 0.3, 15))
    assert len(watcher.rates) == 30
    assert watcher.rates[0] == 1e-3
    assert watcher.rates[15] == pytest.approx((1e-3 + 1e-5) / 2)
    assert watcher.rates[10] == pytest.approx(1e-5 + 0.75 * (1e-3 - 1e-5))
    assert 1e-5 < watcher.rates[-1] < 2e-5
    assert plan.settings.rate_at(1.0) == pytest.approx(1e-5)


def test_the_mean_of_the_last_networks() -> None:
    """Of those after each hundredth of the training, in its last fifth."""
    state = DescentState.start(drawn())
    plan = planned(epochs=5, batch=2, chunk=75, kept=MEAN)
    descent = Descent(corpus(200, blocks=4), plan, state, Watcher(state))
    steps = sum(1 for _ in descent.run())
    chosen = np.ceil(np.arange(81, 101) / 100 * steps)
    assert state.averaged == len(chosen)
    assert state.best.values == pytest.approx(chosen.mean(), abs=1)


def test_what_is_told_of_a_training(plan: NetworkPlan, run: Train) -> None:
    _, about = run(plan)
    (stage,) = about["stages"]
    assert (stage["name"], len(stage["epochs"])) == ("games", 3)
    assert stage["data"][0]["games"] == COUNT
    judgement = stage["judgement"]
    total = judgement["total"]
    for bands in ("men", "plies"):
        assert total["positions"] == sum(band["positions"] for band in judgement[bands])
    assert total["least"] < total["loss"]
    assert total["loss"] == pytest.approx(stage["epochs"][-1]["validation"], abs=1e-5)


def test_taught_positions_are_learned_by_their_scores_and_judge_nothing(
    plan: NetworkPlan, run: Train, tmp_path: Path
) -> None:
    def learned(**changes: int) -> Trained:
        taught = some_records(2 * COUNT)
        for name, value in changes.items():
            taught[name] = value
        (tmp_path / "x.records").write_bytes(taught.tobytes())
        return run(replace(plan, taught=(tmp_path / "x.records",)))

    network, about = learned()
    games, positions = about["stages"][0]["data"]
    assert about["taught"] == ["x.records"]
    assert positions["positions"] == 2 * COUNT
    assert positions["slope"] == games["slope"]
    assert np.array_equal(network.values, learned(result=2)[0].values)
    assert not np.array_equal(network.values, learned(score=500)[0].values)
    judged = [found["stages"][0]["judgement"]["total"]["positions"] for found in (about, run(plan)[1])]
    assert judged[0] == judged[1]


@pytest.mark.parametrize(
    ("batches", "changes"),
    [
        (1, {}),
        (2, {}),
        (5, {}),
        (1, {"chunk": 200}),
        (7, {"chunk": 200}),
        (27 if COMPILED else 9, {"chunk": 200, "kept": MEAN}),
    ],
)
def test_a_training_cut_short_goes_on(
    plan: NetworkPlan, run: Train, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batches: int, changes: Any
) -> None:
    """With the weights of one that was not, although files have grown since it began."""
    for name in ("c", "d") if changes else ():
        write_games(tmp_path / "games" / f"{name}.games", COUNT // 4, 20, seed=100)
    plan = replace(plan, settings=settings(**changes))
    monkeypatch.setattr(training, "_SECONDS_BETWEEN_CHECKPOINTS", -1.0)
    whole, about = run(plan)
    state = tmp_path / "out.state"
    state.unlink()
    with pytest.raises(KeyboardInterrupt):
        Quiet(batches).train(plan, state)
    write_games(tmp_path / "games" / "b.games", 2)
    again = Quiet()
    resumed, about_resumed = again.train(plan, state)
    assert again.lines[0] == f"Going on from {state}"
    assert np.array_equal(whole.values, resumed.values)
    assert about == about_resumed


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_training_that_is_interrupted_loses_nothing(
    plan: NetworkPlan, tmp_path: Path, sent: signal.Signals
) -> None:
    small = replace(plan, settings=settings(batch=20 if COMPILED else 5))
    state = tmp_path / "out.state"
    undisturbed, teller, again = Quiet(), Quiet(3, sent), Quiet()
    whole = undisturbed.train(small, state)
    state.unlink()
    with pytest.raises(KeyboardInterrupt):
        teller.train(small, state)
    assert teller.shown == 3
    resumed = again.train(small, state)
    assert teller.shown + again.shown == undisturbed.shown
    assert np.array_equal(whole[0].values, resumed[0].values)
    assert whole[1] == resumed[1]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_checkpoint_that_cannot_be_used(plan: NetworkPlan, tmp_path: Path) -> None:
    """Of another training, damaged or of another version."""
    state = tmp_path / "out.state"
    Quiet().train(plan, state)
    with pytest.raises(ValueError, match=r"belongs to another training: seed was 1 and is 2"):
        Quiet().train(replace(plan, settings=settings(seed=2)), state)
    with pytest.raises(ValueError, match=r"belongs to another training: rate was 0\.004 and is 0\.002$"):
        Quiet().train(replace(plan, settings=settings(rate=2e-3)), state)
    whole = state.read_bytes()
    with np.load(state) as kept:
        arrays = dict(kept)
    described = json.loads(str(arrays["described"]))

    def is_refused() -> None:
        with pytest.raises(ValueError, match=r"out\.state: cannot be read: .*delete it to start over$"):
            Quiet().train(plan, state)

    for content in (b"", b"something", whole[:1000], whole[:-1000]):
        state.write_bytes(content)
        is_refused()
    texts = ["[]", "{", json.dumps({**described, "epochs": [{"loss": 1}]})]
    texts += [json.dumps({k: v for k, v in described.items() if k != key}) for key in described]
    kept_arrays = [{**arrays, "described": np.array(text)} for text in texts]
    kept_arrays += [{k: v for k, v in arrays.items() if k != name} for name in arrays]
    for some in kept_arrays:
        with state.open("wb") as file:
            np.savez(file, **some)
        is_refused()


def arrays(state: DescentState) -> list[np.ndarray]:
    return [state.network.values, state.mean, state.square, state.best.values]


def test_a_checkpoint_keeps_the_best_network_beside_the_last(plan: NetworkPlan, tmp_path: Path) -> None:
    last, best = (FloatNetwork.drawn(plan.width, king_places(plan.king_buckets), seed) for seed in (1, 2))
    begun = replace(DescentState.start(last), best=best)
    Checkpoint(plan.described(), begun).save(tmp_path / "out.state")
    found = Checkpoint.load(tmp_path / "out.state", plan.described())
    assert found is not None
    assert all(map(np.array_equal, arrays(found.state), arrays(begun)))


def test_a_byte_of_a_checkpoint_is_another(plan: NetworkPlan, tmp_path: Path) -> None:
    """It is noticed, or it does not matter, and never a surprise."""
    state = tmp_path / "out.state"
    Quiet().train(plan, state)
    whole = state.read_bytes()
    rng = random.Random(1)
    good, refused = Checkpoint.load(state, plan.described()), 0
    assert good is not None
    for _ in range(100):
        content = bytearray(whole)
        content[rng.choice((rng.randrange(3000), -rng.randrange(1, 800)))] ^= 1 << rng.randrange(8)
        state.write_bytes(content)
        try:
            found = Checkpoint.load(state, plan.described())
        except ValueError:
            refused += 1
            continue
        assert found is not None
        assert found.contents == good.contents
        for name in ("steps", "chunk", "batch", "loss", "averaged", "epochs"):
            assert getattr(found.state, name) == getattr(good.state, name)
        for one, other in zip(arrays(found.state), arrays(good.state), strict=True):
            assert np.array_equal(one, other)
    assert refused > 50


def test_a_network_to_start_from(plan: NetworkPlan, run: Train, tmp_path: Path) -> None:
    start = tmp_path / "start.lolli"
    first, _ = run(plan)
    save_network(start, first.for_file(139, {}))
    going_on = replace(plan, start=start, king_buckets=2, settings=settings(rate=1e-9, last_rate=1e-9))
    second, about = run(going_on)
    before, after = first.hidden(), second.hidden()
    used = after[:ROWS].any(axis=1)
    assert np.allclose(before[:ROWS][used], after[:ROWS][used], atol=1 / 255)
    assert np.allclose(first.outputs(), second.outputs(), atol=1 / 64)
    assert about["start"].startswith("start.lolli ")
    with pytest.raises(ValueError, match="its width is 32, not 64"):
        run(replace(going_on, width=64))


@pytest.mark.parametrize(("times", "seen"), [(0, []), (1, [1]), (2, [1])])
def test_only_the_first_signal_waits(times: int, seen: list[int]) -> None:
    found = []

    def interrupt() -> None:
        with postponed_interruption() as came:
            for _ in range(times):
                signal.raise_signal(signal.SIGINT)
                found.append(len(came))

    if times:
        with pytest.raises(KeyboardInterrupt):
            interrupt()
    else:
        interrupt()
    assert found == seen
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
