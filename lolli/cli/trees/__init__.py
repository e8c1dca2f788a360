"""A search that a command line describes, and what it did: as a record, and as lines, one a step."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from engine.games.limits import stricter
from engine.games.players.textbook import SAMPLING, WATCHABLE, textbook_of, watch
from engine.games.rules.game import CHANCE, OVER, Game, IllegalMoveError, Move, NotApplicableError, State
from engine.games.search.basics import Decision, SearchLimits
from engine.games.search.recording import Act, RecordedNode, RecordedStep, Recording, Worth, upper_bound
from engine.games.searchers import SEARCHERS, algorithm
from lolli.cli.contest import Entrant
from lolli.cli.terminal.board import playouts_word, side_name

_PREFERRED = ("alphabeta", "expectiminimax", "maxn")
_THROUGH_CHANCE = ("expectiminimax", "maxn")  # the searchers that can begin where chance is to move
_PLIES, _PLAYOUTS = 2, 30  # where nothing says how far to search: small enough for a picture
_SHORT = 5_000
"""Nodes of a game that is searched to its end by default: a pile of 12 to be split."""
MOST_NODES = 100_000
_LARGEST_DIVISOR = 1_296  # two rolls of two dice
_ROOT, _PASS = "root", "pass"


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
        estimate = "" if self.sampling or decision.exact else " (estimate)"
        shown = "" if value is None else f", {kind} {worth_text(value)}{estimate}"
        move = self.game.text(self.state, decision.move) if decision.line else "none"
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
        words = []
        while node.above is not None:
            words.append(self.step_text(node))
            node = node.above
        return ">".join(reversed(words)) or _ROOT


def number_text(number: float) -> str:
    """With at most four digits behind the point; `inf` for infinity."""
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
    visits: dict[int, int] = {}
    means: dict[int, float] = {}
    for step in search.recording.steps:
        node = step.node
        selected = step.act is Act.SELECT
        details = _selected(search, node, visits, means) if selected else _details(search, step)
        if step.act is Act.BACK_UP and isinstance(step.value, float):
            visits[node.number], means[node.number] = step.visits, step.value
        yield f"{'  ' * _plies(node)}{step.act} {search.path_text(node)}{': ' if details else ''}{details}"


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
    search: WatchedSearch, node: RecordedNode, visits: dict[int, int], means: dict[int, float]
) -> str:
    """What UCT looks at: visits, mean and upper bound at this moment; and PUCT, the prior."""
    exploration = search.recording.exploration
    if node.above is None or exploration is None or node.above.state.player == CHANCE:
        return ""
    seen, mean = visits[node.number], means[node.number]
    bound = upper_bound(mean, seen, visits[node.above.number], exploration, node.prior)
    prior = "" if node.prior is None else f"prior {number_text(node.prior)}, "
    return f"visits {seen}, mean {number_text(mean)}, {prior}bound {number_text(bound)}"


def _plies(node: RecordedNode) -> int:
    plies = 0
    while node.above is not None:
        node = node.above
        plies += 1
    return plies
