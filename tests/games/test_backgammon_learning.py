"""The backgammon network: that it learns from games against itself, and how its weights are kept."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from click.testing import CliRunner

from engine.games.backgammon import BackgammonGame
from engine.games.backgammon_learning import Learner
from engine.games.backgammon_net import SCALE, Net
from scripts.backgammon.learn_command import learn_backgammon
from scripts.backgammon.weight_file import encoded

START = BackgammonGame(scoring="points").start()


def test_the_same_seed_learns_the_same(is_pure: bool) -> None:
    if is_pure:
        pytest.skip("the games take their time")
    one, other, third = Learner(1), Learner(1), Learner(2)
    for learner in (one, other, third):
        learner.learn(1, 0.05, 0.7)
    assert one.contact.weights() == other.contact.weights()
    assert one.race.weights() == other.race.weights()
    assert one.contact.weights() != third.contact.weights()


def test_after_a_few_games_it_knows_who_is_ahead(is_pure: bool) -> None:
    if is_pure:
        pytest.skip("the games take their time")
    learner = Learner(1)
    first_plies = learner.learn(20, 0.05, 0.7)
    for _ in range(5):
        plies = learner.learn(200, 0.05, 0.7)
    assert plies < first_plies
    almost_home, far = [13, 2, *[0] * 24], [0, *[0] * 5, 5, 0, 3, *[0] * 4, 5, *[0] * 10, 2, 0]
    assert sum(far) == sum(almost_home) == 15
    assert learner.expect(START.placed(almost_home, far, 0)) > 0.9
    assert learner.expect(START.placed(far, almost_home, 0)) < -0.9


def test_weights_are_kept_as_text() -> None:
    net = Net()
    weights = [(i % 4001 - 2000) / 1000 for i in range(len(net.weights()))]
    net.set_weights(weights)
    assert net.weights() == weights
    net.read(encoded(weights))
    assert net.weights() == pytest.approx(weights, abs=0.5 / SCALE)
    net.read(encoded([99.0, -99.0, *weights[2:]]))
    assert net.weights()[0] == pytest.approx(8, abs=0.01)
    assert net.weights()[1] == pytest.approx(-8, abs=0.01)


def test_the_command_writes_a_module(tmp_path: Path, is_pure: bool) -> None:
    path = tmp_path / "weights.py"
    stages = [(1, 0.05)] if is_pure else [(1, 0.05), (2, 0.02)]
    plan = ",".join(f"{games}x{rate}" for games, rate in stages)
    result = CliRunner().invoke(learn_backgammon, ["--plan", plan, "--output", str(path)])
    assert result.exit_code == 0, result.output
    learner = Learner(1)
    for games, rate in stages:
        learner.learn(games, rate, 0.7)
    made = runpy.run_path(str(path))
    assert made["CONTACT"].strip() == encoded(learner.contact.weights())
    assert made["RACE"].strip() == encoded(learner.race.weights())
    assert f"{sum(games for games, _ in stages)} games" in made["__doc__"]
    assert all(len(line) <= 110 for line in path.read_text().splitlines())


@pytest.mark.parametrize("plan", ["", "x", "10", "10x0.1;5x0.1", "10x0.1,"])
def test_a_bad_plan_is_refused(plan: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(learn_backgammon, ["--plan", plan, "--output", str(tmp_path / "weights.py")])
    assert result.exit_code == 2
    assert "Traceback" not in result.output
