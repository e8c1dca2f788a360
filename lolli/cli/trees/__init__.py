"""A search that a command line describes, and what it did: as a record, and as lines, one a step."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import inf
from typing import Any, Self, TypeAlias

from engine.games.limits import stricter
from engine.games.players.textbook import SAMPLING, WATCHABLE, textbook_of, watch
from engine.games.rules.game import CHANCE, OVER, Game, IllegalMoveError, Move, NotApplicableError, State
from engine.games.rules.tree import UNKNOWN, Tree, TreeGame
from engine.games.search.basics import Decision, SearchLimits
from engine.games.search.recording import Act, RecordedNode, RecordedStep, Recording, Worth, upper_bound
from engine.games.searchers import SEARCHERS, algorithm
from lolli.cli.contest import Entrant
from lolli.cli.terminal.board import playouts_word, side_name

_PREFERRED = ("alphabeta", "expectiminimax", "maxn")
_WITH_UNKNOWN = ("minimax", "alphabeta", "expectiminimax", "paranoid")
_THROUGH_CHANCE = ("expectiminimax", "maxn")  # the searchers that can begin where chance is to move
_PLIES, _PLAYOUTS = 2, 30  # where nothing says how far to search: small enough for a picture
_SHORT = 5_000
"""Nodes of a game that is searched to its end by default: a pile of 12 to be split."""
MOST_NODES = 100_000
_LARGEST = 1e9  # what is greater stands for an unknown payoff
_MOST_UNKNOWN = 6  # leaves: a search for each combination of a small and a great value
_LARGEST_DIVISOR = 1_296  # two rolls of two dice
_ROOT, _PASS = "root", "pass"
Window: TypeAlias = tuple[float, float]


class WatchError(ValueError):
    """Why a search cannot be shown, in one line."""


@dataclass(frozen=True, slots=True)
class WatchedSearch:
    """The last depth that was finished by the searcher that `label` describes; `asked` are its limits.

    `searcher` is one of WATCHABLE; of a file the one that it is like.
    """

    game: Game[Any]
    state: State
    searcher: str
    label: str
    decision: Decision
    recording: Recording
    asked: SearchLimits
    choices: tuple[Move, ...] = ()
    """The moves of which each may be the best, depending on unknown leaves."""

    @property
    def sampling(self) -> bool:
        """Whether nodes have visits and a mean, not a value that was backed up."""
        return self.searcher in SAMPLING

    @property
    def has_sides(self) -> bool:
        """Whether a value is that of MAX, see Recording, and all others are MIN."""
        return not self.sampling and self.searcher != "maxn"

    def title(self) -> str:
        """`alphabeta, Checkers: 9 nodes, value 0 (estimate), move 9-13`, and whether a limit came first."""
        decision, asked, value = self.decision, self.asked, self.recording.root.value
        kind = "mean" if self.sampling else "value"
        estimated = any(node.source == "estimate" for node in self.recording.nodes)
        mark = "" if self.sampling or decision.exact else " (estimate)" if estimated else " (not proved)"
        shown = "" if value is None else f", {kind} {worth_text(value)}{mark}"
        moves = self.choices or ((decision.move,) if decision.line else ())
        move = " or ".join(self.game.text(self.state, each) for each in moves) or "none"
        cut_short, done = "", decision.counts.playouts
        if self.sampling:
            if asked.playouts and done < asked.playouts:
                cut_short = f"; {done:,} of {asked.playouts:,} {playouts_word(decision)}"
        elif asked.depth and decision.depth < asked.depth and not decision.exact:
            spent = f" in {asked.nodes:,} nodes" if asked.nodes and asked.seconds is None else ""
            cut_short = f"; depth {decision.depth} of {asked.depth}{spent}"
        nodes = len(self.recording.nodes)
        return f"{self.label}, {self.game.title}: {nodes:,} nodes{shown}, move {move}{cut_short}"

    def player_text(self, player: int | None) -> str:
        """`MAX` and `MIN` if there are two sides, `MIN p2` with more players; else the player's name."""
        if player is None or player == OVER:
            return "end"
        if player == CHANCE:
            return "chance"
        if not self.has_sides:
            return self.name_text(player)
        if player == self.recording.max_player:
            return "MAX"
        return "MIN" if self.game.players == 2 else f"MIN {self.name_text(player)}"

    def name_text(self, player: int) -> str:
        return side_name(self.game, player)

    def move_text(self, above: RecordedNode, move: Move, mover: int | None) -> str:
        """A move from a node; `mover` may have been given the turn."""
        if mover is None:
            return _PASS
        state = above.state if above.state.player == mover else above.state.turn(mover)
        return self.game.text(state, move)

    def step_text(self, node: RecordedNode) -> str:
        return _ROOT if node.above is None else self.move_text(node.above, node.move, node.mover)

    def path_text(self, node: RecordedNode) -> str:
        """The moves from the root to a node, as in `B2>A1`."""
        return ">".join(map(self.step_text, node.line())) or _ROOT


