"""Trainings: they learn, they are repeatable, and go on where they were."""

import json
import random
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eval.network_file import load_network, save_network
from eval.network_shape import ROWS
from eval.training import trainer, training
from eval.training.float_network import FloatNetwork, king_places
from eval.training.positions import RecordsError
from eval.training.training import (
    GAMES,
    LAST,
    STATIC,
    Checkpoint,
    Descent,
    DescentState,
    Examples,
    NetworkPlan,
    Processor,
    StageSettings,
    Trained,
    Training,
    losses,
    postponed_interruption,
    split,
)
from tests.eval.training.record_files import some_records, write_games

COMPILED = not trainer.__file__.endswith(".py")
COUNT = 40 if COMPILED else 8  # games; positions of each are few


class Quiet:
    def __init__(self, batches: int = 1 << 30) -> None:
        self.lines: list[str] = []
        self.shown = 0
        self._left = batches

    def show(self, epochs: int, status: str) -> None:
        assert epochs >= 0
        assert "positions/s" in status
        self.shown += 1
        if self.shown == self._left:
            self.stop()

    def stop(self) -> None:
        raise KeyboardInterrupt

    def training(self, plan: NetworkPlan, state: Path) -> Training:
        return Training(plan, state, self.lines.append, self.show)


def settings(name: str = GAMES, **changes: Any) -> StageSettings:
    return replace(StageSettings(name, 3, 50, 4e-3, 4, 1, 2), **changes)


@pytest.fixture
def plan(tmp_path: Path) -> NetworkPlan:
    write_games(tmp_path / "games" / "a.games", COUNT, 30, seed=1)
    (tmp_path / "asked").mkdir()
    (tmp_path / "asked" / "x.records").write_bytes(some_records(4 * COUNT).tobytes())
    return NetworkPlan(
        games=(tmp_path / "games",),
        asked=(tmp_path / "asked",),
        width=32,
        king_buckets=1,
        start=None,
        taught=(),
        share=0.1,
        foresight=0.9,
        scale=139,
        seed=1,
        static=settings(STATIC, epochs=2),
        on_games=settings(),
    )


Train = Callable[[NetworkPlan], Trained]


@pytest.fixture
def train(tmp_path: Path) -> Train:
    return lambda plan: Quiet().training(plan, tmp_path / "out.state").run()


def descent_of(data: Examples, settings: StageSettings, start: FloatNetwork) -> Descent:
    state = DescentState.start(start)
    return Descent(data, settings, state, Processor(data, state, settings.threads))


def examples(count: int) -> Examples:
    found = some_records(count)
    pieces = found["pieces"].astype(int)
    black = (pieces >> 3 & 1).sum(axis=1) + (pieces >> 7).sum(axis=1)
    ahead = np.bitwise_count(found["occupied"]) - 2 * black
    return Examples(found, (1 / (1 + np.exp(-0.5 * ahead))).astype(np.float32), count)


def test_learning_reduces_the_loss() -> None:
    data = examples(800 if COMPILED else 80)
    start = FloatNetwork.drawn(32, king_places(1), 1)
    descent = descent_of(data, settings(epochs=12, batch=20, rate=2e-2, held_out=10), start)
    state = descent.state
    before = losses(descent.judge(state.network), data.targets[descent.validation]).mean()
    epochs = [epoch for epoch in descent.run() if epoch is not None]
    assert [epoch.number for epoch in epochs] == list(range(1, 13))
    best = min(epoch.validation for epoch in epochs)
    after = losses(descent.judge(state.best), data.targets[descent.validation]).mean()
    assert after == pytest.approx(best)
    assert epochs[-1].training < 0.8 * epochs[0].training
    assert best < before or not COMPILED  # plain Python learns from too few


def test_a_network_that_no_epoch_makes_better_is_kept() -> None:
    data = examples(200 if COMPILED else 30)
    start = FloatNetwork.drawn(32, king_places(1), 1)
    state = DescentState.start(start, start)
    descent = Descent(data, settings(epochs=2, batch=10, rate=2.0), state, Processor(data, state, 2))
    epochs = [epoch for epoch in descent.run() if epoch is not None]
    least = losses(descent.judge(start), data.targets[descent.validation]).mean(dtype=float)
    assert state.least == least < min(epoch.validation for epoch in epochs)
    assert np.array_equal(state.best.values, start.values)
    assert not np.array_equal(state.network.values, start.values)


def test_the_last_epoch_is_kept_where_that_is_asked_for() -> None:
    data = examples(200 if COMPILED else 30)
    start = FloatNetwork.drawn(32, king_places(1), 1)
    state = DescentState.start(start, start)
    worse = settings(epochs=2, batch=10, rate=2.0, kept=LAST)
    descent = Descent(data, worse, state, Processor(data, state, 2))
    epochs = [epoch for epoch in descent.run() if epoch is not None]
    assert state.least == epochs[-1].validation
    assert np.array_equal(state.best.values, state.network.values)


