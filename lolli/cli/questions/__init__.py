"""The questions of a quiz by topic, with their answers and the reasons."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce, wraps
from itertools import cycle, islice
from math import inf, isfinite, prod
from operator import mul, xor
from random import Random
from string import ascii_lowercase
from typing import Any, TypeAlias

from engine.games.catalogue import Rules
from engine.games.rules.game import CHANCE, OVER, Game, State
from engine.games.rules.nim import Nim, NimGame, grundy
from engine.games.rules.tictactoe import TicTacToeGame
from engine.games.rules.tree import Tree
from engine.games.search.basics import SearchLimits
from engine.games.search.lookup import solve
from engine.games.search.ordering import by_value
from engine.games.search.recording import Act, RecordedNode
from engine.games.search.retrograde import DRAWN, Backwards
from engine.games.search.threat_ads import RULES
from lolli.cli.contest import entrants
from lolli.cli.questions.answers import (
    QuizAnswer,
    choice,
    named_leaves,
    numbers,
    pruned,
    result_and_move,
    some_leaves,
    some_moves,
    value_of,
    vector,
)
from lolli.cli.terminal.screen import counted
from lolli.cli.trees import WatchedSearch, number_text, odds_text, watched_search, worth_text
from lolli.cli.trees.picture import Picture, PictureNode, as_question, picture_of, shown_value


@dataclass(frozen=True, slots=True)
class Question:
    """`reasons` are lines; `command` is the command of `lolli` that shows the solution, or empty."""

    text: str
    asked: Picture | str
    answer: QuizAnswer
    reasons: Sequence[str]
    solution: Picture | str
    command: str = ""
    title: str = ""


Asking: TypeAlias = Callable[[Random], Question]
TOPICS: dict[str, Asking] = {}
"""By name. Their order determines which questions a seed asks."""
SUMMARIES: dict[str, str] = {}


def _topic(name: str, title: str, summary: str) -> Callable[[Asking], Asking]:
    def add(ask: Asking) -> Asking:
        @wraps(ask)
        def titled(random: Random) -> Question:
            return replace(ask(random), title=title)

        TOPICS[name], SUMMARIES[name] = titled, summary
        return titled

    return add


class _Searched:
    """A searched game: its picture, and the command of `lolli` that shows it."""

    def __init__(
        self, game: str, text: str, searcher: str, seed: int = 0, *, depth: int | None = None
    ) -> None:
        """`text`: which tree or which position. `depth` of the picture."""
        rules = Rules(game, text=text).game()
        (entrant,) = entrants([searcher], rules, SearchLimits())
        self.text, self.start = text, rules.start()
        self.picture = picture_of(watched_search(rules, self.start, entrant, seed), depth=depth)
        seeded = f" --seed {seed}" if seed else ""
        self.command = f'lolli tree --game "{game} {text}" {searcher}{seeded} --html question.html'

    def question(
        self, text: str, answer: QuizAnswer, reasons: Iterable[str], asked: Picture | str | None = None
    ) -> Question:
        """`asked` None: the picture of the search itself, without the solution."""
        return Question(
            text, asked or as_question(self.picture), answer, [*reasons], self.picture, self.command
        )


def _tree(text: str, searcher: str) -> _Searched:
    return _Searched("tree", text, searcher)


_SHAPES = ((3, 3), (2, 2, 2), (3, 2, 2), (2, 3, 2))
_PRUNED_SHAPES = (*_SHAPES, (2, 2, 2, 2))  # the number of moves on each ply
_MOVES_AND_REPLIES, _WHO_REPLIES = (3, 4), ("p2", "p2", "p3", "p3")


@_topic("minimax", "Minimax", "the value of a tree")
def _minimax_value(random: Random) -> Question:
    search = _tree(_tree_of_numbers(random, random.choice(_SHAPES)), "minimax")
    text = "What is the value of this tree for MAX?"
    return search.question(text, value_of(search.picture), _backed_up(search.picture))


@_topic("alphabeta", "Alpha-beta", "the leaves that are pruned in the order of the drawing")
def _pruned_leaves(random: Random) -> Question:
    leaves: list[PictureNode] = []
    while not any(leaf.pruned for leaf in leaves):
        search = _tree(_tree_of_numbers(random, random.choice(_PRUNED_SHAPES)), "alphabeta")
        leaves = named_leaves(search.picture, ascii_lowercase)
    text = "Which leaves does alpha-beta not look at, if it takes the moves in the order of their numbers?"
    return search.question(text, pruned(leaves), _cuts(search.picture))


@_topic("best-order", "Alpha-beta in the best order", "the leaves that are pruned in the best order")
def _pruned_leaves_in_best_order(random: Random) -> Question:
    drawn = _tree(_tree_of_numbers(random, random.choice(_PRUNED_SHAPES)), "alphabeta")
    named_leaves(drawn.picture, ascii_lowercase)
    text, names = _in_best_order(drawn.start)
    search = _tree(text, "alphabeta")
    return search.question(
        "At each node the moves are put in the best order: the greatest value first for MAX, the least for"
        " MIN. Which leaves does alpha-beta then not look at?",
        pruned(named_leaves(search.picture, names)),
        [f"In the best order the tree is {text}, its leaves {' '.join(names)}.", *_cuts(search.picture)],
        as_question(drawn.picture),
    )


@_topic("expectiminimax", "Expectiminimax", "the value of a tree with chance nodes")
def _expected_value(random: Random) -> Question:
    search = _tree(_tree_of_lotteries(random), "expectiminimax:pruning=none")
    text = "What is the value of this tree for MAX? The odds of what chance does are in brackets."
    return search.question(text, value_of(search.picture), _backed_up(search.picture))


@_topic("maxn", "Max-N", "what each of three players gets")
def _maxn_vector(random: Random) -> Question:
    search = _tree(_tree_of_vectors(random, zero_sum=False), "maxn")
    while any(map(_is_indifferent, search.picture.nodes)):
        search = _tree(_tree_of_vectors(random, zero_sum=False), "maxn")
    text = "Three players, and each looks after itself alone (Max-N). What does each get?"
    return search.question(text, value_of(search.picture), _chosen(search.picture))


@_topic("paranoid", "Paranoid", "what the first of three players is sure of")
def _paranoid_value(random: Random) -> Question:
    search = _tree(_tree_of_vectors(random, zero_sum=True), "paranoid")
    picture = search.picture
    rule = "Only p1's payoffs count: p1 takes the greatest, p2 and p3 the least."
    return search.question(
        "Three players, and p1 takes all others to have joined forces against it (Paranoid)."
        " What is the value of this tree for p1?",
        value_of(picture),
        [rule, *_backed_up(picture, _sure_value), *_cuts(picture)],
        as_question(_tree(search.text, "maxn").picture),
    )


@_topic("best-reply", "Best-Reply Search", "the move of the first of three by Best-Reply Search")
def _best_reply_choice(random: Random) -> Question:
    while True:
        search = _tree(_tree_of_numbers(random, _MOVES_AND_REPLIES), "minimax")
        replies = [[leaf.payoffs[0] for leaf in child.children] for child in search.start.children]
        alone = [_greedy([row[place : place + 2] for row in replies]) for place in (0, 2)]
        if _greedy(replies) not in alone:
            break
    named_leaves(search.picture, _WHO_REPLIES * len(replies))
    names = [child.move for child in search.picture.root.children]
    return search.question(
        "Three players. To each move of p1, who is MAX, p2 has two replies and p3 has two; the leaves are"
        " p1's payoffs. Which move does p1 choose by Best-Reply Search, two plies deep?",
        choice(names[_greedy(replies)], names),
        [
            "Only one opponent replies, the one with the worst reply for p1: MIN has the replies of both.",
            *(
                f"{name}: the worst is {_WHO_REPLIES[row.index(min(row))]}'s {min(row):g}"
                for name, row in zip(names, replies, strict=True)
            ),
        ],
    )


def _greedy(replies: Sequence[Sequence[float]]) -> int:
    return max(range(len(replies)), key=lambda move: min(replies[move]))


def _in_best_order(tree: Tree) -> tuple[str, str]:
    """The tree with the best move first at each node, and its leaves' former letters in that order."""
    order = by_value(solve(tree).__getitem__)
    letters = iter(ascii_lowercase)

    def sorted_tree(tree: Tree) -> tuple[str, str]:
        if not tree.children:
            return f"{tree.payoffs[0]:g}", next(letters)
        children = [sorted_tree(child) for child in tree.children]
        parts = [children[move] for move in order(tree, tree.moves())]
        return f"({','.join(text for text, _ in parts)})", "".join(names for _, names in parts)

    return sorted_tree(tree)


