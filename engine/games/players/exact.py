"""Players that work out the exact value: by a look-up table made beforehand, or by the solver."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING, Any

from engine.games.players.player import StoppablePlayer
from engine.games.players.searchers import SEARCHERS
from engine.games.players.solving import AlphaBetaSolver, BeyondReachError, FullTableSolver
from engine.games.search.basics import Counts, Decision, SearchLimits, SearchStoppedError

if TYPE_CHECKING:
    from engine.games.players.solving import ExactSolver, Solution
    from engine.games.rules.game import Game, State

SHARE = 0.5
"""Of the time or the nodes, for the solver; if it has no result by then, the rest is for compiled UCT."""


class TablePlayer(StoppablePlayer):
    """Plays by a table of all states, made when first needed; any legal move where it is too large."""

    def __init__(self, game: Game[Any], seed: int) -> None:
        del game, seed
        super().__init__()
        self._solver = FullTableSolver()

    def stop(self) -> None:
        """See Player."""
        super().stop()
        self._solver.stop()

    def _choose(self, state: State, limits: SearchLimits) -> Decision:
        began, nodes = monotonic(), self._solver.nodes
        self._solver.begin(limits)
        decision = _best_decision(self._solver, state) or Decision(state.moves()[0])
        return replace(
            decision, seconds=monotonic() - began, counts=Counts(visited=self._solver.nodes - nodes)
        )


class SolverPlayer:
    """Plays a move that keeps the exact value and, if `strong`, the exact score.

    It first proves who wins, then, if `strong`, by how much or how soon, and then finds the line. When a
    limit comes earlier, the last result proved counts; if there is none, compiled UCT has the rest of the
    time.
    """

    def __init__(self, game: Game[Any], seed: int, *, megabytes: int, strong: bool, nodes: int) -> None:
        """`nodes`: the limit where the limits name neither seconds nor nodes."""
        self._solver = AlphaBetaSolver(game.start(), megabytes)
        self._otherwise = SEARCHERS["uct-fast"].player(game, seed)
        self._strong, self._nodes = strong, nodes
        self._stop = False

    def stop(self) -> None:
        """See Player."""
        self._stop = True
        self._solver.stop()
        self._otherwise.stop()

    def new_game(self) -> None:
        """See Player. What is proved stays true."""
        self._otherwise.new_game()

    def choose(self, state: Any, limits: SearchLimits) -> Decision:
        """See Player."""
        began, nodes = monotonic(), self._solver.nodes
        self._stop = False
        self._solver.begin(self._limits_of_solver(limits))
        hopeless = self._solver.obstacle(state) is not None
        decision = None if hopeless else _best_decision(self._solver, state, strong=self._strong)
        held = limits if limits != SearchLimits() else SearchLimits(nodes=self._nodes)
        if decision is None:
            left = self._limits_left(limits, monotonic() - began, self._solver.nodes - nodes)
            decision = self._otherwise.choose(state, left)
            held = limits if limits != SearchLimits() else decision.limits
        counts = decision.counts + Counts(visited=self._solver.nodes - nodes)
        return replace(decision, seconds=monotonic() - began, counts=counts, limits=held)

    def _limits_of_solver(self, limits: SearchLimits) -> SearchLimits:
        if limits.seconds is None and limits.nodes is None:
            return SearchLimits(nodes=self._nodes)
        return SearchLimits(
            seconds=None if limits.seconds is None else limits.seconds * SHARE,
            nodes=None if limits.nodes is None else max(int(limits.nodes * SHARE), 1),
        )

    def _limits_left(self, limits: SearchLimits, seconds: float, nodes: int) -> SearchLimits:
        """The limits of UCT after the solver has used `seconds` and `nodes`; next to none after a stop."""
        if self._stop:
            return SearchLimits(playouts=1)
        return replace(
            limits,
            seconds=None if limits.seconds is None else max(limits.seconds - seconds, 0.0),
            nodes=None if limits.nodes is None else max(limits.nodes - nodes, 1),
        )


def _best_decision(solver: ExactSolver, state: State, *, strong: bool = True) -> Decision | None:
    """By the last solution that is found before a limit is reached; None where there is none."""
    decision: Decision | None = None
    try:
        for solution in solver.solutions(state, strong=strong):
            decision = _decision(solution, state.player)
    except (SearchStoppedError, BeyondReachError):
        pass
    return decision


def _decision(solution: Solution, mover: int) -> Decision:
    return Decision(
        solution.line[0],
        value=solution.values[mover],
        values=solution.values,
        line=solution.line,
        depth=len(solution.line) if solution.whole else 0,
        exact=True,
    )