def test_the_same_again_and_other_seeds_and_threads() -> None:
    data = examples(200 if COMPILED else 30)

    def learned(**changes: Any) -> FloatNetwork:
        start = FloatNetwork.drawn(32, king_places(2), 1)
        descent = descent_of(data, settings(epochs=2, batch=10, **changes), start)
        for _ in descent.run():
            pass
        return descent.state.network

    once, again = learned(), learned()
    assert np.array_equal(once.values, again.values)
    assert not np.allclose(once.values, learned(seed=2).values, atol=1e-4)
    alone = learned(threads=1).values
    assert np.allclose(once.values, alone, atol=1e-2)
    assert np.array_equal(alone, learned(threads=1).values)


def test_whole_games_are_held_out() -> None:
    found = some_records(100)
    found["game"] = np.arange(100) // 10
    training_rows, validation = split(found, 5, 100)
    assert {*found["game"][validation].tolist()} == {4, 9}
    assert sorted([*training_rows.tolist(), *validation.tolist()]) == list(range(100))
    training_rows, validation = split(found, 5, 60)
    assert {*found["game"][validation].tolist()} == {4}
    assert sorted([*training_rows.tolist(), *validation.tolist()]) == list(range(90))


def test_too_few_games() -> None:
    data = examples(3)
    with pytest.raises(RecordsError, match="too few games"):
        descent_of(data, settings(held_out=4), FloatNetwork.drawn(32, king_places(1), 1))


def test_both_stages_and_what_is_told_of_them(plan: NetworkPlan, train: Train) -> None:
    trained = train(plan)
    static, games = trained.about["stages"]
    assert (static["name"], games["name"]) == ("static values", "games")
    assert (len(static["epochs"]), len(games["epochs"])) == (2, 3)
    assert games["data"][0]["games"] == COUNT
    assert static["data"][0]["positions"] == 4 * COUNT
    assert static["data"][0]["slope"] == pytest.approx(1 / 139, abs=1e-7)
    total = trained.judgement["total"]
    assert total["positions"] == sum(band["positions"] for band in trained.judgement["men"])
    assert total["positions"] == sum(band["positions"] for band in trained.judgement["plies"])
    assert total["least"] < total["loss"]
    best = min(epoch["validation"] for epoch in games["epochs"])
    assert total["loss"] == pytest.approx(best, abs=1e-5)


def test_taught_positions_are_learned_by_their_scores_and_judge_nothing(
    plan: NetworkPlan, train: Train, tmp_path: Path
) -> None:
    def learned(**changes: int) -> Trained:
        taught = some_records(2 * COUNT)
        for name, value in changes.items():
            taught[name] = value
        (tmp_path / "x.records").write_bytes(taught.tobytes())
        (tmp_path / "out.state").unlink(missing_ok=True)
        return train(replace(plan, asked=(), taught=(tmp_path / "x.records",)))

    trained = learned()
    games, positions = trained.about["stages"][0]["data"]
    assert trained.about["taught"] == ["x.records"]
    assert positions["positions"] == 2 * COUNT
    assert positions["slope"] == games["slope"]
    assert np.array_equal(trained.network.values, learned(result=2).network.values)
    assert not np.array_equal(trained.network.values, learned(score=500).network.values)
    (tmp_path / "out.state").unlink()
    without = train(replace(plan, asked=()))
    assert trained.judgement["total"]["positions"] == without.judgement["total"]["positions"]


@pytest.mark.parametrize("batches", [1, 2, 5, 7])
def test_a_training_cut_short_goes_on(
    plan: NetworkPlan, train: Train, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batches: int
) -> None:
    """With the weights of one that was not, although files have grown since its stage began."""
    monkeypatch.setattr(training, "_SECONDS_BETWEEN_CHECKPOINTS", -1.0)
    whole = train(plan)
    (tmp_path / "out.state").unlink()
    teller = Quiet(batches)
    with pytest.raises(KeyboardInterrupt):
        teller.training(plan, tmp_path / "out.state").run()
    growing = tmp_path / ("games" if any("games: " in line for line in teller.lines) else "asked")
    write_games(growing / "b.games", 2)
    (growing / "y.records").write_bytes(some_records(9).tobytes())
    again = Quiet()
    resumed = again.training(plan, tmp_path / "out.state").run()
    assert again.lines[0] == f"Going on from {tmp_path / 'out.state'}"
    assert np.array_equal(whole.network.values, resumed.network.values)
    assert whole.about == resumed.about


class Interrupting(Quiet):
    def __init__(self, sent: signal.Signals, batches: int) -> None:
        super().__init__(batches)
        self._sent = sent

    def stop(self) -> None:
        signal.raise_signal(self._sent)


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_training_that_is_interrupted_loses_nothing(
    plan: NetworkPlan, tmp_path: Path, sent: signal.Signals
) -> None:
    small = replace(plan, asked=(), on_games=settings(batch=20 if COMPILED else 5))
    state = tmp_path / "out.state"
    undisturbed = Quiet()
    whole = undisturbed.training(small, state).run()
    state.unlink()
    teller = Interrupting(sent, 3)
    with pytest.raises(KeyboardInterrupt):
        teller.training(small, state).run()
    assert teller.shown == 3
    assert state.exists()
    again = Interrupting(sent, 1 << 30)
    resumed = again.training(small, state).run()
    assert teller.shown + again.shown == undisturbed.shown
    assert np.array_equal(whole.network.values, resumed.network.values)
    assert whole.about == resumed.about
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_checkpoint_of_another_training(plan: NetworkPlan, tmp_path: Path) -> None:
    state = tmp_path / "out.state"
    Quiet().training(plan, state).run()
    with pytest.raises(ValueError, match=r"belongs to another training: seed was 1 and is 2"):
        Quiet().training(replace(plan, seed=2), state)


