"""A searched tree in the terminal, as a picture, and as a page to step through."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from itertools import groupby, product
from pathlib import Path
from statistics import fmean
from typing import Any

from rich.text import Text
from rich.tree import Tree as Branches

from engine.games.rules.game import CHANCE, OVER, Move, State
from engine.games.rules.nim import Nim
from engine.games.rules.tree import Tree
from engine.games.search.recording import Act, RecordedNode
from lolli.cli.terminal.board import squares_of
from lolli.cli.terminal.screen import with_real_minus
from lolli.cli.trees import (
    WatchedSearch,
    bound_sign,
    is_extended,
    number_text,
    odds_text,
    window_text,
    worth_text,
)
from lolli.cli.trees.boards import UNIT, board_svg, split_piles, square_size

_TURNS = 10  # down and up, in which equal states as one node are placed
_GAP = 1.25  # between these, in widths of a node
_COUSINS = 0.4  # more room between nodes of different parents, in widths of a node
PRIOR = "P"
"""Before the probability that a policy gives to a move."""
BOUND = "bound "
"""Before an upper confidence bound."""
_WHOLE = "tree"  # the game whose pruned branches are drawn down to the leaves: they are part of the figure


@dataclass(slots=True, eq=False)
class PictureNode:
    """A node that is drawn: one that was visited, or one in a branch that was `pruned`.

    `untried`: the probability of a move with no simulation; `likely`: of an outcome. `shape`: max, min,
    chance, player or leaf.
    `best`: on the line of best play. `left_out`: visited nodes and pruned branches below that are not drawn.
    `piles`: of Nim, all of them. `joined`: further nodes from which a move, in text, leads to this state.
    `x` and `y` count widths and plies.
    """

    above: PictureNode | None
    state: State
    visited: RecordedNode | None
    untried: float | None = None
    move: str = ""
    player: str = ""
    shape: str = "leaf"
    likely: float | None = None
    name: str = ""
    pruned: bool = False
    best: bool = False
    left_out: int = 0
    children: list[PictureNode] = field(default_factory=list)
    piles: str = ""
    joined: list[tuple[PictureNode, str]] = field(default_factory=list)
    x: float = 0.0
    y: int = 0

    @property
    def path(self) -> str:
        """The moves from the root, as in `B2>A1`."""
        return f"{self.above.path}>{self.move}".removeprefix("root>") if self.above else "root"

    def edges(self) -> Iterator[tuple[PictureNode, str]]:
        """Each node above it, with the words at the edge."""
        if self.above is not None:
            yield self.above, self.words()
        yield from self.joined

    def words(self) -> str:
        """The move, and the probability of an outcome."""
        return self.move if self.likely is None else f"{self.move} ({odds_text(self.likely)})"


@dataclass(frozen=True, slots=True)
class Picture:
    """`boards`: draw the states in the nodes. `whole`: all nodes to the depth of the search are there."""

    search: WatchedSearch
    nodes: Sequence[PictureNode]
    left_out: str
    boards: bool = False
    whole: bool = False

    @property
    def root(self) -> PictureNode:
        return self.nodes[0]

    @property
    def width(self) -> float:
        return max(node.x for node in self.nodes) + 1

    @property
    def height(self) -> int:
        return max(node.y for node in self.nodes) + 1


def picture_of(
    search: WatchedSearch,
    *,
    depth: int | None = None,
    breadth: int | None = None,
    nodes: int | None = None,
    boards: bool = False,
    merge: bool = False,
    whole: bool = False,
    with_options: bool = True,
) -> Picture:
    """At most `depth` plies, `breadth` moves of a node, `nodes` in all; `with_options`: name the options.

    `merge`: draw equal states as one node. `whole`: draw pruned branches down to the depth of the search.
    """
    whole = whole or search.game.name == _WHOLE
    sizes = _sizes(search)
    root = _drawn(search, None, search.state, search.recording.root, best=True)
    count, waiting = 1, deque([root])
    drawn_states = {root.state: root}
    while waiting:
        node = waiting.popleft()
        candidates = _candidates(search, node, whole=whole)
        _mark_best(search, node, candidates)
        rooms = (breadth, nodes and max(0, nodes - count), None if depth is None or node.y < depth else 0)
        room = min((each for each in rooms if each is not None), default=len(candidates))
        node.children = _most_important(search, node, candidates, room)
        if node.visited is not None:
            kept = set(node.children)
            lost = (child.visited for child in candidates if child not in kept)
            node.left_out = sum(1 if visited is None else sizes[visited.number] for visited in lost)
        if merge:
            node.children = [child for child in node.children if not _is_joined(child, drawn_states)]
        count += len(node.children)
        waiting.extend(node.children)
    _place(root)
    drawn = list(_in_order(root))
    if any(node.joined for node in drawn):
        _place_shared(drawn)
    limits = {"--depth": depth, "--breadth": breadth, "--nodes": nodes if count == nodes else None}
    return Picture(
        search, drawn, _left_out(search, drawn, limits if with_options else {}, merge=merge), boards
    )


def _is_joined(node: PictureNode, drawn_states: dict[State, PictureNode]) -> bool:
    """Whether a node with this state is drawn already: then its move leads there."""
    first = drawn_states.setdefault(node.state, node)
    if first is node or node.above is None:
        return False
    first.joined.append((node.above, node.move))
    first.best |= node.best
    if first.pruned and not first.children:
        first.visited, first.pruned = node.visited, node.pruned
    return True


def as_question(picture: Picture) -> Picture:
    """The tree before the search: only leaves have values; of sampling, visits and means stay."""
    search = picture.search
    if search.sampling:
        search = replace(search, recording=replace(search.recording, exploration=None))
    copies: dict[PictureNode, PictureNode] = {}
    for node in picture.nodes:
        visited = node.visited if search.sampling else None
        above = copies[node.above] if node.above else None
        copies[node] = replace(
            node, above=above, visited=visited, pruned=False, best=False, left_out=0, children=[], joined=[]
        )
        if above is not None:
            above.children.append(copies[node])
    return Picture(search, [*copies.values()], "", picture.boards)


def shown_value(node: PictureNode, search: WatchedSearch) -> str:
    """The value at the end, `≤ 2` or `≥ 7` where it is a bound; a payoff that nobody has looked at."""
    visited = node.visited
    if visited is None:
        if node.state.player != OVER:
            return ""
        if isinstance(node.state, Tree) and node.state.name:
            return node.state.name
        payoffs = tuple(node.state.payoff())
        several = search.searcher == "maxn"
        return worth_text(payoffs if several else payoffs[search.recording.max_player])
    if visited.value is None:
        return ""
    return bound_sign(visited, visited.value) + worth_text(visited.value)


def notes(node: PictureNode, search: WatchedSearch) -> list[str]:
    visited = node.visited
    found = [node.name] if node.name and not node.children else []
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
    yield f"n {visited.visits}"
    if visited.prior is not None:
        yield prior_text(visited.prior)
    if search.recording.exploration is not None and visited.above is not None and visited.visits:
        yield f"{BOUND}{number_text(round(visited.bound(search.recording.exploration), 2))}"


def prior_text(prior: float) -> str:
    return f"{PRIOR} {number_text(round(prior, 2))}"


def last_windows(search: WatchedSearch) -> dict[RecordedNode, tuple[float, float]]:
    """Alpha and beta of each node at the end of its search."""
    return {
        step.node: step.window
        for step in search.recording.steps
        if step.window is not None and step.act is not Act.ENTER
    }


def _sizes(search: WatchedSearch) -> list[int]:
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
    node = PictureNode(above, state, visited, y=0 if above is None else above.y + 1, **more)
    node.player = search.player_text(state.player)
    if isinstance(state, Nim):
        node.piles = split_piles(above.piles, node.move) if above else "-".join(map(str, state.piles))
    if isinstance(state, Tree) and state.children:
        node.name = state.name
    if state.player == OVER or (visited is not None and visited.source):
        node.shape = "leaf"
    elif state.player == CHANCE:
        node.shape = "chance"
    elif search.has_sides:
        node.shape = "max" if state.player == search.recording.max_player else "min"
    else:
        node.shape = "player"
    return node


def _candidates(search: WatchedSearch, node: PictureNode, *, whole: bool) -> list[PictureNode]:
    if node.visited is None:
        moves = node.state.moves() if whole and plies_left(node) > 0 else ()
        return [_pruned(search, node, node.state, move) for move in moves]
    found = [
        _drawn(search, node, child.state, child, move=search.step_text(child), likely=child.likely)
        for child in node.visited.children
    ]
    for move, mover in node.visited.pruned:
        before = node.state if node.state.player == mover else node.state.turn(mover)
        found.append(_pruned(search, node, before, move))
    for move, prior in node.visited.untried() if node.above is None else ():
        text = search.game.text(node.state, move)
        found.append(_drawn(search, node, node.state.play(move), untried=prior, move=text))
    return found


def plies_left(node: PictureNode) -> int:
    """How many plies a search to the depth of the one that was recorded has left at this node."""
    plies = 0
    while node.visited is None and node.above is not None:
        node = node.above
        plies += node.state.player != CHANCE
    return (node.visited.depth if node.visited else 0) - plies


def _pruned(search: WatchedSearch, above: PictureNode, before: State, move: Move) -> PictureNode:
    likely = dict(before.chances())[move] if before.player == CHANCE else None
    text = search.game.text(before, move)
    return _drawn(search, above, before.play(move), move=text, likely=likely, pruned=True)


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
    if node.visited is None or node.state.player < 0:
        return None
    visited = [child for child in children if child.visited is not None and not child.visited.aside]
    if search.sampling:
        return max(visited, key=lambda child: child.visited.visits if child.visited else 0, default=None)
    value = node.visited.value
    return next((child for child in visited if child.visited and child.visited.value == value), None)


def _mark_best(search: WatchedSearch, node: PictureNode, children: Sequence[PictureNode]) -> None:
    line = search.decision.line
    if not node.best or node.y >= len(line):
        return
    for child in children:
        if child.visited is not None and not child.visited.aside and child.visited.move == line[node.y]:
            child.best = True
            return


def _place(node: PictureNode, at: float = 0.0) -> float:
    """Place a node and those below it, the first leaf at `at`. Returns where the next leaf may stand."""
    for child in node.children:
        at = _place(child, at)
    if node.children:
        node.x = (node.children[0].x + node.children[-1].x) / 2
        return at + _COUSINS
    node.x = at
    return at + 1


def _place_shared(nodes: Sequence[PictureNode]) -> None:
    """Put nodes below those that lead to them, and these above them, by turns: Sugiyama's barycentres."""
    placed = sorted(nodes, key=lambda node: (node.y, node.x))
    plies = [list(ply) for _, ply in groupby(placed, key=lambda node: node.y)]
    above = {node: [above for above, _ in node.edges()] for node in nodes}
    below: dict[PictureNode, list[PictureNode]] = {node: [] for node in nodes}
    for node in nodes:
        for each in above[node]:
            below[each].append(node)
    for turn in range(_TURNS):
        downwards = turn % 2 == 0
        for ply in plies if downwards else reversed(plies):
            near = above if downwards else below
            wanted = {node: fmean([each.x for each in near[node]] or [node.x]) for node in ply}
            ply.sort(key=lambda node: wanted[node] if downwards else node.x)
            for node, x in zip(ply, _apart([wanted[node] for node in ply]), strict=True):
                node.x = x
    left = min(node.x for node in above)
    for node in above:
        node.x -= left


