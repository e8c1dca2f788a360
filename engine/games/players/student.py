"""A search in a file of its own as a searcher: what it is called with, what it looks at, and its player.

The file defines a function with the name of an algorithm, over the small interface of a game (`State`):

    minimax(state, depth, estimate) -> value, move
        also alphabeta, expectiminimax, paranoid, transpositions (minimax or alpha-beta with a table)
    maxn(state, depth, estimate) -> values, move
    bestreply(state, depth, estimate, opponents) -> value, move
    select(node, exploration) -> node and backpropagate(path, results), as in uct.py
    estimate(state) -> value for player 0, or a value for each player

Values are for the player to move at the root.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from types import FrameType, ModuleType
from typing import TYPE_CHECKING, Any

from engine.games.players.textbook import DeepeningPlayer, SamplingPlayer
from engine.games.rules.game import CHANCE, OVER, Game, Move, State
from engine.games.rules.own import (
    OwnFileError,
    function_of,
    is_number,
    is_own,
    load,
    reporting,
    shown,
    values_of,
)
from engine.games.search.alphabeta import alphabeta
from engine.games.search.basics import Estimate, Meter, Result, Search, SearchStoppedError
from engine.games.search.recording import Act, RecordedNode, RecordedStep, Recording, RecordingMeter, Worth
from engine.games.search.uct import uct
from engine.games.searchers import SEARCHERS, Algorithm, OptionError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.games.players import Player

TRANSPOSITIONS, ESTIMATE, UCT, MAXN, BEST_REPLY = "transpositions", "estimate", "uct", "maxn", "bestreply"
SEARCHES = ("alphabeta", TRANSPOSITIONS, "minimax", "expectiminimax", MAXN, "paranoid", BEST_REPLY)
FUNCTIONS = {**{name: (name,) for name in SEARCHES}, UCT: ("select", "backpropagate"), ESTIMATE: (ESTIMATE,)}
"""By algorithm: the functions that a file has to define. The first that it defines all of is its player's."""
LIKE = {TRANSPOSITIONS: "alphabeta", ESTIMATE: "alphabeta"}
"""The searchers that these are played and drawn like; all others are named after theirs."""


def algorithm_of(path: str) -> Algorithm:
    """The searcher in a file. Raises OptionError where there is none."""
    try:
        module = load(path)
    except OwnFileError as error:
        raise OptionError(str(error)) from None
    kind = next((k for k, names in FUNCTIONS.items() if all(hasattr(module, n) for n in names)), None)
    if kind is None:
        raise OptionError(f"defines none of the functions {', '.join(FUNCTIONS)}")
    like = SEARCHERS[LIKE.get(kind, kind)]
    known = like.options if kind == UCT else like.options[:1]  # the depth
    summary = " ".join((module.__doc__ or like.summary).split())
    make = partial(_sampling if kind == UCT else _deepening, path, kind)
    return Algorithm(path, Path(path).stem, summary, known, like.needs, make, like=like.name)


def _deepening(path: str, kind: str, game: Game[Any], _seed: int, depth: int) -> Player:
    proves = kind not in {"paranoid", BEST_REPLY}

    def search() -> Search:
        return search_of(load(path), kind, game)

    return DeepeningPlayer(game, search, depth=depth, proves=proves, cautious=False)


def _sampling(
    path: str, _kind: str, game: Game[Any], seed: int, playouts: int, exploration: float, final: str
) -> Player:
    module = load(path)

    def search(state: State, meter: Meter, *, seed: int) -> Any:
        select, back_up = (function_of(module, name) for name in FUNCTIONS[UCT])
        with reporting(path, SearchStoppedError):
            return uct(
                state,
                meter,
                seed=seed,
                exploration=exploration,
                final=final,
                payoffs=game.payoffs,
                select=select,
                back_up=lambda nodes, results: back_up(list(nodes), list(results)),
            )

    return SamplingPlayer(search, seed, lambda _: playouts)


def search_of(module: ModuleType, kind: str, game: Game[Any]) -> Search:
    """A function of the file as a search, which reports to the meter what it looks at."""
    own: Callable[[State], Any] | None = getattr(module, ESTIMATE, None)

    def search(state: State, depth: int, estimate: Estimate, meter: Meter) -> Result:
        def judge(reached: State) -> Sequence[float]:
            values = estimate(reached)  # the caller wants to know that it was asked
            return values if own is None else values_of(own(reached), game.players)

        if kind == ESTIMATE:
            with reporting(str(module.__file__), SearchStoppedError):
                return alphabeta(state, depth, judge, meter)
        watched = ObservedSearch(kind, game, state, depth, judge, meter)
        watched.run(module, returns=isinstance(meter, RecordingMeter))
        if isinstance(meter, RecordingMeter):
            meter.recordings.append(watched.recording)
        if watched.is_cut_off:
            estimate(state)
        value, line = watched.value, () if watched.move is None else (watched.move,)
        if isinstance(value, tuple):
            return Result(value[watched.recording.max_player], line, value)
        return Result(value, line)

    return search


