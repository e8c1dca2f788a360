"""The compiled tree searches as players, UCT and PUCT; and the textbook's PUCT, which asks a network, too."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from math import exp, inf
from threading import Thread
from time import monotonic
from typing import Any, TypeAlias

from engine.games.fast.nodes import Nodes
from engine.games.fast.puct import PuctOptions, PuctTree
from engine.games.fast.uct import MOST_PLAYERS, UctOptions, UctTree
from engine.games.networks.file import NONE, SHIPPED, KnownNetworks, PolicyFileError, PolicyWeights
from engine.games.networks.network import PolicyNetwork
from engine.games.players import Player
from engine.games.rules.compiled_state import CompiledState
from engine.games.rules.game import Game, Move, NotApplicableError, State
from engine.games.search.basics import Counts, Decision, SearchLimits, Tried, sensible_moves
from engine.games.search.puct import puct
from engine.games.searchers import policy
from engine.system.control import Control, deadline_after
from engine.system.memory import LARGE, check

_NO_LIMIT = 1 << 62
_LOSS, _WIN = 1, 3  # as nodes.pxd has them
_USUAL_UCT, _USUAL_PUCT = UctOptions(), PuctOptions()
_PARTS = 4  # positions that a thread evaluates at least

Child: TypeAlias = tuple[int, int, float, int, float]
"""A root move, its visits, the mean payoff of the mover, the proven outcome, and the prior, or 0."""


class _TreePlayer(Player):
    """Goes on with its tree from move to move, if the options say so and the same moves are allowed."""

    can_avoid = samples = True

    def __init__(self, megabytes: int) -> None:
        """Raises NoMemoryError for an unusually large tree; the usual one takes what memory there is."""
        super().__init__()
        if megabytes << 20 > LARGE:
            check(megabytes << 20)
        self._control = Control()
        self._grown_for: Collection[Move] | None = None

    def stop(self) -> None:
        super().stop()
        self._control.stop()

    def _begin(self) -> None:
        self._control.begin()
        if self._stop:  # it may have come before
            self._control.stop()

    def _root(self, tree: UctTree | PuctTree, allowed: Collection[Move] | None) -> None:
        if allowed is not None:
            tree.outcome = tree.nodes.restrict(frozenset(allowed))


class FastUctPlayer(_TreePlayer):
    """Compiled UCT, deterministic for a seed and a number of playouts.

    Root parallelization: each thread has a tree of its own, and the visits of the root moves are added up
    (Chaslot, Winands and van den Herik, "Parallel Monte-Carlo tree search", 2008).
    """

    def __init__(
        self,
        seed: int = 0,
        payoffs: tuple[float, float] = (-1.0, 1.0),
        options: UctOptions = _USUAL_UCT,
        threads: int = 1,
        networks: KnownNetworks | None = None,
    ) -> None:
        """`payoffs`: the least and the greatest of the game. Raises NoMemoryError."""
        super().__init__(options.megabytes)
        self._networks = networks
        self._seed = seed
        self._payoffs = payoffs
        self._options = options
        self._threads = threads
        self._trees: list[UctTree] = []
        self._kind: tuple[object, ...] | None = None

    def new_game(self) -> None:
        for tree in self._trees:
            tree.clear()

    def _choose(self, state: State, limits: SearchLimits, allowed: Collection[Move] | None) -> Decision:
        """`limits.nodes` counts the nodes on the paths of simulations; `depth` has no effect.

        Raises NotApplicableError for a state that is not compiled.
        """
        began = monotonic()
        self._begin()
        self._control.set_deadline(deadline_after(limits.seconds))
        if not isinstance(state, CompiledState) or state.players > MOST_PLAYERS:
            raise NotApplicableError("only for compiled games without chance")
        trees = self._trees_for(state)
        before = sum((_counts(tree) for tree in trees), Counts())
        for tree in trees:
            tree.begin(state, self._options.reuse and self._grown_for == allowed)
            self._root(tree, allowed)
        self._grown_for = allowed
        limits = limits.with_playouts(self._options.playouts)
        self._run(trees, limits)
        counts = sum((_counts(tree) for tree in trees), Counts()) - before
        decision = _decide(
            trees,
            state,
            allowed,
            _by_rate if self._options.by_win_rate else _by_visits,
            has_priors=trees[0].nodes.policy,
        )
        return replace(decision, seconds=monotonic() - began, counts=counts, limits=limits)

    def _run(self, trees: list[UctTree], limits: SearchLimits) -> None:
        def run(number: int) -> None:
            trees[number].run(
                _share(limits.playouts, number, len(trees)), _share(limits.nodes, number, len(trees))
            )
            if trees[number].outcome:
                self._control.stop()  # what one of them has proven the others need not find out

        others = [Thread(target=run, args=(number,)) for number in range(1, len(trees))]
        for thread in others:
            thread.start()
        run(0)
        for thread in others:
            thread.join()

    def _trees_for(self, state: CompiledState) -> list[UctTree]:
        kind = type(state), state.players, state.plane_rows, state.plane_columns
        if not self._trees or self._kind != kind:
            self._trees = []  # their memory first
            self._trees = [self._new_tree(state, number) for number in range(self._threads)]
            self._kind = kind
        return self._trees

    def _new_tree(self, state: CompiledState, number: int) -> UctTree:
        options = self._options
        if state.players != 2 or self._payoffs != (-1, 1):
            options = replace(options, solver=False)
        if not (options.priors and state.policy_given):
            options = replace(options, policy=0.0)
        if options.policy:
            state.load_policy()
        else:
            options = replace(options, widening=0.0)
        nodes = Nodes(
            max(options.megabytes // self._threads, 1),
            amaf=options.rave > 0,
            priors=options.priors and state.priors_given,
            chances=options.policy > 0,
        )
        tree = UctTree(nodes, self._control, self._seed + number, self._payoffs, options)
        if self._networks is not None and options.policy and (weights := self._networks.fitting(state)):
            board = state.plane_rows, state.plane_columns
            tree.consult(PolicyNetwork(weights.shape, weights.numbers, *board))
        return tree


def fast_uct(
    game: Game[Any], seed: int, *, final: str, network: str = NONE, threads: int = 1, **options: Any
) -> FastUctPlayer:
    """The player of a game; for its options see UctOptions, `network` is that of KnownNetworks.

    Raises ValueError where there is no policy whose place a network could take, PolicyFileError,
    NoMemoryError.
    """
    found = UctOptions(by_win_rate=final == "rate", **options)
    if network != NONE and (reason := policy(game)):
        raise ValueError(f"network {reason}")
    if network not in {NONE, SHIPPED} and not (found.priors and found.policy):
        raise ValueError(f"network={network} needs priors, and policy above 0")
    return FastUctPlayer(seed, game.payoffs, found, threads, KnownNetworks(game, network))


class FastPuctPlayer(_TreePlayer):
    """Compiled PUCT, deterministic for a number of playouts, with any number of threads."""

    def __init__(
        self,
        game: Game[Any],
        seed: int = 0,
        options: PuctOptions = _USUAL_PUCT,
        network: str = SHIPPED,
        threads: int = 1,
    ) -> None:
        """Raises PolicyFileError, NoMemoryError."""
        super().__init__(options.megabytes)
        self._seed = seed
        self._options = options
        self._networks = _Networks(game, network, options.batch, threads)
        self._tree: PuctTree | None = None
        self._evaluator: NetworkEvaluator | None = None

    def new_game(self) -> None:
        if self._tree is not None:
            self._tree.clear()

    def _choose(self, state: State, limits: SearchLimits, allowed: Collection[Move] | None) -> Decision:
        """`limits.nodes` counts the nodes on the paths of simulations; `depth` has no effect.

        The root is evaluated even if there is no time. Raises NotApplicableError, PolicyFileError.
        """
        began = monotonic()
        self._begin()
        limits = limits.with_playouts(self._options.playouts)
        state = with_planes(state)
        evaluator = self._networks.evaluator(state)
        tree = self._tree_for(state, evaluator)
        before = _counts(tree)
        tree.begin(state, self._options.reuse and self._grown_for == allowed)
        if not len(tree.children(0)):
            _grow(tree, evaluator, 1, _NO_LIMIT)
        self._root(tree, allowed)
        self._grown_for = allowed
        self._control.set_deadline(deadline_after(limits.seconds and limits.seconds - (monotonic() - began)))
        done = _counts(tree) - before
        _grow(tree, evaluator, _less(limits.playouts, done.playouts), _less(limits.nodes, done.visited))
        decision = _decide([tree], state, allowed, _by_visits_then_prior, has_priors=True)
        counts = _counts(tree) - before
        return replace(decision, seconds=monotonic() - began, counts=counts, limits=limits, evaluated=True)

    def _tree_for(self, state: CompiledState, evaluator: NetworkEvaluator) -> PuctTree:
        if self._tree is None or self._evaluator is not evaluator:
            self._tree = None  # its memory first
            nodes = Nodes(self._options.megabytes, amaf=False, priors=True)
            self._tree = PuctTree(nodes, self._control, state, self._seed, self._options)
            self._evaluator = evaluator
        return self._tree


class PuctPlayer(Player):
    """The textbook's PUCT; `playouts` simulations where the limits are empty."""

    samples = True

    def __init__(
        self, game: Game[Any], network: str, playouts: int, exploration: float, reduction: float
    ) -> None:
        """Raises PolicyFileError."""
        super().__init__()
        self._networks = _Networks(game, network, 1)
        self._playouts = playouts
        self._search = partial(puct, exploration=exploration, reduction=reduction)

    def _choose(self, state: State, limits: SearchLimits, allowed: Collection[Move] | None) -> Decision:
        del allowed
        limits = limits.with_playouts(self._playouts)
        evaluate = partial(policy_and_value, self._networks.evaluator(with_planes(state)))
        meter = self.make_meter(limits, stopped=self._stopped)
        decision = self._search(state, meter, evaluate)
        return replace(decision, seconds=meter.seconds, counts=meter.counts, limits=limits, evaluated=True)


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
        self._pool = ThreadPoolExecutor(threads - 1) if threads > 1 else None

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
            self.planes[first * self._size :], count, self.policy[first * self._places :], self.values[first:]
        )