def _apart(wanted: Sequence[float]) -> Iterator[float]:
    """The places nearest to the wanted ones that are _GAP apart, in their order: pool adjacent violators."""
    pools: list[tuple[float, int]] = []  # the sum of what is wanted for the first place, of how many
    for place, x in enumerate(wanted):
        pool = (x - place * _GAP, 1)
        while pools and pools[-1][0] / pools[-1][1] > pool[0] / pool[1]:
            total, count = pools.pop()
            pool = (total + pool[0], count + pool[1])
        pools.append(pool)
    starts = (total / count for total, count in pools for _ in range(count))
    return (place * _GAP + start for place, start in enumerate(starts))


def _in_order(node: PictureNode) -> Iterator[PictureNode]:
    yield node
    for child in node.children:
        yield from _in_order(child)


def _left_out(
    search: WatchedSearch, nodes: Sequence[PictureNode], limits: dict[str, int | None], *, merge: bool
) -> str:
    visited = len(search.recording.nodes), sum(node.visited is not None for node in nodes)
    branches = [node for node in nodes if node.pruned and node.above and not node.above.pruned]
    pruned = sum(len(node.pruned) for node in search.recording.nodes), len(branches)
    untried = len(search.recording.root.untried()), sum(node.untried is not None for node in nodes)
    counted = (("nodes", visited), ("pruned branches", pruned), ("untried moves of the root", untried))
    parts = [f"{drawn:,} of {every:,} {what}" for what, (every, drawn) in counted if drawn < every]
    if not parts:
        return ""
    why = ", ".join(
        [f"{name} {limit}" for name, limit in limits.items() if limit is not None]
        + ["equal positions as one"] * merge
    )
    return f"{' and '.join(parts)} are drawn{f' ({why})' if why else ''}"


