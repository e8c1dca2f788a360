"""Games that a network plays: in workers against itself, to learn from them, and matches of two networks."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from engine.games.fast.nodes import Nodes
from engine.games.fast.puct import PuctOptions, PuctTree
from engine.games.fast.puct_games import PuctGames
from engine.games.networks.network import PolicyNetwork
from engine.games.rules.game import OVER
from engine.system.control import Control
from scripts.laboratory.policy.plans import first_state
from scripts.laboratory.policy.records import PolicyExamples, PolicyGame, examples_of, flat

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.games.networks.network import PolicyShape
    from engine.games.rules.compiled_state import CompiledState
    from scripts.laboratory.jobs import JobRunner, Jobs
    from scripts.laboratory.policy.plans import LoopPlan
    from scripts.laboratory.policy.records import Reals

FoundGame: TypeAlias = tuple[PolicyGame, PolicyExamples]
"""A game, and what there is to learn from it."""

_SECONDS = 1.0  # of a job
_AHEAD = 2  # jobs for each process here, so that none waits for a step of learning
_PATIENCE = 10.0  # seconds to wait for the games of the jobs under way
_MEGABYTES = 8  # of the nodes of a tree
_PLAYOUTS_A_MEGABYTE = 1000


def drawn(shape: PolicyShape, seed: int) -> Reals:
    """All weights of a network that knows nothing, one after the other, as PolicyNetwork and files take them.

    They are of He's variance; zeros for biases, for the outputs and at the end of each block. There is no
    normalisation, as in Zhang, Dauphin and Ma, "Fixup initialization" (2019).
    """
    chance = np.random.default_rng(seed)
    made = []
    for name, size in shape.parameters():
        values = np.zeros(size, np.float32)
        if not name.endswith(("bias", "second", "out", "pass", "policy pooled")):
            scale = (2 / np.prod(size[:-1])) ** 0.5
            if name.endswith("first"):
                scale /= max(shape.blocks, 1) ** 0.5
            values[:] = chance.normal(0, scale, size)
        made.append(values.ravel())
    return np.concatenate(made)


class OwnEvaluator:
    """The engine's own network: `policy` and `values` of the `planes` of up to `rows` positions at a time."""

    def __init__(self, first: CompiledState, shape: PolicyShape, weights: Any, rows: int) -> None:
        """`weights`: float32, see `drawn`."""
        board = (first.plane_rows, first.plane_columns)
        self._shape, self._board = shape, board
        self.planes = np.zeros((rows, *board, shape.planes), np.float32)
        self.policy = np.zeros((rows, board[0] * board[1] + 1), np.float32)
        self.values = np.zeros(rows, np.float32)
        self._buffers = flat((self.planes, self.policy, self.values))
        self.replace(weights)

    def replace(self, weights: Any) -> None:
        """Go on with other weights."""
        numbers = flat([np.frombuffer(weights, np.float32).copy()])[0]
        self._network = PolicyNetwork(self._shape, numbers, *self._board)

    def evaluate(self, count: int | None = None) -> None:
        """Fill `policy` and `values` from `planes`, all of them or the first `count`."""
        planes, policy, values = self._buffers
        self._network.evaluate(planes, len(self.values) if count is None else count, policy, values)


@dataclass(frozen=True, slots=True)
class PlayingTerms:
    """What all jobs have in common: a game, its network, games side by side, and `cpu` or `cuda`."""

    game: str
    size: int
    shape: PolicyShape
    plan: LoopPlan
    rows: int
    device: str = "cpu"


@dataclass(frozen=True, slots=True)
class PlayingJob:
    """To play for a while, with the weights of a network, float32, and so many playouts of moves."""

    seed: int
    network: bytes
    full: int
    fast: int


@dataclass(frozen=True, slots=True)
class PlayedPortion:
    """What came of a job: records of games, positions evaluated, and seconds of processor time."""

    games: list[bytes]
    evaluated: int
    processor: float


