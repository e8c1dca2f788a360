"""Learning with PyTorch while many games go on side by side: threads play, this thread learns."""

from __future__ import annotations

import queue
import threading
import time
from dataclasses import dataclass, field, replace
from math import cos, pi
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from engine.games.compiled.puct import PuctOptions
from engine.games.compiled.puct_games import PuctGames, PuctGamesOptions
from scripts.laboratory.policy.examples import PolicyExamples, examples_of, joined, symmetries
from scripts.laboratory.policy.float_network import flat
from scripts.laboratory.policy.game_records import PolicyGame
from scripts.laboratory.policy.torch_network import TorchEvaluator, TorchLearner

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.games.compiled.network_shape import PolicyShape
    from engine.games.rules.compiled_state import CompiledState
    from scripts.laboratory.policy.float_network import Parameters

_PATIENCE = 0.002  # seconds to wait for games where there is nothing to learn
_LAST_WAIT = 30.0  # seconds for threads to end
_PARTS = 200  # games whose examples are taken at a time
_STEPS = 20  # after which those who play get the new weights


@dataclass(frozen=True)
class LoopPlan:
    """How to learn.

    - `seconds`: of playing and learning
    - `threads`, `games`: threads that play, and games of each
    - `batch`, `uses`: examples of a step, and how often an example is learned from on average
    - `window`, `least`: the latest examples to learn from, and how many there must be before the first step
    - `growth`: the window holds at least the latest so large a part of all examples
    - `rate`, `last_rate`: of learning, and at the end of the last third
    - `searched`: the part of the search's value in what the value learns
    - `first_playouts`, `early`: playouts in full of the first part of the time, whatever `play` says
    """

    seconds: float
    threads: int
    games: int
    play: PuctGamesOptions = field(default_factory=PuctGamesOptions)
    search: PuctOptions = field(default_factory=lambda: PuctOptions(batch=1, megabytes=1))
    batch: int = 1024
    uses: float = 10.0
    window: int = 400_000
    least: int = 10_000
    rate: float = 2e-3
    last_rate: float = 1e-4
    searched: float = 0.25
    first_playouts: int = 32
    early: float = 0.08
    device: str = "cuda"
    report_every: float = 15.0


class Window:
    """The latest examples, on the device, in a ring."""

    def __init__(self, first: CompiledState, size: int, device: str) -> None:
        squares = first.plane_rows * first.plane_columns
        kind = torch.float16 if device == "cuda" else torch.float32
        self._device = torch.device(device)
        self.size = size
        self.added = 0
        self._planes = torch.zeros((size, squares, first.plane_count), dtype=kind, device=device)
        self._policy = torch.zeros((size, squares + 1), dtype=kind, device=device)
        self._values = torch.zeros(size, device=device)
        self._owners = torch.zeros((size, squares), dtype=kind, device=device)
        self._ways = torch.from_numpy(symmetries(first)).to(device)
        self._board = (first.plane_rows, first.plane_columns)

    def add(self, examples: PolicyExamples) -> None:
        """Let examples take the places of the oldest."""
        places = (torch.arange(len(examples)) + self.added) % self.size
        places = places.to(self._device)
        planes = torch.from_numpy(examples.planes).to(self._device).to(self._planes.dtype)
        self._planes[places] = planes.reshape(len(examples), -1, planes.shape[-1])
        self._policy[places] = torch.from_numpy(examples.policy).to(self._device).to(self._policy.dtype)
        self._values[places] = torch.from_numpy(examples.values).to(self._device)
        self._owners[places] = torch.from_numpy(examples.owners).to(self._device).to(self._owners.dtype)
        self.added += len(examples)

    def draw(self, count: int, latest: int) -> tuple[Any, Any, Any, Any]:
        """Examples among the `latest`, each turned or mirrored at random."""
        latest = min(latest, self.added, self.size)
        back = torch.randint(latest, (count,), device=self._device)
        rows = (self.added - 1 - back) % self.size
        squares = self._ways[torch.randint(len(self._ways), (count,), device=self._device)]
        at = rows[:, None]
        planes = self._planes[at, squares].float().reshape(count, *self._board, -1)
        policy = torch.cat([self._policy[at, squares], self._policy[rows, -1:]], dim=1).float()
        owners = self._owners[at, squares].float().reshape(count, *self._board)
        return planes, policy, self._values[rows], owners


class PlayingThread(threading.Thread):
    """Plays games and puts their records and examples into a queue."""

    def __init__(
        self,
        first: CompiledState,
        plan: LoopPlan,
        seed: int,
        evaluator: TorchEvaluator,
        games: queue.SimpleQueue[tuple[PolicyGame, PolicyExamples]],
    ) -> None:
        super().__init__(daemon=True)
        self._first = first
        self._plan = plan
        self._evaluator = evaluator
        self._queue = games
        self.ended = False
        self.evaluated = 0
        self.error: BaseException | None = None
        self._games = PuctGames(first, plan.games, seed, plan.search, plan.play)

    def set_playouts(self, full: int, fast: int) -> None:
        """From the next move of each game on."""
        self._games.set_playouts(full, fast)

    def run(self) -> None:
        """Play until `ended`."""
        try:
            self._run()
        except BaseException as error:  # noqa: BLE001 - the learning thread raises it
            self.error = error

    def _run(self) -> None:
        evaluator = self._evaluator
        planes, policy, values = flat((evaluator.planes, evaluator.policy, evaluator.values))
        while not self.ended:
            if count := self._games.gather(planes):
                evaluator.evaluate()
                self._games.absorb(policy, values)
                self.evaluated += count
            if self._games.finished:
                for played in self._games.take_games():
                    record = PolicyGame.of(played)
                    self._queue.put((record, examples_of(record, self._first, self._plan.searched)))


