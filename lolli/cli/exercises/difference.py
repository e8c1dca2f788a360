"""The step at which a student's search and the textbook's part, in one line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
    return tuple((each.mover, each.move) for each in node.line())


def equal(one: Worth, other: Worth) -> bool:
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(equal, one, other))
    if isinstance(one, tuple) or isinstance(other, tuple):
        return False
    return isclose(one, other, rel_tol=_NEAR, abs_tol=_NEAR)


def order_of(recording: Recording, textbook: Recording) -> Order:
    """The order in which the moves of each node were looked at, if it is not the game's; else empty."""
    moves = {path_of(node): _moves(node) for node in textbook.nodes}
    found: dict[Path, Sequence[tuple[int | None, Move]]] = {}
    is_own = False
    for node in recording.nodes:
        found[path_of(node)] = looked = list(dict.fromkeys((each.mover, each.move) for each in node.children))
        known = moves.get(path_of(node), [])
        places = [known.index(move) for move in looked if move in known]
        is_own |= places != sorted(places)
    return found if is_own else {}


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


def parting(
    mine: Recording, textbook: WatchedSearch, *, ordered: bool, alike: bool = True, whole: bool = True
) -> str:
    """The first step at which `mine` goes to another node than the textbook, or finds another value there.

    Empty if there is none. `ordered`: the order in which the nodes are visited matters. `alike`: the same
    nodes should be visited. `whole`: what `mine` has not visited at its end counts, too.
    """
    found = _Parting(mine, textbook)
    visits = found.other_visits(ordered=ordered, whole=whole) if alike else iter(())
    when, above, told = next(visits, (inf, (), ""))
    valued = next(found.other_values(), None)
    # A value is also wrong because of what was not visited below.
    if valued is not None and (not told or (valued[0] < when and valued[1] != above[: len(valued[1])])):
        return found.value_told(valued[1])
    return told


