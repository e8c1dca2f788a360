"""The step at which a student's search and the textbook's part, in one line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import inf, isclose
from typing import Any, TypeAlias

from engine.games.rules.game import CHANCE, Move
from engine.games.search.recording import Act, RecordedNode, Recording, RecordingMeter, Worth
from lolli.cli.trees import WatchedSearch, number_text, odds_text, worth_text

Path: TypeAlias = tuple[tuple[int | None, Move], ...]  # from the root: each move with its mover
Order: TypeAlias = Mapping[Path, Sequence[tuple[int | None, Move]]]

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_NEAR = 1e-9


def path_of(node: RecordedNode) -> Path:
    moves = []
    while node.above is not None:
        moves.append((node.mover, node.move))
        node = node.above
    return tuple(reversed(moves))


def equal(one: Worth, other: Worth) -> bool:
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(equal, one, other))
    if isinstance(one, tuple) or isinstance(other, tuple):
        return False
    return isclose(one, other, rel_tol=_NEAR, abs_tol=_NEAR)


def order_of(recording: Recording, textbook: Recording) -> Order:
    """At each node where the moves were not looked at in the game's order: the order in which they were."""
    moves = {path_of(node): _moves(node) for node in textbook.nodes}
    found: dict[Path, Sequence[tuple[int | None, Move]]] = {}
    for node in recording.nodes:
        looked = list(dict.fromkeys((child.mover, child.move) for child in node.children))
        known = moves.get(path_of(node), [])
        places = [known.index(move) for move in looked if move in known]
        if places != sorted(places):
            found[path_of(node)] = looked
    return found


def _moves(node: RecordedNode) -> list[tuple[int | None, Move]]:
    """All moves of a node in the order of the search, pruned ones included."""
    return [
        *((child.mover, child.move) for child in node.children),
        *((mover, move) for move, mover in node.pruned),
    ]


class OrderedMeter(RecordingMeter):
    """Has the moves of each node searched in another order; `only`: this move alone at the root."""

    def __init__(self, order: Order, only: Move = None, **how: Any) -> None:
        super().__init__(**how)
        self._order, self._only = order, only

    def expand(self, moves: Any = (), alpha: float | None = None, beta: float | None = None) -> Any:
        return super().expand(self._arranged(moves), alpha, beta)

    def ask(self, opponents: Any, replies: Any, alpha: float, beta: float) -> Any:
        asked = tuple(opponents)
        node = self._path[-1].node
        node.asked = asked
        return super().ask(asked, self._arranged(replies), alpha, beta)

    def _arranged(self, moves: Any) -> Any:
        node = self._path[-1].node
        if self._only is not None and node.above is None:
            return [self._only]
        order = self._order.get(path_of(node))
        if order is None:
            return moves

        def place(move: Any) -> int:
            as_move, mover, _ = self._as_move(node, move)
            return order.index((mover, as_move)) if (mover, as_move) in order else len(order)

        return sorted(moves, key=place)


def parting(mine: Recording, textbook: WatchedSearch, *, prunes: bool) -> str:
    """Where `mine` first looks at other nodes than the textbook, or returns another value; empty: nowhere.

    `prunes`: the order in which nodes are looked at matters.
    """
    names = _Names(mine, textbook)
    looked, when = _other_node(mine, textbook.recording, prunes=prunes)
    valued, since = _other_value(mine, textbook.recording)
    if looked and valued:
        node = looked[0]
        above = {path_of(node)[:length] for length in range(len(path_of(node)) + 1)}
        if since < when and path_of(valued) not in above:
            looked = None
    if looked:
        return names.looked(*looked)
    return names.valued(valued) if valued else ""


def _other_node(
    mine: Recording, textbook: Recording, *, prunes: bool
) -> tuple[tuple[RecordedNode, RecordedNode | None, RecordedNode | None] | None, float]:
    """The textbook's node at which the searches part, my child of it and the textbook's; and at which step."""
    paths, wanted = list(map(path_of, mine.nodes)), list(map(path_of, textbook.nodes))
    by_path = dict(zip(wanted, textbook.nodes, strict=True))
    entered = {step.node: at for at, step in enumerate(mine.steps) if step.act is Act.ENTER}
    seen: Counter[Path] = Counter()
    for number, path in enumerate(paths):
        seen[path] += 1
        differs = prunes and (number >= len(wanted) or wanted[number] != path)
        if path not in by_path or seen[path] > 1:
            above = path[:-1]
            while above not in by_path:
                path, above = above, above[:-1]
            return (by_path[above], mine.nodes[number], None), entered[mine.nodes[number]]
        if differs:
            missing = textbook.nodes[number] if number < len(wanted) else None
            if missing is not None and wanted[number] not in paths and missing.above is not None:
                return (missing.above, None, missing), entered[mine.nodes[number]]
    for number, path in enumerate(wanted):
        node = textbook.nodes[number]
        if path not in seen and node.above is not None:
            return (node.above, None, node), _last_step(mine, path[:-1])
    return None, inf


def _last_step(mine: Recording, path: Path) -> float:
    return max((at for at, step in enumerate(mine.steps) if path_of(step.node) == path), default=inf)


def _other_value(mine: Recording, textbook: Recording) -> tuple[RecordedNode | None, float]:
    """My node whose value is the first that is wrong, and at which step it is returned."""
    by_path = {path_of(node): node for node in textbook.nodes}
    returned = {step.node for step in mine.steps if step.act is Act.RETURN}
    for at, step in enumerate(mine.steps):
        node = by_path.get(path_of(step.node))
        is_value = step.act is Act.RETURN or (step.act is Act.ESTIMATE and step.node not in returned)
        if not is_value or node is None:
            continue
        if step.value is not None and node.value is not None and not _agree(step.value, node):
            return step.node, at
    return None, inf