class Between(float):
    """The value of an unknown leaf by its `name`, or one that hangs on such: from this number to `most`."""

    most: float
    name: str

    def __new__(cls, least: float, most: float, name: str = "") -> Self:
        made = super().__new__(cls, least)
        made.most, made.name = most, name
        return made

    def text(self) -> str:
        """`≤ 2`, `≥ 2`, `2…5`, or `?` for any number."""
        least, most = self > -_LARGEST, self.most < _LARGEST
        if least and most:
            return f"{float(self):g}…{self.most:g}"
        return self.name or (f"≥ {float(self):g}" if least else f"≤ {self.most:g}" if most else "?")


def number_text(number: float) -> str:
    """With at most four digits behind the point; `inf` for infinity."""
    if isinstance(number, Between):
        return number.text()
    return f"{round(number, 4) + 0.0:.10g}"


def odds_text(likely: float) -> str:
    """A probability as a short decimal, or as a fraction such as `1/36`."""
    fraction = Fraction(likely).limit_denominator(_LARGEST_DIVISOR)
    exact = abs(float(fraction) - likely) < 1e-9 and abs(round(likely, 2) - likely) > 1e-9
    return str(fraction) if exact else number_text(likely)


def worth_text(worth: Worth) -> str:
    return " ".join(map(number_text, worth)) if isinstance(worth, tuple) else number_text(worth)


def window_text(window: tuple[float, float]) -> str:
    """`[-inf, 3]`."""
    return f"[{number_text(window[0])}, {number_text(window[1])}]"


def preferred_searcher(game: Game[Any]) -> str:
    return next(name for name in _PREFERRED if SEARCHERS[name].obstacle(game) is None)


def watchable(entrant: Entrant, game: Game[Any]) -> Entrant:
    """The entrant if it can be watched; or its textbook, with options known there; or another searcher."""
    if _like(entrant) in WATCHABLE:
        return entrant
    textbook = textbook_of(entrant.searcher)
    if textbook is None:
        other = preferred_searcher(game)
        return Entrant(other, other, (), SearchLimits())
    known = {option.name for option in SEARCHERS[textbook].options}
    options = tuple((name, text) for name, text in entrant.options if name.lower() in known)
    label = ":".join((textbook, *(f"{name}={text}" for name, text in options)))
    return Entrant(label, textbook, options, entrant.limits)


def position_after(game: Game[Any], size: int | None, moves: Sequence[str]) -> State:
    state: State = game.start(size)
    for number, text in enumerate(moves, 1):
        try:
            state = state.play(game.parse(state, text))
        except IllegalMoveError as error:
            raise WatchError(f"--moves: move {number}: {error}") from None
    return state


def watched_search(game: Game[Any], state: State, entrant: Entrant, seed: int) -> WatchedSearch:
    if isinstance(game, TreeGame) and isinstance(state, Tree) and game.unknown:
        return _open_search(game, state, entrant, seed)
    return _searched(game, state, entrant, seed)


