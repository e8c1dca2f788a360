"""Searchers that play random games, as players: flat Monte-Carlo, UCT, and the compiled twin of UCT."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from random import Random
from time import monotonic
from typing import TYPE_CHECKING, Any

from engine.control import Control, deadline_after
from engine.games.compiled.nodes import Nodes
from engine.games.compiled.uct import MOST_PLAYERS, UctOptions, UctTree
from engine.games.players.player import StoppablePlayer
from engine.games.rules.compiled_state import CompiledState
from engine.games.rules.game import NotApplicableError
from engine.games.textbook.monte_carlo import monte_carlo
from engine.games.textbook.search import Counts, Decision, SearchLimits, Tried
from engine.games.textbook.uct import uct
from engine.memory import LARGE, check

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
        return super()._choose(state, with_playouts(limits, self._games * len(state.moves())))


class UctPlayer(SamplingPlayer):
    """UCT; `playouts` simulations where the limits are empty."""

    def __init__(self, game: Game[Any], seed: int, *, playouts: int, exploration: float, final: str) -> None:
        super().__init__(partial(uct, payoffs=game.payoffs, exploration=exploration, final=final), seed)
        self._playouts = playouts

    def _choose(self, state: State, limits: SearchLimits) -> Decision:
        return super()._choose(state, with_playouts(limits, self._playouts))


def with_playouts(limits: SearchLimits, playouts: int) -> SearchLimits:
    """The limits, with a number of playouts if they name neither playouts nor seconds nor nodes."""
    if limits.playouts is None and limits.seconds is None and limits.nodes is None:
        return replace(limits, playouts=playouts)
    return limits


def fast_uct(game: Game[Any], seed: int, *, final: str, **options: Any) -> FastUctPlayer:
    """The player of a game; for its options see UctOptions.

    Raises NoMemoryError where there is no memory for an unusually large tree. The usual one makes do with
    the memory that there is when it is made.
    """
    if options["megabytes"] << 20 > LARGE:
        check(options["megabytes"] << 20)
    return FastUctPlayer(seed, game.payoffs, UctOptions(by_win_rate=final == "rate", **options))


class FastUctPlayer:
    """Compiled UCT, deterministic for a seed and a number of playouts."""

    def __init__(
        self,
        seed: int = 0,
        payoffs: tuple[float, float] = (-1.0, 1.0),
        options: UctOptions = UctOptions(),  # noqa: B008 - it is immutable
    ) -> None:
        """`payoffs`: the least and the greatest of the game."""
        self._seed = seed
        self._payoffs = payoffs
        self._options = options
        self._control = Control()
        self._tree: UctTree | None = None
        self._kind: tuple[type[CompiledState], int] | None = None

    def new_game(self) -> None:
        """See Player. The next game is played like the first."""
        if self._tree is not None:
            self._tree.clear()

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
        tree = self._tree_for(state)
        before = Counts(tree.visited, tree.expanded, tree.played, tree.played)
        tree.begin(state, self._options.reuse)
        limits = with_playouts(limits, self._options.playouts)
        tree.run(
            _NO_LIMIT if limits.playouts is None else limits.playouts,
            _NO_LIMIT if limits.nodes is None else limits.nodes,
        )
        counts = Counts(tree.visited, tree.expanded, tree.played, tree.played) - before
        return replace(self._decide(tree, monotonic() - began, counts), limits=limits)

    def _tree_for(self, state: CompiledState) -> UctTree:
        """The tree that there is or, if it is for states of another kind, a new one."""
        kind = (type(state), state.players)
        if self._tree is None or self._kind != kind:
            self._tree = None  # its memory first
            self._tree = self._new_tree(state)
            self._kind = kind
        return self._tree

    def _new_tree(self, state: CompiledState) -> UctTree:
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
            options.megabytes,
            amaf=options.rave > 0,
            priors=options.priors and state.priors_given,
            policy=options.policy > 0,
        )
        return UctTree(nodes, self._control, self._seed, self._payoffs, options)

    def _decide(self, tree: UctTree, seconds: float, counts: Counts) -> Decision:
        best = self._best(tree, 0, by_win_rate=self._options.by_win_rate)
        move, visits, mean, proven = tree.seen(best)
        seen = [tree.seen(node) for node in tree.children(0)]
        tried = [Tried(each[0], each[1], each[2]) for each in seen if each[1] or each[3]]
        return Decision(
            move,
            value=mean if visits or proven else None,
            line=self._line(tree, best),
            exact=tree.outcome != 0,
            seconds=seconds,
            counts=counts,
            tried=tuple(sorted(tried, key=lambda each: -each.visits)),
        )

    def _best(self, tree: UctTree, node: int, *, by_win_rate: bool) -> int:
        """The child to play: a proven win, else one that is not a proven loss, by visits or mean."""

        def worth(child: int) -> tuple[int, float, float]:
            _, visits, mean, proven = tree.seen(child)
            rank = 2 if proven == _WIN else 0 if proven == _LOSS else 1
            rate = mean if visits or proven else float("-inf")
            return (rank, rate, visits) if by_win_rate else (rank, visits, mean)

        return max(tree.children(node), key=worth)

    def _line(self, tree: UctTree, node: int) -> tuple[int, ...]:
        """The moves from the root through a child and the most visited ones after it."""
        moves = [tree.seen(node)[0]]
        while len(tree.children(node)):
            node = self._best(tree, node, by_win_rate=False)
            move, visits, _, proven = tree.seen(node)
            if not visits and not proven:
                break
            moves.append(move)
        return tuple(moves)
