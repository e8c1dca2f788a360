"""Questions about UCT: which child UCB1 chooses, and what a simulation changes in the nodes of its path."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from protocol.cli.quizzes.answers import NumbersAnswer, choice
from protocol.cli.quizzes.question import Question, SearchCommand
from protocol.cli.quizzes.random_trees import nested
from protocol.cli.trees.picture import as_question
from protocol.cli.trees.watched_search import number_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from engine.games.textbook.recording import RecordedNode
    from protocol.cli.trees.picture import Picture

_ARMS = (3, 4)
_PLAYOUTS = (8, 20)
_THREE_PLIES, _FEW_PLAYOUTS = (2, 2, 3), (6, 14)
_EXPLORATIONS = ("0.5", "1", "1.5")
_CLEAR = 0.03  # the least by which the highest bound exceeds the next


def ucb_choice(random: Random) -> Question:
    """The child of the root that UCT selects in its next simulation; it is clear which."""
    while True:
        text = nested(_ARMS, lambda: random.choice(("1", "-1")))
        playouts, exploration = random.randint(*_PLAYOUTS), random.choice(_EXPLORATIONS)
        searcher = f"uct:playouts={playouts}:exploration={exploration}"
        search = SearchCommand("tree", text, searcher, random.randint(1, 999))
        picture = search.picture(depth=1)
        children = [child.visited for child in picture.root.children if child.visited]
        bounds = sorted((child.bound(float(exploration)) for child in children), reverse=True)
        if bounds[0] - bounds[1] > _CLEAR:
            break
    chosen = _next_selected(search, playouts)
    names = [child.move for child in picture.root.children]
    return Question(
        "UCB1",
        f"UCT has played N = {playouts} random games. Each move has the win rate of MAX, who makes it, and n,"
        " how often it was tried. Which move does UCB1 choose next, by rate + c·√(ln N / n) with"
        f" c = {exploration}?",
        as_question(picture),
        choice(chosen, names),
        [*_bounds(picture, float(exploration))],
        picture,
        search.command(),
    )


def backpropagated(random: Random) -> Question:
    """Visits and means of the first two moves of a simulation after it; it changes both means."""
    while True:
        text = nested(_THREE_PLIES, lambda: random.choice(("1", "-1")))
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
        NumbersAnswer(
            tuple(number for _, node in path for number in (node.visits, node.mean)),
            "n and the mean of each move",
        ),
        [*_counted(path, winner)],
        after,
        more.command(),
    )


def _next_selected(search: SearchCommand, playouts: int) -> str:
    """The move that one more simulation goes on with."""
    before, after = (_visits(each.picture(depth=1)) for each in (search, _with_one_more(search, playouts)))
    (chosen,) = (move for move, visits in after.items() if visits > before[move])
    return chosen


def _with_one_more(search: SearchCommand, playouts: int) -> SearchCommand:
    """The same search with one more simulation."""
    return replace(search, searcher=search.searcher.replace(f"={playouts}", f"={playouts + 1}", 1))


def _visits(picture: Picture) -> dict[str, int]:
    return {child.move: child.visited.visits for child in picture.root.children if child.visited}


def _bounds(picture: Picture, exploration: float) -> Iterator[str]:
    """The upper confidence bound of each child of the root."""
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
    """How visits and mean of each node come from those before."""
    yield "A simulation counts in each node of its path, for the player who made the move to it."
    moves = []
    for (old, node), mover in zip(path, ("MAX", "MIN"), strict=True):
        moves.append(str(node.move))
        result = int(mover == winner)
        mean = f"({old.visits}·{number_text(old.mean)} + {result}) / {node.visits} = {number_text(node.mean)}"
        yield f"{'>'.join(moves)}: {mover} has {result}; n = {old.visits} + 1, mean = {mean}"
