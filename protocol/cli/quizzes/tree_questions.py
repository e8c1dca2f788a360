"""Questions about random trees: values, pruned leaves, several players.

The searchers of the textbook find the answers. All payoffs of a tree are different where equal ones would
leave the answer open.
"""

from __future__ import annotations

from string import ascii_lowercase
from typing import TYPE_CHECKING

from engine.games.rules.game import CHANCE
from engine.games.rules.tree import Tree, TreeGame
from engine.games.textbook.lookup import solve
from engine.games.textbook.ordering import by_value
from engine.games.textbook.recording import Act
from protocol.cli.quizzes.answers import LeavesAnswer, NumbersAnswer, choice
from protocol.cli.quizzes.question import Question, SearchCommand
from protocol.cli.quizzes.random_trees import tree_of_lotteries, tree_of_numbers, tree_of_vectors
from protocol.cli.trees.picture import as_question, shown_value
from protocol.cli.trees.watched_search import number_text, odds_text, worth_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from random import Random

    from protocol.cli.trees.picture import Picture, PictureNode
    from protocol.cli.trees.watched_search import WatchedSearch

_SHAPES = ((3, 3), (2, 2, 2), (3, 2, 2), (2, 3, 2))
_PRUNED_SHAPES = (*_SHAPES, (2, 2, 2, 2))
"""The number of moves on each ply."""
_MOVES_AND_REPLIES, _WHO_REPLIES = (3, 4), ("p2", "p2", "p3", "p3")


def minimax_value(random: Random) -> Question:
    """The value of a tree of MAX and MIN."""
    search = SearchCommand("tree", tree_of_numbers(random, random.choice(_SHAPES)), "minimax")
    picture = search.picture()
    return Question(
        "Minimax",
        "What is the value of this tree for MAX?",
        as_question(picture),
        _value_of(picture),
        [*_backed_up(picture)],
        picture,
        search.command(),
    )


def expected_value(random: Random) -> Question:
    """The value of a tree with chance nodes below MAX, and MIN below some of them."""
    search = SearchCommand("tree", tree_of_lotteries(random), "expectiminimax:pruning=none")
    picture = search.picture()
    return Question(
        "Expectiminimax",
        "What is the value of this tree for MAX? The odds of what chance does are in brackets.",
        as_question(picture),
        _value_of(picture),
        [*_backed_up(picture)],
        picture,
        search.command(),
    )


def pruned_leaves(random: Random) -> Question:
    """The leaves that alpha-beta leaves out in the order of the drawing; there are some."""
    while True:
        search = SearchCommand("tree", tree_of_numbers(random, random.choice(_PRUNED_SHAPES)), "alphabeta")
        picture = search.picture()
        leaves = _named(picture, ascii_lowercase)
        if any(leaf.pruned for leaf in leaves):
            break
    return Question(
        "Alpha-beta",
        "Which leaves does alpha-beta not look at, if it takes the moves in the order of their numbers?",
        as_question(picture),
        _pruned(leaves),
        [*_cuts(picture)],
        picture,
        search.command(),
    )


def pruned_leaves_in_best_order(random: Random) -> Question:
    """The leaves that alpha-beta leaves out with perfect ordering."""
    drawn = SearchCommand("tree", tree_of_numbers(random, random.choice(_PRUNED_SHAPES)), "alphabeta")
    asked = drawn.picture()
    _named(asked, ascii_lowercase)
    tree = TreeGame(tree=drawn.text).start()
    text, names = in_best_order(tree)
    search = SearchCommand("tree", text, "alphabeta")
    picture = search.picture()
    leaves = _named(picture, names)
    return Question(
        "Alpha-beta in the best order",
        "At each node the moves are put in the best order: the greatest value first for MAX, the least for"
        " MIN. Which leaves does alpha-beta then not look at?",
        as_question(asked),
        _pruned(leaves),
        [f"In the best order the tree is {text}, its leaves {' '.join(names)}.", *_cuts(picture)],
        picture,
        search.command(),
    )


def maxn_vector(random: Random) -> Question:
    """What three players get by Max-N; no player is ever indifferent."""
    while True:
        search = SearchCommand("tree", tree_of_vectors(random, zero_sum=False), "maxn")
        picture = search.picture()
        if not any(map(_is_indifferent, picture.nodes)):
            break
    return Question(
        "Max-N",
        "Three players, and each looks after itself alone (Max-N). What does each get?",
        as_question(picture),
        _value_of(picture),
        [*_chosen(picture)],
        picture,
        search.command(),
    )


def paranoid_value(random: Random) -> Question:
    """What the first of three players is sure of if the others join forces."""
    text = tree_of_vectors(random, zero_sum=True)
    search = SearchCommand("tree", text, "paranoid")
    picture = search.picture()
    return Question(
        "Paranoid",
        "Three players, and p1 takes all others to have joined forces against it (Paranoid)."
        " What is the value of this tree for p1?",
        as_question(SearchCommand("tree", text, "maxn").picture()),
        _value_of(picture),
        [
            "Only p1's payoffs count: p1 takes the greatest, p2 and p3 the least.",
            *_backed_up(picture, _sure_value),
            *_cuts(picture),
        ],
        picture,
        search.command(),
    )


