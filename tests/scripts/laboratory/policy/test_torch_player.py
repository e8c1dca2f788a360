"""A network that PyTorch evaluates, in a process that plays. Left out where PyTorch is not installed."""

from dataclasses import replace
from functools import partial

import pytest

pytest.importorskip("torch")

from scripts.laboratory.jobs import ProcessJobs
from scripts.laboratory.policy.float_network import drawn
from scripts.laboratory.policy.game_records import PolicyGame
from scripts.laboratory.policy.learning_loop import LearningLoop
from scripts.laboratory.policy.loop_devices import open_learner, torch_player
from scripts.laboratory.policy.playing_workers import PlayingWorkers
from tests.lolli.cli.annotation.annotating import PATIENCE
from tests.scripts.laboratory.policy.test_playing_workers import COMPILED, FIRST, PLAN, SHAPE, TERMS

pytestmark = pytest.mark.skipif(not COMPILED, reason="takes minutes in plain Python")


@pytest.mark.alone
def test_pytorch_plays_and_learns() -> None:
    learner = open_learner("cpu-torch", FIRST, SHAPE, drawn(SHAPE, 1), 1000, 1)
    player = torch_player("cpu-torch", TERMS, threads=2)
    source = PlayingWorkers(TERMS, 1, partial(ProcessJobs, player), PATIENCE)
    source.pass_on(learner)
    recorded: list[PolicyGame] = []
    loop = LearningLoop(replace(PLAN, seconds=15.0), learner, source)
    loop.run(lambda _: None, recorded.append)
    assert loop.steps > 0
    assert loop.games == len(recorded) > 20
    assert source.evaluated > loop.games
    assert source.processor > 0
