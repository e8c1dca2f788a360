"""Players that work out the exact value: by a look-up table made beforehand, or by the solver."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol, cast

from engine.games.compiled.othello_endgame import OthelloEndgame
from engine.games.compiled.solver import Solver, obstacle
from engine.games.players.player import StoppablePlayer
from engine.games.players.searchers import SEARCHERS
from engine.games.rules.game import NotApplicableError
from engine.games.rules.othello import Othello
from engine.games.textbook.lookup import TooManyStatesError, solve
from engine.games.textbook.search import Counts, Decision, Meter, SearchLimits, SearchStoppedError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.games.rules.compiled_state import CompiledState
    from engine.games.rules.game import Game, Move, State
    from engine.games.textbook.lookup import Payoffs

SHARE = 0.5
"""Of the time or the nodes, for the solver; if it has no result by then, the rest is for compiled UCT."""


_REACH = 26
"""Empty squares of Othello's usual board: with more, no score is found in the time that a move takes."""


class ExactSolver(Protocol):
    """What both solvers are to a player; see Solver."""

    @property
    def nodes(self) -> int: ...
    def begin(self, limits: SearchLimits) -> None: ...
    def stop(self) -> None: ...
    def score(self, state: Any, *, strong: bool) -> int: ...
    def best_move(self, state: Any, *, strong: bool) -> int: ...
    def line(self, state: Any, *, strong: bool) -> Iterator[int]: ...


def solver_obstacle(start: State) -> str | None:
    """Why a game with this first state has no solver, None if it has."""
    return None if isinstance(start, Othello) else obstacle(cast("CompiledState", start))


def _new_solver(start: State, megabytes: int) -> ExactSolver:
    """The solver of a game: for Othello its own, where positions have no number for the one for all games."""
    if isinstance(start, Othello) and not start.canonical_bits:
        return OthelloEndgame(megabytes)
    return Solver(cast("CompiledState", start), megabytes)


class TablePlayer(StoppablePlayer):
    """Plays by a table of all states, made when first needed; any legal move where it is too large."""

    def __init__(self, game: Game[Any], seed: int) -> None:
        del game, seed
        super().__init__()
        self._table: dict[State, Payoffs] = {}

    def _choose(self, state: State, limits: SearchLimits) -> Decision:
        meter = Meter(limits, self._stopped)
        if state not in self._table:
            try:
                self._table = solve(state, meter=meter)
            except (SearchStoppedError, TooManyStatesError, NotApplicableError):
                return Decision(state.moves()[0], seconds=meter.seconds, counts=meter.counts)
        values, line = self._table[state], self._line(state)
        return Decision(
            line[0],
            value=values[state.player],
            values=values,
            line=line,
            depth=len(line),
            exact=True,
            seconds=meter.seconds,
            counts=meter.counts,
        )

    def _line(self, state: State) -> tuple[Move, ...]:
        """Best play by all, up to the next chance node."""
        line = []
        while state.player >= 0:
            line.append(self._best(state))
            state = state.play(line[-1])
        return tuple(line)

    def _best(self, state: State) -> Move:
        return max(state.moves(), key=lambda move: self._table[state.play(move)][state.player])


class SolverPlayer:
    """Plays a move that keeps the exact value and, if `strong`, the exact score.

    It first proves who wins, then, if `strong`, by how much or how soon, and then finds the line. When a
    limit comes earlier, the last result proved counts; if there is none, compiled UCT has the rest of the
    time.
    """

    def __init__(self, game: Game[Any], seed: int, *, megabytes: int, strong: bool, nodes: int) -> None:
        """`nodes`: the limit where the limits name neither seconds nor nodes."""
        self._solver = _new_solver(game.start(), megabytes)
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
        hopeless = isinstance(self._solver, OthelloEndgame) and state.empty().bit_count() > _REACH
        decision = None if hopeless else self._solved(state)
        held = limits if limits != SearchLimits() else SearchLimits(nodes=self._nodes)
        if decision is None:
            left = self._limits_left(limits, monotonic() - began, self._solver.nodes - nodes)
            decision = self._otherwise.choose(state, left)
            held = limits if limits != SearchLimits() else decision.limits
        counts = decision.counts + Counts(visited=self._solver.nodes - nodes)
        return replace(decision, seconds=monotonic() - began, counts=counts, limits=held)

    def _solved(self, state: State) -> Decision | None:
        """The best decision that is proved before a limit is reached."""
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
