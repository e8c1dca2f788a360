"""Searchers that play random games, as players: flat Monte-Carlo, UCT, and the compiled twin of UCT."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from random import Random
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Any

from engine.games.fast.nodes import Nodes
from engine.games.fast.uct import MOST_PLAYERS, UctOptions, UctTree
from engine.games.networks.known import NONE, SHIPPED, KnownNetworks
from engine.games.networks.network import PolicyNetwork
from engine.games.players.needs import policy
from engine.games.players.player import StoppablePlayer
from engine.games.rules.compiled_state import CompiledState
from engine.games.rules.game import NotApplicableError
from engine.games.search.basics import Counts, Decision, SearchLimits, Tried, sensible_moves
from engine.games.search.monte_carlo import monte_carlo
from engine.games.search.uct import uct
from engine.system.control import Control, deadline_after
from engine.system.memory import LARGE, check

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.games.rules.game import Game, State

    Sample = Callable[..., Decision]

_SEED_BITS = 62
_NO_LIMIT = 1 << 62
_LOSS, _WIN = 1, 3  # as nodes.pxd has them


class SamplingPlayer(StoppablePlayer):
    """Lets a sampling search do its playouts, for each move with another seed drawn from the first."""

    def __init__(self, sample: Sample, seed: int) -> None:
        """`sample(state, meter, seed=…)` decides when the meter raises SearchStoppedError."""
        super().__init__()
        self._sample = sample
        self._random = Random(seed)

    def _choose(self, state: State, limits: SearchLimits) -> Decision:
        meter = self.make_meter(limits, stopped=self._stopped)
        decision = self._sample(state, meter, seed=self._random.getrandbits(_SEED_BITS))
        return replace(decision, seconds=meter.seconds, counts=meter.counts, limits=limits)


class MonteCarloPlayer(SamplingPlayer):
    """Flat Monte-Carlo; `games` random games a move where the limits are empty."""

    def __init__(self, game: Game[Any], seed: int, *, games: int) -> None:
        del game
        super().__init__(monte_carlo, seed)
        self._games = games

    def _choose(self, state: State, limits: SearchLimits) -> Decision:
        limits = replace(limits, nodes=None)  # there is no tree whose nodes could be counted
        return super()._choose(state, limits.with_playouts(self._games * len(sensible_moves(state))))


class UctPlayer(SamplingPlayer):
    """UCT; `playouts` simulations where the limits are empty."""

    def __init__(self, game: Game[Any], seed: int, *, playouts: int, exploration: float, final: str) -> None:
        super().__init__(partial(uct, payoffs=game.payoffs, exploration=exploration, final=final), seed)
        self._playouts = playouts

    def _choose(self, state: State, limits: SearchLimits) -> Decision:
        return super()._choose(state, limits.with_playouts(self._playouts))


def fast_uct(
    game: Game[Any], seed: int, *, final: str, network: str = NONE, threads: int = 1, **options: Any
) -> FastUctPlayer:
    """The player of a game; for its options see UctOptions, `network` is that of KnownNetworks.

    Raises ValueError where there is no policy whose place a network could take, PolicyFileError, and
    NoMemoryError where there is no memory for an unusually large tree. The usual one makes do with the memory
    that there is when it is made.
    """
    if options["megabytes"] << 20 > LARGE:
        check(options["megabytes"] << 20)
    if network != NONE and (reason := policy(game)):
        raise ValueError(f"network {reason}")
    if network not in {NONE, SHIPPED} and not (options["priors"] and options["policy"]):
        raise ValueError(f"network={network} needs priors, and policy above 0")
    found = UctOptions(by_win_rate=final == "rate", **options)
    return FastUctPlayer(seed, game.payoffs, found, threads, KnownNetworks(game, network))


class FastUctPlayer:
    """Compiled UCT, deterministic for a seed and a number of playouts.

    Each of several threads has a tree of its own, all from the same root, and in the end the visits of the
    root moves are added up: root parallelization (Chaslot, Winands and van den Herik, "Parallel Monte-Carlo
    tree search", 2008).
    """

    def __init__(
        self,
        seed: int = 0,
        payoffs: tuple[float, float] = (-1.0, 1.0),
        options: UctOptions = UctOptions(),  # noqa: B008 - it is immutable
        threads: int = 1,
        networks: KnownNetworks | None = None,
    ) -> None:
        """`payoffs`: the least and the greatest of the game."""
        self._networks = networks
        self._seed = seed
        self._payoffs = payoffs
        self._options = options
        self._threads = threads
        self._control = Control()
        self._trees: list[UctTree] = []
        self._kind: tuple[object, ...] | None = None
        self.allowed: frozenset[int] | None = None
        """The root moves to search; None: all."""
        self._grown_for: frozenset[int] | None = None

    def new_game(self) -> None:
        """See Player. The next game is played like the first."""
        for tree in self._trees:
            tree.clear()

    def stop(self) -> None:
        """See Player."""
        self._control.stop()

    def choose(self, state: State, limits: SearchLimits) -> Decision:
        """See Player. `limits.nodes` counts the nodes on the paths of simulations; `depth` has no effect.

        Raises NotApplicableError for a state that is not compiled.
        """
        began = monotonic()
        self._control.begin()
        self._control.set_deadline(deadline_after(limits.seconds))
        if not isinstance(state, CompiledState) or state.players > MOST_PLAYERS:
            raise NotApplicableError("only for compiled games without chance")
        trees = self._trees_for(state)
        before = sum((_counts(tree) for tree in trees), Counts())
        for tree in trees:
            tree.begin(state, self._options.reuse and self._grown_for == self.allowed)
            if self.allowed is not None:
                tree.outcome = tree.nodes.restrict(self.allowed)
        self._grown_for = self.allowed
        limits = limits.with_playouts(self._options.playouts)
        self._run(trees, limits)
        counts = sum((_counts(tree) for tree in trees), Counts()) - before
        decision = _decide(trees, self._options, self.allowed, monotonic() - began, counts)
        return replace(decision, limits=limits)

    def _run(self, trees: list[UctTree], limits: SearchLimits) -> None:
        """Let all trees grow at the same time, each up to its share of the limits."""

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
        """The trees that there are or, if they are for states of another kind, new ones."""
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
            options = replace(options, bias=0.0, widening=0.0)
        nodes = Nodes(
            max(options.megabytes // self._threads, 1),
            amaf=options.rave > 0,
            priors=options.priors and state.priors_given,
            chances=options.policy > 0,
        )
        tree = UctTree(nodes, self._control, self._seed + number, self._payoffs, options)
        if self._networks is not None and options.policy and (weights := self._networks.fitting(state)):
            board = state.plane_rows, state.plane_columns
            network = PolicyNetwork(weights.shape, weights.numbers, *board)
            tree.consult(network)
        return tree


def _share(limit: int | None, number: int, threads: int) -> int:
    """The part of a limit that one of the threads gets."""
    return _NO_LIMIT if limit is None else (limit + threads - 1 - number) // threads


def _counts(tree: UctTree) -> Counts:
    return Counts(tree.visited, tree.expanded, tree.played, tree.played)


Child = tuple[int, int, float, int, float]
"""A move, its visits, the mean payoff of the mover, the proven outcome, and the prior, 0 without a policy."""


def _decide(
    trees: list[UctTree],
    options: UctOptions,
    allowed: frozenset[int] | None,
    seconds: float,
    counts: Counts,
) -> Decision:
    children = [child for child in _added_up(trees) if allowed is None or child[0] in allowed]
    chosen = max(children, key=partial(_worth, by_win_rate=options.by_win_rate))
    lines, has_policy = _lines(trees), trees[0].nodes.policy
    tried = [
        Tried(move, visits, mean, prior if has_policy else None, lines[move])
        for move, visits, mean, proven, prior in children
        if visits or proven
    ]
    return Decision(
        chosen[0],
        value=chosen[2] if chosen[1] or chosen[3] else None,
        line=lines[chosen[0]],
        exact=any(tree.outcome for tree in trees),
        seconds=seconds,
        counts=counts,
        tried=tuple(sorted(tried, key=lambda each: -each.visits)),
    )


def _added_up(trees: list[UctTree]) -> list[Child]:
    """The root moves of all trees in the order of the first; an outcome is one that any tree has proven."""
    of_move: dict[int, list[Child]] = {}
    for tree in trees:
        for node in tree.children(0):
            child = tree.seen(node)
            of_move.setdefault(child[0], []).append(child)
    return [_sum(seen) for seen in of_move.values()]


def _sum(seen: list[Child]) -> Child:
    """What several trees have seen of a move."""
    move, prior = seen[0][0], seen[0][4]
    visits = sum(each[1] for each in seen)
    for child in seen:
        if child[3]:
            return (move, visits, child[2], child[3], prior)
    if len(seen) == 1 or not visits:
        return seen[0]
    return (move, visits, sum(each[1] * each[2] for each in seen) / visits, 0, prior)


def _worth(child: Child, *, by_win_rate: bool) -> tuple[int, float, float]:
    """Sorts a proven win first, then what is not a proven loss, by visits or mean."""
    _, visits, mean, proven, _ = child
    rank = 2 if proven == _WIN else 0 if proven == _LOSS else 1
    rate = mean if visits or proven else float("-inf")
    return (rank, rate, visits) if by_win_rate else (rank, visits, mean)


def _lines(trees: list[UctTree]) -> dict[int, tuple[int, ...]]:
    """For each root move what is expected after it, by the tree that has looked at it most."""
    found: dict[int, tuple[Child, tuple[int, ...]]] = {}
    for tree in trees:
        for node in tree.children(0):
            child = tree.seen(node)
            known = found.get(child[0])
            if known is None or _worth(child, by_win_rate=False) > _worth(known[0], by_win_rate=False):
                found[child[0]] = child, tree.nodes.line(node)
    return {move: line for move, (_, line) in found.items()}