class _Networks:
    """The network for states of a game, by the size of their board; the last evaluator is kept."""

    def __init__(self, game: Game[Any], network: str, rows: int, threads: int = 1) -> None:
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


def _grow(tree: PuctTree, evaluator: NetworkEvaluator, playouts: int, nodes: int) -> None:
    tree.limit(playouts, nodes)
    while count := tree.gather(evaluator.planes, tree.batch):
        evaluator.evaluate(count)
        tree.absorb(evaluator.policy, evaluator.values)


def _less(limit: int | None, done: int) -> int:
    return _NO_LIMIT if limit is None else max(limit - done, 0)


def _share(limit: int | None, number: int, threads: int) -> int:
    return _NO_LIMIT if limit is None else (limit + threads - 1 - number) // threads


def _counts(tree: UctTree | PuctTree) -> Counts:
    return Counts(tree.visited, tree.expanded, tree.played, tree.played)


def _decide(
    trees: Sequence[UctTree | PuctTree],
    state: CompiledState,
    allowed: Collection[Move] | None,
    worth: Callable[[Child], tuple[float, ...]],
    *,
    has_priors: bool,
) -> Decision:
    children = [child for child in _added_up(trees) if allowed is None or child[0] in allowed]
    if not children:  # stopped before anything was known
        return Decision(next(move for move in state.moves() if allowed is None or move in allowed))
    chosen, lines = max(children, key=worth), _lines(trees)
    tried = [
        Tried(move, visits, mean, prior if has_priors else None, lines[move])
        for move, visits, mean, proven, prior in children
        if visits or proven
    ]
    return Decision(
        chosen[0],
        value=chosen[2] if chosen[1] or chosen[3] else None,
        line=lines[chosen[0]],
        exact=any(tree.outcome for tree in trees),
        tried=tuple(sorted(tried, key=lambda each: -each.visits)),
    )