def _is_indifferent(node: PictureNode) -> bool:
    values = [vector(child)[node.state.player] for child in node.children]
    return len(set(values)) < len(values)


# Reasons


def _from_below(picture: Picture) -> Sequence[PictureNode]:
    return sorted((node for node in picture.nodes if node.children), key=lambda node: -node.y)


def _backed_up(
    picture: Picture, value: Callable[[PictureNode, WatchedSearch], str] = shown_value
) -> Iterator[str]:
    for node in _from_below(picture):
        values = [value(child, picture.search) for child in node.children]
        if node.state.player == CHANCE:
            odds = (odds_text(likely) for _, likely in node.state.chances())
            made = " + ".join(f"{each}·{value}" for each, value in zip(odds, values, strict=True))
        else:
            made = f"the {'greatest' if node.shape == 'max' else 'least'} of {', '.join(values)}"
        yield f"{node.path}: {value(node, picture.search)} = {made}"


def _sure_value(node: PictureNode, search: WatchedSearch) -> str:
    """What the player at the root can be sure of below a node if all others join forces."""
    if not node.children:
        return shown_value(node, search)
    best = max if node.shape == "max" else min
    return best((_sure_value(child, search) for child in node.children), key=float)


def _cuts(picture: Picture) -> Iterator[str]:
    search = picture.search
    for step in search.recording.steps:
        if step.act is Act.CUT and step.window is not None:
            alpha, beta = map(number_text, step.window)
            moves = ", ".join(search.move_text(step.node, *pruned) for pruned in step.pruned)
            what = f"move {moves} is" if len(step.pruned) == 1 else f"moves {moves} are"
            yield f"{search.path_text(step.node)}: alpha {alpha} ≥ beta {beta}: {what} pruned"