def _agree(value: Worth, node: RecordedNode) -> bool:
    """Whether the value is the textbook's, or the same bound of it: outside of the window any will do."""
    worth = node.value
    if isinstance(value, tuple) or isinstance(worth, tuple) or node.window is None or node.source:
        return worth is not None and equal(value, worth)
    alpha, beta = node.window
    return worth is not None and equal(min(max(value, alpha), beta), min(max(worth, alpha), beta))


class _Names:
    """Nodes, moves and windows in words."""

    def __init__(self, mine: Recording, textbook: WatchedSearch) -> None:
        self._textbook = textbook
        self._mine = {path_of(node): node for node in mine.nodes}
        self._nodes = {path_of(node): node for node in textbook.recording.nodes}

    def looked(self, node: RecordedNode, mine: RecordedNode | None, wanted: RecordedNode | None) -> str:
        at = f"at {self._node(node)}"
        if mine is not None:
            moves = path_of(mine)
            child = moves[len(path_of(node))] if len(moves) > len(path_of(node)) else None
            if child is None or path_of(mine) in self._nodes:
                return f"{at} you looked at {self._path(mine)} more than once"
            if node.source:
                went = f"you went on to {self._move(node, child)}"
                why = (
                    "the game is over" if node.source == "payoff" else "no plies are left: take the estimate"
                )
                return f"{at} {went}; {why}"
            if child in [(mover, move) for move, mover in node.pruned]:
                return (
                    f"at {self._node(node)} you looked at {self._move(node, child)};"
                    f" {self._window(node)}, so the textbook prunes it{self._own_window(node)}"
                )
            return f"{at} you looked at {self._move(node, child)}, which the textbook does not"
        assert wanted is not None
        child = (wanted.mover, wanted.move)
        own = self._mine.get(path_of(node))
        if own is not None and own.source and not own.children:
            return f"{at} you took the {own.source}; {self._plies(node)}, and the textbook looks at {self._move(node, child)}"
        window = f"; {self._window(node, wanted)}, so it is not pruned" if node.window else ""
        return f"{at} you did not look at {self._move(node, child)}{window}{self._own_window(node)}"

    def valued(self, mine: RecordedNode) -> str:
        node = self._nodes[path_of(mine)]
        value, worth = mine.value, node.value
        assert value is not None
        assert worth is not None
        at = f"at {self._node(node)} your value is {worth_text(value)}"
        if node.source:
            side = " from the other side" if not isinstance(value, tuple) and equal(value, -worth) else ""
            return f"{at}; the {node.source} is {worth_text(worth)}{side and f', yours is{side}'}"
        values = [child.value for child in node.children if child.value is not None]
        of = ", ".join(map(worth_text, values))
        if node.state.player == CHANCE:
            odds = [child.likely or 0.0 for child in node.children]
            of = " + ".join(
                f"{odds_text(p)}·{f'({worth_text(v)})' if isinstance(v, tuple) or v < 0 else worth_text(v)}"
                for p, v in zip(odds, values, strict=True)
            )
            return f"{at}{_guess(value, values)}; it is {worth_text(worth)} = {of}"
        return f"{at}{_guess(value, values)}; it is {worth_text(worth)}, of {of}"

    def _node(self, node: RecordedNode) -> str:
        who = self._textbook.player_text(node.state.player)
        name = self._textbook.path_text(node)
        return f"the root ({who})" if node.above is None else f"node {name} ({who})"

    def _path(self, node: RecordedNode) -> str:
        return self._textbook.path_text(node)

    def _move(self, node: RecordedNode, child: tuple[int | None, Move]) -> str:
        moves = _moves(node)
        text = self._textbook.move_text(node, child[1], child[0])
        place = moves.index(child) if child in moves else len(_ORDINALS)
        return f"the {_ORDINALS[place]} move, {text}" if place < len(_ORDINALS) else f"the move {text}"

    def _plies(self, node: RecordedNode) -> str:
        return f"{node.depth} {'ply is' if node.depth == 1 else 'plies are'} left"

    def _window(self, node: RecordedNode, before: RecordedNode | None = None) -> str:
        """Alpha and beta at the end, or before a child was looked at."""
        window = node.window
        for step in self._textbook.recording.steps:
            if step.node is before:
                break
            if step.node is node and step.window is not None:
                window = step.window
        alpha, beta = window or (-inf, inf)
        return f"alpha was {number_text(alpha)}, beta {number_text(beta)}"

    def _own_window(self, node: RecordedNode) -> str:
        own = self._mine.get(path_of(node))
        if own is None or own.window is None or node.window is None or own.window == node.window:
            return ""
        (alpha, beta), (wanted_alpha, wanted_beta) = own.window, node.window
        return (
            f"; you came there with alpha {number_text(alpha)}, beta {number_text(beta)},"
            f" not {number_text(wanted_alpha)} and {number_text(wanted_beta)}"
        )


def _guess(value: Worth, values: Sequence[Worth]) -> str:
    """What the value may be among those of the children."""
    numbers = [each for each in values if not isinstance(each, tuple)]
    if isinstance(value, tuple) or len(numbers) < 2:
        return ""
    known = {
        "the greatest": max(numbers),
        "the least": min(numbers),
        "the mean": sum(numbers) / len(numbers),
        "the sum": sum(numbers),
        "the first": numbers[0],
        "the last": numbers[-1],
    }
    name = next((name for name, number in known.items() if equal(value, number)), "")
    return f", {name}" if name else ""
