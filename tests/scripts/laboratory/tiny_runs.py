"""Runs of `scripts/lab learn-policy` that take a second, and what stands in for its parts without PyTorch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from click.testing import CliRunner, Result

from engine.games.fast import puct
from engine.games.fast.puct_games import PuctGamesOptions
from engine.games.networks.file import PolicyWeights
from engine.games.networks.network import PolicyShape
from engine.games.rules.compiled_state import CompiledState
from scripts.laboratory.learn_policy import Learning, PolicyFolder, learn_policy
from scripts.laboratory.policy import (
    POLICY_GAMES,
    LoopPlan,
    PlayingTerms,
    PolicyExamples,
    PolicyGame,
    drawn,
    first_state,
    read_games,
)

COMPILED = not puct.__file__.endswith(".py")  # in plain Python such a run takes minutes
TINY = ("--channels", "16", "--blocks", "0", "--playouts", "8", "--games", "8")

FIRST = first_state("othello", 4)
SHAPE = PolicyShape(FIRST.plane_count, 16, 0, 16, 16)
PLAY = PuctGamesOptions(full=8, fast=4, longest=32)
PLAN = LoopPlan(2.0, True, PLAY, batch=16, uses=4, least=50, window=1000, first_playouts=2, early=0.5)
TERMS = PlayingTerms("othello", 4, SHAPE, PLAN, 8)


def learn(folder: Path, *words: str) -> Result:
    here = [] if "--cluster" in words else ["--concurrency", "1"]
    return CliRunner().invoke(learn_policy, ["--data", str(folder), *TINY, *here, *words])


def learn_by(terms: PlayingTerms, folder: Path, runner: Any, seed: int = 1) -> PolicyFolder:
    """Learn with the games of `runner`; the folder, closed."""
    run = {"game": terms.game, "size": terms.size, "seed": seed}
    with PolicyFolder(folder, run) as opened:
        Learning(opened, first_state(terms.game, terms.size), terms, run).run("cpu", runner)
    return opened


def games(path: Path) -> list[PolicyGame]:
    with path.open("rb") as file:
        POLICY_GAMES.read_header(file, str(path))
        return [*read_games(file, str(path))]


class NothingLearned:
    """Stands in for PyTorch: counts examples and steps, and changes its weights with each step."""

    def __init__(
        self, first: CompiledState, shape: PolicyShape, plan: LoopPlan, weights: Any, *_: object
    ) -> None:
        assert first.plane_count == shape.planes
        assert plan.batch
        self.window = self
        self.added = self.steps = 0
        self._shape, self._weights = shape, np.asarray(weights).tobytes()

    def add(self, examples: PolicyExamples) -> None:
        self.added += len(examples)

    def learn(self, count: int, latest: int, rate: float) -> int:
        assert count > 0
        assert latest > 0
        assert rate > 0
        self.steps += 1
        self._weights = drawn(self._shape, self.steps).tobytes()
        return self.steps

    def mean(self, losses: Sequence[int]) -> list[float]:
        return [float(losses[-1]), 0.5, 0.25]

    def weights(self) -> bytes:
        return self._weights

    def save(self, path: Path) -> None:
        path.write_text(f"{self.steps} steps")

    def load(self, path: Path) -> None:
        steps, _, word = path.read_bytes().decode("latin-1").partition(" ")
        if word != "steps" or not steps.isascii():
            raise ValueError(f"{path}: not the state of a network that learns, or damaged")
        self.steps = int(steps)


def connect_four_folder(folder: Path) -> None:
    """The folder of a run of Connect Four that has learned nothing: two networks on the way."""
    first = first_state("connectfour", 7)
    shape = PolicyShape(first.plane_count, 16, 0, 16, 16)
    run = {"game": "connectfour", "size": 7, "blocks": 0, "channels": 16, "full": 8, "fast": 2, "seed": 1}
    with PolicyFolder(folder, run) as opened:
        assert not [*opened.games()]
        for seconds in (0, 30):
            numbers = memoryview(drawn(shape, 1 + seconds).tobytes()).cast("f")
            network = PolicyWeights("connectfour", 6, 7, shape, numbers, {})
            opened.keep_snapshot(seconds, network)
        figures = {"games": 7, "plies a game": 20.5, "evaluated a second": 900, "examples": 60, "steps": 3}
        record = {"seconds": 30.0, **figures, "losses": [0.5, 0.25, 0.0], "processor": True}
        learner: Any = NothingLearned(first, shape, PLAN, numbers)
        opened.keep(learner, network, record)