def _open_search(game: TreeGame, state: Tree, entrant: Entrant, seed: int) -> WatchedSearch:
    """What is found whatever the unknown leaves are worth: values may be Between.

    The value of a node never falls when that of a leaf rises, and no leaf counts twice: so a window that is
    empty for all combinations of the least and the greatest values is always empty.
    """
    names = game.unknown
    if entrant.searcher not in _WITH_UNKNOWN:
        raise WatchError(f"the value of {names[0]} is not known: choose from {', '.join(_WITH_UNKNOWN)}")
    if len(names) > _MOST_UNKNOWN:
        raise WatchError(f"at most {_MOST_UNKNOWN} leaves may have unknown values, not {len(names)}")
    low, *others = (
        _searched(game, state.with_unknown(dict(zip(names, values, strict=True))), entrant, seed)
        for values in product((-UNKNOWN, UNKNOWN), repeat=len(names))
    )
    found = [[node.pruned for node in each.recording.nodes] for each in (low, *others)]
    if any(each != found[0] for each in found):
        raise WatchError(
            f"what {entrant.searcher} prunes depends on {', '.join(names)}:"
            " choose one that prunes nothing, or write numbers"
        )
    choices = tuple(dict.fromkeys(each.decision.move for each in (low, *others)))
    decision = low.decision if len(choices) == 1 else replace(low.decision, line=())
    recording = _bounded(low.recording, others[-1].recording)
    return replace(low, decision=decision, recording=recording, choices=choices)


def _bounded(low: Recording, high: Recording) -> Recording:
    """Two recordings of the same nodes as one: with the least values that are possible, and the greatest."""
    values = list(map(_value_between, low.nodes, high.nodes))
    for node, other, value in zip(low.nodes, high.nodes, values, strict=True):
        node.value, node.window = value, _window_between(node.window, other.window)
    steps: list[RecordedStep] = []
    updates: dict[int, list[RecordedStep]] = {}  # the last of each node, in both
    waiting = deque(low.steps), deque(high.steps)
    while waiting[0]:
        pair = [each[0] for each in waiting]
        if (pair[0].act, pair[0].node.number) == (pair[1].act, pair[1].node.number):
            pair = [each.popleft() for each in waiting]
        else:  # an update in one of them alone
            place = int(pair[0].act is not Act.UPDATE)
            step = waiting[place].popleft()
            pair = updates[step.node.number].copy()
            pair[place] = step
        first, second = pair
        value = None if first.value is None else first.node.value
        if first.act is Act.UPDATE:
            updates[first.node.number] = pair
            value = _between(first.value, second.value)
        steps.append(replace(first, value=value, window=_window_between(first.window, second.window)))
    return replace(low, steps=steps)


def _between(least: Any, most: Any, name: str = "") -> Any:
    return least if least == most else Between(least, most, name)


def _window_between(low: Window | None, high: Window | None) -> Window | None:
    return None if low is None or high is None else (_between(low[0], high[0]), _between(low[1], high[1]))


def _value_between(low: RecordedNode, high: RecordedNode) -> Any:
    least, most = bound_sign(low, low.value), bound_sign(high, high.value)
    if low.value == high.value and least == most:
        return low.value
    name = low.state.name if isinstance(low.state, Tree) and not low.state.children else ""
    return _between(-inf if least == AT_MOST else low.value, inf if most == AT_LEAST else high.value, name)


AT_MOST, AT_LEAST = "≤ ", "≥ "


def bound_sign(node: RecordedNode, value: Worth | None) -> str:
    """`≤ ` or `≥ ` where a value that comes back from below the node is only a bound, by its window."""
    if node.source == "table" and node.same is not None:
        return bound_sign(node.same, value)
    if node.window is None or node.source or not isinstance(value, int | float) or isinstance(value, Between):
        return ""
    alpha, beta = node.window
    return AT_MOST if value <= alpha > -inf else AT_LEAST if value >= beta < inf else ""


