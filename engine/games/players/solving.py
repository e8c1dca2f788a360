"""Exact values: one question to everyone who can answer it, be it a theory, a table or a solver.

`exact_solver` chooses for a position, in this order: the rules, where the game is over; a theory of the
game, such as the Grundy values of splitting Nim; an endgame table, from a file or made at once; a solver,
that is, alpha-beta to the end of the game; a table of all states that can follow.
"""

from __future__ import annotations

from dataclasses import dataclass
from sys import getsizeof
from typing import TYPE_CHECKING, Any, Protocol, cast

from engine.games.fast.othello_endgame import OthelloEndgame
from engine.games.fast.solver import Solver, obstacle
from engine.games.rules.game import OVER, NotApplicableError
from engine.games.rules.othello import Othello
from engine.games.search.basics import Meter, SearchLimits
from engine.games.search.endgame_table import EndgameTable, make_table
from engine.games.search.lookup import MOST_STATES, TooManyStatesError, solve

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from engine.games.rules.compiled_state import CompiledState
    from engine.games.rules.game import Game, Move, Positions, State
    from engine.games.search.lookup import Payoffs

OTHELLO_REACH = 26
"""Empty squares of Othello's usual board: with more, no score is found in the time that a move takes."""
_STATE_BYTES = 1 << 27
"""Of the states of a full table; fewer than MOST_STATES where each of them is large."""


class BeyondReachError(Exception):
    """A position that nobody here can solve; the message says why, and what could be solved, in one line."""


@dataclass(frozen=True, slots=True)
class Solution:
    """What has been proved of a state.

    `values` are the payoffs with best play, one for each player; `line` is best play of all, `whole` if it
    goes on to the end of the game, to a node of chance, or as far as a draw makes sense. `score` is that of
    the player to move, as finely as the solver knows it. `plies`: how soon the game ends, where the shortest
    win is known. `note`: why it is so, where that may surprise.
    """

    values: tuple[float, ...]
    line: tuple[Move, ...]
    whole: bool = True
    score: int | None = None
    plies: int | None = None
    note: str = ""


class ExactSolver(Protocol):
    """Answers questions about positions of one game. All but `stop` and `nodes` are for one thread."""

    @property
    def title(self) -> str:
        """How it proves, in a few words."""

    @property
    def nodes(self) -> int:
        """The positions looked at for all questions so far."""

    def begin(self, limits: SearchLimits) -> None:
        """Forget an earlier stop; the limits hold for all questions until the next call."""

    def stop(self) -> None:
        """End the question under way; from any thread."""

    def obstacle(self, state: Any) -> str | None:
        """Why a state is beyond reach, None if it is not known to be."""

    def solutions(self, state: Any, *, strong: bool = True) -> Iterator[Solution]:
        """What is proved, the better the later; the last is whole. Not `strong`: only who wins.

        Raises BeyondReachError, SearchStoppedError; what was found up to then stays true.
        """


class _Metered:
    """What solvers in Python have in common: a meter that a limit or `stop` can end."""

    def __init__(self) -> None:
        self._stop = False
        self._before = 0
        self._meter = Meter()

    @property
    def nodes(self) -> int:
        return self._before + self._meter.visited

    def begin(self, limits: SearchLimits) -> None:
        self._stop = False
        self._before = self.nodes
        self._meter = Meter(limits, lambda: self._stop)

    def stop(self) -> None:
        self._stop = True

    def obstacle(self, state: State) -> str | None:
        del state
        return None


class TheorySolver(_Metered):
    """By what the game itself knows of every state, without a search."""

    title = "theory of the game"

    def __init__(self, game: Game[Any]) -> None:
        super().__init__()
        self._game = game

    def solutions(self, state: State, *, strong: bool = True) -> Iterator[Solution]:
        """See ExactSolver."""
        del strong
        line: list[Move] = []
        values = self._known(state)
        while state.player >= 0:
            self._meter.visit()
            mover = state.player
            line.append(max(state.moves(), key=lambda move: self._known(state.play(move))[mover]))
            state = state.play(line[-1])
        yield Solution(values, tuple(line))

    def _known(self, state: State) -> tuple[float, ...]:
        return tuple(self._game.known(state) or ())