class PolicyPlayer:
    """Plays games in a worker. They go on from one job to the next; where one ends, another begins."""

    def __init__(self, terms: PlayingTerms) -> None:
        """The games begin with the first job."""
        self._terms = terms
        self._first = first_state(terms.game, terms.size)
        self._network = b""
        self._evaluator: Any = None

    def work(self, job: PlayingJob) -> PlayedPortion:
        """Go on with the games; those that have ended meanwhile."""
        began, until = time.thread_time(), time.monotonic() + _SECONDS
        games, evaluator = self._prepared(job)
        buffers = flat((evaluator.planes, evaluator.policy, evaluator.values))
        evaluated, records = 0, []
        while time.monotonic() < until:
            if count := games.gather(buffers[0]):  # a leaf of each game
                evaluator.evaluate(count)
                games.absorb(*buffers[1:])
                evaluated += count
            if games.finished:
                records += [PolicyGame.of(played).to_bytes() for played in games.take_games()]
        return PlayedPortion(records, evaluated, time.thread_time() - began)

    def close(self) -> None:
        """Nothing to release."""

    def _prepared(self, job: PlayingJob) -> tuple[PuctGames, Any]:
        """The games, with the playouts of a job, and what evaluates, with its network."""
        terms = self._terms
        if self._evaluator is None:
            self._evaluator = self._make_evaluator(job.network)
            play = replace(terms.plan.play, full=job.full, fast=job.fast)
            self._games = PuctGames(self._first, terms.rows, job.seed, terms.plan.search, play)
        elif job.network != self._network:
            self._evaluator.replace(job.network)
        self._network = job.network
        self._games.set_playouts(job.full, job.fast)
        return self._games, self._evaluator

    def _make_evaluator(self, network: bytes) -> Any:
        if self._terms.device == "cpu":
            return OwnEvaluator(self._first, self._terms.shape, network, self._terms.rows)
        from scripts.laboratory.policy.network import GpuEvaluator  # noqa: PLC0415 - needs PyTorch

        return GpuEvaluator(self._first, self._terms.shape, network, self._terms.rows)