# What a search looks at

_UNSEEN = -1  # the number of a node that was not visited


class SeenState:
    """A state as a search sees it: equal to that of the game, with its attributes.

    To look at its moves, its payoff, its estimate or at anything of the game's own is to visit it.
    """

    __slots__ = ("_node", "_search", "_state")

    def __init__(self, state: State, node: RecordedNode, search: ObservedSearch) -> None:
        """`node` has no number yet if the search has not visited it."""
        self._state, self._node, self._search = state, node, search

    @property
    def player(self) -> int:
        return self._state.player

    def moves(self) -> Sequence[Move]:
        moves = list(self._state.moves())
        self._search.expand(self._node, [(self._state.player, move) for move in moves])
        return moves

    def chances(self) -> Sequence[tuple[Move, float]]:
        chances = list(self._state.chances())
        self._search.expand(self._node, [(CHANCE, move) for move, _ in chances])
        return chances

    def play(self, move: Move) -> SeenState:
        mover = self._state.player
        if not self._search.has_expanded(self._node, mover, move) and move not in self._state.moves():
            raise ValueError(f"play({shown(move)}): not a legal move")
        likely = dict(self._state.chances())[move] if mover == CHANCE else None
        child = self._state.play(move)
        node = RecordedNode(_UNSEEN, self._node, child, move, mover, likely)
        self._search.played.append(node)
        return SeenState(child, node, self._search)

    def payoff(self) -> Sequence[float]:
        if self._state.player != OVER:
            raise ValueError("payoff() is for the end of the game: elsewhere use estimate(state)")
        return self._search.judge(self._node, self._state.payoff(), "payoff")

    def turn(self, player: int) -> SeenState:
        return SeenState(self._state.turn(player), self._node, self._search)

    def __eq__(self, other: object) -> bool:
        return bool(self._state == (other._state if isinstance(other, SeenState) else other))

    def __hash__(self) -> int:
        return hash(self._state)

    def __repr__(self) -> str:
        return repr(self._state)

    def __copy__(self) -> SeenState:
        return self  # states do not change

    def __deepcopy__(self, _memo: object) -> SeenState:
        return self

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._state, name)
        if not name.startswith("_"):
            self._search.look(self._node)
        return found

    def unwrapped(self) -> State:
        return self._state


def node_of(state: SeenState) -> RecordedNode:
    """A function, as an attribute would hide one of the game's own."""
    return state._node