class _Parting:
    def __init__(self, mine: Recording, textbook: WatchedSearch) -> None:
        self._search, self._recording = mine, textbook.recording
        self._texts = textbook
        self._mine = {path_of(node): node for node in mine.nodes}
        self._nodes = {path_of(node): node for node in textbook.recording.nodes}
        self._last = {path_of(step.node): number for number, step in enumerate(mine.steps)}
        self._entered = {step.node: number for number, step in enumerate(mine.steps) if step.act is Act.ENTER}

    # Other nodes

    def other_visits(self, *, ordered: bool, whole: bool) -> Iterator[tuple[float, Path, str]]:
        """My step, the node where the ways part, and what is to be said."""
        wanted = [path_of(node) for node in self._recording.nodes]
        seen: set[Path] = set()
        for number, node in enumerate(self._search.nodes):
            path, when = path_of(node), self._entered[node]
            missing = wanted[number] if ordered and number < len(wanted) else path
            if path in seen:
                at = self._at(self._nodes[path[:-1]])
                yield when, path[:-1], f"{at} you looked at {self._texts.path_text(node)} more than once"
            elif path not in self._nodes:
                known = next(n for n in range(len(path) - 1, -1, -1) if path[:n] in self._nodes)
                yield when, path[:known], self._extra(self._nodes[path[:known]], path[known])
            elif missing != path and missing not in self._mine:
                yield when, missing[:-1], self._missing(self._nodes[missing])
            seen.add(path)
        for path in wanted if whole else ():
            if path not in seen:
                yield self._last.get(path[:-1], inf), path[:-1], self._missing(self._nodes[path])

    def _extra(self, node: RecordedNode, move: tuple[int | None, Move]) -> str:
        mover, turn = move[0], node.state.player
        if node.source:
            over = node.source == "payoff"
            why = "the game is over" if over else "no plies are left: take the estimate"
            return f"{self._at(node)} you went on to {self._move(node, move)}; {why}"
        if mover is not None and mover != turn and not node.asked:
            name = self._texts.name_text
            return f"{self._at(node)} you looked at a move of {name(mover)}; it is {name(turn)}'s turn"
        why = f"{self._window(node)}, so the textbook prunes it{self._own_window(node)}"
        return f"{self._at(node)} you looked at {self._move(node, move)}; {why}"

    def _missing(self, child: RecordedNode) -> str:
        node = child.above or child
        own = self._mine.get(path_of(node))
        move = self._move(node, (child.mover, child.move))
        if own is not None and own.source and not own.children:
            left = f"{node.depth} {'ply is' if node.depth == 1 else 'plies are'} left"
            return f"{self._at(node)} you took the {own.source}; {left}, so look at {move}"
        why = f"; {self._window(node, child)}, so it is not pruned" if node.window else ""
        return f"{self._at(node)} you did not look at {move}{why}{self._own_window(node)}"

    # Other values

    def other_values(self) -> Iterator[tuple[int, Path]]:
        """Each step at which a function has returned a wrong value for a node, or a leaf has one."""
        returned = {step.node for step in self._search.steps if step.act is Act.RETURN}
        for number, step in enumerate(self._search.steps):
            path = path_of(step.node)
            node = self._nodes.get(path)
            found = step.act is Act.RETURN or (step.act is Act.ESTIMATE and step.node not in returned)
            if node is None or not found or step.value is None:
                continue
            if not _agree(step.value, node) or self._is_estimated_end(step.node, node):
                yield number, path

    @staticmethod
    def _is_estimated_end(mine: RecordedNode, node: RecordedNode) -> bool:
        return node.source == "payoff" and mine.source == "estimate"

    def value_told(self, path: Path) -> str:
        mine, node = self._mine[path], self._nodes[path]
        value, worth = mine.value, node.value
        if self._is_estimated_end(mine, node):
            return f"{self._at(node)} you took the estimate; the game is over, so take the payoff"
        if value is None or worth is None:
            return ""
        told = f"{self._at(node)} your value is {worth_text(value)}"
        if node.source:
            turned = not isinstance(value, tuple) and not isinstance(worth, tuple) and equal(value, -worth)
            side = ", yours is from the other side" if turned else ""
            return f"{told}; the {node.source} is {worth_text(worth)}{side}"
        below = [(child, child.value) for child in node.children if child.value is not None]
        texts = [worth_text(each) for _, each in below]
        if node.state.player == CHANCE:
            odds = [odds_text(child.likely or 0.0) for child, _ in below]
            signed = [f"({text})" if " " in text or text.startswith("-") else text for text in texts]
            how = " = " + " + ".join(f"{p}·{text}" for p, text in zip(odds, signed, strict=True))
        else:
            how = f", of {', '.join(texts)}"
        return f"{told}{_guess(value, [each for _, each in below])}; it is {worth_text(worth)}{how}"

    # Words

    def _at(self, node: RecordedNode) -> str:
        who = self._texts.player_text(node.state.player)
        return (
            f"at the root ({who})" if node.above is None else f"at node {self._texts.path_text(node)} ({who})"
        )

    def _move(self, node: RecordedNode, move: tuple[int | None, Move]) -> str:
        moves = _moves(node) or [(node.state.player, each) for each in node.state.moves()]
        text = self._texts.move_text(node, move[1], move[0])
        place = moves.index(move) if move in moves else len(_ORDINALS)
        return f"the {_ORDINALS[place]} move, {text}" if place < len(_ORDINALS) else f"the move {text}"

    def _window(self, node: RecordedNode, before: RecordedNode | None = None) -> str:
        """Alpha and beta at last, or before a child was visited."""
        window = node.window or (-inf, inf)
        for step in self._recording.steps:
            if step.node is before:
                break
            if step.node is node and step.window is not None:
                window = step.window
        return "alpha was {}, beta {}".format(*map(number_text, window))

    def _own_window(self, node: RecordedNode) -> str:
        own = self._mine.get(path_of(node))
        if own is None or own.window is None or node.window is None or own.window == node.window:
            return ""
        texts = map(number_text, (*own.window, *node.window))
        return "; you came there with alpha {}, beta {}, not {} and {}".format(*texts)


def _agree(value: Worth, node: RecordedNode) -> bool:
    """Whether the value is the textbook's, or the same bound of it: outside of the window any will do."""
    worth = node.value
    if isinstance(value, tuple) or isinstance(worth, tuple) or node.window is None or node.source:
        return worth is not None and equal(value, worth)
    alpha, beta = node.window
    return worth is not None and equal(min(max(value, alpha), beta), min(max(worth, alpha), beta))


def _guess(value: Worth, values: Sequence[Worth]) -> str:
    """What the value may be among those of the children, as `, the greatest`."""
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
    return next((f", {name}" for name, number in known.items() if equal(value, number)), "")
