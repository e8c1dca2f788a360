"""Searchers with a learned network, as players: PUCT and its compiled twin; and what networks there are."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from math import exp
from time import monotonic
from typing import TYPE_CHECKING, Any

from engine.games.fast.nodes import Nodes
from engine.games.fast.puct import PuctOptions, PuctTree
from engine.games.networks.file import PolicyFileError
from engine.games.networks.known import NONE, SHIPPED, KnownNetworks
from engine.games.networks.network import PolicyNetwork
from engine.games.players.player import StoppablePlayer
from engine.games.rules.compiled_state import CompiledState
from engine.games.rules.game import NotApplicableError
from engine.games.search.basics import Counts, Decision, SearchLimits, Tried, sensible_moves
from engine.games.search.puct import puct
from engine.system.control import Control, deadline_after
from engine.system.memory import LARGE, check

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.games.networks.file import PolicyWeights
    from engine.games.rules.game import Game, State

_NO_LIMIT = 1 << 62
_LOSS, _WIN = 1, 3  # as nodes.pxd has them
_USUAL = PuctOptions()
_PARTS = 4  # positions that a thread evaluates at least


def with_planes(state: State) -> CompiledState:
    """The state. Raises NotApplicableError where a network cannot look at it."""
    if not isinstance(state, CompiledState) or not state.plane_count:
        raise NotApplicableError("only for games that a network can look at")
    return state


class NetworkEvaluator:
    """Evaluates up to `rows` positions at a time, in several threads if there are enough of them."""

    def __init__(self, state: CompiledState, weights: PolicyWeights, rows: int, threads: int = 1) -> None:
        """For states such as this one; the network is used on a board of any size."""
        board = state.plane_rows, state.plane_columns
        self._size, self._places = board[0] * board[1] * state.plane_count, board[0] * board[1] + 1
        self.planes, self.policy, self.values = (
            memoryview(bytearray(4 * rows * size)).cast("f") for size in (self._size, self._places, 1)
        )
        threads = max(min(threads, rows // _PARTS), 1)
        self._networks = [PolicyNetwork(weights.shape, weights.numbers, *board) for _ in range(threads)]
        self._pool = None
        if threads > 1:
            self._pool = ThreadPoolExecutor(threads - 1)

    def evaluate(self, count: int) -> None:
        """Fill `policy` and `values` from `planes`, for the first `count` positions."""
        part = max(-(-count // len(self._networks)), _PARTS)
        waiting = []
        if self._pool is not None:
            for number, first in enumerate(range(part, count, part), 1):
                waiting.append(self._pool.submit(self._part, number, first, min(part, count - first)))
        self._part(0, 0, min(part, count))
        for future in waiting:
            future.result()

    def _part(self, number: int, first: int, count: int) -> None:
        self._networks[number].evaluate(
            self.planes[first * self._size :],
            count,
            self.policy[first * self._places :],
            self.values[first:],
        )


class _Networks:
    """The network for states of a game, by the size of their board; the last evaluator is kept."""

    def __init__(self, game: Game[Any], network: str, rows: int, threads: int = 1) -> None:
        """Raises PolicyFileError."""
        if network == NONE:
            raise PolicyFileError("PUCT needs a network")
        self._known = KnownNetworks(game, network)
        self._rows, self._threads = rows, threads
        self._kind: tuple[object, ...] | None = None
        self._evaluator: NetworkEvaluator | None = None

    def evaluator(self, state: CompiledState) -> NetworkEvaluator:
        """For a state with planes. Raises NotApplicableError where there is no network."""
        kind = type(state), state.plane_rows, state.plane_columns
        if self._evaluator is None or self._kind != kind:
            self._evaluator = NetworkEvaluator(state, self._known.nearest(state), self._rows, self._threads)
            self._kind = kind
        return self._evaluator


class PuctPlayer(StoppablePlayer):
    """PUCT; `playouts` simulations where the limits are empty."""

    def __init__(
        self, game: Game[Any], seed: int, *, playouts: int, exploration: float, reduction: float, network: str
    ) -> None:
        """Raises PolicyFileError."""
        del seed  # nothing is left to chance
        super().__init__()
        self._networks = _Networks(game, network, 1)
        self._playouts = playouts
        self._search = partial(puct, exploration=exploration, reduction=reduction)

    def _choose(self, state: State, limits: SearchLimits) -> Decision:
        limits = limits.with_playouts(self._playouts)
        evaluate = partial(policy_and_value, self._networks.evaluator(with_planes(state)))
        meter = self.make_meter(limits, stopped=self._stopped)
        decision = self._search(state, meter, evaluate)
        return replace(decision, seconds=meter.seconds, counts=meter.counts, limits=limits, evaluated=True)


def policy_and_value(evaluator: NetworkEvaluator, state: CompiledState) -> tuple[Sequence[float], float]:
    """The probability of each sensible move of a state, and the value for the player to move."""
    evaluator.planes[: state.plane_rows * state.plane_columns * state.plane_count] = (
        state.planes().cast("B").cast("f")
    )
    evaluator.evaluate(1)
    indices = dict(zip(state.moves(), state.policy_indices(), strict=True))
    logits = [evaluator.policy[indices[move]] for move in sensible_moves(state)]
    most = max(logits)
    shares = [exp(logit - most) for logit in logits]
    total = 0.0
    for share in shares:
        total += share
    return [share / total for share in shares], evaluator.values[0]


def fast_puct(game: Game[Any], seed: int, *, network: str, threads: int, **options: Any) -> FastPuctPlayer:
    """The player of a game; for its options see PuctOptions. Raises PolicyFileError, NoMemoryError."""
    if options["megabytes"] << 20 > LARGE:
        check(options["megabytes"] << 20)
    return FastPuctPlayer(game, seed, PuctOptions(**options), network, threads)


class FastPuctPlayer:
    """Compiled PUCT, deterministic for a number of playouts, with any number of threads."""

    def __init__(
        self,
        game: Game[Any],
        seed: int = 0,
        options: PuctOptions = _USUAL,
        network: str = SHIPPED,
        threads: int = 1,
    ) -> None:
        """Raises PolicyFileError."""
        self._seed = seed
        self._options = options
        self._networks = _Networks(game, network, options.batch, threads)
        self._control = Control()
        self._tree: PuctTree | None = None
        self._evaluator: NetworkEvaluator | None = None
        self.allowed: frozenset[int] | None = None
        """The root moves to search; None: all."""
        self._grown_for: frozenset[int] | None = None

    def new_game(self) -> None:
        """See Player. The next game is played like the first."""
        if self._tree is not None:
            self._tree.clear()

    def stop(self) -> None:
        """See Player."""
        self._control.stop()

    def choose(self, state: State, limits: SearchLimits) -> Decision:
        """See Player. `limits.nodes` counts the nodes on the paths of simulations; `depth` has no effect.

        The root is evaluated even if there is no time. Raises NotApplicableError, PolicyFileError.
        """
        began = monotonic()
        self._control.begin()
        limits = limits.with_playouts(self._options.playouts)
        state = with_planes(state)
        evaluator = self._networks.evaluator(state)
        tree = self._tree_for(state, evaluator)
        before = Counts(tree.visited, tree.expanded, tree.played, tree.played)
        tree.begin(state, self._options.reuse and self._grown_for == self.allowed)
        if not len(tree.children(0)):
            _grow(tree, evaluator, 1, _NO_LIMIT)
        if self.allowed is not None:
            tree.outcome = tree.nodes.restrict(self.allowed)
        self._grown_for = self.allowed
        self._control.set_deadline(deadline_after(limits.seconds and limits.seconds - (monotonic() - began)))
        done = tree.played - before.playouts, tree.visited - before.visited
        _grow(tree, evaluator, _less(limits.playouts, done[0]), _less(limits.nodes, done[1]))
        counts = Counts(tree.visited, tree.expanded, tree.played, tree.played) - before
        decision = _decide(tree, self.allowed, monotonic() - began, counts)
        return replace(decision, limits=limits, evaluated=True)

    def _tree_for(self, state: CompiledState, evaluator: NetworkEvaluator) -> PuctTree:
        """The tree that there is or, if it is for states of another kind, a new one."""
        if self._tree is None or self._evaluator is not evaluator:
            self._tree = None  # its memory first
            nodes = Nodes(self._options.megabytes, amaf=False, priors=True)
            self._tree = PuctTree(nodes, self._control, state, self._seed, self._options)
            self._evaluator = evaluator
        return self._tree


def _grow(tree: PuctTree, evaluator: NetworkEvaluator, playouts: int, nodes: int) -> None:
    """Simulate until a limit."""
    tree.limit(playouts, nodes)
    while count := tree.gather(evaluator.planes, tree.batch):
        evaluator.evaluate(count)
        tree.absorb(evaluator.policy, evaluator.values)


def _less(limit: int | None, done: int) -> int:
    """What is left of a limit."""
    return _NO_LIMIT if limit is None else max(limit - done, 0)


def _decide(tree: PuctTree, allowed: frozenset[int] | None, seconds: float, counts: Counts) -> Decision:
    seen = [(node, tree.seen(node)) for node in tree.children(0)]
    seen = [each for each in seen if allowed is None or each[1][0] in allowed]
    if not seen:  # stopped before anything was known
        moves = [move for move in tree.state().moves() if allowed is None or move in allowed]
        return Decision(moves[0], seconds=seconds, counts=counts)
    best = _best(tree, [node for node, _ in seen])
    move, visits, mean, proven, _ = tree.seen(best)
    tried = [
        Tried(each[0], each[1], each[2], each[4], tree.nodes.line(node))
        for node, each in seen
        if each[1] or each[3]
    ]
    return Decision(
        move,
        value=mean if visits or proven else None,
        line=tree.nodes.line(best),
        exact=tree.outcome != 0,
        seconds=seconds,
        counts=counts,
        tried=tuple(sorted(tried, key=lambda each: -each.visits)),
    )


def _best(tree: PuctTree, nodes: Sequence[int]) -> int:
    """The node to play: a proven win, else the most visited that is no proven loss; else the likeliest."""

    def worth(child: int) -> tuple[int, int, float, float]:
        _, visits, mean, proven, prior = tree.seen(child)
        rank = 2 if proven == _WIN else 0 if proven == _LOSS else 1
        return (rank, visits, mean if visits or proven else float("-inf"), prior)

    return max(nodes, key=worth)
