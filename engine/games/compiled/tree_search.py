"""UCT for games with compiled states, compiled as a whole: the same algorithm as uct.py, and more of it."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING

from engine.control import Control, deadline_after
from engine.games.compiled.nodes import Nodes
from engine.games.compiled.simulations import MOST_PLAYERS, Simulations
from engine.games.compiled.tree_options import TreeOptions
from engine.games.rules.compiled_state import CompiledState
from engine.games.rules.interface import NotApplicableError
from engine.games.textbook.limits import Counts
from engine.games.textbook.result import Decision, Tried

if TYPE_CHECKING:
    from engine.games.rules.interface import State
    from engine.games.textbook.limits import Limits

_NO_LIMIT = 1 << 62
_LOSS, _WIN = 1, 3  # as nodes.pxd has them


class TreeSearch:
    """A player, deterministic for a seed and a number of playouts."""

    def __init__(
        self,
        seed: int = 0,
        payoffs: tuple[float, float] = (-1.0, 1.0),
        options: TreeOptions = TreeOptions(),  # noqa: B008 - it is immutable
    ) -> None:
        """`payoffs`: the least and the greatest of the game."""
        self._seed = seed
        self._payoffs = payoffs
        self._options = options
        self._control = Control()
        self._tree: Simulations | None = None
        self._kind: tuple[type[CompiledState], int] | None = None

    def new_game(self) -> None:
        """See Player. The next game is played like the first."""
        if self._tree is not None:
            self._tree.clear()

    def stop(self) -> None:
        """See Player."""
        self._control.stop()

    def choose(self, state: State, limits: Limits) -> Decision:
        """See Player. `limits.nodes` counts the nodes that simulations go through; `depth` says nothing here.

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
        playouts = limits.playouts
        if playouts is None:
            free = limits.seconds is None and limits.nodes is None
            playouts = self._options.playouts if free else _NO_LIMIT
        tree.run(playouts, _NO_LIMIT if limits.nodes is None else limits.nodes)
        counts = Counts(
            tree.visited - before.visited,
            tree.expanded - before.expanded,
            tree.played - before.leaves,
            tree.played - before.playouts,
        )
        return self._decide(tree, monotonic() - began, counts)

    def _tree_for(self, state: CompiledState) -> Simulations:
        """The tree that there is or, where it is for another kind of states, a new one."""
        kind = (type(state), state.players)
        if self._tree is None or self._kind != kind:
            self._tree = None  # its memory first
            self._tree = self._new_tree(state)
            self._kind = kind
        return self._tree

    def _new_tree(self, state: CompiledState) -> Simulations:
        options = self._options
        if state.players != 2 or self._payoffs != (-1, 1):
            options = replace(options, solver=False)
        nodes = Nodes(options.megabytes, amaf=options.rave > 0, priors=options.priors and state.priors_given)
        return Simulations(nodes, self._control, self._seed, self._payoffs, options)

    def _decide(self, tree: Simulations, seconds: float, counts: Counts) -> Decision:
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

    def _best(self, tree: Simulations, node: int, *, by_win_rate: bool) -> int:
        """The child to play: a proven win, else one that is no proven loss, by visits or mean."""

        def worth(child: int) -> tuple[int, float, float]:
            _, visits, mean, proven = tree.seen(child)
            rank = 2 if proven == _WIN else 0 if proven == _LOSS else 1
            return (
                (rank, mean if visits or proven else float("-inf"), visits)
                if by_win_rate
                else (rank, visits, mean)
            )

        return max(tree.children(node), key=worth)

    def _line(self, tree: Simulations, node: int) -> tuple[int, ...]:
        """The moves from the root through a child and the most visited ones after it."""
        moves = [tree.seen(node)[0]]
        while len(tree.children(node)):
            node = self._best(tree, node, by_win_rate=False)
            move, visits, _, proven = tree.seen(node)
            if not visits and not proven:
                break
            moves.append(move)
        return tuple(moves)
