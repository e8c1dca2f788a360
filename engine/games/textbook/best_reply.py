"""Best-Reply Search: after each move of mine only one opponent answers, the one who hurts me most.

All opponents' moves are looked at together on one level, as if they were one opponent's; the others pass.
So my own moves stand on every second ply, and a search of the same depth sees more of them than Paranoid
does, at the price of positions that the order of turns would not allow.

    MAX    my moves
    MIN    all moves of opponent A, all moves of opponent B, …: one of them is played
    MAX    my moves again, whoever would be next by the rules

Needs a game in which `turn` has a meaning, without chance. With two players who alternate it is alpha-beta.

Source: M. P. D. Schadd and M. H. M. Winands, Best Reply Search for Multiplayer Games, IEEE Transactions on
Computational Intelligence and AI in Games 3 (1), 2011.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Protocol

from engine.games.rules.interface import OVER, NotApplicableError
from engine.games.textbook.result import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from engine.games.rules.interface import Move, State
    from engine.games.textbook.limits import Meter

    Found = tuple[float, tuple[Move, ...]]  # the value, for the searching player, and the line


class Opponents(Protocol):
    """The other players, in the order in which they are asked for their replies."""

    def __iter__(self) -> Iterator[int]:
        """All of them; who has dropped out of the game is passed over."""

    def blame(self, opponent: int) -> None:
        """Take note that the best reply to a move was this one's."""


class InTurn:
    """Always asked in the order of turns, beginning after the searching player."""

    def __init__(self, searcher: int, players: int) -> None:
        """Players count from 0."""
        self.order = [(searcher + i) % players for i in range(1, players)]

    def __iter__(self) -> Iterator[int]:
        return iter(self.order)

    def blame(self, opponent: int) -> None:
        """Nothing changes."""


def best_reply(
    state: State,
    depth: int,
    estimate: Callable[[State], Sequence[float]],
    meter: Meter,
    opponents: Opponents,
) -> Result:
    """What the player to move is sure of for `depth` plies if only one opponent answers each of its moves.

    Of equally good moves the first counts, so `opponents` changes the counts, never the value or the move.
    A node where the opponents move is one node, however many they are. The line ends where it leaves the
    order of turns. Raises NotApplicableError where `turn` has no meaning, SearchStoppedError where the meter
    says so.
    """
    search = _Search(max(state.player, 0), estimate, meter, opponents)
    if state.player != OVER:
        state.turn(search.me)  # says so where that has no meaning
    return Result(*search.max_value(state, depth, -inf, inf))


@dataclass(frozen=True, slots=True)
class _Search:
    """Values are exact inside the window of alpha and beta, else a bound on that side (fail-soft)."""

    me: int
    estimate: Callable[[State], Sequence[float]]
    meter: Meter
    opponents: Opponents

    def max_value(self, state: State, depth: int, alpha: float, beta: float) -> Found:
        """My turn; if I have dropped out, or cannot move, the state is judged as it stands."""
        self.meter.visit()
        moves = state.moves() if state.player == self.me else ()
        if depth == 0 or not moves:
            return self.leaf(state)
        self.meter.expand()
        best, line = -inf, ()
        for move in moves:
            value, rest = self.min_value(state.play(move), depth - 1, max(alpha, best), beta)
            if value > best:
                best, line = value, (move, *rest)
            if best >= beta:
                break
        return best, line

    def min_value(self, state: State, depth: int, alpha: float, beta: float) -> Found:
        """The opponents' turn; if none of them can move, they pass."""
        self.meter.visit()
        if depth == 0 or state.player == OVER:
            return self.leaf(state)
        self.meter.expand()
        best, line, worst = inf, (), -1
        for opponent, reply, after in self.replies(state):
            mine = _given(after, self.me)
            value, rest = self.max_value(mine, depth - 1, alpha, min(beta, best))
            if value < best:
                in_order = (reply, *rest) if after.player == mine.player else (reply,)
                best, line, worst = value, in_order if opponent == state.player else (), opponent
            if best <= alpha:
                break
        if worst < 0:
            return self.max_value(_given(state, self.me), depth - 1, alpha, beta)[0], ()
        self.opponents.blame(worst)
        return best, line

    def replies(self, state: State) -> Iterator[tuple[int, Move, State]]:
        """Each opponent's moves, in the order that the list has now, with what comes of them."""
        for opponent in tuple(self.opponents):
            theirs = _given(state, opponent)
            if theirs.player == opponent:
                for move in theirs.moves():
                    yield opponent, move, theirs.play(move)

    def leaf(self, state: State) -> Found:
        self.meter.leaf()
        return (state.payoff() if state.player == OVER else self.estimate(state))[self.me], ()


def _given(state: State, player: int) -> State:
    """The state with a player's turn; as it is if the game is over, or over for that player."""
    if state.player in {OVER, player}:
        return state
    try:
        return state.turn(player)
    except NotApplicableError:
        return state