SIGNS = {"max": "△", "min": "▽", "chance": "○", "player": "◇", "leaf": "□"}
_GUIDE = "bright_black"


def terminal_tree(picture: Picture) -> Branches:
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
        name = node.name if node.children or not node.name else f"· {node.name}"
        words = " ".join(filter(None, (node.move, SIGNS[node.shape], value, name)))
        pruned = Text.assemble((words, "strike dim"), (" pruned", "red"))
        return _with_board(pruned, picture, node)
    window = windows.get(node.visited) if node.visited else None
    is_cut = bool(node.visited and node.visited.pruned)
    label = Text.assemble(
        (f"{node.move} " if node.move else "", "cyan"),
        (f"({odds_text(node.likely)}) " if node.likely is not None else "", "magenta"),
        " ".join(filter(None, (SIGNS[node.shape], node.player if node.shape != "leaf" else ""))),
        f" {node.name}" if node.children and node.name else "",
        (f" {value}" if value else "", "green" if node.best else ""),
        (f" {window_text(window)}" if window else "", "red" if is_cut else "dim"),
        *((f" · {note}", "yellow") for note in notes(node, picture.search)),
        *((f" · also {above.path}>{move}".replace("root>", ""), "magenta") for above, move in node.joined),
        style="bold" if node.best else "" if node.untried is None else "dim",
    )
    return _with_board(label, picture, node)