class SelfPlaySource:
    """Has workers play the games that a network learns from. With one that dies, its games are lost."""

    def __init__(self, terms: PlayingTerms, seed: int, runner: JobRunner, weights: bytes) -> None:
        """`weights`: those of the first games."""
        self.evaluated = 0  # positions so far
        self.processor = 0.0  # seconds of processor time so far, outside of this process
        self._terms, self._seed, self._runner = terms, seed, runner
        self._first = first_state(terms.game, terms.size)
        self._playouts = terms.plan.play.full, terms.plan.play.fast
        self._network = weights
        self._handed_out = 0
        self._found: deque[bytes] = deque()
        self._behind = False
        self._jobs: Jobs[PlayingJob, PlayedPortion] | None = None

    def start(self) -> None:
        """Begin to play. Raises JobError."""
        self._jobs = self._runner.open(partial(PolicyPlayer, self._terms), ahead=_AHEAD)

    def stop(self) -> None:
        """End; what was found can still be taken."""
        if (jobs := self._jobs) is not None:
            self._jobs = None
            try:
                for portion in jobs.drain(_PATIENCE):
                    self._note(portion)
            finally:
                jobs.close()

    def take(self, most: int) -> list[FoundGame]:
        """Up to `most` of the games that were found. Before `stop`, raises JobError where a job fails."""
        if self._jobs is not None:
            for portion in self._jobs.finished(0):
                self._note(portion)
            room = self._jobs.room()
            if self._behind:  # half of the processors are for learning
                at_most = max((room + self._jobs.under_way) // (2 * _AHEAD), 1)
                room = min(room, at_most - self._jobs.under_way)
            self._jobs.hand_out(self._next_job() for _ in range(room))
        found: list[FoundGame] = []
        while len(found) < most and self._found:
            record = PolicyGame.from_bytes(self._found.popleft())
            found.append((record, examples_of(record, self._first, self._terms.plan.searched)))
        return found

    def use(self, weights: bytes) -> None:
        """Go on with these weights, from the next jobs on."""
        self._network = weights

    def set_playouts(self, full: int, fast: int) -> None:
        """Those of the moves that follow; see PuctGamesOptions."""
        self._playouts = full, fast

    def hold_back(self, behind: bool) -> None:
        """Leave learning more time while it is behind."""
        self._behind = behind

    def _next_job(self) -> PlayingJob:
        self._handed_out += 1
        return PlayingJob(self._seed * 1000 + self._handed_out, self._network, *self._playouts)

    def _note(self, portion: PlayedPortion) -> None:
        self._found += portion.games
        self.evaluated += portion.evaluated
        self.processor += portion.processor


class PuctSide:
    """PUCT in many games, `playouts` a move; one leaf of each game is evaluated at a time.

    `reuse`: keep the tree of a game from move to move. Without it the trees need only little memory.
    """

    def __init__(
        self, evaluator: OwnEvaluator, kind: CompiledState, games: int, playouts: int, *, reuse: bool = True
    ) -> None:
        self._evaluator, self._playouts, self._reuse = evaluator, playouts, reuse
        megabytes = _MEGABYTES if reuse else min(1 + playouts // _PLAYOUTS_A_MEGABYTE, _MEGABYTES)
        self._trees = [
            PuctTree(Nodes(megabytes, amaf=False, priors=True), Control(), kind, 0, PuctOptions(batch=1))
            for _ in range(games)
        ]

    def choose(self, games: Sequence[int], states: Sequence[CompiledState]) -> list[int]:
        """A move in the state of each of these games."""
        trees = [self._trees[game] for game in games]
        for tree, state in zip(trees, states, strict=True):
            tree.begin(state, reuse=self._reuse)
            tree.limit(self._playouts, 1 << 60)
        evaluator = self._evaluator
        planes, policy, values = flat((evaluator.planes, evaluator.policy, evaluator.values))
        size, places = evaluator.planes[0].size, evaluator.policy[0].size
        searching = trees
        while searching:
            waiting: list[PuctTree] = []
            for tree in searching:
                if tree.gather(planes[len(waiting) * size :], 1):
                    waiting.append(tree)
            if waiting:
                evaluator.evaluate(len(waiting))
            for row, tree in enumerate(waiting):
                tree.absorb(policy[row * places :], values[row:])
            searching = waiting
        return [_best_move(tree) for tree in trees]


def _best_move(tree: PuctTree) -> int:
    """The move to play: a proven win, else the one most visited that is not a proven loss."""
    seen = [tree.seen(child) for child in tree.children(0)]
    best = max(seen, key=lambda each: (each[3] == 3, each[3] != 1, each[1], each[4]))
    return best[0]


def match(
    first: CompiledState, sides: Sequence[PuctSide], games: int, opening: int, longest: int, seed: int = 0
) -> tuple[int, int, int]:
    """Wins, draws and losses of the first side; every opening of random plies is played with both colours."""
    random = Random(seed)
    states: list[CompiledState] = []
    while len(states) < games:
        state = first
        for _ in range(opening):
            if state.player >= 0:
                state = state.play(random.choice(state.moves()))
        if state.player >= 0:
            states += [state, state]
    for _ in range(opening, longest):
        for side in range(2):
            turn = [
                game
                for game, state in enumerate(states)
                if state.player >= 0 and (state.player + game) % 2 == side
            ]
            moves = sides[side].choose(turn, [states[game] for game in turn]) if turn else []
            for game, move in zip(turn, moves, strict=True):
                states[game] = states[game].play(move)
    found = [_result(states[game]) * (1 if game % 2 == 0 else -1) for game in range(len(states))]
    return found.count(1), found.count(0), found.count(-1)


def _result(state: CompiledState) -> int:
    """Player 0's payoff, as the board stands."""
    value = (state.payoff() if state.player == OVER else state.estimate())[0]
    return (value > 0) - (value < 0)