def test_a_checkpoint_that_is_damaged_or_of_another_version(plan: NetworkPlan, tmp_path: Path) -> None:
    state = tmp_path / "out.state"
    Quiet().training(plan, state).run()
    whole = state.read_bytes()
    with np.load(state) as kept:
        arrays = dict(kept)
    described = json.loads(str(arrays["described"]))

    def is_refused() -> None:
        with pytest.raises(ValueError, match=r"out\.state: cannot be read: .*delete it to start over$"):
            Quiet().training(plan, state)

    for content in (b"", b"something", whole[:1000], whole[:-1000]):
        state.write_bytes(content)
        is_refused()
    for key in described:
        other = {name: value for name, value in described.items() if name != key}
        with state.open("wb") as file:
            np.savez(file, **{**arrays, "described": np.array(json.dumps(other))})
        is_refused()
    for text in ("[]", "{", json.dumps({**described, "epochs": [{"loss": 1}]})):
        with state.open("wb") as file:
            np.savez(file, **{**arrays, "described": np.array(text)})
        is_refused()
    for name in arrays:
        with state.open("wb") as file:
            np.savez(file, **{other: array for other, array in arrays.items() if other != name})
        is_refused()


def arrays(state: DescentState) -> list[np.ndarray]:
    return [state.network.values, state.mean, state.square, state.best.values]


def test_a_byte_of_a_checkpoint_is_another(plan: NetworkPlan, tmp_path: Path) -> None:
    """It is noticed, or it does not matter, and never a surprise."""
    state = tmp_path / "out.state"
    Quiet().training(plan, state).run()
    whole = state.read_bytes()
    rng = random.Random(1)
    good, refused = Checkpoint.load(state, plan.described()), 0
    assert good is not None
    for _ in range(200):
        content = bytearray(whole)
        content[rng.choice((rng.randrange(3000), -rng.randrange(1, 800)))] ^= 1 << rng.randrange(8)
        state.write_bytes(content)
        try:
            found = Checkpoint.load(state, plan.described())
        except ValueError:
            refused += 1
            continue
        assert found is not None
        assert (found.stage, found.contents, found.done) == (good.stage, good.contents, good.done)
        for name in ("steps", "batch", "loss", "epochs", "least"):
            assert getattr(found.state, name) == getattr(good.state, name)
        for one, other in zip(arrays(found.state), arrays(good.state), strict=True):
            assert np.array_equal(one, other)
    assert refused > 100


def test_a_network_to_start_from(plan: NetworkPlan, train: Train, tmp_path: Path) -> None:
    start = tmp_path / "start.lolli"
    first = train(replace(plan, asked=()))
    (tmp_path / "out.state").unlink()
    save_network(start, first.network.for_file(139, {}))
    gently = replace(plan.on_games, rate=1e-9)
    going_on = replace(plan, asked=(), start=start, king_buckets=2, on_games=gently)
    second = train(going_on)
    before, after = first.network.hidden(), second.network.hidden()
    used = after[:ROWS].any(axis=1)
    assert np.allclose(before[:ROWS][used], after[:ROWS][used], atol=1 / 255)
    assert np.allclose(first.network.outputs(), second.network.outputs(), atol=1 / 64)
    assert second.about["start"].startswith("start.lolli ")
    with pytest.raises(ValueError, match="its width is 32, not 64"):
        Quiet().training(replace(going_on, width=64), tmp_path / "other.state")


@pytest.mark.parametrize("is_asked", [False, True])
def test_a_network_to_start_from_comes_out_if_nothing_is_better(
    plan: NetworkPlan, train: Train, tmp_path: Path, is_asked: bool
) -> None:
    """Also where the stage on games begins with another one, made of it in the stage before."""
    start = tmp_path / "start.lolli"
    save_network(start, train(replace(plan, asked=())).network.for_file(139, {}))
    teller = Quiet()
    wildly = replace(
        plan, start=start, asked=plan.asked * is_asked, on_games=replace(plan.on_games, rate=100.0)
    )
    found = teller.training(wildly, tmp_path / "other.state").run()
    assert np.array_equal(found.network.values, FloatNetwork.of_file(load_network(start)).values)
    assert teller.lines[-1] == f"games: no epoch was better than {start}, which is kept"
    assert found.judgement["total"]["loss"] < min(
        epoch["validation"] for epoch in found.about["stages"][-1]["epochs"]
    )


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