def _with_board(label: Text, picture: Picture, node: PictureNode) -> Text:
    if not picture.boards:
        return label
    if node.piles:
        label.append(f" · {node.piles}", "cyan")
    for row in squares_of(picture.search.game, node.state):
        label.append("\n" + " ".join(mark or " " for mark in row))
    return label


_PLY, _WORDS = 112, 2  # pixels from a node to those below it, with room for this many lines of small words
_WORDS_AT, _STRIKE_AT = 27, 42  # pixels above the lower end of an edge
_HIGHER = range(_WORDS_AT, 90, 7)  # where else words are, if others are in the way
_CELL = 7  # pixels
_JOINED = 24  # more room between plies for the words of edges that meet
_MARGIN = 24
_HEAD, _FOOT = 40, 28  # room for the title, and for what is left out
_LAST_PLY, _LINE = 72, 12  # room for the nodes of the last ply, and for each line of words below them
_NARROWEST = 50  # pixels of a node with its words
_LETTER, _BOLD_LETTER = 6.6, 8.2  # pixels
_LEAF = 13  # half of the width of a leaf at least
_DIAMOND, _AROUND = 18, 4.1  # half of a diamond's width at least, and for each letter of a name in it
_SHAPES = {
    "max": "M0-16 19 16H-19Z",
    "min": "M0 16 19-16H-19Z",
    "chance": "M-16 0a16 16 0 1 0 32 0a16 16 0 1 0-32 0Z",
}
_NAME_AT, _SHORT_NAME = {"max": 11, "min": -3, "chance": 4}, 3  # where a name is in its shape, if so short
_STYLE = """
text { font: 13px "DejaVu Sans", Verdana, sans-serif; text-anchor: middle; fill: #24262a }
.title { font-size: 15px; font-weight: bold; text-anchor: start } .foot { text-anchor: start; fill: #62666c }
.edge { stroke: #8a8d92; stroke-width: 1.2; fill: none } .best { stroke: #2a7549; stroke-width: 3 }
.shape { fill: #fff; stroke: #24262a; stroke-width: 1.4 } .shape.best { stroke-width: 3 }
.leaf { fill: #f0ebe0 } .chance { fill: #fdf3d8 } .value { font-weight: bold }
.small { font-size: 10.5px; fill: #62666c } .move { font-size: 11px; fill: #24568f } .cut { fill: #c02626 }
.halo { stroke: #fff; stroke-width: 3px; paint-order: stroke; stroke-linejoin: round } .plate { fill: #fff }
.pruned { opacity: 0.55 } .pruned .edge, .pruned .shape { stroke-dasharray: 4 3 }
.untried .edge, .untried .shape { stroke-dasharray: 3 3 }
.strike { stroke: #c02626; stroke-width: 2 } .inside { font-size: 11px }
"""