def _added_up(trees: Sequence[UctTree | PuctTree]) -> list[Child]:
    """The root moves of all trees in the order of the first; an outcome is one that any tree has proven."""
    of_move: dict[int, list[Child]] = {}
    for tree in trees:
        for node in tree.children(0):
            child = tree.seen(node)
            of_move.setdefault(child[0], []).append(child)
    return [_sum(seen) for seen in of_move.values()]


def _sum(seen: list[Child]) -> Child:
    move, prior = seen[0][0], seen[0][4]
    visits = sum(each[1] for each in seen)
    for child in seen:
        if child[3]:
            return (move, visits, child[2], child[3], prior)
    if len(seen) == 1 or not visits:
        return seen[0]
    return (move, visits, sum(each[1] * each[2] for each in seen) / visits, 0, prior)


def _lines(trees: Sequence[UctTree | PuctTree]) -> dict[int, tuple[int, ...]]:
    """For each root move what is expected after it, by the tree that has looked at it most."""
    found: dict[int, tuple[Child, tuple[int, ...]]] = {}
    for tree in trees:
        for node in tree.children(0):
            child = tree.seen(node)
            known = found.get(child[0])
            if known is None or _by_visits(child) > _by_visits(known[0]):
                found[child[0]] = child, tree.nodes.line(node)
    return {move: line for move, (_, line) in found.items()}


# What a child is worth: a proven win comes first, then what is not a proven loss.


def _by_visits(child: Child) -> tuple[float, ...]:
    return (_rank(child), child[1], child[2])


def _by_rate(child: Child) -> tuple[float, ...]:
    return (_rank(child), _mean(child), child[1])


def _by_visits_then_prior(child: Child) -> tuple[float, ...]:
    return (_rank(child), child[1], _mean(child), child[4])


def _rank(child: Child) -> int:
    return 2 if child[3] == _WIN else 0 if child[3] == _LOSS else 1


def _mean(child: Child) -> float:
    return child[2] if child[1] or child[3] else -inf
