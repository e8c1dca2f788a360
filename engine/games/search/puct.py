"""PUCT: tree search that is told where to look and who is ahead, instead of playing random games.

Rosin, "Multi-armed bandits with episode context" (2011), in the form of Silver et al., "A general
reinforcement learning algorithm that masters chess, shogi, and Go through self-play" (2018). A simulation
goes down to a leaf, has it evaluated, and backs the value up. Two players who move in turns, no chance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from math import log, sqrt
from typing import TypeAlias

from engine.games.rules.game import OVER, Move, State
from engine.games.search.basics import Decision, Meter, SearchStoppedError, Tried, sensible_moves

Evaluate: TypeAlias = Callable[[State], tuple[Sequence[float], float]]
"""The probability of each of `sensible_moves`, and the value for the player to move, from -1 to 1."""

BASE = 19652.0  # visits beyond which exploration grows; of AlphaZero


def exploration_weight(exploration: float, visits: int) -> float:
    """c·√N, the weight of P / (1 + n) in the bounds of the moves of a node with N visits; c grows with N."""
    return (exploration + log((visits + BASE + 1) / BASE)) * sqrt(visits)


class PolicyNode:
    """What a move leads to, and the results of simulations there, for the mover."""

    state: State  # of no child before its first visit

    def __init__(self, move: Move = None, mover: int = 0, prior: float = 1.0) -> None:
        self.move = move
        self.mover = mover
        self.prior = prior
        self.children: list[PolicyNode] = []
        self.visits = 0
        self.total = 0.0  # of results from 0 for a loss to 1 for a win

    @property
    def value(self) -> float:
        """The mean result of the mover, from -1 to 1: Q."""
        return 2 * self.total / self.visits - 1

    @property
    def policy(self) -> list[tuple[Move, float]]:
        """The probability of each move; empty before the expansion."""
        return [(child.move, child.prior) for child in self.children]

    def expand(self, priors: Sequence[float]) -> None:
        mover, moves = self.state.player, sensible_moves(self.state)
        self.children = [PolicyNode(move, mover, prior) for move, prior in zip(moves, priors, strict=True)]

    def best(self, exploration: float, reduction: float) -> PolicyNode:
        """The child with the highest upper confidence bound, Q + c·P·sqrt(N) / (1 + n).

        First-play urgency: Q of a child without visits is that of this node, from the other side, less
        `reduction` times the root of the probability of all children that have visits.
        """
        scale = exploration_weight(exploration, self.visits)
        explored = 0.0
        for child in self.children:
            explored += child.prior if child.visits else 0.0
        unseen = 1 - 2 * self.total / self.visits - reduction * sqrt(explored)
        return max(
            self.children,
            key=lambda child: (
                (child.value if child.visits else unseen) + child.prior * scale / (1 + child.visits)
            ),
        )


def puct(
    state: State, meter: Meter, evaluate: Evaluate, *, exploration: float = 1.25, reduction: float = 0.2
) -> Decision:
    """What to play in a state: simulations until the meter says stop, and then the move most visited.

    `exploration` is the c, `reduction` that of first-play urgency: see PolicyNode.best. Payoffs are -1, 0
    and 1.
    """
    root = PolicyNode(mover=1 - state.player)
    root.state = state
    with suppress(SearchStoppedError):
        while True:
            path = _select(root, meter, exploration, reduction)
            meter.play_out()
            value = _evaluate(path[-1], meter, evaluate)
            _back_up(path, value)
            meter.simulate(path, [value, -value], exploration)
    return _decide(root)


def _select(root: PolicyNode, meter: Meter, exploration: float, reduction: float) -> list[PolicyNode]:
    """Selection: the path from the root to a node without children."""
    node, path = root, [root]
    meter.visit()
    while node.children:
        above, node = node, node.best(exploration, reduction)
        if not node.visits:
            node.state = above.state.play(node.move)
        path.append(node)
        meter.visit()
    return path


def _evaluate(leaf: PolicyNode, meter: Meter, evaluate: Evaluate) -> float:
    """Evaluation, and expansion: the value of a leaf for the first player."""
    if leaf.state.player == OVER:
        return leaf.state.payoff()[0]
    meter.expand()
    priors, value = evaluate(leaf.state)
    leaf.expand(priors)
    return value if leaf.state.player == 0 else -value


def _back_up(path: list[PolicyNode], value: float) -> None:
    """Backpropagation: credit each node of the path with its mover's result."""
    for node in path:
        node.visits += 1
        node.total += ((1 + value) if node.mover == 0 else (1 - value)) / 2


def _decide(root: PolicyNode) -> Decision:
    tried = [child for child in root.children if child.visits]
    if not tried:
        return Decision(root.state.moves()[0])
    best = _most_visited(tried)
    seen = [Tried(child.move, child.visits, child.value, child.prior, _line(child)) for child in tried]
    return Decision(
        best.move,
        best.value,
        line=_line(best),
        tried=tuple(sorted(seen, key=lambda each: -each.visits)),
    )


def _line(node: PolicyNode) -> tuple[Move, ...]:
    line = [node.move]
    while tried := [child for child in node.children if child.visits]:
        node = _most_visited(tried)
        line.append(node.move)
    return tuple(line)


def _most_visited(children: list[PolicyNode]) -> PolicyNode:
    """Of equals the one with the best value."""
    return max(children, key=lambda child: (child.visits, child.value))
