"""Alpha-beta with what chess programs have added to it; each addition can be switched off.

- transpositions: a table of what was found, with the states themselves as keys; also gives the first move
- principal: the principal variation of the last, shallower search is looked at first
- killers: the two moves that last cut off at the same ply come next
- history: then the moves that cut off anywhere, those that did so often and high up in the tree first
- quiescence: at the horizon the moves that the game calls noisy are followed until none is left; the mover
  may always stand pat at the estimate
- singular: a move that is much better than all others, as far as a shallower search can tell, is extended
  by one ply (Anantharaman, Campbell and Hsu 1990)

The last is off unless it is asked for: with as many nodes it lost to the others without it on Connect Four
(45.5% of 348 games, ±4.4), where quiescence won (55.8% of 381, ±4.1), as it did on Othello.

It is written as negamax: the player to move is always MAX, and what MIN gets is what MAX loses. With all
additions off it visits exactly what `alphabeta` visits. Without the last two its value is that of minimax,
or, where the table knows more, that of a deeper search. For `deepen`: every search orders the next.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf, nextafter
from typing import Any

from engine.games.rules.game import CHANCE, Game, Move, NotApplicableError, State
from engine.games.search.basics import Estimate, Found, Meter, Result
from engine.games.search.transpositions import Entry, Transpositions

QUIET_PLIES = 8  # that quiescence looks ahead at most
SINGULAR_DEPTH = 4  # plies that must be left for a look at whether a move is singular
SINGULAR_TRUST = 3  # plies by which what the table says of the move may be shallower
SINGULAR_MARGIN = 0.1  # of what lies between the least and the greatest payoff
_KILLER = 1e18  # above any count of the history


@dataclass(frozen=True, slots=True)
class Additions:
    transpositions: bool = True
    principal: bool = True
    killers: bool = True
    history: bool = True
    quiescence: bool = True
    singular: bool = False


class EnhancedAlphaBeta:
    """For one game of two players whose payoffs add up to 0; a search learns from those before it."""

    def __init__(self, game: Game[Any], **on: bool) -> None:
        """`on`: fields of Additions."""
        self._game = game
        self._on = Additions(**on)
        self._margin = SINGULAR_MARGIN * (game.payoffs[1] - game.payoffs[0])
        self._table = Transpositions()
        self._principal: dict[State, Move] = {}
        self._killers: dict[int, tuple[Move, ...]] = {}
        self._history: dict[tuple[int, Move], int] = {}
        self._estimated = False  # whether an estimate has had a part in what is being found

    def __call__(self, state: State, depth: int, estimate: Estimate, meter: Meter) -> Result:
        """The value of `state` for the player to move, `depth` plies deep, and the line of play.

        Raises NotApplicableError where chance is to move, SearchStoppedError where the meter says so.
        """
        self._estimate, self._meter, self._deepest = estimate, meter, 2 * depth
        self._estimated = False
        self._killers.clear()
        self._history.clear()
        value, line = self._value(state, max(state.player, 0), depth, -inf, inf, 0)
        self._keep_principal(state, line)
        if self._estimated:
            estimate(state)  # the table's estimates are those of searches before: `deepen` must know of some
        return Result(value, line)

    def _value(self, state: State, max_player: int, depth: int, alpha: float, beta: float, ply: int) -> Found:
        """For `max_player`, who is to move unless the game is over; outside the window, a bound."""
        self._meter.visit(state, depth)
        # Step 1. Terminal states and the transposition table.
        if state.player < 0:
            return self._payoff(state, max_player)
        entry = self._table.get(state) if self._on.transpositions else None
        if entry is not None and ply > 0 and entry.settles(depth, alpha, beta):
            self._meter.known(entry.value)
            self._estimated = self._estimated or entry.depth < inf
            return entry.value, entry.line
        # Step 2. Quiescence search at the horizon.
        if depth <= 0:
            return self._quiescence(state, depth, alpha, beta, ply)
        # Step 3. Singular extension: whether the move that seems best is the only good one.
        estimated_before, self._estimated = self._estimated, False
        singular = self._singular_move(state, entry, depth, ply)
        # Step 4. All moves, until one fails high.
        best, line, low = -inf, (), alpha
        for move in self._meter.expand(self._ordered(state, entry, ply), alpha, beta):
            extension = 1 if singular and move == singular[0] else 0
            found, rest = self._value_after(state, move, depth - 1 + extension, low, beta, ply)
            if found > best:
                best, line = found, (move, *rest)
                low = max(low, best)
                self._meter.update(best, low, beta)
            if low >= beta:
                self._meter.cut(low, beta)
                self._note_cutoff(state.player, move, depth, ply)
                break
        # Step 5. Store the result in the transposition table.
        if self._on.transpositions:
            known_to = depth if self._estimated else inf
            self._table.put(state, Entry(known_to, best, best > alpha, best < beta, line))
        self._estimated = self._estimated or estimated_before
        self._meter.leave(best)
        return best, line

    def _value_after(
        self, state: State, move: Move, depth: int, alpha: float, beta: float, ply: int
    ) -> Found:
        child = state.play(move)
        next_player = child.player if child.player >= 0 else 1 - state.player
        if next_player == state.player:
            return self._value(child, next_player, depth, alpha, beta, ply + 1)
        value, line = self._value(child, next_player, depth, -beta, -alpha, ply + 1)
        return 0.0 - value, line  # not -0.0

    def _payoff(self, state: State, max_player: int) -> Found:
        if state.player == CHANCE:
            raise NotApplicableError("alpha-beta does not work with chance: use expectiminimax")
        payoff = state.payoff()[max_player]
        self._meter.leaf(payoff)
        return payoff, ()

    def _quiescence(self, state: State, depth: int, alpha: float, beta: float, ply: int) -> Found:
        """The estimate (stand pat), or what noisy moves make of it, -`depth` plies behind the horizon."""
        self._estimated = True
        best, line = self._estimate(state)[state.player], ()
        looking = self._on.quiescence and depth > -QUIET_PLIES and best < beta
        moves = self._game.noisy(state) if looking else ()
        if not moves:
            self._meter.leaf(best)
            return best, line
        low = max(alpha, best)
        for move in self._meter.expand(moves, low, beta):
            found, rest = self._value_after(state, move, depth - 1, low, beta, ply)
            if found > best:
                best, line = found, (move, *rest)
                low = max(low, best)
                self._meter.update(best, low, beta)
            if best >= beta:
                self._meter.cut(low, beta)
                break
        self._meter.leave(best)
        return best, line

    def _singular_move(self, state: State, entry: Entry | None, depth: int, ply: int) -> tuple[Move, ...]:
        """The move of the table if all others are worse by the margin, as far as half the depth shows."""
        if (
            not self._on.singular
            or entry is None
            or not (entry.line and entry.at_least and depth - SINGULAR_TRUST <= entry.depth < inf)
            or not (depth >= SINGULAR_DEPTH and 0 < ply < self._deepest)
        ):
            return ()
        best, enough = entry.line[0], entry.value - self._margin
        is_singular = all(
            self._value_after(state, move, (depth - 1) // 2, nextafter(enough, -inf), enough, ply)[0] < enough
            for move in self._meter.verify(state.moves())
            if move != best
        )
        self._estimated = False  # nothing of this goes into the value
        return (best,) if is_singular else ()

    def _ordered(self, state: State, entry: Entry | None, ply: int) -> Iterable[Move]:
        moves = state.moves()
        first = self._principal.get(state, _NONE)
        if first is _NONE and entry is not None and entry.line:
            first = entry.line[0]
        killers = self._killers.get(ply, ())
        if first is _NONE and not killers and not self._history:
            return moves
        mover, history = state.player, self._history

        def promise(move: Move) -> float:
            if move == first:
                return inf
            return _KILLER if move in killers else history.get((mover, move), 0)

        return sorted(moves, key=promise, reverse=True)

    def _note_cutoff(self, mover: int, move: Move, depth: int, ply: int) -> None:
        if self._on.killers:
            last = self._killers.get(ply, ())
            if move not in last:
                self._killers[ply] = (move, *last[:1])
        if self._on.history:
            self._history[mover, move] = self._history.get((mover, move), 0) + depth * depth

    def _keep_principal(self, state: State, line: tuple[Move, ...]) -> None:
        self._principal.clear()
        if self._on.principal:
            for move in line:
                self._principal[state] = move
                state = state.play(move)


_NONE = object()  # no move at all; None might be one