class ObservedSearch:
    """A call of a file's search: what it finds, and as a Recording what it looks at, even where it fails.

    `value` is for MAX, or under Max-N one for each player; `move` is None if it is not legal; `returned` has
    both. `evaluations`: how often it asked for an estimate. `is_cut_off`: it looked no further
    somewhere where the game goes on.
    """

    def __init__(
        self, kind: str, game: Game[Any], state: State, depth: int, estimate: Estimate, meter: Meter
    ) -> None:
        """`kind` is one of SEARCHES."""
        self.recording = Recording(max(state.player, 0))
        self.value: Worth = 0.0
        self.move: Move = None
        self.returned: Any = None
        self.evaluations = 0
        self.played: list[RecordedNode] = []
        self._kind, self._state, self._depth = kind, state, depth
        self._estimate, self._meter, self._players = estimate, meter, game.players
        self._moves: defaultdict[RecordedNode, dict[tuple[int, Move], None]] = defaultdict(dict)
        self._calls: dict[FrameType, RecordedNode] = {}
        self._windows: dict[RecordedNode, tuple[float, float]] = {}

    @property
    def is_cut_off(self) -> bool:
        return any(not self._moves.get(node) and node.state.player != OVER for node in self.played)

    def run(self, module: ModuleType, *, returns: bool) -> None:
        """`returns`: note what the functions of the file return, too. Raises OwnFileError."""
        function, path = function_of(module, self._kind), str(module.__file__)
        root = RecordedNode(_UNSEEN, None, self._state, depth=self._depth)
        state = SeenState(self._state, root, self)
        me = self.recording.max_player
        others = [(me + i) % self._players for i in range(1, self._players)]
        try:
            with reporting(path, SearchStoppedError), self._noting_returns() if returns else nullcontext():
                found = function(state, self._depth, self.estimate, *[others][: self._kind == BEST_REPLY])
        finally:
            self._finish()
        self.look(root)
        self.returned = found
        value = self._worth(found)
        if value is None:
            wanted = "values, move" if self._kind == MAXN else "value, move (the value is one number)"
            raise OwnFileError(f"{self._kind} returned {shown(found)}: expected {wanted}")
        self.value = value
        if isinstance(found, tuple | list) and len(found) == 2 and self._state.player >= 0:
            move = tuple(found[1]) if isinstance(found[1], list) else found[1]
            self.move = next((each for each in self._state.moves() if each == move), None)

    def look(self, node: RecordedNode) -> None:
        """The search visits the node now, unless it has been there."""
        if node.number != _UNSEEN:
            return
        if node.above is not None:
            self.look(node.above)
            node.depth = node.above.depth - (node.mover != CHANCE)
        self._meter.visit()
        if node.above is not None:
            node.above.children.append(node)
        node.number = len(self.recording.nodes)
        self.recording.nodes.append(node)
        self._note(Act.ENTER, node)

    def expand(self, node: RecordedNode, moves: Sequence[tuple[int, Move]]) -> None:
        self.look(node)
        if moves and not self._moves[node]:
            self._meter.add(0, 1, 0)
        self._moves[node].update(dict.fromkeys(moves))

    def has_expanded(self, node: RecordedNode, mover: int, move: Move) -> bool:
        """Whether the move is one of those that were asked for, which is found sooner than among all."""
        return (mover, move) in self._moves.get(node, ())

    def judge(self, node: RecordedNode, values: Sequence[float], source: str) -> Sequence[float]:
        self.look(node)
        if not node.source:
            self._meter.add(0, 0, 1)
            node.source = source
            node.value = tuple(values) if self._kind == MAXN else values[self.recording.max_player]
            self._note(Act.ESTIMATE, node, node.value)
        return values

    def estimate(self, state: SeenState) -> Sequence[float]:
        self.evaluations += 1
        return self.judge(node_of(state), self._estimate(state.unwrapped()), ESTIMATE)

    def _worth(self, returned: Any) -> Worth | None:
        """The value in what a function returned, alone or before a move; None where there is none."""
        if self._kind == MAXN:
            for found in (returned, returned[0] if isinstance(returned, tuple | list) and returned else ()):
                if isinstance(found, Sequence) and len(found) == self._players and all(map(is_number, found)):
                    return tuple(map(float, found))
            return None
        if isinstance(returned, tuple | list) and returned:
            returned = returned[0]
        return float(returned) if is_number(returned) else None

    @contextmanager
    def _noting_returns(self) -> Iterator[None]:
        """Note what each function of the file, or beside it, returns that was called with a state."""

        def profile(frame: FrameType, event: str, value: Any) -> None:
            code = frame.f_code
            if not is_own(frame.f_globals):
                return
            if event == "call":
                given = (frame.f_locals.get(name) for name in code.co_varnames[: code.co_argcount])
                node = next((node_of(each) for each in given if isinstance(each, SeenState)), None)
                if node is not None:
                    self._calls[frame] = node
                    alpha, beta = (frame.f_locals.get(name, "") for name in ("alpha", "beta"))
                    if is_number(alpha) and is_number(beta):
                        self._windows[node] = float(alpha), float(beta)
            elif event == "return" and (node := self._calls.pop(frame, None)) is not None:
                worth = self._worth(value)
                if worth is not None and (node.number != _UNSEEN or self._kind == TRANSPOSITIONS):
                    self.look(node)
                    self._note(Act.RETURN, node, worth)

        sys.setprofile(profile)
        try:
            yield
        finally:
            sys.setprofile(None)

    def _note(self, act: Act, node: RecordedNode, value: Worth | None = None) -> None:
        self.recording.steps.append(RecordedStep(act, node, value))

    def _finish(self) -> None:
        """Take what was returned last as the value of a node, for MAX; what was left out as pruned."""
        steps = self.recording.steps
        last = {step.node: number for number, step in enumerate(steps) if step.act is Act.RETURN}
        returned = {node: steps[number].value for node, number in last.items()}
        negamax = self._kind != MAXN and _is_negamax(returned)
        for node, (alpha, beta) in self._windows.items():
            turned = negamax and _mover(node) != self.recording.max_player
            node.window = (-beta, -alpha) if turned else (alpha, beta)
        for node in self.recording.nodes:
            below = {(child.mover, child.move) for child in node.children}
            left = ((move, mover) for mover, move in self._moves[node] if (mover, move) not in below)
            node.pruned = tuple(left) if below else ()
        self.recording.steps = []
        for number, step in enumerate(steps):
            node, value = step.node, step.value
            if step.act is Act.RETURN:
                if last[node] != number:
                    continue
                if negamax and isinstance(value, float) and _mover(node) != self.recording.max_player:
                    value = 0.0 - value
                if node.source and value == node.value:
                    continue
                node.value = value
                if node.pruned:
                    self.recording.steps.append(RecordedStep(Act.CUT, node, pruned=node.pruned))
            self._note(step.act, node, value)
        self.recording.finished = True


def _mover(node: RecordedNode) -> int:
    """The player that negamax has values for: the one to move or, at the end, next."""
    if node.state.player >= 0 or node.mover is None:
        return node.state.player
    return 1 - node.mover


def _is_negamax(returned: dict[RecordedNode, Worth | None]) -> bool:
    """Whether most values were backed up with the other sign, each from the view of its player to move."""
    votes = 0
    for node, value in returned.items():
        below = {returned[child] for child in node.children if child in returned}
        if below and isinstance(value, float):
            votes += (-value in below) - (value in below)
    return votes > 0
