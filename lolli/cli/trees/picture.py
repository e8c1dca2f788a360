"""Which part of a searched tree is drawn, what stands at its nodes and where; the tree in the terminal."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any

from rich.text import Text
from rich.tree import Tree as Branches

from engine.games.rules.game import CHANCE, OVER, Move, State
from engine.games.search.recording import Act, RecordedNode, Worth
from lolli.cli.trees.search import (
    WatchedSearch,
    is_extended,
    number_text,
    odds_text,
    window_text,
    worth_text,
)

_COUSINS = 0.4  # more room between nodes of different parents, in widths of a node
PRIOR = "P"
"""Before the probability that a policy gives to a move."""
BOUND = "bound "
"""Before an upper confidence bound."""
_WHOLE = "tree"
"""The game whose pruned branches are drawn down to the leaves: they are part of the figure."""


@dataclass(frozen=True, slots=True)
class PictureLimits:
    """How much is drawn: plies below the root, moves of a node, nodes in all; None is no limit."""

    depth: int | None = None
    breadth: int | None = None
    nodes: int | None = None

    def room(self, depth: int, children: int, drawn: int) -> int:
        """How many of the `children` of a node may be drawn, `depth` plies below the root."""
        most = [children, 0 if self.depth is not None and depth >= self.depth else children]
        most += [] if self.breadth is None else [self.breadth]
        most += [] if self.nodes is None else [max(0, self.nodes - drawn)]
        return min(most)


@dataclass(slots=True, eq=False)
class PictureNode:
    """A node that is drawn: one that was visited, or one in a branch that was `pruned`.

    `untried`: the probability of a move that a policy knows, and that no simulation has tried.
    `player` to move there; `shape`: max, min, chance, player, or leaf. `name`: by which a question asks for
    it. `best`: on the line of best play. `left_out`: how many visited nodes and pruned branches below it
    are not drawn. `x` and `y` count widths and plies.
    """

    above: PictureNode | None
    state: State
    visited: RecordedNode | None
    untried: float | None = None
    move: str = ""
    player: str = ""
    shape: str = "leaf"
    odds: str = ""
    name: str = ""
    pruned: bool = False
    best: bool = False
    left_out: int = 0
    children: list[PictureNode] = field(default_factory=list)
    x: float = 0.0
    y: int = 0


@dataclass(frozen=True, slots=True)
class Picture:
    """What is drawn, the nodes in the order of the search, and what is not, in a sentence."""

    search: WatchedSearch
    nodes: Sequence[PictureNode]
    left_out: str

    @property
    def root(self) -> PictureNode:
        return self.nodes[0]

    @property
    def width(self) -> float:
        """In widths of a node."""
        return max(node.x for node in self.nodes) + 1

    @property
    def height(self) -> int:
        """In plies, that of the root among them."""
        return max(node.y for node in self.nodes) + 1


def picture_of(search: WatchedSearch, limits: PictureLimits, *, with_options: bool = True) -> Picture:
    """The part of the tree that the limits leave, ply by ply, and laid out.

    `with_options`: whether the sentence about what is left out names the options of `lolli tree`.
    """
    sizes = _sizes(search)
    root = _drawn(search, None, search.state, search.recording.root, best=True)
    count, waiting = 1, deque([root])
    while waiting:
        node = waiting.popleft()
        candidates = _candidates(search, node)
        _mark_best(search, node, candidates)
        room = limits.room(node.y, len(candidates), count)
        node.children = _most_important(search, node, candidates, room)
        if node.visited is not None:
            kept = set(node.children)
            lost = (child.visited for child in candidates if child not in kept)
            node.left_out = sum(1 if visited is None else sizes[visited.number] for visited in lost)
        count += len(node.children)
        waiting.extend(node.children)
    _place(root)
    nodes = list(_in_order(root))
    return Picture(search, nodes, _left_out(search, nodes, limits if with_options else PictureLimits()))


def as_question(picture: Picture) -> Picture:
    """The tree before the search: leaves have their payoffs, other nodes nothing but who moves there.

    Of sampling the visits and the means stay, without the upper bounds.
    """
    search = picture.search
    if search.sampling:
        search = replace(search, recording=replace(search.recording, exploration=None))
    copies: dict[PictureNode | None, PictureNode | None] = {None: None}
    for node in picture.nodes:
        visited = node.visited if search.sampling else None
        above = copies[node.above]
        copy = replace(node, above=above, visited=visited, pruned=False, best=False, left_out=0, children=[])
        copies[node] = copy
        if copy.above is not None:
            copy.above.children.append(copy)
    return Picture(search, [copy for copy in copies.values() if copy is not None], "")


def shown_value(node: PictureNode, search: WatchedSearch) -> str:
    """The value at the end, `≤ 2` or `≥ 7` where it is a bound; a payoff that nobody has looked at."""
    visited = node.visited
    if visited is None:
        if node.state.player != OVER:
            return ""
        payoffs = tuple(node.state.payoff())
        several = search.searcher == "maxn"
        return worth_text(payoffs if several else payoffs[search.recording.max_player])
    if visited.value is None:
        return ""
    return bound_sign(visited, visited.value) + worth_text(visited.value)


def bound_sign(node: RecordedNode, value: Worth | None) -> str:
    """`≤ ` or `≥ ` where a value that comes back from below the node is only a bound, by its window."""
    if node.source == "table" and node.same is not None:
        return bound_sign(node.same, value)
    if node.window is None or node.source or not isinstance(value, int | float):
        return ""
    alpha, beta = node.window
    return "≤ " if value <= alpha > -inf else "≥ " if value >= beta < inf else ""


def notes(node: PictureNode, search: WatchedSearch) -> list[str]:
    """What is special about a node, in a few words each."""
    visited = node.visited
    found = [node.name] if node.name else []
    if node.untried is not None:
        return [*found, "n 0", prior_text(node.untried)]
    if visited is None:
        return found
    if visited.asked:
        found.append(f"asks {' '.join(map(search.name_text, visited.asked))}")
    if visited.above is not None and visited.above.asked and visited.mover is not None:
        found.append(f"{search.name_text(visited.mover)} replies")
    if visited.source == "table":
        found.append(f"table: as {search.path_text(visited.same)}" if visited.same else "table")
    if is_extended(visited):
        found.append("extended")
    if visited.depth <= 0 and visited.children and not search.sampling:
        found.append("quiescence")
    if visited.aside and not (visited.above and visited.above.aside):
        found.append("singular?")
    return [*found, *_sampled_notes(visited, search)] if search.sampling else found


def _sampled_notes(visited: RecordedNode, search: WatchedSearch) -> Iterator[str]:
    """Visits, the probability that a policy gave to the move, and the upper bound."""
    yield f"n {visited.visits}"
    if visited.prior is not None:
        yield prior_text(visited.prior)
    if search.recording.exploration is not None and visited.above is not None and visited.visits:
        yield f"{BOUND}{number_text(round(visited.bound(search.recording.exploration), 2))}"


def prior_text(prior: float) -> str:
    """`P 0.54`."""
    return f"{PRIOR} {number_text(round(prior, 2))}"


def last_windows(search: WatchedSearch) -> dict[RecordedNode, tuple[float, float]]:
    """Alpha and beta of each node as they were at last."""
    return {
        step.node: step.window
        for step in search.recording.steps
        if step.window is not None and step.act is not Act.ENTER
    }


def _sizes(search: WatchedSearch) -> list[int]:
    """How many nodes and pruned branches there are from each node on, by its number."""
    sizes = [1 + len(node.pruned) for node in search.recording.nodes]
    for node in reversed(search.recording.nodes):
        if node.above is not None:
            sizes[node.above.number] += sizes[node.number]
    return sizes


def _drawn(
    search: WatchedSearch,
    above: PictureNode | None,
    state: State,
    visited: RecordedNode | None = None,
    **more: Any,
) -> PictureNode:
    """A node with who moves there, and its shape."""
    node = PictureNode(above, state, visited, y=0 if above is None else above.y + 1, **more)
    node.player = search.player_text(state.player)
    if state.player == OVER or (visited is not None and visited.source):
        node.shape = "leaf"
    elif state.player == CHANCE:
        node.shape = "chance"
    elif search.has_sides:
        node.shape = "max" if state.player == search.recording.max_player else "min"
    else:
        node.shape = "player"
    return node


def _candidates(search: WatchedSearch, node: PictureNode) -> list[PictureNode]:
    """All nodes below one: those visited, in their order, those pruned and, of the root, those untried."""
    if node.visited is None:
        moves = node.state.moves() if search.game.name == _WHOLE else ()
        return [_pruned(search, node, node.state, move) for move in moves]
    found = []
    for child in node.visited.children:
        odds = "" if child.likely is None else odds_text(child.likely)
        found.append(_drawn(search, node, child.state, child, move=search.step_text(child), odds=odds))
    for move, mover in node.visited.pruned:
        before = node.state if node.state.player == mover else node.state.turn(mover)
        found.append(_pruned(search, node, before, move))
    for move, prior in node.visited.untried() if node.above is None else ():
        text = search.game.text(node.state, move)
        found.append(_drawn(search, node, node.state.play(move), untried=prior, move=text))
    return found


def _pruned(search: WatchedSearch, above: PictureNode, before: State, move: Move) -> PictureNode:
    odds = odds_text(dict(before.chances())[move]) if before.player == CHANCE else ""
    text = search.game.text(before, move)
    return _drawn(search, above, before.play(move), move=text, odds=odds, pruned=True)


def _most_important(
    search: WatchedSearch, node: PictureNode, candidates: list[PictureNode], room: int
) -> list[PictureNode]:
    """As many as there is room for, in their order: the first ones and the best; the most visited of UCT."""
    if room >= len(candidates):
        return candidates
    marked = next((each for each in candidates if each.best), None)
    best = marked or _best_child(search, node, candidates)

    def importance(place: int) -> tuple[bool, int, int]:
        visited = candidates[place].visited
        return candidates[place] is not best, -(visited.visits if visited else 0), place

    kept = sorted(range(len(candidates)), key=importance)[:room]
    return [candidates[place] for place in sorted(kept)]


def _best_child(
    search: WatchedSearch, node: PictureNode, children: Sequence[PictureNode]
) -> PictureNode | None:
    """The child whose value the node has, or the most visited one; None where there is none."""
    if node.visited is None or node.state.player < 0:
        return None
    visited = [child for child in children if child.visited is not None and not child.visited.aside]
    if search.sampling:
        return max(visited, key=lambda child: child.visited.visits if child.visited else 0, default=None)
    value = node.visited.value
    return next((child for child in visited if child.visited and child.visited.value == value), None)


def _mark_best(search: WatchedSearch, node: PictureNode, children: Sequence[PictureNode]) -> None:
    """Mark the next node of the line that was decided on, if `node` is on it."""
    line = search.decision.line
    if not node.best or node.y >= len(line):
        return
    for child in children:
        if child.visited is not None and not child.visited.aside and child.visited.move == line[node.y]:
            child.best = True
            return


def _place(root: PictureNode) -> None:
    """Leaves side by side, every other node above the middle of its children."""
    at = 0.0
    for node in _from_below(root):
        if node.children:
            node.x = (node.children[0].x + node.children[-1].x) / 2
            at += _COUSINS
        else:
            node.x = at
            at += 1


def _from_below(node: PictureNode) -> Iterator[PictureNode]:
    for child in node.children:
        yield from _from_below(child)
    yield node


def _in_order(node: PictureNode) -> Iterator[PictureNode]:
    yield node
    for child in node.children:
        yield from _in_order(child)


def _left_out(search: WatchedSearch, nodes: Sequence[PictureNode], limits: PictureLimits) -> str:
    """How many of the nodes, the pruned branches and the untried moves are drawn, if not all, and why."""
    visited = len(search.recording.nodes), sum(node.visited is not None for node in nodes)
    branches = [node for node in nodes if node.pruned and node.above and not node.above.pruned]
    pruned = sum(len(node.pruned) for node in search.recording.nodes), len(branches)
    untried = len(search.recording.root.untried()), sum(node.untried is not None for node in nodes)
    counted = (("nodes", visited), ("pruned branches", pruned), ("untried moves of the root", untried))
    parts = [f"{drawn:,} of {every:,} {what}" for what, (every, drawn) in counted if drawn < every]
    if not parts:
        return ""
    named = {"--depth": limits.depth, "--breadth": limits.breadth, "--nodes": limits.nodes}
    why = ", ".join(f"{name} {limit}" for name, limit in named.items() if limit is not None)
    return f"{' and '.join(parts)} are drawn{f' ({why})' if why else ''}"


_SHAPES = {"max": "△", "min": "▽", "chance": "○", "player": "◇", "leaf": "□"}
_GUIDE = "bright_black"


def terminal_tree(picture: Picture) -> Branches:
    """The tree as lines, a node each: move, player, value, window, and what is special."""
    windows = last_windows(picture.search)
    root = Branches(_label(picture, picture.root, windows), guide_style=_GUIDE)
    waiting = [(picture.root, root)]
    while waiting:
        node, branch = waiting.pop()
        waiting += [(child, branch.add(_label(picture, child, windows))) for child in node.children]
        if node.left_out:
            branch.add(Text(f"… {node.left_out:,} more", style="dim"))
    return root


def _label(picture: Picture, node: PictureNode, windows: dict[RecordedNode, tuple[float, float]]) -> Text:
    value = shown_value(node, picture.search)
    if node.pruned:
        name = f"· {node.name}" if node.name else ""
        words = " ".join(filter(None, (node.move, _SHAPES[node.shape], value, name)))
        return Text.assemble((words, "strike dim"), (" pruned", "red"))
    label = Text(style="bold" if node.best else "" if node.untried is None else "dim")
    if node.move:
        label.append(f"{node.move} ", "cyan")
    if node.odds:
        label.append(f"({node.odds}) ", "magenta")
    label.append(_SHAPES[node.shape])
    if node.shape != "leaf":
        label.append(f" {node.player}")
    if value:
        label.append(f" {value}", "green" if node.best else "")
    window = windows.get(node.visited) if node.visited else None
    if window is not None:
        is_cut = bool(node.visited and node.visited.pruned)
        label.append(f" {window_text(window)}", "red" if is_cut else "dim")
    for note in notes(node, picture.search):
        label.append(f" · {note}", "yellow")
    return label
