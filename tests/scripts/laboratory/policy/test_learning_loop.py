"""The loop of playing and learning, in a position where one move wins at once."""

import numpy as np
import pytest

from engine.games.compiled import puct
from engine.games.compiled.network_shape import PolicyShape
from engine.games.compiled.puct import PuctOptions
from engine.games.compiled.puct_games import PuctGamesOptions
from engine.games.players.catalogue import game
from scripts.laboratory.policy.float_network import drawn
from scripts.laboratory.policy.game_records import PolicyGame
from scripts.laboratory.policy.learning_loop import LearningLoop, LoopPlan, rate_at
from scripts.laboratory.policy.numpy_loop import NumpyLoopLearner, OwnEvaluator
from scripts.laboratory.policy.playing_threads import PlayingThreads

COMPILED = not puct.__file__.endswith(".py")


@pytest.mark.skipif(not COMPILED, reason="takes minutes in plain Python")
def test_a_win_at_once_is_learned() -> None:
    """Without the solver: what the search finds by playing, the policy learns from its visits."""
    rules = game("connectfour")
    first = rules.start()
    for text in ["D1", "A1", "D2", "A2", "D3", "A3"]:
        first = first.play(rules.parse(first, text))
    shape = PolicyShape(first.plane_count, 16, 0, 16, 16)
    weights = drawn(shape, 1)
    learner = NumpyLoopLearner(first, shape, weights, 5000)
    play = PuctGamesOptions(full=24, fast=24, share=1.0, sampled=2, longest=36)
    search = PuctOptions(batch=1, solver=False, megabytes=1)
    plan = LoopPlan(2.5, True, play, search, batch=64, uses=4, least=100, rate=0.01)
    found: list[PolicyGame] = []
    source = PlayingThreads(first, plan, 1, [OwnEvaluator(first, shape, weights, 16)])
    loop = LearningLoop(plan, learner, source)
    loop.run(lambda _: None, found.append)
    assert len(found) == loop.games > 50
    assert loop.steps > 10
    evaluator = OwnEvaluator(first, shape, learner.parameters(), 1)
    evaluator.planes[0] = np.asarray(first.planes())
    evaluator.evaluate(1)
    logits = evaluator.policy[0, list(first.policy_indices())]
    policy = np.exp(logits - logits.max())
    assert policy[3] / policy.sum() > 0.8
    assert evaluator.values[0] > 0.4
    assert sum(record.moves[0] == 3 for record in found[-40:]) > 25


def test_the_rate_falls_in_the_second_half() -> None:
    plan = LoopPlan(60, rate=1.0, last_rate=0.1)
    rates = [rate_at(plan, done) for done in (0, 0.5, 0.75, 1, 1.1)]
    assert rates == pytest.approx([1, 1, 0.55, 0.1, 0.1])
