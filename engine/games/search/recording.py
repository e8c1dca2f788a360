"""A meter that records a search step by step, and the tree of the nodes that were visited.

Values and windows are from MAX's side, MAX being the player to move at the root or another who is named, also
those of negamax; Max-N has a number for each player, and sampling the mean result of the player who moved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import log, sqrt
from typing import Any, TypeAlias, TypeVar

from engine.games.rules.game import CHANCE, OVER, Move, State
from engine.games.search.basics import Meter, SearchLimits, Simulated
from engine.games.search.puct import exploration_weight

T = TypeVar("T")
Worth: TypeAlias = "float | tuple[float, ...]"  # a value for MAX or, under Max-N, one for each player


class Act(StrEnum):
    """What a step is. The first six are those of a search to a depth, the others those of a simulation."""

    ENTER = "enter"
    INHERIT = "inherit"
    ESTIMATE = "estimate"
    UPDATE = "update"
    CUT = "cut"
    RETURN = "return"
    SELECT = "select"
    EXPAND = "expand"
    SIMULATE = "simulate"
    BACK_UP = "back up"


@dataclass(slots=True, eq=False)
class RecordedNode:
    """A node of a search: how it was reached, and what was found there.

    `number`: its place among those visited (of a student's search -1 until then). `mover` made `move`: a
    player, or CHANCE, whose outcome had the probability `likely`; None at the root and where players pass.
    `depth`: the plies left. `window`: alpha and beta at first. `aside`: what is found has no part in the
    value of the node above. `pruned`: the moves not looked at, each with its mover. `asked`: the opponents in
    the order in which they are asked for replies. `source` of the value of a leaf: payoff, estimate or table;
    `same`: the node whose entry the table may have. `visits` and `mean`: of sampling; `prior`: the
    probability that a policy gave to the move; `policy`: that of each move from here.
    """

    number: int
    above: RecordedNode | None
    state: State
    move: Move = None
    mover: int | None = None
    likely: float | None = None
    depth: int = 0
    window: tuple[float, float] | None = None
    aside: bool = False
    children: list[RecordedNode] = field(default_factory=list)
    pruned: tuple[tuple[Move, int], ...] = ()
    asked: tuple[int, ...] = ()
    source: str = ""
    same: RecordedNode | None = None
    value: Worth | None = None
    visits: int = 0
    mean: float = 0.0
    prior: float | None = None
    policy: tuple[tuple[Move, float], ...] = ()

    def line(self) -> list[RecordedNode]:
        """The nodes from below the root to this one."""
        found, node = [], self
        while node.above is not None:
            found.append(node)
            node = node.above
        return found[::-1]

    def bound(self, exploration: float) -> float:
        """The upper confidence bound by which UCT and PUCT choose among the children of the node above."""
        above = self.above.visits if self.above else 0
        return upper_bound(self.mean, self.visits, above, exploration, self.prior)

    def untried(self) -> list[tuple[Move, float]]:
        """The moves that have a probability but no visit, the likeliest first."""
        tried = {child.move for child in self.children}
        return sorted((each for each in self.policy if each[0] not in tried), key=lambda each: -each[1])


def upper_bound(mean: float, visits: int, above: int, exploration: float, prior: float | None) -> float:
    """PUCT's where the move has a prior, else UCB1. `above`: the visits of the node above."""
    if prior is None:
        return mean + exploration * sqrt(log(above) / visits)
    return mean + prior * exploration_weight(exploration, above) / (1 + visits)


@dataclass(frozen=True, slots=True)
class RecordedStep:
    """One step at a node: the value found or backed up, and the window then.

    A cut has the moves that it pruned, each with its mover. After a simulation: the visits of the node; the
    value is then the mean.
    """

    act: Act
    node: RecordedNode
    value: Worth | None = None
    window: tuple[float, float] | None = None
    pruned: tuple[tuple[Move, int], ...] = ()
    visits: int = 0


@dataclass(slots=True)
class Recording:
    """One search, `finished` if it left its root. `max_player`: whom values and windows are for."""

    max_player: int
    nodes: list[RecordedNode] = field(default_factory=list)
    steps: list[RecordedStep] = field(default_factory=list)
    finished: bool = False
    exploration: float | None = None

    @property
    def root(self) -> RecordedNode:
        return self.nodes[0]


@dataclass(slots=True)
class _Open:
    """A node on the path to where the search is: the moves it looks at, the place in them, its window now."""

    node: RecordedNode
    moves: Sequence[tuple[Move, int, float | None]] = ()
    at: int = -1
    window: tuple[float, float] | None = None
    aside: bool = False


class RecordingMeter(Meter):
    """Takes notes of each search that is made with it: `recordings`, one for each depth."""

    def __init__(
        self,
        limits: SearchLimits | None = None,
        stopped: Callable[[], bool] | None = None,
        *,
        vectors: bool = False,
        negamax: bool = False,
        max_player: int | None = None,
    ) -> None:
        """`vectors`: values have a number for each player. `negamax`: they are for the player to move.

        `max_player`: the player that values are for, if payoffs are opposed; None: the player to move at the
        root.
        """
        super().__init__(limits, stopped)
        self._vectors, self._negamax, self._max_player = vectors, negamax, max_player
        self.recordings: list[Recording] = []
        self._path: list[_Open] = []
        self._searched: dict[State, RecordedNode] = {}
        self._sampled: dict[Any, RecordedNode] = {}

    # A search to a depth

    def visit(self, state: State | None = None, depth: int = 0) -> None:
        super().visit()
        if state is None:
            return
        if not self._path:
            self.recordings.append(Recording(self._max_of(state)))
            self._searched = {}
        self._path.append(_Open(self._reached(state, depth)))
        self._note(RecordedStep(Act.ENTER, self._path[-1].node, None, self._path[-1].node.window))

    def expand(
        self, moves: Iterable[T] = (), alpha: float | None = None, beta: float | None = None
    ) -> Iterable[T]:
        super().expand()
        if not self._path:
            return moves
        return self._followed(self._opened(alpha, beta), tuple(moves))

    def ask(self, opponents: Iterable[int], replies: Iterable[T], alpha: float, beta: float) -> Iterable[T]:
        super().ask((), (), alpha, beta)
        self._path[-1].node.asked = tuple(opponents)
        return self._followed(self._opened(alpha, beta), tuple(replies))

    def verify(self, moves: Iterable[T]) -> Iterable[T]:
        at = self._path[-1]
        at.aside = True
        return self._followed(at, tuple(moves))

    def leaf(self, value: float | Sequence[float]) -> None:
        super().leaf(value)
        self._judge(value, "payoff" if self._path[-1].node.state.player == OVER else "estimate")

    def known(self, value: float) -> None:
        super().known(value)
        node = self._path[-1].node
        node.same = self._searched.get(node.state)
        self._judge(value, "table")

    def _judge(self, value: float | Sequence[float], source: str) -> None:
        node = self._path[-1].node
        node.source, node.value = source, self._worth(node, value)
        self._note(RecordedStep(Act.ESTIMATE, node, node.value))
        self._close()

    def update(
        self, best: float | Sequence[float], alpha: float | None = None, beta: float | None = None
    ) -> None:
        node = self._path[-1].node
        window = None if alpha is None or beta is None else self._for_max(node, alpha, beta)
        self._path[-1].window = window
        self._note(RecordedStep(Act.UPDATE, node, self._worth(node, best), window))

    def cut(self, alpha: float, beta: float) -> None:
        at = self._path[-1]
        at.node.pruned = tuple((move, mover) for move, mover, _ in at.moves[at.at + 1 :])
        if at.node.pruned:
            window = self._for_max(at.node, alpha, beta)
            self._note(RecordedStep(Act.CUT, at.node, None, window, at.node.pruned))

    def leave(self, value: float | Sequence[float]) -> None:
        node = self._path[-1].node
        node.value = self._worth(node, value)
        self._searched[node.state] = node
        self._note(RecordedStep(Act.RETURN, node, node.value))
        self._close()

    def _opened(self, alpha: float | None, beta: float | None) -> _Open:
        at = self._path[-1]
        at.aside = False
        if alpha is not None and beta is not None:
            at.window = at.node.window = self._for_max(at.node, alpha, beta)
            self._note(RecordedStep(Act.INHERIT, at.node, None, at.window))
        return at

    def _reached(self, state: State, depth: int) -> RecordedNode:
        nodes = self.recordings[-1].nodes
        if not self._path:
            node = RecordedNode(0, None, state, depth=depth)
        else:
            at = self._path[-1]
            move, mover, likely = at.moves[at.at] if at.at < len(at.moves) else (None, None, None)
            node = RecordedNode(
                len(nodes), at.node, state, move, mover, likely, depth, aside=at.aside or at.node.aside
            )
            at.node.children.append(node)
            node.window = None if at.aside or mover == CHANCE else at.window
        nodes.append(node)
        return node

    def _followed(self, at: _Open, moves: Sequence[T]) -> Iterator[T]:
        """The moves one after the other, so that the next node is known to be reached by the last one."""
        at.moves = [self._as_move(at.node, move) for move in moves]
        for place, move in enumerate(moves):
            at.at = place
            yield move
        at.at = len(moves)

    @staticmethod
    def _as_move(node: RecordedNode, move: Any) -> tuple[Move, int, float | None]:
        """A move, its mover and its probability, out of what `expand` is given."""
        if node.asked:
            return move[1], move[0], None
        if node.state.player == CHANCE:
            return move[0], CHANCE, move[1]
        return move, node.state.player, None

    def _note(self, step: RecordedStep) -> None:
        self.recordings[-1].steps.append(step)

    def _close(self) -> None:
        self._path.pop()
        self.recordings[-1].finished = not self._path

    def _worth(self, node: RecordedNode, value: float | Sequence[float]) -> Worth:
        if not isinstance(value, int | float):
            return tuple(value) if self._vectors else value[self.recordings[-1].max_player]
        return 0.0 - value if self._is_turned(node) else value

    def _for_max(self, node: RecordedNode, alpha: float, beta: float) -> tuple[float, float]:
        return (-beta, -alpha) if self._is_turned(node) else (alpha, beta)

    def _is_turned(self, node: RecordedNode) -> bool:
        """Whether values are for MIN here: under negamax, for the player to move or, at the end, next."""
        recording = self.recordings[-1]
        player = (node if self._negamax else recording.root).state.player
        if player < 0:
            player = 1 - node.mover if self._negamax and node.mover is not None else 0
        return player != recording.max_player

    def _max_of(self, root: State) -> int:
        return max(root.player, 0) if self._max_player is None else self._max_player

    # Sampling

    def simulate(
        self, path: Sequence[Simulated], results: Sequence[float], exploration: float | None = None
    ) -> None:
        if not self.recordings:
            self._begin_sampling(path[0].state, path[0])
            self.recordings[0].exploration = exploration
        nodes = [self._sampled[path[0]]]
        for node in path[1:]:
            act = Act.SELECT if node in self._sampled else Act.EXPAND
            nodes.append(self._sampled_child(nodes[-1], node, node.move, node.state))
            nodes[-1].prior = getattr(node, "prior", None)
            self._note(RecordedStep(act, nodes[-1]))
        nodes[-1].policy = tuple(getattr(path[-1], "policy", ()))
        self._back_up(nodes, results)

    def sample(self, state: State, move: Move, results: Sequence[float]) -> None:
        if not self.recordings:
            self._begin_sampling(state, None)
        root = self._sampled[None]
        act = Act.SELECT if (move,) in self._sampled else Act.EXPAND
        child = self._sampled_child(root, (move,), move, state.play(move))
        self._note(RecordedStep(act, child))
        self._back_up([root, child], results)

    def _begin_sampling(self, state: State, key: object) -> None:
        root = RecordedNode(0, None, state)
        self.recordings.append(Recording(self._max_of(state), [root], finished=True))
        self._sampled[key] = root

    def _sampled_child(self, above: RecordedNode, key: object, move: Move, state: State) -> RecordedNode:
        if key not in self._sampled:
            nodes = self.recordings[0].nodes
            child = RecordedNode(len(nodes), above, state, move, above.state.player)
            if above.state.player == CHANCE:
                child.likely = dict(above.state.chances())[move]
            above.children.append(child)
            nodes.append(child)
            self._sampled[key] = child
        return self._sampled[key]

    def _back_up(self, nodes: Sequence[RecordedNode], results: Sequence[float]) -> None:
        """The result at the last of the nodes, then the new mean of each, from the last to the root."""
        last = nodes[-1]
        self._note(RecordedStep(Act.SIMULATE, last, results[self._credited(last)]))
        for node in reversed(nodes):
            node.visits += 1
            node.mean += (results[self._credited(node)] - node.mean) / node.visits
            node.value = node.mean
            self._note(RecordedStep(Act.BACK_UP, node, node.mean, visits=node.visits))

    def _credited(self, node: RecordedNode) -> int:
        """Whose result counts at a node: the player's who moved there; at the root and after chance MAX's."""
        player = node.mover
        return self.recordings[0].max_player if player is None or player < 0 else player
