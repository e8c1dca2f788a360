"""Solving: the exact value of a position by alpha-beta to the end of the game.

For games of two players, without chance, whose compiled states have a `canonical` number. Every search is
one with a null window, which only asks "more than this, or not?"; a few such questions close in on a score.
What is proved is kept in a table of bounds (engine.general.bounds), so that later questions, and those after
the line of play, begin where earlier ones ended. The games say which moves are worth a try, and in which
order; with Connect Four that is Pons's solver ("Solving Connect 4: how to build a perfect AI", 2015).
"""

from __future__ import annotations

from threading import Timer
from typing import TYPE_CHECKING

import cython

from engine.games.compiled_state import CompiledState, Moves
from engine.games.interface import NotApplicableError
from engine.general.bounds import Bounds
from engine.general.limits import Limits, SearchStoppedError
from engine.general.result import Result

if TYPE_CHECKING:
    from collections.abc import Sequence

if not cython.compiled:
    from engine.games.compiled_state import UNSEEN
    from engine.games.interface import OVER
    from engine.general.bounds import lower_bound, prefetch, upper_bound

ENDLESS = 1 << 62
DEEPEST = 128  # plies from the position that is solved


def solve(
    state: CompiledState, *, strong: bool = True, megabytes: int = 64, limits: Limits | None = None
) -> Result:
    """The score of a position for the player to move, and a line of best play to the end of the game.

    The score is 1, 0 or -1 for won, drawn or lost; `strong`, as finely as the game knows it, which for
    Connect Four is how many men the winner has left, and one more. Of the limits, seconds and nodes count.
    Raises SearchStoppedError, NotApplicableError, and NoMemoryError or ValueError where the table of
    `megabytes` cannot be had or is too small.
    """
    solver = Solver(state, megabytes)
    with solver.limited(limits or Limits()):
        score = solver.score(state, strong=strong)
        return Result(score, solver.line(state, strong=strong))


def obstacle(state: CompiledState) -> str | None:
    """Why a game that begins so cannot be solved, None if it can."""
    if not isinstance(state, CompiledState):
        return "its states are not compiled"
    if state.players != 2:
        return "it is not for two players"
    return None if state.canonical_bits else "its positions have no exact number"


class Level:
    """One ply: the position there, and room for its moves."""

    def __init__(self, state: CompiledState, deeper: Level | None) -> None:
        self.state = state.copy()
        self.moves = Moves()
        self.deeper = deeper


