"""The answers to the questions of a quiz, found without any searcher: by definitions, and slowly."""

from collections.abc import Mapping, Sequence
from math import inf
from string import ascii_lowercase

from engine.games.rules.tree import Tree, node
from tests.engine.games.search.random_trees import value_by_definition


def lettered(tree: Tree) -> dict[int, str]:
    return dict(zip(map(id, tree.leaves()), ascii_lowercase, strict=False))


def in_best_order(tree: Tree) -> Tree:
    if not tree.children:
        return tree
    children = [in_best_order(child) for child in tree.children]
    children.sort(key=value_by_definition, reverse=tree.player == 0)
    return node(tree.player, tuple(children))


def unseen_by_alphabeta(tree: Tree, letters: Mapping[int, str]) -> set[str]:
    unseen = {letters[id(leaf)] for leaf in tree.leaves()}

    def value(tree: Tree, alpha: float, beta: float) -> float:
        if not tree.children:
            unseen.discard(letters[id(tree)])
            return tree.payoffs[0]
        for child in tree.children:
            found = value(child, alpha, beta)
            if tree.player == 0:
                alpha = max(alpha, found)
            else:
                beta = min(beta, found)
            if alpha >= beta:
                break
        return alpha if tree.player == 0 else beta

    value(tree, -inf, inf)
    return unseen


def window_at(tree: Tree, node: Tree) -> tuple[float, float]:
    """What MAX and MIN are sure of above `node` by the moves before it, each searched to the end."""
    sure = {0: -inf, 1: inf}
    while tree is not node:
        place = next(i for i, child in enumerate(tree.children) if holds(child, node))
        best = max if tree.player == 0 else min
        values = map(value_by_definition, tree.children[:place])
        sure[tree.player] = best((sure[tree.player], *values))
        tree = tree.children[place]
    return sure[0], sure[1]


def holds(tree: Tree, node: Tree) -> bool:
    return tree is node or any(holds(child, node) for child in tree.children)


def unseen_by_star1(tree: Tree, letters: Mapping[int, str], greatest: float) -> set[str]:
    """MAX chooses a lottery; what cannot make one better is not seen, even if all of it were the greatest."""
    best, unseen = -inf, set()
    for lottery in tree.children:
        for place in range(1, len(lottery.children) + 1):
            rest = [greatest] * (len(lottery.children) - place)
            values = [*(child.payoffs[0] for child in lottery.children[:place]), *rest]
            hoped = sum(share * value for share, value in zip(lottery.likely, values, strict=True))
            if hoped <= best:
                unseen |= {letters[id(child)] for child in lottery.children[place:]}
                break
        else:
            best = hoped
    return unseen


def nodes_to(tree: Tree, depth: int) -> int:
    return 1 + (sum(nodes_to(child, depth - 1) for child in tree.children) if depth else 0)


def results_in_a_graph(moves: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """1, 0 or -1 for the player to move, found by looking ever further ahead until nothing changes."""
    results = dict.fromkeys(moves, 0)
    for _ in range(2 * len(moves)):
        results = {
            name: max((-results[other] for other in after), default=-1) for name, after in moves.items()
        }
    return results


def each_for_itself(tree: Tree) -> Sequence[float]:
    if not tree.children:
        return tree.payoffs
    return max(map(each_for_itself, tree.children), key=lambda payoffs: payoffs[tree.player])


def all_against_the_first(tree: Tree) -> float:
    if not tree.children:
        return tree.payoffs[0]
    return (max if tree.player == 0 else min)(map(all_against_the_first, tree.children))


def is_won_nim(piles: tuple[int, ...]) -> bool:
    return any(not is_won_nim(after) for after in splits(piles).values())


def splits(piles: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
    found = {}
    for place, pile in enumerate(piles):
        for less in range(1, pile):
            if less < pile - less:
                rest = piles[:place] + piles[place + 1 :]
                found[f"{pile - less}-{less}"] = (*rest, pile - less, less)
    return found


_LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def result_of_tictactoe(board: str, mover: str) -> int:
    """1, 0 or -1 for the player to move on nine squares, `.` where they are free."""
    other = "O" if mover == "X" else "X"
    if any(all(board[square] == other for square in line) for line in _LINES):
        return -1
    free = [square for square in range(9) if board[square] == "."]
    if not free:
        return 0
    return max(-result_of_tictactoe(board[:square] + mover + board[square + 1 :], other) for square in free)
