"""The questions of a quiz by topic, with their answers and the reasons."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import cycle, islice
from math import inf, isfinite, prod
from operator import mul, xor
from random import Random
from string import ascii_lowercase
from typing import Any

from engine.games.catalogue import Rules
from engine.games.rules.game import CHANCE, OVER, Game, State
from engine.games.rules.nim import Nim, NimGame, grundy
from engine.games.rules.tictactoe import TicTacToeGame
from engine.games.rules.tree import Tree, TreeGame
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

    title: str
    text: str
    asked: Picture | str
    answer: QuizAnswer
    reasons: Sequence[str]
    solution: Picture | str
    command: str


@dataclass(frozen=True, slots=True)
class SearchCommand:
    game: str
    text: str
    searcher: str
    seed: int = 0

    def rules(self) -> Game[Any]:
        return Rules(self.game, text=self.text).game()

    def watched(self) -> WatchedSearch:
        game = self.rules()
        (entrant,) = entrants([self.searcher], game, SearchLimits())
        return watched_search(game, game.start(), entrant, self.seed)

    def picture(self, depth: int | None = None) -> Picture:
        return picture_of(self.watched(), depth=depth)

    def command(self) -> str:
        seed = f" --seed {self.seed}" if self.seed else ""
        return f'lolli tree --game "{self.game} {self.text}" {self.searcher}{seed} --html question.html'


_SHAPES = ((3, 3), (2, 2, 2), (3, 2, 2), (2, 3, 2))
_PRUNED_SHAPES = (*_SHAPES, (2, 2, 2, 2))  # the number of moves on each ply
_MOVES_AND_REPLIES, _WHO_REPLIES = (3, 4), ("p2", "p2", "p3", "p3")


def minimax_value(random: Random) -> Question:
    search = SearchCommand("tree", tree_of_numbers(random, random.choice(_SHAPES)), "minimax")
    return _about_the_value(search, "Minimax", "What is the value of this tree for MAX?")


def expected_value(random: Random) -> Question:
    search = SearchCommand("tree", tree_of_lotteries(random), "expectiminimax:pruning=none")
    text = "What is the value of this tree for MAX? The odds of what chance does are in brackets."
    return _about_the_value(search, "Expectiminimax", text)


def _about_the_value(search: SearchCommand, title: str, text: str) -> Question:
    picture = search.picture()
    return _about(search, picture, title, text, value_of(picture), _backed_up(picture))


def pruned_leaves(random: Random) -> Question:
    while True:
        search = SearchCommand("tree", tree_of_numbers(random, random.choice(_PRUNED_SHAPES)), "alphabeta")
        picture = search.picture()
        leaves = named_leaves(picture, ascii_lowercase)
        if any(leaf.pruned for leaf in leaves):
            break
    return _about(
        search,
        picture,
        "Alpha-beta",
        "Which leaves does alpha-beta not look at, if it takes the moves in the order of their numbers?",
        pruned(leaves),
        _cuts(picture),
    )


def pruned_leaves_in_best_order(random: Random) -> Question:
    drawn = SearchCommand("tree", tree_of_numbers(random, random.choice(_PRUNED_SHAPES)), "alphabeta")
    asked = drawn.picture()
    named_leaves(asked, ascii_lowercase)
    tree = TreeGame(tree=drawn.text).start()
    text, names = in_best_order(tree)
    search = SearchCommand("tree", text, "alphabeta")
    picture = search.picture()
    leaves = named_leaves(picture, names)
    return _about(
        search,
        picture,
        "Alpha-beta in the best order",
        "At each node the moves are put in the best order: the greatest value first for MAX, the least for"
        " MIN. Which leaves does alpha-beta then not look at?",
        pruned(leaves),
        [f"In the best order the tree is {text}, its leaves {' '.join(names)}.", *_cuts(picture)],
        as_question(asked),
    )


def maxn_vector(random: Random) -> Question:
    while True:
        search = SearchCommand("tree", tree_of_vectors(random, zero_sum=False), "maxn")
        picture = search.picture()
        if not any(map(_is_indifferent, picture.nodes)):
            break
    return _about(
        search,
        picture,
        "Max-N",
        "Three players, and each looks after itself alone (Max-N). What does each get?",
        value_of(picture),
        _chosen(picture),
    )


def paranoid_value(random: Random) -> Question:
    text = tree_of_vectors(random, zero_sum=True)
    search = SearchCommand("tree", text, "paranoid")
    picture = search.picture()
    rule = "Only p1's payoffs count: p1 takes the greatest, p2 and p3 the least."
    return _about(
        search,
        picture,
        "Paranoid",
        "Three players, and p1 takes all others to have joined forces against it (Paranoid)."
        " What is the value of this tree for p1?",
        value_of(picture),
        [rule, *_backed_up(picture, _sure_value), *_cuts(picture)],
        as_question(SearchCommand("tree", text, "maxn").picture()),
    )


def best_reply_choice(random: Random) -> Question:
    while True:
        search = SearchCommand("tree", tree_of_numbers(random, _MOVES_AND_REPLIES), "minimax")
        replies = [[leaf.payoffs[0] for leaf in child.children] for child in search.rules().start().children]
        alone = [_greedy([row[place : place + 2] for row in replies]) for place in (0, 2)]
        if _greedy(replies) not in alone:
            break
    picture = search.picture()
    named_leaves(picture, _WHO_REPLIES * len(replies))
    names = [child.move for child in picture.root.children]
    return _about(
        search,
        picture,
        "Best-Reply Search",
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


def in_best_order(tree: Tree) -> tuple[str, str]:
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


def _about(
    search: SearchCommand,
    picture: Picture,
    title: str,
    text: str,
    answer: QuizAnswer,
    reasons: Iterable[str],
    asked: Picture | str | None = None,
) -> Question:
    """`asked` None: the picture of the search itself, without the solution."""
    return Question(title, text, asked or as_question(picture), answer, [*reasons], picture, search.command())


def _is_indifferent(node: PictureNode) -> bool:
    values = [vector(child)[node.state.player] for child in node.children]
    return len(set(values)) < len(values)


# Reasons


def _from_below(picture: Picture) -> Iterator[PictureNode]:
    return iter(sorted((node for node in picture.nodes if node.children), key=lambda node: -node.y))


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
    drawn = {node.visited: node for node in picture.nodes if node.visited is not None}
    for step in picture.search.recording.steps:
        if step.act is Act.CUT and step.window is not None:
            alpha, beta = map(number_text, step.window)
            moves = ", ".join(picture.search.move_text(step.node, *pruned) for pruned in step.pruned)
            what = f"move {moves} is" if len(step.pruned) == 1 else f"moves {moves} are"
            yield f"{drawn[step.node].path}: alpha {alpha} ≥ beta {beta}: {what} pruned"


def _chosen(picture: Picture) -> Iterator[str]:
    for node in _from_below(picture):
        mine = node.state.player
        values = [vector(child) for child in node.children]
        best = vector(node)
        others = " or ".join(number_text(value[mine]) for value in values if value != best)
        why = f"since {number_text(best[mine])} is more than {others}"
        yield f"{node.path}: p{mine + 1} takes {worth_text(best)}, {why}"


_GREATEST = 20
_ODDS = [odds.split() for odds in ("1/2 1/2", "1/4 3/4", "1/4 1/2 1/4", "0.2 0.8", "0.3 0.7", "0.1 0.9")]
_THREE_PLIES = (2, 2, 2)
_MOST_OF_ONE = 9  # a payoff of one of three players


def tree_of_numbers(random: Random, shape: Sequence[int]) -> str:
    numbers = iter(random.sample(range(1, _GREATEST + 1), prod(shape)))
    return nested(shape, lambda: str(next(numbers)))


def tree_of_lotteries(random: Random) -> str:
    is_deep = random.choice((True, False))

    def outcome() -> str:
        one, other = random.sample(range(_GREATEST + 1), 2)
        return f"({one},{other})" if is_deep else str(one)

    def lottery() -> str:
        return f"[{','.join(f'{odds}:{outcome()}' for odds in random.choice(_ODDS))}]"

    return f"({lottery()},{lottery()})"


def tree_of_vectors(random: Random, *, zero_sum: bool) -> str:
    def leaf() -> str:
        least = -_MOST_OF_ONE if zero_sum else 0
        first, second, third = (random.randint(least, _MOST_OF_ONE) for _ in range(3))
        return f"{first}/{second}/{-first - second if zero_sum else third}"

    return nested(_THREE_PLIES, leaf)


def nested(shape: Sequence[int], leaf: Callable[[], str]) -> str:
    if not shape:
        return leaf()
    return f"({','.join(nested(shape[1:], leaf) for _ in range(shape[0]))})"


_ARMS = (3, 4)
_PLAYOUTS = (8, 20)
_UCT_PLIES, _FEW_PLAYOUTS = (2, 2, 3), (6, 14)
_EXPLORATIONS = ("0.5", "1", "1.5")
_CLEAR = 0.03  # the least by which the highest bound exceeds the next


def ucb_choice(random: Random) -> Question:
    while True:
        text = nested(_ARMS, lambda: random.choice(("1", "-1")))
        playouts, exploration = random.randint(*_PLAYOUTS), random.choice(_EXPLORATIONS)
        searcher = f"uct:playouts={playouts}:exploration={exploration}"
        search = SearchCommand("tree", text, searcher, random.randint(1, 999))
        picture = search.picture(depth=1)
        children = [(child, child.visited) for child in picture.root.children if child.visited]
        bounds = {child.move: visited.bound(float(exploration)) for child, visited in children}
        second, first = sorted(bounds.values())[-2:]
        if first - second > _CLEAR:
            break
    return _about(
        search,
        picture,
        "UCB1",
        f"UCT has played N = {playouts} random games. Each move has the win rate of MAX, who makes it, and n,"
        " how often it was tried. Which move does UCB1 choose next, by rate + c·√(ln N / n) with"
        f" c = {exploration}?",
        choice(max(bounds, key=bounds.__getitem__), [*bounds]),
        _bounds(picture, float(exploration)),
    )


def backpropagated(random: Random) -> Question:
    while True:
        text = nested(_UCT_PLIES, lambda: random.choice(("1", "-1")))
        playouts = random.randint(*_FEW_PLAYOUTS)
        search = SearchCommand("tree", text, f"uct:playouts={playouts}", random.randint(1, 999))
        before, more = search.picture(depth=2), _with_one_more(search, playouts)
        after = more.picture(depth=2)
        path = _grown(before, after)
        if len(path) == 2 and all(old.mean != new.mean for old, new in path):
            break
    (old, new), (_, reply) = path
    winner = "MAX" if new.mean > old.mean else "MIN"
    return Question(
        "Backpropagation",
        f"UCT has played {playouts} random games. Each move has the mean result of the player who makes it, a"
        " win being 1 and a loss 0, and n, how often it was tried. The next simulation begins with move"
        f" {new.move}, then {reply.move}, and {winner} wins. What are n and the mean of the first of these"
        " moves after it, and n and the mean of the second?",
        as_question(before),
        numbers(
            tuple(number for _, node in path for number in (node.visits, node.mean)),
            "n and the mean of each move",
        ),
        [*_counted(path, winner)],
        after,
        more.command(),
    )


def _with_one_more(search: SearchCommand, playouts: int) -> SearchCommand:
    return replace(search, searcher=search.searcher.replace(f"={playouts}", f"={playouts + 1}", 1))


def _bounds(picture: Picture, exploration: float) -> Iterator[str]:
    root = picture.root.visited
    for child in picture.root.children:
        if root and (node := child.visited):
            mean, total = number_text(node.mean), root.visits
            made = f"{mean} + {exploration:g}·√(ln {total} / {node.visits})"
            yield f"{child.move}: {made} = {number_text(round(node.bound(exploration), 3))}"


def _grown(before: Picture, after: Picture) -> list[tuple[RecordedNode, RecordedNode]]:
    """The nodes below the root that the last simulation went through, before and after it; no new ones."""
    known = {before.search.path_text(node.visited): node.visited for node in before.nodes if node.visited}
    found = []
    for node in after.nodes:
        if node.visited and node.above:
            old = known.get(after.search.path_text(node.visited))
            if old and old.visits < node.visited.visits:
                found.append((old, node.visited))
    return found


def _counted(path: list[tuple[RecordedNode, RecordedNode]], winner: str) -> Iterator[str]:
    yield "A simulation counts in each node of its path, for the player who made the move to it."
    moves = []
    for (old, node), mover in zip(path, ("MAX", "MIN"), strict=True):
        moves.append(str(node.move))
        result = int(mover == winner)
        mean = f"({old.visits}·{number_text(old.mean)} + {result}) / {node.visits} = {number_text(node.mean)}"
        yield f"{'>'.join(moves)}: {mover} has {result}; n = {old.visits} + 1, mean = {mean}"


_PILES = (3, 9)
_MOST_IN_PILES = 11
_FREE = (4, 5)  # squares of an ending
_VERBS = {1: "wins", 0: "draws", -1: "loses"}


def winning_moves_of_nim(random: Random) -> Question:
    wanted = random.choice((True, False))
    while True:
        piles = sorted((random.randint(*_PILES) for _ in range(random.randint(1, 2))), reverse=True)
        if sum(piles) > _MOST_IN_PILES:
            continue
        search = SearchCommand("nim", ",".join(map(str, piles)), "minimax")
        game = NimGame(piles=search.text)
        state = game.start()
        values = _results(state)
        winning = [move for move, value in values.items() if value > 0]
        if bool(winning) is wanted and len(state.moves()) > 1:
            break
    legal = [game.text(state, move) for move in values]
    return _about(
        search,
        search.picture(depth=1),
        "Splitting Nim",
        "A move splits a pile into two unequal ones; the player who cannot move loses. Which moves win?",
        some_moves({game.text(state, move) for move in winning}, legal, _legal(game, state)),
        _splits(game, state),
        game.show(state),
    )


def _results(state: State) -> dict[Any, int]:
    """Of each move, for the player who makes it."""
    table = solve(state)
    return {move: int(table[state.play(move)][state.player]) for move in state.moves()}


def end_of_tictactoe(random: Random) -> Question:
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
    search = SearchCommand("tictactoe", board, "minimax")
    result = max(values.values())
    best = tuple(game.text(state, move) for move, value in values.items() if value == result)
    mover = "XO"[state.player]
    reasons = [f"{game.text(state, move)} {_VERBS[value]}" for move, value in values.items()]
    text = f"{mover} is to move. Does {mover} win, draw or lose, and what is a best move?"
    answer = result_and_move(result, best, [game.text(state, move) for move in values], _legal(game, state))
    return _about(search, search.picture(depth=1), "Tic-tac-toe", text, answer, reasons, game.show(state))


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


def window_at_a_node(random: Random) -> Question:
    inner: list[PictureNode] = []
    while not inner:
        shape = random.choice([shape for shape in _SHAPES if len(shape) > 2])
        search = SearchCommand("tree", tree_of_numbers(random, shape), "alphabeta")
        picture = search.picture()
        inner = [node for node in picture.nodes if node.children and all(map(isfinite, _window(node)))]
    node = random.choice(inner)
    node.name = _CALLED
    alpha, beta = _window(node)
    above = "root" if node.above is None else node.above.path
    return _about(
        search,
        picture,
        "Alpha and beta",
        "Alpha-beta takes the moves in the order of their numbers. Which alpha and beta does it hand down to"
        f" the node {_CALLED}, which is {node.path}?",
        numbers((alpha, beta), "alpha and beta"),
        [
            f"root: by the moves before, MAX is sure of {alpha:g}, so alpha is {alpha:g}.",
            f"{above}: by the moves before, MIN is sure of {beta:g} there, so beta is {beta:g}.",
        ],
    )


def _window(node: PictureNode) -> tuple[float, float]:
    known = node.visited.window if node.visited else None
    return known or (-inf, inf)


def pruned_by_bounds(random: Random) -> Question:
    def lottery() -> str:
        outcomes = (f"{odds}:{random.randint(_LEAST, _MOST)}" for odds in random.choice(_QUARTERS))
        return f"[{','.join(outcomes)}]"

    leaves: list[PictureNode] = []
    while not any(leaf.pruned for leaf in leaves):
        text = f"({','.join(lottery() for _ in range(3))})"
        search = SearchCommand("tree", text, f"expectiminimax:bounds={_LEAST},{_MOST}")
        picture = search.picture()
        leaves = named_leaves(picture, ascii_lowercase)
    return _about(
        search,
        picture,
        "Pruning at chance nodes",
        f"All payoffs are from {_LEAST} to {_MOST}. Which leaves does Star1 not look at, if it takes moves"
        " and outcomes in the order of the drawing?",
        pruned(leaves),
        _hopeless(picture),
    )


def _hopeless(picture: Picture) -> Iterator[str]:
    for node in picture.root.children:
        seen = [child for child in node.children if not child.pruned]
        if len(seen) < len(node.children) and node.visited is not None:
            odds = [likely for _, likely in node.state.chances()]
            sure = sum(likely * vector(child)[0] for likely, child in zip(odds, seen, strict=False))
            left = sum(odds[len(seen) :])
            alpha = _window(node)[0]
            yield (
                f"{node.path}: {number_text(sure)} so far, and at most {number_text(left)}·{_MOST} to come:"
                f" {number_text(sure + left * _MOST)} ≤ alpha {number_text(alpha)}"
            )


def nodes_of_deepening(random: Random) -> Question:
    shape = random.choice(_DEEPENED)
    search = SearchCommand("tree", tree_of_numbers(random, shape), "minimax")
    plies = [prod(shape[:ply]) for ply in range(len(shape) + 1)]
    visited = [sum(plies[: depth + 1]) for depth in range(1, len(plies))]
    depths = f"{', '.join(map(str, range(1, len(shape))))} and {len(shape)}"
    return _about(
        search,
        search.picture(),
        "Iterative deepening",
        f"Minimax searches this tree {depths} plies deep, one depth after the other. How many nodes does the"
        " last search visit, and how many do all of them? Each visits the root, too.",
        numbers((visited[-1], sum(visited)), "the last search and all"),
        [
            *(
                f"depth {depth}: {' + '.join(map(str, plies[: depth + 1]))} = {nodes}"
                for depth, nodes in enumerate(visited, 1)
            ),
            f"all: {' + '.join(map(str, visited))} = {sum(visited)}",
        ],
    )


def positions_of_nim(random: Random) -> Question:
    nodes = 0
    while nodes not in _NODES_TO_COUNT:
        piles = tuple(sorted((random.randint(3, 8) for _ in range(random.randint(1, 3))), reverse=True))
        if sum(piles) > _MOST_IN_PILES:
            continue
        search = SearchCommand("nim", ",".join(map(str, piles)), "minimax")
        picture = search.picture()
        nodes = len(picture.nodes)
    plies = [{piles}]
    while after := {split for each in plies[-1] for split in _all_splits(each)}:
        plies.append(after)
    game = NimGame(piles=search.text)
    return _about(
        search,
        picture,
        "Transpositions",
        "A move of splitting Nim splits a pile into two unequal ones. How many nodes has the whole tree from"
        " here, the root among them, and how many different positions, each of which is searched once with a"
        " transposition table? The order of the piles does not matter.",
        numbers((nodes, sum(map(len, plies))), "nodes and positions"),
        [
            f"{counted(ply, 'move')}: {'; '.join(listed)}"
            for ply, found in enumerate(plies)
            for listed in [[" ".join(map(str, each)) for each in sorted(found, reverse=True)]]
        ],
        game.show(game.start()),
    )


def _all_splits(piles: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    for place, pile in enumerate(piles):
        for less in range(1, (pile + 1) // 2):
            rest = (*piles[:place], *piles[place + 1 :])
            yield tuple(sorted((*rest, less, pile - less), reverse=True))


def horizon(random: Random) -> Question:
    while True:
        text = tree_of_numbers(random, random.choice(_SHAPES))
        tree = TreeGame(tree=text).start()
        means = [child.payoffs[0] for child in tree.children]
        search = SearchCommand("tree", text, "minimax")
        near, far = (
            replace(search, searcher=searcher).watched().decision.move
            for searcher in ("minimax:depth=1", "minimax")
        )
        if near != far and len({*means}) == len(means):
            break
    picture = search.picture()
    return _about(
        search,
        picture,
        "The horizon",
        "One ply deep a search takes the mean of all leaves below a node as its estimate. Which move does it"
        " choose so, and which does minimax choose that goes on to the leaves?",
        numbers((near, far), "the two moves"),
        [
            *(
                f"{child.move}: estimate {number_text(mean)}, value {shown_value(child, picture.search)}"
                for child, mean in zip(picture.root.children, means, strict=True)
            ),
            f"One ply deep {near} looks best; the moves that follow are behind the horizon.",
        ],
    )


def retrograde_wins(random: Random) -> Question:
    while True:
        moves = {
            name: sorted(random.sample(_POSITIONS.replace(name, ""), random.randint(0, _MOST_MOVES)))
            for name in _POSITIONS
        }
        verdicts = _backwards(moves)
        kinds = [_VERBS[sign] for sign, _ in verdicts.values()]
        if min(map(kinds.count, _VERBS.values())) > 0 and max(plies for _, plies in verdicts.values()) > 2:
            break
    won = "".join(name for name, (sign, _) in verdicts.items() if sign > 0)
    listed = "\n".join(f"{name}: {', '.join(after) or 'no move'}" for name, after in moves.items())
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
        "Retrograde analysis",
        "From each position the player to move can go to those that are listed; a player with no move has"
        " lost. Play that goes round in circles is a draw. In which positions does the player to move win?",
        listed,
        some_leaves(won, _POSITIONS),
        [*rounds, f"drawn, as neither is ever found: {drawn}"],
        "\n".join(told),
        "",
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
    return {
        name: (0 if verdict.winner is None else 1 if verdict.winner == 0 else -1, verdict.plies)
        for name, verdict in found
    }


def linear_evaluation(random: Random) -> Question:
    while True:
        weights = random.choice(_TENTHS)
        rows = [[random.randint(-3, 3) for _ in _FEATURES] for _ in range(3)]
        tenths = [sum(map(mul, weights, row)) for row in rows]
        best = max(range(len(rows)), key=tenths.__getitem__)
        if len({*tenths}) == len(tenths) and best != max(range(len(rows)), key=lambda move: rows[move][0]):
            break
    search = SearchCommand("tree", f"({','.join(f'{each / 10:g}' for each in tenths)})", "minimax")
    given = ", ".join(f"{name} {weight / 10:g}" for name, weight in zip(_FEATURES, weights, strict=True))
    described = (
        f"after move {move}: "
        + ", ".join(f"{name} {count}" for name, count in zip(_FEATURES, row, strict=True))
        for move, row in enumerate(rows)
    )
    return _about(
        search,
        search.picture(),
        "A linear evaluation",
        "An evaluation is the sum of features, each times its weight, for MAX. Which move does MAX choose one"
        " ply deep, and what is its value?",
        numbers((best, tenths[best] / 10), "the move and its value"),
        [
            f"{move}: {' + '.join(terms)} = {value / 10:g}"
            for move, (row, value) in enumerate(zip(rows, tenths, strict=True))
            for terms in [[f"{weight / 10:g}·({each})" for weight, each in zip(weights, row, strict=True)]]
        ],
        "\n".join((f"weights: {given}", *described)),
    )


def move_to_front(random: Random) -> Question:
    rule = random.choice(list(RULES))
    threats = RULES[rule](0, _OPPONENTS + 1)
    found = [random.choice(threats.order) for _ in range(_REPLIES)]
    places, lists = [], []
    for opponent in found:
        places.append(threats.order.index(opponent) + 1)
        lists.append(" ".join(f"p{each + 1}" for each in threats.order))
        threats.blame(opponent)
    how = "moves to the front" if rule == "move-to-front" else "changes places with the one before"
    names = [f"p{opponent + 1}" for opponent in found]
    return Question(
        "The list of Threat-ADS",
        f"Threat-ADS asks its opponents in the order of this list; the one whose reply is the strongest then"
        f" {how}. The strongest replies are those of {', then '.join(names)}. In which place of the list is"
        " each of them found?",
        lists[0],
        numbers(places, "a place each"),
        [f"{name} in place {place} of {at}" for name, place, at in zip(names, places, lists, strict=True)],
        " ".join(f"p{each + 1}" for each in threats.order),
        "",
    )


TOPICS: dict[str, Callable[[Random], Question]] = {
    "minimax": minimax_value,
    "alphabeta": pruned_leaves,
    "best-order": pruned_leaves_in_best_order,
    "expectiminimax": expected_value,
    "maxn": maxn_vector,
    "paranoid": paranoid_value,
    "best-reply": best_reply_choice,
    "ucb": ucb_choice,
    "backpropagation": backpropagated,
    "nim": winning_moves_of_nim,
    "tictactoe": end_of_tictactoe,
    "window": window_at_a_node,
    "star1": pruned_by_bounds,
    "deepening": nodes_of_deepening,
    "transpositions": positions_of_nim,
    "horizon": horizon,
    "retrograde": retrograde_wins,
    "linear": linear_evaluation,
    "move-to-front": move_to_front,
}


def questions(topics: Sequence[str], count: int, seed: int) -> Iterator[Question]:
    """`count` questions, the topics one after the other and again. The same seed asks the same questions."""
    random = Random(seed)
    for topic in islice(cycle(topics), count):
        yield TOPICS[topic](Random(random.getrandbits(64)))