def _chosen(picture: Picture) -> Iterator[str]:
    for node in _from_below(picture):
        mine = node.state.player
        values = [vector(child) for child in node.children]
        best = vector(node)
        others = " or ".join(number_text(value[mine]) for value in values if value != best)
        why = f"since {number_text(best[mine])} is more than {others}"
        yield f"{node.path}: p{mine + 1} takes {worth_text(best)}, {why}"


# Random trees in text

_GREATEST = 20
_ODDS = [odds.split() for odds in ("1/2 1/2", "1/4 3/4", "1/4 1/2 1/4", "0.2 0.8", "0.3 0.7", "0.1 0.9")]
_THREE_PLIES = (2, 2, 2)
_MOST_OF_ONE = 9  # a payoff of one of three players


def _tree_of_numbers(random: Random, shape: Sequence[int]) -> str:
    numbers = iter(random.sample(range(1, _GREATEST + 1), prod(shape)))
    return _nested(shape, lambda: str(next(numbers)))


def _tree_of_lotteries(random: Random) -> str:
    is_deep = random.choice((True, False))

    def outcome() -> str:
        one, other = random.sample(range(_GREATEST + 1), 2)
        return f"({one},{other})" if is_deep else str(one)

    return _nested((2,), lambda: _lottery(random, _ODDS, outcome))


def _lottery(random: Random, odds: Sequence[Sequence[str]], outcome: Callable[[], object]) -> str:
    return f"[{','.join(f'{likely}:{outcome()}' for likely in random.choice(odds))}]"


