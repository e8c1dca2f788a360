"""UCT with AMAF by its definition, slowly: the oracle of the compiled one.

For games whose playouts take any of the legal moves, as the base of compiled states has it.
"""

from __future__ import annotations

from math import log, sqrt

from engine.games.rules.compiled_state import CompiledState, Random


class Node:
    """A state; of its children, and so of itself, what its mover got from simulations and by AMAF."""

    def __init__(self, state: CompiledState, mover: int) -> None:
        self.state, self.mover = state, mover
        self.children: dict[int, Node] = {}
        self.visits = self.amaf_visits = 0
        self.total = self.amaf_total = 0.0

    def mean(self, rave: float) -> float:
        n, m = self.visits, self.amaf_visits
        weight = m / (n + m + n * m / rave)
        return (1 - weight) * (self.total / n if n else 0) + weight * (self.amaf_total / m if m else 0)


def search(
    state: CompiledState, playouts: int, *, seed: int, rave: float, exploration: float, least: float
) -> Node:
    """The root after `playouts` simulations, each of which gives children to a node seen before.

    `least`: the least payoff; the greatest is 1.
    """
    root = Node(state, -1)
    for number in range(playouts):
        path, moves = [root], []
        while path[-1].state.player >= 0 and (path[-1].visits or path[-1] is root):
            node = path[-1]
            if not node.children:
                node.children = {
                    move: Node(node.state.play(move), node.state.player) for move in node.state.moves()
                }
            moves.append(_choice(node, rave, exploration))
            path.append(node.children[moves[-1]])
        _credit(path, moves, Random((seed << 32) + number), least)
    return root


def _choice(node: Node, rave: float, exploration: float) -> int:
    best, best_value = -1, -1.0
    for move, child in node.children.items():
        if child.visits == child.amaf_visits == 0:
            return move
        doubt = sqrt(log(node.visits) / max(child.visits, 1)) if node.visits else 0
        if child.mean(rave) + exploration * doubt > best_value:
            best, best_value = move, child.mean(rave) + exploration * doubt
    return best


def _credit(path: list[Node], moves: list[int], random: Random, least: float) -> None:
    """A random game from the end of the path; its result for all nodes, and for all moves as first."""
    state = path[-1].state
    movers = [node.state.player for node in path[:-1]]
    while state.player >= 0:
        moves.append(state.moves()[random.below(len(state.moves()))])
        movers.append(state.player)
        state = state.play(moves[-1])
    shares = [(payoff - least) / (1 - least) for payoff in state.payoff()]
    for depth, node in enumerate(path):
        node.visits += 1
        if node.mover >= 0:
            node.total += shares[node.mover]
        for move, child in node.children.items():
            if move in moves[depth:] and movers[moves.index(move, depth)] == child.mover:
                child.amaf_visits += 1
                child.amaf_total += shares[child.mover]
