"""The solver as a player; where the end is out of reach, compiled UCT decides."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING, Any, cast

from engine.games.compiled.solver import Solver
from engine.games.players.searchers import SEARCHERS
from engine.games.textbook.limits import Limits, SearchStoppedError
from engine.games.textbook.result import Decision

if TYPE_CHECKING:
    from engine.games.rules.compiled_state import CompiledState
    from engine.games.rules.interface import Game, State

SHARE = 0.5
"""Of the time or the nodes; the rest is for UCT, should the position not be solved by then."""


class SolverPlayer:
    """Plays a move that keeps the exact value and, if `strong`, the exact score.

    It first proves who wins, then, `strong`, by how much or how soon, and then finds the line. When the
    limits come earlier the last that was proved counts; where that is nothing, UCT has the rest of the time.
    """

    def __init__(self, game: Game[Any], seed: int, *, megabytes: int, strong: bool, nodes: int) -> None:
        """`nodes` are looked at where the limits name neither seconds nor nodes."""
        self._solver = Solver(cast("CompiledState", game.start()), megabytes)
        self._otherwise = SEARCHERS["treesearch"].player(game, seed)
        self._strong, self._nodes = strong, nodes
        self._stop = False

    def stop(self) -> None:
        """Decide now; from any thread. Lost where nothing is being chosen."""
        self._stop = True
        self._solver.stop()
        self._otherwise.stop()

    def new_game(self) -> None:
        """What is proved stays true."""
        self._otherwise.new_game()

    def choose(self, state: State, limits: Limits) -> Decision:
        """What to play; see Player."""
        began, nodes = monotonic(), self._solver.nodes
        self._stop = False
        self._solver.begin(self._limits(limits))
        decision = self._solved(cast("CompiledState", state))
        if decision is None:
            left = self._left(limits, monotonic() - began, self._solver.nodes - nodes)
            decision = self._otherwise.choose(state, left)
        counts = decision.counts
        counts = replace(counts, visited=counts.visited + self._solver.nodes - nodes)
        return replace(decision, seconds=monotonic() - began, counts=counts)

    def _solved(self, state: CompiledState) -> Decision | None:
        """The best that is proved before a limit is reached."""
        decision: Decision | None = None
        try:
            for strong in [False, True] if self._strong else [False]:
                score = self._solver.score(state, strong=strong)
                move = self._solver.best_move(state, strong=strong)
                value = float((score > 0) - (score < 0))
                values = (value, -value) if state.player == 0 else (-value, value)
                decision = Decision(move, value, values, (move,), exact=True)
            line = tuple(self._solver.line(state, strong=self._strong))
            decision = Decision(line[0], value, values, line, len(line), exact=True)
        except SearchStoppedError:
            pass
        return decision

    def _limits(self, limits: Limits) -> Limits:
        """Those of the solver."""
        if limits.seconds is None and limits.nodes is None:
            return Limits(nodes=self._nodes)
        return Limits(
            seconds=None if limits.seconds is None else limits.seconds * SHARE,
            nodes=None if limits.nodes is None else max(int(limits.nodes * SHARE), 1),
        )

    def _left(self, limits: Limits, seconds: float, nodes: int) -> Limits:
        """Those of UCT when so much is gone; next to none after a stop."""
        if self._stop:
            return Limits(playouts=1)
        return replace(
            limits,
            seconds=None if limits.seconds is None else max(limits.seconds - seconds, 0.0),
            nodes=None if limits.nodes is None else max(limits.nodes - nodes, 1),
        )