class Solver:
    """Answers questions about positions of one game, and remembers what it has proved.

    All but `stop` and `nodes` are for one thread. Questions raise SearchStoppedError when they are ended by
    `stop` or a limit; what was proved up to then is kept.
    """

    def __init__(self, state: CompiledState, megabytes: int = 64) -> None:
        """For all positions of the game that `state` is one of.

        Raises NotApplicableError; NoMemoryError or ValueError where there can be no such table.
        """
        reason = obstacle(state)
        if reason is not None:
            raise NotApplicableError(reason)
        self.table = Bounds(megabytes, state.canonical_bits)
        self.nodes = 0
        self.out_of_room = False
        self._stop = False
        self._most_nodes = ENDLESS
        level: Level | None = None
        for _ in range(DEEPEST + 1):
            level = Level(state, level)
        assert level is not None
        self._top = level

    def limited(self, limits: Limits) -> Limited:
        """For a `with` statement: these limits hold inside, counted from its beginning."""
        return Limited(self, limits)

    def begin(self, most_nodes: int = 0) -> None:
        """Forget an earlier stop, and stop after so many more nodes; 0 for no such limit."""
        self._stop = False
        self._most_nodes = self.nodes + most_nodes if most_nodes else ENDLESS

    def stop(self) -> None:
        """End what is being asked; from any thread."""
        self._stop = True

    def score(self, state: CompiledState, *, strong: bool = True) -> int:
        """Of the player to move: 1, 0, -1, or as finely as the game knows it. Not at OVER."""
        self._top.state.assign(state)
        low, high = self._known(state)
        if not strong:
            low, high = max(low, -1), min(high, 1)
        while low < high:
            middle = _middle(low, high)
            found = self._prove(middle, middle + 1)
            if found <= middle:
                high = max(found, low)
            else:
                low = min(found, high)
        return low

    def line(self, state: CompiledState, *, strong: bool = True) -> tuple[int, ...]:
        """Best play of both from here to the end: no move in it gives away anything of the score."""
        moves = []
        while state.player >= 0:
            move = self.best_move(state, strong=strong)
            moves.append(move)
            state = state.play(move)
        return tuple(moves)

    def best_move(self, state: CompiledState, *, strong: bool = True) -> int:
        """A move that keeps the score; of several, one that is already proved, else the first."""
        score = self.score(state, strong=strong)
        if not strong and score < 0:
            score = -state.most_score
        moves = self._worth_trying(state)
        for move in moves:
            child = state.play(move)
            if self._least_after(child, state.player) >= score:
                return move
        for move in moves:
            child = state.play(move)
            if child.player != OVER and self._keeps(child, state.player, score):
                return move
        raise AssertionError("no move keeps the score")

    def _worth_trying(self, state: CompiledState) -> Sequence[int]:
        """The candidates, or where the score is foreseen all moves."""
        level = self._top
        level.state.assign(state)
        if level.state.foresee() != UNSEEN:
            return state.moves()
        return [level.moves.at[i] for i in range(level.state.candidates(level.moves))]

    def _known(self, state: CompiledState) -> tuple[int, int]:
        """What is known of a score without search: from where to where it may lie."""
        level = self._top
        level.state.assign(state)
        seen = level.state.foresee()
        if seen != UNSEEN:
            return seen, seen
        low, high = level.state.lowest(), level.state.highest()
        entry = self.table.find(self.table.place(level.state.canonical()))
        if entry:
            low, high = max(low, lower_bound(entry)), min(high, upper_bound(entry))
        return low, high

    def _least_after(self, child: CompiledState, player: int) -> int:
        """What the player who moved gets at least, as far as it is known."""
        if child.player == OVER:
            self._top.state.assign(child)
            return self._top.state.score_of(player)
        low, high = self._known(child)
        return low if child.player == player else -high

    def _keeps(self, child: CompiledState, player: int, score: int) -> bool:
        """Whether the player who moved still has this score at least."""
        self._top.state.assign(child)
        if child.player == player:
            return self._prove(score - 1, score) >= score
        return self._prove(-score, 1 - score) <= -score

    def _prove(self, alpha: int, beta: int) -> int:
        """Search the top level's position. Raises SearchStoppedError."""
        with cython.nogil:
            found = self._value(self._top, alpha, beta)
        if self.out_of_room:
            raise NotApplicableError(f"a game of more than {DEEPEST} plies")
        if self._stop:
            raise SearchStoppedError
        return found

    # The search itself

    def _value(self, level: Level, alpha: int, beta: int) -> int:
        """With s the score of the player to move: alpha at most if s is, and then s at most this;
        beta at least if s is, and then s at least this; s itself in between. Anything when stopped.
        """
        self.nodes += 1
        if self._stop:
            return 0
        # Step 1. What can be seen at a glance
        seen = level.state.foresee()
        if seen != UNSEEN:
            return seen
        lower, upper = level.state.lowest(), level.state.highest()
        if lower >= beta:
            return lower
        if upper <= alpha:
            return upper
        # Step 2. What is known already; where there is no choice, the next position is looked up instead
        listed = not level.state.near_end()
        if listed:
            place = self.table.place(level.state.canonical())
            prefetch(self.table, place)
        count = level.state.candidates(level.moves)
        listed = listed and count > 1
        if listed:
            entry = self.table.find(place)
            if entry:
                lower = max(lower, lower_bound(entry))
                upper = min(upper, upper_bound(entry))
                if lower >= beta or lower == upper:
                    return lower
                if upper <= alpha:
                    return upper
        # Step 3. Try the moves
        before = self.nodes
        best = self._search(level, count, max(alpha, lower), min(beta, upper))
        # Step 4. Keep what is proved
        if listed and not self._stop:
            if best > max(alpha, lower):
                lower = best
            if best < min(beta, upper):
                upper = best
            self.table.enter(place, lower, upper, u64(self.nodes - before))
        return best

    def _search(self, level: Level, count: int, alpha: int, beta: int) -> int:
        """`_value` where so many moves must be tried."""
        if level.deeper is None or self.nodes >= self._most_nodes:
            self.out_of_room = level.deeper is None
            self._stop = True
            return 0
        best = -UNSEEN
        for i in range(count):
            level.deeper.state.assign(level.state)
            level.deeper.state.advance(level.moves.at[i])
            found = self._reply(level.deeper, level.state.player, max(alpha, best), beta)
            if self._stop:
                return 0
            if found > best:
                best = found
                if best >= beta:
                    break
        return best

    def _reply(self, level: Level, player: int, alpha: int, beta: int) -> int:
        """`_value` of the position after a move, for the player who moved."""
        if level.state.player == OVER:
            return level.state.score_of(player)
        if level.state.player == player:
            return self._value(level, alpha, beta)
        return -self._value(level, -beta, -alpha)


class Limited:
    """Stops a solver's questions when the time, or the number of nodes, is used up."""

    def __init__(self, solver: Solver, limits: Limits) -> None:
        self._solver = solver
        self._nodes = limits.nodes
        self._timer = None if limits.seconds is None else Timer(limits.seconds, solver.stop)

    def __enter__(self) -> None:
        self._solver.begin(self._nodes or 0)
        if self._timer is not None:
            self._timer.daemon = True
            self._timer.start()

    def __exit__(self, *_: object) -> None:
        if self._timer is not None:
            self._timer.cancel()


def _middle(low: int, high: int) -> int:
    """Where to ask next. Near 0 first: most positions are decided late, and late scores are cheap to prove."""
    middle = low + (high - low) // 2
    if middle <= 0 and -(-low // 2) < middle:
        return -(-low // 2)
    if middle >= 0 and high // 2 > middle:
        return high // 2
    return middle