def tree_svg(picture: Picture) -> str:
    drawing, title = Drawing(picture), escape(picture.search.title())
    broadest = max(drawing.breadth, 8.8 * len(picture.search.title()), 7.4 * len(picture.left_out))
    width, height = f"{broadest + 2 * _MARGIN:.0f}", _HEAD + drawing.height + 110 + _FOOT
    foot = f'<text class="foot" x="{_MARGIN}" y="{height - 12}">{escape(picture.left_out)}</text>'
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size}>',
            f"<title>{title}</title><style>{_STYLE}</style>",
            '<rect width="100%" height="100%" fill="#fff"/>',
            f'<text class="title" x="{_MARGIN}" y="26">{title}</text>',
            *drawing.tree(),
            *[foot] * bool(picture.left_out),
            "</svg>\n",
        ]
    )


def inline_svg(picture: Picture, label: str) -> str:
    """The tree alone, as an element of a page that brings the style; `label` says what is seen."""
    drawing = Drawing(picture, head=0)
    width = f"{drawing.breadth + 2 * _MARGIN:.0f}"
    lines = max(len(drawing.words[node]) for node in picture.nodes if node.y == picture.height - 1)
    height = drawing.height + _LAST_PLY + lines * _LINE
    opened = (
        f'<svg class="drawing tree" role="img" aria-label="{escape(label)}" width="{width}"'
        f' height="{height}" viewBox="0 0 {width} {height}" style="--width: {width}px">'
    )
    return "\n".join([opened, *drawing.tree(), "</svg>"])