def best_reply_choice(random: Random) -> Question:
    """The move that Best-Reply Search chooses; with one of the two opponents alone it would be another."""
    while True:
        search = SearchCommand("tree", tree_of_numbers(random, _MOVES_AND_REPLIES), "minimax")
        replies = [[leaf.payoffs[0] for leaf in child.children] for child in search.rules().start().children]
        alone = [_greedy([row[place : place + 2] for row in replies]) for place in (0, 2)]
        if _greedy(replies) not in alone:
            break
    picture = search.picture()
    _named(picture, _WHO_REPLIES * len(replies))
    names = [child.move for child in picture.root.children]
    return Question(
        "Best-Reply Search",
        "Three players. To each move of p1, who is MAX, p2 has two replies and p3 has two; the leaves are"
        " p1's payoffs. Which move does p1 choose by Best-Reply Search, two plies deep?",
        as_question(picture),
        choice(names[_greedy(replies)], names),
        [
            "Only one opponent replies, the one with the worst reply for p1: MIN has the replies of both.",
            *(
                f"{name}: the worst is {_WHO_REPLIES[row.index(min(row))]}'s {min(row):g}"
                for name, row in zip(names, replies, strict=True)
            ),
        ],
        picture,
        search.command(),
    )


def _greedy(replies: Sequence[Sequence[float]]) -> int:
    """The place of the move after which the worst reply is best."""
    return max(range(len(replies)), key=lambda move: min(replies[move]))


def in_best_order(tree: Tree) -> tuple[str, str]:
    """The tree as text with the best move first at each node, and the letters of its leaves in that order.

    The letters are those from left to right before that.
    """
    order = by_value(solve(tree).__getitem__)
    letters = iter(ascii_lowercase)

    def sorted_tree(tree: Tree) -> tuple[str, str]:
        if not tree.children:
            return f"{tree.payoffs[0]:g}", next(letters)
        children = [sorted_tree(child) for child in tree.children]
        parts = [children[move] for move in order(tree, tree.moves())]
        return f"({','.join(text for text, _ in parts)})", "".join(names for _, names in parts)

    return sorted_tree(tree)


# Answers


def _value_of(picture: Picture) -> NumbersAnswer:
    return NumbersAnswer(_vector(picture.root))


def _vector(node: PictureNode) -> tuple[float, ...]:
    """The value of a node: a number for each player, or one alone."""
    value = node.visited.value if node.visited else None
    return value if isinstance(value, tuple) else () if value is None else (value,)


def _named(picture: Picture, names: Sequence[str]) -> list[PictureNode]:
    """The leaves, from left to right, with these names."""
    leaves = [node for node in picture.nodes if not node.children]
    for leaf, name in zip(leaves, names, strict=False):
        leaf.name = name
    return leaves


def _pruned(leaves: Sequence[PictureNode]) -> LeavesAnswer:
    names = "".join(sorted(leaf.name for leaf in leaves))
    return LeavesAnswer(frozenset(leaf.name for leaf in leaves if leaf.pruned), names)


def _is_indifferent(node: PictureNode) -> bool:
    """Whether two moves are equally good for the player to move."""
    values = [_vector(child)[node.state.player] for child in node.children]
    return len(set(values)) < len(values)


# Reasons


def _path(node: PictureNode) -> str:
    moves = []
    while node.above is not None:
        moves.append(node.move)
        node = node.above
    return ">".join(reversed(moves)) or "root"


def _from_below(picture: Picture) -> Iterator[PictureNode]:
    """The inner nodes, the deepest first, from left to right."""
    return iter(sorted((node for node in picture.nodes if node.children), key=lambda node: -node.y))


def _backed_up(
    picture: Picture, value: Callable[[PictureNode, WatchedSearch], str] = shown_value
) -> Iterator[str]:
    """How the value of each node comes from those below it."""
    for node in _from_below(picture):
        values = [value(child, picture.search) for child in node.children]
        if node.state.player == CHANCE:
            odds = (odds_text(likely) for _, likely in node.state.chances())
            made = " + ".join(f"{each}·{value}" for each, value in zip(odds, values, strict=True))
        else:
            made = f"the {'greatest' if node.shape == 'max' else 'least'} of {', '.join(values)}"
        yield f"{_path(node)}: {value(node, picture.search)} = {made}"


def _sure_value(node: PictureNode, search: WatchedSearch) -> str:
    """What the player at the root is sure of from a node on, pruned or not, if all others join forces."""
    if not node.children:
        return shown_value(node, search)
    best = max if node.shape == "max" else min
    return best((_sure_value(child, search) for child in node.children), key=float)


def _cuts(picture: Picture) -> Iterator[str]:
    """Where the search was cut, with the window."""
    drawn = {node.visited: node for node in picture.nodes if node.visited is not None}
    for step in picture.search.recording.steps:
        if step.act is Act.CUT and step.window is not None:
            alpha, beta = map(number_text, step.window)
            moves = ", ".join(picture.search.move_text(step.node, *pruned) for pruned in step.pruned)
            what = f"move {moves} is" if len(step.pruned) == 1 else f"moves {moves} are"
            yield f"{_path(drawn[step.node])}: alpha {alpha} ≥ beta {beta}: {what} pruned"


def _chosen(picture: Picture) -> Iterator[str]:
    """Whom each player prefers."""
    for node in _from_below(picture):
        mine = node.state.player
        values = [_vector(child) for child in node.children]
        best = _vector(node)
        others = " or ".join(number_text(value[mine]) for value in values if value != best)
        why = f"since {number_text(best[mine])} is more than {others}"
        yield f"{_path(node)}: p{mine + 1} takes {worth_text(best)}, {why}"