def _tree_of_vectors(random: Random, *, zero_sum: bool) -> str:
    def leaf() -> str:
        least = -_MOST_OF_ONE if zero_sum else 0
        first, second, third = (random.randint(least, _MOST_OF_ONE) for _ in range(3))
        return f"{first}/{second}/{-first - second if zero_sum else third}"

    return _nested(_THREE_PLIES, leaf)


def _nested(shape: Sequence[int], leaf: Callable[[], str]) -> str:
    if not shape:
        return leaf()
    return f"({','.join(_nested(shape[1:], leaf) for _ in range(shape[0]))})"


# Simulations

_ARMS = (3, 4)
_PLAYOUTS = (8, 20)
_UCT_PLIES, _FEW_PLAYOUTS = (2, 2, 3), (6, 14)
_EXPLORATIONS = ("0.5", "1", "1.5")
_CLEAR = 0.03  # the least by which the highest bound exceeds the next


def _wins_and_losses(random: Random, shape: Sequence[int]) -> str:
    return _nested(shape, lambda: random.choice(("1", "-1")))


@_topic("ucb", "UCB1", "the move that UCB1 chooses next")
def _ucb_choice(random: Random) -> Question:
    while True:
        text = _wins_and_losses(random, _ARMS)
        playouts, exploration = random.randint(*_PLAYOUTS), random.choice(_EXPLORATIONS)
        searcher = f"uct:playouts={playouts}:exploration={exploration}"
        search = _Searched("tree", text, searcher, random.randint(1, 999), depth=1)
        children = [(child.move, child.visited) for child in search.picture.root.children if child.visited]
        bounds = {move: node.bound(float(exploration)) for move, node in children}
        second, first = sorted(bounds.values())[-2:]
        if first - second > _CLEAR:
            break
    return search.question(
        f"UCT has played N = {playouts} random games. Each move has the win rate of MAX, who makes it, and n,"
        " how often it was tried. Which move does UCB1 choose next, by rate + c·√(ln N / n) with"
        f" c = {exploration}?",
        choice(max(bounds, key=bounds.__getitem__), [*bounds]),
        [
            f"{move}: {number_text(node.mean)} + {exploration}·√(ln {playouts} / {node.visits})"
            f" = {number_text(round(bounds[move], 3))}"
            for move, node in children
        ],
    )


@_topic("backpropagation", "Backpropagation", "visits and means after one more simulation of UCT")
def _backpropagated(random: Random) -> Question:
    while True:
        text = _wins_and_losses(random, _UCT_PLIES)
        playouts, seed = random.randint(*_FEW_PLAYOUTS), random.randint(1, 999)
        before, after = (
            _Searched("tree", text, f"uct:playouts={count}", seed, depth=2)
            for count in (playouts, playouts + 1)
        )
        path = _grown(before.picture, after.picture)
        if len(path) == 2 and all(old.mean != new.mean for old, new in path):
            break
    (old, new), (_, reply) = path
    winner = "MAX" if new.mean > old.mean else "MIN"
    return after.question(
        f"UCT has played {playouts} random games. Each move has the mean result of the player who makes it, a"
        " win being 1 and a loss 0, and n, how often it was tried. The next simulation begins with move"
        f" {new.move}, then {reply.move}, and {winner} wins. What are n and the mean of the first of these"
        " moves after it, and n and the mean of the second?",
        numbers(
            tuple(number for _, node in path for number in (node.visits, node.mean)),
            "n and the mean of each move",
        ),
        _counted(path, winner),
        as_question(before.picture),
    )


def _grown(before: Picture, after: Picture) -> list[tuple[RecordedNode, RecordedNode]]:
    """The nodes below the root that the last simulation went through, before and after it; no new ones."""
    known = {before.search.path_text(node.visited): node.visited for node in before.nodes if node.visited}
    visited = [node.visited for node in after.nodes if node.visited and node.above]
    pairs = [(known.get(after.search.path_text(node)), node) for node in visited]
    return [(old, node) for old, node in pairs if old and old.visits < node.visits]