def tree_png(picture: Picture) -> bytes:
    """Needs the packages resvg_py and, for its fonts, matplotlib."""
    import matplotlib as mpl  # noqa: PLC0415 - only a PNG needs them
    import resvg_py  # noqa: PLC0415

    fonts = Path(mpl.get_data_path()) / "fonts" / "ttf"
    files = [str(fonts / name) for name in ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf")]
    return resvg_py.svg_to_bytes(
        svg_string=tree_svg(picture),
        background="#ffffff",
        skip_system_fonts=True,
        font_files=files,
        font_family="DejaVu Sans",
        sans_serif_family="DejaVu Sans",
    )


def name_inside(node: PictureNode) -> bool:
    return node.shape in _NAME_AT and len(node.name) <= _SHORT_NAME


def half_diamond(name: str) -> int:
    return max(_DIAMOND, round(_AROUND * (len(name) + 1)))


def pretty(numbers: str) -> str:
    """Values or a window with a real minus, and the sign of infinity."""
    return re.sub(r"\binf\b", "∞", with_real_minus(numbers))


class Drawing:
    """A picture in SVG: `width` and `ply` are the pixels of a node with its words, and from ply to ply."""

    def __init__(self, picture: Picture, head: int = _HEAD) -> None:
        self._picture, self._head = picture, head
        search, windows, nodes = picture.search, last_windows(picture.search), picture.nodes
        self.values = {node: shown_value(node, search) for node in nodes}
        self.words = {node: self._words_at(node, windows) for node in nodes}
        small = max(len(text) for node in nodes for text in (*self.words[node], node.words()))
        bold = max(map(len, self.values.values()))
        diamond = max((2 * half_diamond(node.player) for node in nodes if node.shape == "player"), default=0)
        self.width = max(_NARROWEST, _LETTER * small + 8, _BOLD_LETTER * bold + 16, diamond + 8)
        with_boards = nodes if picture.boards else ()
        self.squares = {node: squares_of(search.game, node.state) for node in with_boards}
        board = max(self.squares.values(), key=len, default=[])
        self._square = square_size(board) if board else 0.0
        self.width = max(self.width, self._square * max(map(len, board), default=0) + 14)
        self.board = self._square * len(board) + 6 if board else 0
        """The height that boards take, with what is between them and the words."""
        most = max((len(self.words[node]) for node in nodes if node.children), default=0)
        joined = _JOINED if any(node.joined for node in nodes) else 0
        self.ply = round(_PLY + self.board + _LINE * max(0, most - _WORDS) + joined)

    def _words_at(self, node: PictureNode, windows: dict[RecordedNode, tuple[float, float]]) -> list[str]:
        search, window = self._picture.search, windows.get(node.visited) if node.visited else None
        noted = (with_real_minus(note) if note.startswith(BOUND) else note for note in notes(node, search))
        piles = node.piles if self._picture.boards else ""
        name = node.name if node.children and not name_inside(node) else ""
        more = f"… {node.left_out:,} more" if node.left_out else ""
        return [
            words for words in (piles, name, window and pretty(window_text(window)), *noted, more) if words
        ]

    @property
    def breadth(self) -> float:
        return self._picture.width * self.width

    @property
    def height(self) -> int:
        """Of all plies but the last, and the boards of that."""
        return (self._picture.height - 1) * self.ply + round(self.board)

    def tree(self) -> Iterator[str]:
        nodes = self._picture.nodes
        edges = [*self.edges()]
        for node, above, _, _ in edges:
            (x1, y1), (x2, y2) = self.at(above), self.at(node)
            best = " best" if node.best and above.best else ""
            opened = f'<g class="{_state(node)}">' if node.visited is None else "<g>"
            yield f'{opened}<path class="edge{best}" d="M{x1:.1f} {y1:.1f} {x2:.1f} {y2:.1f}"/></g>'
        for node in nodes:
            yield from self._node(node)
        for edge in edges:
            yield from self._move(*edge)

    def edges(self) -> Iterator[tuple[PictureNode, PictureNode, str, float]]:
        """Each node with one above it, the words at the edge, and where, as a share of the way down."""
        found = [(node, above, words) for node in self._picture.nodes for above, words in node.edges()]
        if not any(node.joined for node in self._picture.nodes):
            yield from ((*edge, 1 - _WORDS_AT / self.ply) for edge in found)
            return
        taken = {cell for node in self._picture.nodes for cell in self._room(node)}
        for node, above, words in found:
            down = (node.y - above.y) * self.ply  # an equal state may be nearer to the root
            shares = [1 - up / down if down > 0 else -up / down if down else 0.5 for up in _HIGHER]
            share = min(shares, key=lambda share: len(taken & self._spot(node, above, words, share)))
            taken |= self._spot(node, above, words, share)
            yield node, above, words, share

    def _room(self, node: PictureNode) -> set[tuple[int, int]]:
        """Where a node and its words are."""
        said = (_LETTER * len(words) for words in self.words[node])
        x, y = self.at(node)
        width = max(36, _BOLD_LETTER * len(self.values[node]), *said)
        return _cells(x, y - 18, width, 56 + self.board + _LINE * len(self.words[node]))

    def _spot(self, node: PictureNode, above: PictureNode, words: str, share: float) -> set[tuple[int, int]]:
        """Where the words of an edge are."""
        x, y = self._between(above, node, share)
        return _cells(x, y - 7, _LETTER * len(words) + 4, 14)

    def _between(self, above: PictureNode, node: PictureNode, share: float) -> tuple[float, float]:
        (x1, y1), (x2, y2) = self.at(above), self.at(node)
        return x1 + share * (x2 - x1), y1 + share * (y2 - y1)

    def at(self, node: PictureNode) -> tuple[float, float]:
        return _MARGIN + (node.x + 0.5) * self.width, self._head + 28 + node.y * self.ply

    def _move(self, node: PictureNode, above: PictureNode, words: str, share: float) -> Iterator[str]:
        x, y = self._between(above, node, share)
        yield _plate(x, y - 6, _LETTER * len(words), 12)
        yield f'<text class="move halo" x="{x:.1f}" y="{y + 4:.1f}">{escape(words)}</text>'
        if node.pruned and not above.pruned:
            x, y = self._between(above, node, 1 - _STRIKE_AT / self.ply)
            yield f'<path class="strike" d="M{x - 9:.1f} {y + 3:.1f}l18-6m-18 10l18-6"/>'

    def _node(self, node: PictureNode) -> Iterator[str]:
        x, y = self.at(node)
        value, said = pretty(self.values[node]), self.words[node]
        best = " best" if node.best else ""
        inside = node.shape == "leaf"
        yield f'<g class="{_state(node)}" transform="translate({x:.1f} {y:.1f})">'
        yield f'<path class="shape {node.shape}{best}" d="{_outline(node, value)}"/>'
        if node.shape == "player":
            yield f'<text class="small" y="4">{node.player}</text>'
        if node.name and name_inside(node):
            yield f'<text class="inside" y="{_NAME_AT[node.shape]}">{escape(node.name)}</text>'
        if squares := self.squares.get(node):
            left, top = -self._square * len(squares[0]) / 2, 17 if inside else 20
            scale = self._square / UNIT
            board = board_svg(self._picture.search.game, squares)
            yield f'<g transform="translate({left:.1f} {top}) scale({scale:g})">{board}</g>'
        if not inside and (value or said):
            width = max(_BOLD_LETTER * len(value), *(_LETTER * len(words) for words in said), 0)
            yield _plate(0, 22 + self.board, width, _LINE * len(said) + 16)
        halo = "" if inside else " halo"
        struck = ' text-decoration="line-through"' if node.pruned else ""
        line = 5.0 if inside else 34.0 + self.board
        yield f'<text class="value{halo}" y="{line}"{struck}>{escape(value)}</text>'
        is_cut = node.visited is not None and bool(node.visited.pruned)
        for place, words in enumerate(said):
            cut = " cut" if is_cut and words.startswith("[") else ""
            line = (34.0 if inside else 47.0) + self.board + place * _LINE
            yield f'<text class="small halo{cut}" y="{line}">{escape(words)}</text>'
        yield "</g>"


def _cells(x: float, top: float, width: float, height: float) -> set[tuple[int, int]]:
    """The cells of a grid under a box whose middle is at x."""
    columns = range(int(x - width / 2) // _CELL, int(x + width / 2) // _CELL + 1)
    return {*product(columns, range(int(top) // _CELL, int(top + height) // _CELL + 1))}


def _state(node: PictureNode) -> str:
    return "pruned" if node.pruned else "visited" if node.untried is None else "untried"


def _outline(node: PictureNode, value: str) -> str:
    if node.shape == "leaf":
        half = max(_LEAF, round(_BOLD_LETTER * len(value) / 2) + 5)
        return f"M-{half}-13H{half}V13H-{half}Z"
    half = half_diamond(node.player)
    return _SHAPES.get(node.shape) or f"M0-18 {half} 0 0 18-{half} 0Z"


def _plate(x: float, top: float, width: float, height: float) -> str:
    return (
        f'<rect class="plate" x="{x - width / 2:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height}"/>'
    )