def _searched(game: Game[Any], state: State, entrant: Entrant, seed: int) -> WatchedSearch:
    searcher, limits = _like(entrant), entrant.limits
    named = entrant.label if entrant.label.startswith(entrant.searcher) else f"{entrant.label} ({searcher})"
    if searcher not in WATCHABLE:
        raise WatchError(f"{named} cannot be watched: choose from {', '.join(WATCHABLE)}")
    if state.player == OVER:
        raise WatchError("the game is over there: nothing to search")
    if state.player == CHANCE and searcher not in _THROUGH_CHANCE:
        outcome = game.text(state, state.moves()[0])
        raise WatchError(
            f"{named} cannot begin where chance is to move, as {' and '.join(_THROUGH_CHANCE)} can:"
            f" add an outcome to --moves, such as {outcome}"
        )
    values = algorithm(entrant.searcher).values(game, dict(entrant.options))
    if (
        replace(limits, nodes=None) == SearchLimits()
        and not values.get("depth")
        and not _limits_itself(entrant)
    ):
        plies = None if searcher in SAMPLING else game.plies_to_end(state)
        if plies is not None:
            with suppress(WatchError):  # it takes more nodes
                short = stricter(limits, SearchLimits(nodes=_SHORT))
                return watched_search(game, state, replace(entrant.at_depth(plies), limits=short), seed)
        if limits.nodes is None:
            limits = SearchLimits(playouts=_PLAYOUTS) if searcher in SAMPLING else SearchLimits(depth=_PLIES)
    if limits.nodes is None:
        limits = replace(limits, nodes=MOST_NODES)
    try:
        decision, recordings = watch(searcher, entrant.player(game, seed), state, limits, game.max_player)
    except NotApplicableError as error:
        raise WatchError(f"{named}: {error}") from None
    if not recordings:
        spent = f"{limits.nodes} nodes" if limits.seconds is None else f"{limits.seconds:g} s"
        raise WatchError(f"the search is not finished after {spent}: fewer plies, as in {searcher}:depth=2")
    asked = replace(limits, depth=limits.depth or int(values.get("depth") or 0) or None)
    return WatchedSearch(game, state, searcher, entrant.label, decision, recordings[-1], asked)


def _limits_itself(entrant: Entrant) -> bool:
    given = {name.lower() for name, _ in entrant.options}
    return any(option.limits and option.name in given for option in algorithm(entrant.searcher).options)


def _like(entrant: Entrant) -> str:
    return algorithm(entrant.searcher).like or entrant.searcher


def is_extended(node: RecordedNode) -> bool:
    """Whether a player's move to the node cost no ply."""
    above = node.above
    if above is None or node.aside or above.state.player == CHANCE:
        return False
    return node.depth >= above.depth > 0


def trace_lines(search: WatchedSearch) -> Iterator[str]:
    """`enter 0>1: MIN, depth 1`, two blanks to the right for each move from the root."""
    sampled: dict[RecordedNode, tuple[int, float]] = {}
    for step in search.recording.steps:
        node = step.node
        details = _selected(search, node, sampled) if step.act is Act.SELECT else _details(search, step)
        if step.act is Act.BACK_UP and isinstance(step.value, float):
            sampled[node] = step.visits, step.value
        indented = f"{'  ' * len(node.line())}{step.act} {search.path_text(node)}"
        yield f"{indented}: {details}" if details else indented


def _details(search: WatchedSearch, step: RecordedStep) -> str:
    node = step.node
    window = window_text(step.window) if step.window else ""
    worth = "" if step.value is None else worth_text(step.value)
    match step.act:
        case Act.ENTER:
            return ", ".join(_entered(search, node))
        case Act.INHERIT:
            asked = " ".join(map(search.name_text, node.asked))
            return f"{window}, asked: {asked}" if asked else window
        case Act.ESTIMATE:
            same = f" as {search.path_text(node.same)}" if node.same else ""
            return f"{worth} ({node.source}{same})"
        case Act.CUT:
            pruned = " ".join(search.move_text(node, *each) for each in step.pruned)
            return f"{window} prunes {pruned}".lstrip()
        case Act.BACK_UP:
            return f"visits {step.visits}, mean {worth}"
        case _:
            return f"{worth} {window}".strip()


def _entered(search: WatchedSearch, node: RecordedNode) -> Iterator[str]:
    yield search.player_text(node.state.player)
    yield f"depth {node.depth}"
    if node.likely is not None:
        yield f"probability {odds_text(node.likely)}"
    if node.above is not None and node.above.asked and node.mover is not None:
        yield f"reply of {search.name_text(node.mover)}"
    if is_extended(node):
        yield "extended"
    if node.aside:
        yield "aside: is the best move singular?"


def _selected(
    search: WatchedSearch, node: RecordedNode, sampled: Mapping[RecordedNode, tuple[int, float]]
) -> str:
    """What UCT looks at: visits, mean and upper bound at this moment; and PUCT, the prior."""
    exploration = search.recording.exploration
    if node.above is None or exploration is None or node.above.state.player == CHANCE:
        return ""
    seen, mean = sampled[node]
    bound = upper_bound(mean, seen, sampled[node.above][0], exploration, node.prior)
    prior = "" if node.prior is None else f"prior {number_text(node.prior)}, "
    return f"visits {seen}, mean {number_text(mean)}, {prior}bound {number_text(bound)}"
