"""The games that a network with a policy and a value can learn, and how: what is best known for each."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import cos, pi
from typing import TYPE_CHECKING

from engine.games.catalogue import game
from engine.games.fast.puct import PuctOptions
from engine.games.fast.puct_games import PuctGamesOptions
from engine.games.networks.network import PolicyShape

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.games.rules.compiled_state import CompiledState


@dataclass(frozen=True)
class LoopPlan:
    """How to learn.

    - `seconds`: of playing and learning; `processor`: of processor time, that of all threads, not of the
      clock on the wall
    - `batch`, `uses`: examples of a step, and how often an example is learned from on average
    - `window`, `least`: the latest examples to learn from, and how many there must be before the first step
    - `rate`, `last_rate`: of learning, and at the end of the second half
    - `searched`: the part of the search's value in what the value learns
    - `average`: a step's weight in the moving average of the weights, which plays, is 1 less this
    - `first_playouts`, `early`: playouts in full of the first part of the time, whatever `play` says
    """

    seconds: float
    processor: bool = False
    play: PuctGamesOptions = field(default_factory=PuctGamesOptions)
    search: PuctOptions = field(default_factory=lambda: PuctOptions(batch=1, megabytes=1))
    batch: int = 1024
    uses: float = 10.0
    window: int = 400_000
    least: int = 10_000
    rate: float = 2e-3
    last_rate: float = 1e-4
    average: float = 0.998
    searched: float = 0.25
    first_playouts: int = 32
    early: float = 0.08
    report_every: float = 15.0


@dataclass(frozen=True, slots=True)
class LearnableGame:
    """Options of a game's self-play, of its network and of learning on the processor, and on a GPU.

    `play` is given the squares of the board.
    """

    play: Callable[[int], PuctGamesOptions]
    channels: int
    blocks: int
    on_processor: LoopPlan
    on_gpu: LoopPlan


_ON_PROCESSOR = LoopPlan(
    seconds=600, batch=256, uses=5, window=150_000, least=3000, rate=3e-3, average=0.995, early=0.05
)
_ON_GPU = LoopPlan(seconds=600, batch=1024, uses=10, window=400_000, least=10_000, rate=2e-3, early=0.08)

LEARNABLE = {
    "connectfour": LearnableGame(
        lambda squares: PuctGamesOptions(
            full=80, fast=20, share=0.4, noise_total=7.0, sampled=12, opening=12, longest=squares
        ),
        *(32, 3, _ON_PROCESSOR, _ON_GPU),
    ),
    "go": LearnableGame(
        lambda points: PuctGamesOptions(
            full=128, fast=24, share=0.33, sampled=points // 5, opening=2, longest=8 * points // 5
        ),
        *(48, 6, replace(_ON_PROCESSOR, window=60_000), replace(_ON_GPU, window=600_000)),
    ),
    "othello": LearnableGame(
        lambda squares: PuctGamesOptions(
            full=96, fast=24, share=0.33, sampled=16, opening=8, longest=2 * squares
        ),
        *(32, 4, replace(_ON_PROCESSOR, window=100_000), _ON_GPU),
    ),
}
"""By the name of the game."""

_SEARCH_MEGABYTES = (1, 3)  # of the nodes of a game, on boards up to _LARGE squares, and on larger ones
_LARGE = 81


def first_state(name: str, size: int | None) -> CompiledState:
    """Where the games begin. Raises KeyError for other games, and SizeError."""
    if name not in LEARNABLE:
        raise KeyError(name)
    state: CompiledState = game(name).start(size)
    return state


def shape_of(name: str, first: CompiledState, channels: int | None, blocks: int | None) -> PolicyShape:
    """The network of a game; None: as wide, or deep, as is best known."""
    learnable = LEARNABLE[name]
    wide = learnable.channels if channels is None else channels
    deep = learnable.blocks if blocks is None else blocks
    return PolicyShape(first.plane_count, wide, deep, pooled=min(wide, 32), hidden=wide)


def plan_of(name: str, first: CompiledState, *, gpu: bool) -> LoopPlan:
    """How to learn a game."""
    learnable = LEARNABLE[name]
    squares = first.plane_rows * first.plane_columns
    plan = learnable.on_gpu if gpu else learnable.on_processor
    search = PuctOptions(batch=1, megabytes=_SEARCH_MEGABYTES[squares > _LARGE])
    return replace(plan, play=learnable.play(squares), search=search)


def rate_at(plan: LoopPlan, done: float) -> float:
    """The rate of learning when a part of the time has gone by: constant, then down half a cosine."""
    down = max(0.0, (done - 0.5) / 0.5)
    return plan.last_rate + (plan.rate - plan.last_rate) * (1 + cos(pi * min(down, 1.0))) / 2


def playouts_at(plan: LoopPlan, done: float) -> tuple[int, int]:
    """Those of moves in full, and of others: few in the first games, since the network knows nothing."""
    if done > plan.early:
        return plan.play.full, plan.play.fast
    full = min(plan.first_playouts, plan.play.full)
    return full, min(max(full // 4, 1), plan.play.fast)
