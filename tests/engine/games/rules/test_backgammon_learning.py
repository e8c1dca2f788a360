"""The backgammon network: that it learns from games against itself, and how its weights are kept."""

from __future__ import annotations

import pytest

from engine.games.rules.backgammon import BackgammonGame
from engine.games.rules.backgammon.learning import Learner
from engine.games.rules.backgammon.network import SCALE, Net
from scripts.laboratory.learn_backgammon import encoded

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