def _counted(path: list[tuple[RecordedNode, RecordedNode]], winner: str) -> Iterator[str]:
    yield "A simulation counts in each node of its path, for the player who made the move to it."
    moves = []
    for (old, node), mover in zip(path, ("MAX", "MIN"), strict=True):
        moves.append(str(node.move))
        result = int(mover == winner)
        mean = f"({old.visits}·{number_text(old.mean)} + {result}) / {node.visits} = {number_text(node.mean)}"
        yield f"{'>'.join(moves)}: {mover} has {result}; n = {old.visits} + 1, mean = {mean}"


# Small games

_PILES = (3, 9)
_MOST_IN_PILES = 11
_FREE = (4, 5)  # squares of an ending
_VERBS = {1: "wins", 0: "draws", -1: "loses"}


@_topic("nim", "Splitting Nim", "the moves that win")
def _winning_moves_of_nim(random: Random) -> Question:
    wanted = random.choice((True, False))
    while True:
        piles = sorted((random.randint(*_PILES) for _ in range(random.randint(1, 2))), reverse=True)
        if sum(piles) > _MOST_IN_PILES:
            continue
        game = NimGame(piles=piles)
        state = game.start()
        values = _results(state)
        winning = {game.text(state, move) for move, value in values.items() if value > 0}
        if bool(winning) is wanted and len(values) > 1:
            break
    legal = [game.text(state, move) for move in values]
    return _Searched("nim", ",".join(map(str, piles)), "minimax", depth=1).question(
        "A move splits a pile into two unequal ones; the player who cannot move loses. Which moves win?",
        some_moves(winning, legal, _legal(game, state)),
        _splits(game, state),
        game.show(state),
    )


def _results(state: State) -> dict[Any, int]:
    """Of each move, for the player who makes it."""
    table = solve(state)
    return {move: int(table[state.play(move)][state.player]) for move in state.moves()}


def _splits(game: NimGame, state: Nim) -> Iterator[str]:
    yield "Each pile counts by its Grundy value: the least number that the xor of no split of it makes."
    for move in state.moves():
        piles = list(state.piles)
        piles.remove(sum(move))
        piles += move
        values = [grundy(pile) for pile in piles]
        total = reduce(xor, values)
        made = " xor ".join(map(str, values))
        verdict = "so it wins" if total == 0 else "so it loses"
        yield f"{game.text(state, move)}: piles {', '.join(map(str, piles))}; {made} = {total}, {verdict}"


def _legal(game: Game[Any], state: State) -> Callable[[str], str]:
    return lambda text: game.text(state, game.parse(state, text))


@_topic("tictactoe", "Tic-tac-toe", "who wins, and a best move")
def _end_of_tictactoe(random: Random) -> Question:
    """Won, drawn and lost are equally likely; the moves differ in value, unless all of them lose."""
    game = TicTacToeGame()
    wanted = random.choice((*_VERBS,))
    while True:
        state = game.start()
        free = random.choice(_FREE)
        while state.player != OVER and len(state.moves()) > free:
            state = state.play(random.choice(state.moves()))
        if state.player == OVER:
            continue
        values = _results(state)
        if max(values.values()) == wanted and (wanted < 0 or len(set(values.values())) > 1):
            break
    rows = game.show(state).splitlines()[1:-1]  # without the letters of the columns
    board = "/".join("".join(row.split()[1:-1]) for row in rows)
    results = {game.text(state, move): value for move, value in values.items()}
    best = tuple(move for move, value in results.items() if value == wanted)
    mover = "XO"[state.player]
    return _Searched("tictactoe", board, "minimax", depth=1).question(
        f"{mover} is to move. Does {mover} win, draw or lose, and what is a best move?",
        result_and_move(wanted, best, [*results], _legal(game, state)),
        [f"{move} {_VERBS[value]}" for move, value in results.items()],
        game.show(state),
    )


# Counts, windows and tables

