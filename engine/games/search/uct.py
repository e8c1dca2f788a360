"""UCT: Monte-Carlo tree search that trusts, and yet doubts, what it has seen so far.

Kocsis and Szepesvári, "Bandit based Monte-Carlo planning" (2006). Each simulation has four steps (Chaslot
and others, 2008): selection, expansion, simulation, backpropagation. For any number of players, with chance
or without: each node credits the player who moved there, and chance is sampled as it falls.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from itertools import count
from math import log, sqrt
from random import Random
from sys import getsizeof

from engine.games.rules.game import CHANCE, Move, State
from engine.games.search.basics import Decision, Meter, SearchStoppedError, Tried, sensible_moves
from engine.games.search.monte_carlo import Playout, random_playout, sampled
from engine.system.memory import Headroom

_NODE_BYTES = 600  # besides the state
_LOOK_EVERY = 256  # new nodes between looks at what memory is left


class Node:
    """A state that was reached by a move, and the results of the simulations through it, for the mover."""

    def __init__(self, state: State, move: Move = None, mover: int = CHANCE) -> None:
        self.state = state
        self.move = move
        self.mover = mover
        self.untried = [] if state.player == CHANCE else list(sensible_moves(state))
        self.children: dict[Move, Node] = {}
        self.visits = 0
        self.total = 0.0  # of results from 0, the least payoff, to 1, the greatest

    @property
    def rate(self) -> float:
        """The mean result of the mover: with payoffs of -1, 0 and 1 the win rate, draws counted half."""
        return self.total / self.visits

    def add(self, move: Move) -> Node:
        self.children[move] = Node(self.state.play(move), move, self.state.player)
        return self.children[move]

    def best(self, exploration: float) -> Node:
        """The child with the highest upper confidence bound (UCB1: Auer, Cesa-Bianchi and Fischer, 2002)."""
        return max(
            self.children.values(),
            key=lambda child: child.rate + exploration * sqrt(log(self.visits) / child.visits),
        )


Select = Callable[[Node, float], Node]
"""Which child of a node to go on with; the second argument is the c of UCB1."""
BackUp = Callable[[list[Node], list[float]], None]


def backpropagate(path: list[Node], results: list[float]) -> None:
    """Count the simulation in each node of the path, and credit its mover with a result from 0 to 1."""
    for node in path:
        node.visits += 1
        if node.mover >= 0:
            node.total += results[node.mover]


def uct(  # noqa: PLR0913 - a lecture changes each of them
    state: State,
    meter: Meter,
    *,
    seed: int = 0,
    exploration: float = 1.0,
    final: str = "visits",
    megabytes: float = 1024.0,
    payoffs: tuple[float, float] = (-1.0, 1.0),
    playout: Playout = random_playout,
    select: Select = Node.best,
    back_up: BackUp = backpropagate,
) -> Decision:
    """What to play in a state with a player, not chance, to move: simulations until the meter says stop.

    `exploration` is the c of rate + c·sqrt(ln N / n). `final`: play the move with the most `visits`, or with
    the best `rate`. The tree stops growing at about `megabytes`, or when memory runs out before that.
    `payoffs`: the least and the greatest of the game. `select` and `back_up` may be others than UCB1
    and `backpropagate`. Ties go to the first; the seed of playout number i is seed·2³² + i.
    """
    low, width = payoffs[0], payoffs[1] - payoffs[0] or 1.0  # where all is equal, all is 0
    root, random = Node(state), Random(seed)
    growth = megabytes * 2**20 / (getsizeof(state) + _NODE_BYTES)
    headroom = Headroom()
    with suppress(SearchStoppedError, MemoryError):  # MemoryError: there is none even without a new node
        for number in count():
            if number % _LOOK_EVERY == 0 and number < growth and not headroom.is_left():
                growth = number
            try:  # selection and expansion
                path = _tree_policy(root, select, exploration, random, meter, grow=number < growth)
            except MemoryError:
                if number >= growth:
                    raise
                growth = number
                continue
            meter.play_out()
            results = playout(path[-1].state, (seed << 32) + number)  # simulation
            scaled = [(result - low) / width for result in results]
            back_up(path, scaled)
            meter.simulate(path, scaled, exploration)
    return _decide(root, final, payoffs)


def _tree_policy(
    root: Node, select: Select, exploration: float, random: Random, meter: Meter, *, grow: bool
) -> list[Node]:
    """Selection and expansion: a path from the root to a new node, or to the end of the game or the tree."""
    node, path = root, [root]
    meter.visit()
    while node.visits or node is root:
        below = _next_node(node, select, exploration, random, meter, grow=grow)
        if below is None:
            break
        node = below
        path.append(node)
        meter.visit()
    return path


def _next_node(
    node: Node, select: Select, exploration: float, random: Random, meter: Meter, *, grow: bool
) -> Node | None:
    """The child to go on with, a new one where the tree may grow; None if there is none."""
    if node.state.player == CHANCE:
        outcome = sampled(node.state, random)
        return node.children.get(outcome) or (node.add(outcome) if grow else None)
    if node.untried and grow:
        meter.expand()
        child = node.add(node.untried[0])
        del node.untried[0]
        return child
    return select(node, exploration) if node.children else None


def _decide(root: Node, final: str, payoffs: tuple[float, float]) -> Decision:
    tried = _tried(root)
    if not tried:
        return Decision(root.state.moves()[0])
    best = max(tried, key=lambda child: child.rate) if final == "rate" else _most_visited(tried)
    low, high = payoffs
    seen = [
        Tried(child.move, child.visits, low + (high - low) * child.rate, line=_line(child)) for child in tried
    ]
    return Decision(
        best.move,
        low + (high - low) * best.rate,
        line=_line(best),
        tried=tuple(sorted(seen, key=lambda each: -each.visits)),
    )


def _line(node: Node) -> tuple[Move, ...]:
    line = [node.move]
    while tried := _tried(node):
        node = _most_visited(tried)
        line.append(node.move)
    return tuple(line)


def _tried(node: Node) -> list[Node]:
    return [child for child in node.children.values() if child.visits]


def _most_visited(children: list[Node]) -> Node:
    """Of equals the one with the best rate."""
    return max(children, key=lambda child: (child.visits, child.rate))