class FullTableSolver(_Metered):
    """By a table of all states that can follow, for any number of players, with or without chance."""

    title = "table of all states that can follow"

    def __init__(self) -> None:
        super().__init__()
        self._table: dict[State, Payoffs] = {}

    def solutions(self, state: State, *, strong: bool = True) -> Iterator[Solution]:
        """See ExactSolver. The line ends where chance is to move."""
        del strong
        if state not in self._table:
            most = min(MOST_STATES, _STATE_BYTES // getsizeof(state))
            try:
                self._table = solve(state, most, self._meter)
            except TooManyStatesError:
                raise BeyondReachError(
                    f"more than {most:,} states can follow, too many for a table"
                ) from None
            except NotApplicableError as error:
                raise BeyondReachError(str(error)) from None
        values, line = self._table[state], []
        while state.player >= 0:
            line.append(self._best(state))
            state = state.play(line[-1])
        yield Solution(values, tuple(line))

    def _best(self, state: State) -> Move:
        return max(state.moves(), key=lambda move: self._table[state.play(move)][state.player])


class OverSolver(_Metered):
    """By the rules, where the game is over."""

    title = "rules of the game"

    def solutions(self, state: State, *, strong: bool = True) -> Iterator[Solution]:
        """See ExactSolver. Nothing can follow."""
        del strong
        yield Solution(tuple(state.payoff()), ())


class EndgameTableSolver(_Metered):
    """By an endgame table, one that is given, or one that is made when it is first needed."""

    title = "endgame table"

    def __init__(self, game: Game[Any], table: EndgameTable | None = None) -> None:
        super().__init__()
        self._game = game
        self._table = table or EndgameTable(())

    def obstacle(self, state: State) -> str | None:
        """See ExactSolver."""
        if self._table.parts:
            known = self._table.verdict(state) is not None
            return (
                None
                if known
                else f"not in the endgame table: {_titles(p.positions for p in self._table.parts)}"
            )
        known = ending_of(self._game, state) is not None
        return None if known else f"no endgame table has these men; in reach: {_titles(self._game.endings())}"

    def solutions(self, state: State, *, strong: bool = True) -> Iterator[Solution]:
        """See ExactSolver."""
        del strong
        if self._table.verdict(state) is None:
            men = ending_of(self._game, state)
            if self._table.parts or men is None:
                raise BeyondReachError(self.obstacle(state))
            self._table = make_table(self._game.endings(men), self._meter)
        values, verdict = self._table.look_up(state), self._table.verdict(state)
        if verdict is None:
            raise BeyondReachError(self.obstacle(state))
        if values is None:
            raise BeyondReachError(
                f"the win in {verdict.plies} plies may come too late: the game may be drawn by rule before,"
                " and the table cannot tell"
            )
        line = tuple(self._table.line(state))
        if verdict.winner is not None and not any(values):
            note = f"the win in {verdict.plies} plies comes too late for the fifty-move rule"
            yield Solution(values, line, note=note)
            return
        yield Solution(values, line, plies=None if verdict.winner is None else verdict.plies)


class AlphaBetaSolver:
    """By alpha-beta to the end of the game: the solver for all games, or Othello's own."""

    title = "alpha-beta to the end of the game"

    def __init__(self, start: State, megabytes: int = 64) -> None:
        """For all positions of the game with this first state. Raises NotApplicableError, NoMemoryError.

        Positions of Othello's usual board have no number for the solver for all games.
        """
        self._solver: Solver | OthelloEndgame = (
            OthelloEndgame(megabytes)
            if isinstance(start, Othello) and not start.canonical_bits
            else Solver(cast("CompiledState", start), megabytes)
        )
        self.begin, self.stop = self._solver.begin, self._solver.stop

    @property
    def nodes(self) -> int:
        return self._solver.nodes

    def obstacle(self, state: Any) -> str | None:
        """See ExactSolver."""
        if not isinstance(self._solver, OthelloEndgame):
            return None
        empty = state.empty().bit_count()
        return (
            None
            if empty <= OTHELLO_REACH
            else f"{empty} squares are empty; in reach: {OTHELLO_REACH} or fewer"
        )

    def solutions(self, state: Any, *, strong: bool = True) -> Iterator[Solution]:
        """See ExactSolver. Who wins is proved first, then the score, and then the line is found."""
        for strongly in [False, True] if strong else [False]:
            score = self._solver.score(state, strong=strongly)
            value = float((score > 0) - (score < 0))
            values = (value, 0.0 - value) if state.player == 0 else (0.0 - value, value)  # not -0.0
            move = self._solver.best_move(state, strong=strongly)
            found = Solution(values, (move,), whole=False, score=score if strongly else None)
            yield found
        line = tuple(self._solver.line(state, strong=strong))
        yield Solution(values, line, score=found.score)


def solver_obstacle(start: State) -> str | None:
    """Why a game with this first state has no solver by alpha-beta, None if it has."""
    return None if isinstance(start, Othello) else obstacle(cast("CompiledState", start))


def ending_of(game: Game[Any], state: State) -> str | None:
    """The name of the ending that a state belongs to, None if there is none."""
    try:
        endings = game.endings()
    except NotApplicableError:
        return None
    return next((each.name for each in endings if each.number(state) is not None), None)


def _titles(endings: Iterable[Positions]) -> str:
    return ", ".join(each.title for each in endings)


def exact_solver(
    game: Game[Any], state: State, table: EndgameTable | None = None, megabytes: int = 64
) -> ExactSolver:
    """Whoever can solve a state; `megabytes` are for the solver by alpha-beta.

    Raises BeyondReachError, NoMemoryError, and ValueError where there can be no such solver.
    """
    solver = _candidate(game, state, table, megabytes)
    if reason := solver.obstacle(state):
        raise BeyondReachError(reason)
    return solver


def _candidate(game: Game[Any], state: State, table: EndgameTable | None, megabytes: int) -> ExactSolver:
    if state.player == OVER:
        return OverSolver()
    if table is not None:
        return EndgameTableSolver(game, table)
    if game.known(state) is not None:
        return TheorySolver(game)
    try:
        game.endings()
        return EndgameTableSolver(game)
    except NotApplicableError:
        pass
    if solver_obstacle(state) is None:
        return AlphaBetaSolver(state, megabytes)
    return FullTableSolver()
