"""Othello's alpha-beta with learned patterns as a player: deeper and deeper, and near the end to the end."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from math import erf, sqrt
from time import monotonic

from engine.games.fast.othello_search import OthelloSearch
from engine.games.players import Player
from engine.games.rules.game import Move, State
from engine.games.rules.othello import Othello
from engine.games.rules.othello_patterns import description, learned, shipped
from engine.games.search.basics import Counts, Decision, SearchLimits, SearchStoppedError
from engine.system.memory import LARGE, check

USUAL_SIZE = 8
DISC = 100  # the unit of the search's values is a hundredth of a disc
WHOLE = 60  # plies: to the end of the game
CONFIDENCE = 1.4  # standard deviations of ProbCut before the end, and in a first search to the end
SURE = 2.4  # the same in a second search to the end; the last is exact
COST, GROWTH, USUAL_EMPTY = 1e7, 2.2, 20
"""Nodes of an exact search with so many squares empty, and how many times as many with one more."""
BEFORE = 0.05  # of these nodes are spent on depths before the end; then a search to the end is begun
WINDOW = 300
"""Half of the first window around the value of the search before; to the end of the game it is DISC."""
EVERYTHING = 10_000  # more than any value
_NODES_A_PLY = 2_500  # of `solver`, on smaller boards
ENOUGH = 0.6  # of the time: another depth would hardly be finished in the rest


class PatternsPlayer(Player):
    """Plays Othello's usual board; smaller ones are left to `solver`. Deterministic for a number of nodes."""

    def __init__(
        self, make_solver: Callable[[], Player], *, megabytes: int, probcut: bool, nodes: int
    ) -> None:
        """`make_solver` makes the player for smaller boards.

        `nodes`: the limit where the limits name neither seconds, depth nor nodes. Raises NoMemoryError where
        there is no memory for an unusually large table; the usual one makes do with what there is.
        """
        super().__init__()
        if megabytes << 20 > LARGE:
            check(megabytes << 20)
        about = description(shipped())
        self._search = OthelloSearch(learned(), megabytes, about["error"])
        self._spread: tuple[float, float] = about["spread"]
        self._confidence = CONFIDENCE if probcut else 0.0
        self._nodes = nodes
        self._make_solver = make_solver
        self._otherwise: Player | None = None

    def stop(self) -> None:
        super().stop()
        self._search.stop()
        if self._otherwise is not None:
            self._otherwise.stop()

    def new_game(self) -> None:
        self._search.forget()
        if self._otherwise is not None:
            self._otherwise.new_game()

    def _choose(self, state: State, limits: SearchLimits, allowed: Collection[Move] | None) -> Decision:
        """A limit of playouts has no effect."""
        del allowed
        if not isinstance(state, Othello) or state.size != USUAL_SIZE:
            self._otherwise = self._otherwise or self._make_solver()
            if limits.depth and limits == SearchLimits(depth=limits.depth):  # which a solver does not have
                limits = SearchLimits(nodes=_NODES_A_PLY * limits.depth)
            return self._otherwise.choose(state, limits, stopped=self._stopped)
        limits = replace(limits, playouts=None)
        if limits == SearchLimits():
            limits = SearchLimits(nodes=self._nodes)
        began, before = monotonic(), self._search.nodes
        self._search.begin(limits)
        if self._stop:  # it may have come before
            self._search.stop()
        decision = self._deepened(state, limits, began)
        counts = Counts(visited=self._search.nodes - before)
        return replace(decision, seconds=monotonic() - began, counts=counts, limits=limits)

    def _deepened(self, state: Othello, limits: SearchLimits, began: float) -> Decision:
        """What the deepest search has found, also one that was ended after it had come to a move."""
        empty = state.empty().bit_count()
        decision = Decision(state.moves()[0])
        value = 0
        for depth, confidence in self._plan(empty, limits.depth, self._search.nodes):
            exact = depth >= empty and not confidence
            try:
                value = self._search_around(state, depth, value, confidence)
            except SearchStoppedError:
                if self._search.move in state.moves():
                    decision = self._decided(state, self._search.found, decision.depth, exact=False)
                break
            decision = self._decided(state, value, min(depth, empty), exact=exact)
            late = limits.seconds is not None and monotonic() - began > limits.seconds * ENOUGH
            if late or self._stop or (len(state.moves()) == 1 and limits.seconds is not None):
                break
        return decision

    def _plan(self, empty: int, most: int | None, before: int) -> Iterator[tuple[int, float]]:
        deepest = empty if most is None else min(most, empty)
        for depth in range(1, deepest):
            yield depth, self._confidence
            spent = self._search.nodes - before
            if deepest == empty and spent >= BEFORE * COST * GROWTH ** (empty - USUAL_EMPTY):
                break
        if deepest < empty:
            yield deepest, self._confidence
            return
        if self._confidence:
            yield WHOLE, self._confidence
            yield WHOLE, SURE
        yield WHOLE, 0.0

    def _search_around(self, state: Othello, depth: int, value: int, confidence: float) -> int:
        """Search with a window around `value`, then with a wider one if the result is outside.

        With ProbCut values may contradict each other; the full window ends that.
        """
        if depth == WHOLE:
            value = round(value / DISC) * DISC
        width = DISC if depth == WHOLE else WINDOW
        low, high = value - width, value + width
        while width < EVERYTHING:
            found = self._search.search(state, depth, low, high, confidence)
            if low < found < high:
                return found
            width *= 4
            low, high = (found - width, found + 1) if found <= low else (found - 1, found + width)
        return self._search.search(state, depth, -EVERYTHING, EVERYTHING, confidence)

    def _decided(self, state: Othello, value: int, depth: int, *, exact: bool) -> Decision:
        worth = float((value > 0) - (value < 0)) if exact else self._expectation(state, value)
        move = self._search.move
        line = (move, *self._search.line(state.play(move)))
        values = (worth, 0.0 - worth) if state.player == 0 else (0.0 - worth, worth)
        return Decision(move, value=worth, values=values, line=line, depth=depth, exact=exact)

    def _expectation(self, state: Othello, value: int) -> float:
        least, more = self._spread
        deviation = least + more * state.empty().bit_count()
        return erf(value / DISC / (deviation * sqrt(2)))