class LearningLoop:
    """Games that go on in threads, and a network that learns from them meanwhile."""

    def __init__(
        self, first: CompiledState, shape: PolicyShape, parameters: Parameters, plan: LoopPlan, seed: int
    ) -> None:
        self.learner = TorchLearner(shape, parameters, plan.device, seed)
        self.window = Window(first, plan.window, plan.device)
        self.games = self.plies = self.steps = 0
        self._plan = plan
        self._found: queue.SimpleQueue[tuple[PolicyGame, PolicyExamples]] = queue.SimpleQueue()
        board = (first.plane_rows, first.plane_columns)
        self._evaluators = [
            TorchEvaluator(shape, parameters, board, plan.games, plan.device) for _ in range(plan.threads)
        ]
        early = replace(plan, play=_sparing(plan))
        self._threads = [
            PlayingThread(first, early, seed * 1000 + i, evaluator, self._found)
            for i, evaluator in enumerate(self._evaluators)
        ]
        self._losses: list[Any] = []

    def run(
        self,
        report: Callable[[dict[str, Any], TorchLearner], None],
        record: Callable[[PolicyGame], None],
    ) -> TorchLearner:
        """Play and learn for the time of the plan; every now and then `report` is told how it goes."""
        plan = self._plan
        began = reported = time.monotonic()
        before = self._counts()
        for thread in self._threads:
            thread.start()
        while (now := time.monotonic()) - began < plan.seconds:
            done = (now - began) / plan.seconds
            self._look_after_threads(done)
            self._add_found(record)
            if self.window.added >= plan.least and self.steps * plan.batch < plan.uses * self.window.added:
                self._learn(rate_at(plan, done))
            else:
                time.sleep(_PATIENCE)
            if now - reported > plan.report_every:
                found = {"seconds": round(now - began, 1), "rate": rate_at(plan, done)}
                report(found | self._news(before, now - reported), self.learner)
                reported, before = now, self._counts()
        for thread in self._threads:
            thread.ended = True
        for thread in self._threads:
            thread.join(_LAST_WAIT)
        return self.learner

    def _look_after_threads(self, done: float) -> None:
        """Raise what a thread has raised; after the first games, let all think longer."""
        for thread in self._threads:
            if thread.error:
                raise thread.error
            if done > self._plan.early:
                thread.set_playouts(self._plan.play.full, self._plan.play.fast)

    def _add_found(self, record: Callable[[PolicyGame], None]) -> None:
        """Take what the threads have found since the last time."""
        parts: list[PolicyExamples] = []
        while not self._found.empty() and len(parts) < _PARTS:
            game, examples = self._found.get()
            record(game)
            self.games += 1
            self.plies += len(game.moves)
            if len(examples):
                parts.append(examples)
        if parts:
            self.window.add(joined(parts))

    def _learn(self, rate: float) -> None:
        """A step; now and then those who play get the new weights."""
        plan = self._plan
        latest = max(plan.least, self.window.added // 2)
        self._losses.append(self.learner.learn(*self.window.draw(plan.batch, latest), rate))
        self.steps += 1
        if self.steps % _STEPS == 0:
            for evaluator in self._evaluators:
                evaluator.replace(self.learner.average)

    def _counts(self) -> tuple[int, int]:
        """Games, and positions evaluated."""
        return self.games, sum(thread.evaluated for thread in self._threads)

    def _news(self, before: tuple[int, int], seconds: float) -> dict[str, Any]:
        """What has happened since the last report."""
        games, evaluated = self._counts()
        losses = torch.stack(self._losses).mean(dim=0).tolist() if self._losses else [0.0, 0.0, 0.0]
        self._losses = []
        return {
            "games": games,
            "games a second": round((games - before[0]) / seconds, 1),
            "plies a game": round(self.plies / max(games, 1), 1),
            "evaluated a second": round((evaluated - before[1]) / seconds),
            "examples": self.window.added,
            "steps": self.steps,
            "policy loss": round(losses[0], 4),
            "value loss": round(losses[1], 4),
            "owner loss": round(losses[2], 4),
        }


def rate_at(plan: LoopPlan, done: float) -> float:
    """The rate of learning when a part of the time has gone by: constant, then down half a cosine."""
    down = max(0.0, (done - 0.5) / 0.5)
    return plan.last_rate + (plan.rate - plan.last_rate) * (1 + cos(pi * min(down, 1.0))) / 2


def _sparing(plan: LoopPlan) -> PuctGamesOptions:
    """The options of the first games: few playouts, since the network knows nothing."""
    full = min(plan.first_playouts, plan.play.full)
    return replace(plan.play, full=full, fast=min(max(full // 4, 1), plan.play.fast))


def save_arrays(path: str, parameters: Parameters) -> None:
    """Write weights as they are, for going on with them later."""
    arrays: dict[str, Any] = {name.replace(" ", "-"): values for name, values in parameters.items()}
    np.savez(path, **arrays)


def load_arrays(path: str) -> Parameters:
    """The opposite of `save_arrays`."""
    with np.load(path) as arrays:
        return {name.replace("-", " "): arrays[name] for name in arrays.files}