_CALLED = "A"  # a node that a question is about
_LEAST, _MOST = 0, 10  # payoffs where they are bounded
_QUARTERS = [odds.split() for odds in ("1/4 1/4 1/2", "1/2 1/4 1/4", "1/4 1/2 1/4")]
_DEEPENED = (*_SHAPES, (4, 2), (2, 4))
_FEATURES = ("material", "mobility", "king safety")
_TENTHS = ((10, 1, 5), (10, 2, 3), (10, 1, 8), (10, 3, 4))  # the weights of the features
_OPPONENTS, _REPLIES = 4, 4
_NODES_TO_COUNT = range(8, 41)  # of a tree of Nim
_POSITIONS, _MOST_MOVES = "abcdef", 3


@_topic("window", "Alpha and beta", "alpha and beta at a node")
def _window_at_a_node(random: Random) -> Question:
    inner: list[PictureNode] = []
    while not inner:
        shape = random.choice([shape for shape in _SHAPES if len(shape) > 2])
        search = _tree(_tree_of_numbers(random, shape), "alphabeta")
        inner = [node for node in search.picture.nodes if node.children and all(map(isfinite, _window(node)))]
    node = random.choice(inner)
    node.name = _CALLED
    alpha, beta = _window(node)
    above = "root" if node.above is None else node.above.path
    return search.question(
        "Alpha-beta takes the moves in the order of their numbers. Which alpha and beta does it hand down to"
        f" the node {_CALLED}, which is {node.path}?",
        numbers((alpha, beta), "alpha and beta"),
        [
            f"root: by the moves before, MAX is sure of {alpha:g}, so alpha is {alpha:g}.",
            f"{above}: by the moves before, MIN is sure of {beta:g} there, so beta is {beta:g}.",
        ],
    )


def _window(node: PictureNode) -> tuple[float, float]:
    return (node.visited and node.visited.window) or (-inf, inf)


@_topic("star1", "Pruning at chance nodes", "the leaves that Star1 prunes at chance nodes")
def _pruned_by_bounds(random: Random) -> Question:
    leaves: list[PictureNode] = []
    while not any(leaf.pruned for leaf in leaves):
        text = _nested((3,), lambda: _lottery(random, _QUARTERS, lambda: random.randint(_LEAST, _MOST)))
        search = _tree(text, f"expectiminimax:bounds={_LEAST},{_MOST}")
        leaves = named_leaves(search.picture, ascii_lowercase)
    return search.question(
        f"All payoffs are from {_LEAST} to {_MOST}. Which leaves does Star1 not look at, if it takes moves"
        " and outcomes in the order of the drawing?",
        pruned(leaves),
        _hopeless(search.picture),
    )


def _hopeless(picture: Picture) -> Iterator[str]:
    for node in picture.root.children:
        seen = [child for child in node.children if not child.pruned]
        if len(seen) < len(node.children) and node.visited is not None:
            odds = [likely for _, likely in node.state.chances()]
            sure = sum(likely * vector(child)[0] for likely, child in zip(odds, seen, strict=False))
            left = sum(odds[len(seen) :])
            yield (
                f"{node.path}: {number_text(sure)} so far, and at most {number_text(left)}·{_MOST} to come:"
                f" {number_text(sure + left * _MOST)} ≤ alpha {number_text(_window(node)[0])}"
            )


@_topic("deepening", "Iterative deepening", "the nodes of iterative deepening")
def _nodes_of_deepening(random: Random) -> Question:
    shape = random.choice(_DEEPENED)
    plies = [prod(shape[:ply]) for ply in range(len(shape) + 1)]
    visited = [sum(plies[: depth + 1]) for depth in range(1, len(plies))]
    depths = f"{', '.join(map(str, range(1, len(shape))))} and {len(shape)}"
    sums = (
        f"depth {depth}: {' + '.join(map(str, plies[: depth + 1]))} = {nodes}"
        for depth, nodes in enumerate(visited, 1)
    )
    return _tree(_tree_of_numbers(random, shape), "minimax").question(
        f"Minimax searches this tree {depths} plies deep, one depth after the other. How many nodes does the"
        " last search visit, and how many do all of them? Each visits the root, too.",
        numbers((visited[-1], sum(visited)), "the last search and all"),
        [*sums, f"all: {' + '.join(map(str, visited))} = {sum(visited)}"],
    )


