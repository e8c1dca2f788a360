"""Random game trees, small enough for every line of play."""

from __future__ import annotations

from random import Random

from engine.games.rules.game import CHANCE
from engine.games.rules.tree import Tree, leaf, node


def random_tree(random: Random, depth: int, *, chance: float = 0.0, payoffs: int = 9) -> Tree:
    """For two players, zero-sum, with whole payoffs of -`payoffs` … `payoffs`.

    Unlike in most games, the same player may move twice, and leaves are anywhere. `chance`: how often a node
    is left to it.
    """
    if depth == 0 or random.random() < 0.1:
        payoff = random.randint(-payoffs, payoffs)
        return leaf((float(payoff), float(-payoff)))
    children = tuple(
        random_tree(random, depth - 1, chance=chance, payoffs=payoffs) for _ in range(random.randint(1, 4))
    )
    if random.random() < chance:
        weights = [random.randint(0, 5) for _ in children[1:]]
        total = sum(weights) + 1
        return node(CHANCE, children, (1 / total, *(weight / total for weight in weights)))
    return node(random.choice((0, 1)), children)


def uniform_tree(random: Random, breadth: int, depth: int, player: int = 0) -> Tree:
    """With `breadth` moves everywhere, the players in turn, and random payoffs from -1 to 1."""
    if depth == 0:
        payoff = random.uniform(-1, 1)
        return leaf((payoff, -payoff))
    return node(player, tuple(uniform_tree(random, breadth, depth - 1, 1 - player) for _ in range(breadth)))


def value_by_definition(tree: Tree, player: int = 0) -> float:
    """What best play brings to a player, by the definition and nothing else."""
    if not tree.children:
        return tree.payoffs[player]
    values = [value_by_definition(child, player) for child in tree.children]
    if tree.player == CHANCE:
        return sum(share * value for share, value in zip(tree.likely, values, strict=True))
    return max(values) if tree.player == player else min(values)