@_topic("transpositions", "Transpositions", "nodes of a tree, and different positions")
def _positions_of_nim(random: Random) -> Question:
    nodes = 0
    while nodes not in _NODES_TO_COUNT:
        piles = tuple(sorted((random.randint(3, 8) for _ in range(random.randint(1, 3))), reverse=True))
        if sum(piles) > _MOST_IN_PILES:
            continue
        search = _Searched("nim", ",".join(map(str, piles)), "minimax")
        nodes = len(search.picture.nodes)
    plies = [{piles}]
    while after := {split for each in plies[-1] for split in _all_splits(each)}:
        plies.append(after)
    listed = ("; ".join(" ".join(map(str, each)) for each in sorted(ply, reverse=True)) for ply in plies)
    return search.question(
        "A move of splitting Nim splits a pile into two unequal ones. How many nodes has the whole tree from"
        " here, the root among them, and how many different positions, each of which is searched once with a"
        " transposition table? The order of the piles does not matter.",
        numbers((nodes, sum(map(len, plies))), "nodes and positions"),
        [f"{counted(ply, 'move')}: {positions}" for ply, positions in enumerate(listed)],
        NimGame().show(search.start),
    )


def _all_splits(piles: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    for place, pile in enumerate(piles):
        for less in range(1, (pile + 1) // 2):
            rest = (*piles[:place], *piles[place + 1 :])
            yield tuple(sorted((*rest, less, pile - less), reverse=True))


@_topic("horizon", "The horizon", "the move of a shallow search, and that of a deep one")
def _horizon(random: Random) -> Question:
    while True:
        search = _tree(_tree_of_numbers(random, random.choice(_SHAPES)), "minimax")
        means = [child.payoffs[0] for child in search.start.children]
        near = means.index(max(means))
        far = search.picture.search.decision.move
        if near != far and len({*means}) == len(means):
            break
    values = [shown_value(child, search.picture.search) for child in search.picture.root.children]
    pairs = zip(map(number_text, means), values, strict=True)
    return search.question(
        "One ply deep a search takes the mean of all leaves below a node as its estimate. Which move does it"
        " choose so, and which does minimax choose that goes on to the leaves?",
        numbers((near, far), "the two moves"),
        [
            *(f"{move}: estimate {mean}, value {value}" for move, (mean, value) in enumerate(pairs)),
            f"One ply deep {near} looks best; the moves that follow are behind the horizon.",
        ],
    )


@_topic("retrograde", "Retrograde analysis", "the positions that are won, by retrograde analysis")
def _retrograde_wins(random: Random) -> Question:
    while True:
        moves = {
            name: sorted(random.sample(_POSITIONS.replace(name, ""), random.randint(0, _MOST_MOVES)))
            for name in _POSITIONS
        }
        verdicts = _backwards(moves)
        signs = [sign for sign, _ in verdicts.values()]
        if {*signs} == {*_VERBS} and max(plies for _, plies in verdicts.values()) > 2:
            break
    won = "".join(name for name, (sign, _) in verdicts.items() if sign > 0)
    rounds = []
    for plies, name, sign in sorted((plies, name, sign) for name, (sign, plies) in verdicts.items() if sign):
        lost = [other for other in moves[name] if verdicts[other] == (-1, plies - 1)]
        why = f", as it moves to {lost[0]}" if sign > 0 else ", as each move leads to a win" if plies else ""
        rounds.append(f"after {plies}: {name} {_VERBS[sign]}{why}")
    drawn = ", ".join(name for name, (sign, _) in verdicts.items() if not sign)
    told = (
        f"{name}: {_VERBS[sign]}{f' in {plies}' if sign else ''}" for name, (sign, plies) in verdicts.items()
    )
    return Question(
        "From each position the player to move can go to those that are listed; a player with no move has"
        " lost. Play that goes round in circles is a draw. In which positions does the player to move win?",
        "\n".join(f"{name}: {', '.join(after) or 'no move'}" for name, after in moves.items()),
        some_leaves(won, _POSITIONS),
        [*rounds, f"drawn, as neither is ever found: {drawn}"],
        "\n".join(told),
    )


def _backwards(moves: Mapping[str, Sequence[str]]) -> dict[str, tuple[int, int]]:
    """Of each position the result for the player to move, and in how many plies it is won or lost."""
    analysis: Backwards[tuple[str, int]] = Backwards()
    for name, after in moves.items():
        for mover in (0, 1):
            if after:
                analysis.add((name, mover), mover, [(other, 1 - mover) for other in after])
            else:
                analysis.end((name, mover), 1 - mover)
    verdicts = analysis.verdicts()
    found = ((name, verdicts.get((name, 0), DRAWN)) for name in moves)
    return {name: ({None: 0, 0: 1, 1: -1}[verdict.winner], verdict.plies) for name, verdict in found}


@_topic("linear", "A linear evaluation", "the move by a linear evaluation, and its value")
def _linear_evaluation(random: Random) -> Question:
    while True:
        weights = random.choice(_TENTHS)
        rows = [[random.randint(-3, 3) for _ in _FEATURES] for _ in range(3)]
        tenths = [sum(map(mul, weights, row)) for row in rows]
        best = max(range(len(rows)), key=tenths.__getitem__)
        if len({*tenths}) == len(tenths) and best != max(range(len(rows)), key=lambda move: rows[move][0]):
            break

    def described(counts: Sequence[float]) -> str:
        return ", ".join(f"{name} {count:g}" for name, count in zip(_FEATURES, counts, strict=True))

    def summed(counts: Sequence[int]) -> str:
        return " + ".join(f"{weight / 10:g}·({count})" for weight, count in zip(weights, counts, strict=True))

    values = [each / 10 for each in tenths]
    given = [f"weights: {described([weight / 10 for weight in weights])}"]
    return _tree(f"({','.join(f'{value:g}' for value in values)})", "minimax").question(
        "An evaluation is the sum of features, each times its weight, for MAX. Which move does MAX choose one"
        " ply deep, and what is its value?",
        numbers((best, values[best]), "the move and its value"),
        [f"{move}: {summed(row)} = {values[move]:g}" for move, row in enumerate(rows)],
        "\n".join([*given, *(f"after move {move}: {described(row)}" for move, row in enumerate(rows))]),
    )


@_topic("move-to-front", "The list of Threat-ADS", "places in the list of Threat-ADS")
def _move_to_front(random: Random) -> Question:
    rule = random.choice(list(RULES))
    threats = RULES[rule](0, _OPPONENTS + 1)
    found = [random.choice(threats.order) for _ in range(_REPLIES)]
    places, lists = [], []
    for opponent in found:
        places.append(threats.order.index(opponent) + 1)
        lists.append(_players(threats.order))
        threats.blame(opponent)
    how = "moves to the front" if rule == "move-to-front" else "changes places with the one before"
    names = _players(found).split()
    return Question(
        f"Threat-ADS asks its opponents in the order of this list; the one whose reply is the strongest then"
        f" {how}. The strongest replies are those of {', then '.join(names)}. In which place of the list is"
        " each of them found?",
        lists[0],
        numbers(places, "a place each"),
        [f"{name} in place {place} of {at}" for name, place, at in zip(names, places, lists, strict=True)],
        _players(threats.order),
    )


def _players(numbers: Iterable[int]) -> str:
    return " ".join(f"p{each + 1}" for each in numbers)


def questions(topics: Sequence[str], count: int, seed: int) -> Iterator[Question]:
    """`count` questions, the topics one after the other and again. The same seed asks the same questions."""
    random = Random(seed)
    for topic in islice(cycle(topics), count):
        yield TOPICS[topic](Random(random.getrandbits(64)))
