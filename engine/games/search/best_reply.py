"""Best-Reply Search: after each move of MAX only one opponent replies, the one who hurts MAX most.

The moves of all opponents are looked at together on one level, as if they were one player's, MIN; the others
pass. So MAX moves on every second ply, and a search of the same depth sees more of its own moves than
Paranoid does, at the price of positions that the order of turns would not allow.

    MAX    the moves of the player who searches
    MIN    all moves of opponent A, all moves of opponent B, …: one of them is played
    MAX    the player who searches again, whoever would be next by the rules

Needs a game in which `turn` has a meaning, without chance. With two players who alternate it is alpha-beta.

Source: M. P. D. Schadd and M. H. M. Winands, Best Reply Search for Multiplayer Games, IEEE Transactions on
Computational Intelligence and AI in Games 3 (1), 2011.
"""

from collections.abc import Iterator
from math import inf
from typing import Protocol

from engine.games.rules.game import OVER, Move, NotApplicableError, State
from engine.games.search.basics import Estimate, Found, Meter, Result, leaf_values


class Opponents(Protocol):
    """The other players, in the order in which they are asked for their replies."""

    def __iter__(self) -> Iterator[int]:
        """All of them; those who have dropped out of the game are passed over."""

    def blame(self, opponent: int) -> None:
        """Take note that the best reply at a MIN node was this opponent's."""


class InTurn:
    """Always in the order of turns, beginning after the player who searches."""

    def __init__(self, max_player: int, players: int) -> None:
        """Players are counted from 0."""
        self.order = [(max_player + i) % players for i in range(1, players)]

    def __iter__(self) -> Iterator[int]:
        return iter(self.order)

    def blame(self, opponent: int) -> None:
        """The order never changes."""


def best_reply(state: State, depth: int, estimate: Estimate, meter: Meter, opponents: Opponents) -> Result:
    """What the player to move is sure of for `depth` plies if only one opponent replies to each of its moves.

    Of equally good moves the first counts, so `opponents` changes the counts, never the value or the move.
    A MIN node is one node, however many opponents there are. The line ends where it leaves the order of
    turns. Raises NotApplicableError where `turn` has no meaning, SearchStoppedError where the meter says so.
    """
    max_player = max(state.player, 0)

    def max_value(state: State, depth: int, alpha: float, beta: float) -> Found:
        moves = state.moves() if state.player == max_player else ()  # none for a player who has dropped out
        values = leaf_values(state, depth if moves else 0, estimate, meter)
        if values is not None:
            return values[max_player], ()
        best, line = -inf, ()
        for move in meter.expand(moves, alpha, beta):
            found, rest = min_value(state.play(move), depth - 1, alpha, beta)
            if found > best:
                best, line = found, (move, *rest)
                alpha = max(alpha, best)
                meter.update(best, alpha, beta)
            if alpha >= beta:
                meter.cut(alpha, beta)
                break
        meter.leave(best)
        return best, line

    def min_value(state: State, depth: int, alpha: float, beta: float) -> Found:
        values = leaf_values(state, depth, estimate, meter)
        if values is not None:
            return values[max_player], ()
        best, line, worst = inf, (), None
        for opponent, reply, child in meter.ask(opponents, replies(state), alpha, beta):
            after = with_turn(child, max_player)
            found, rest = max_value(after, depth - 1, alpha, beta)
            if found < best:
                in_order = (reply, *rest) if child.player == after.player else (reply,)
                best, line, worst = found, in_order if opponent == state.player else (), opponent
                beta = min(beta, best)
                meter.update(best, alpha, beta)
            if alpha >= beta:
                meter.cut(alpha, beta)
                break
        if worst is None:  # none of the opponents can move: they pass
            best, _ = max_value(with_turn(state, max_player), depth - 1, alpha, beta)
        else:
            opponents.blame(worst)
        meter.leave(best)
        return best, line

    def replies(state: State) -> Iterator[tuple[int, Move, State]]:
        """The moves of each opponent, in the order of the list at this moment, with the states after them."""
        for opponent in tuple(opponents):
            theirs = with_turn(state, opponent)
            if theirs.player == opponent:
                for move in theirs.moves():
                    yield opponent, move, theirs.play(move)

    if state.player != OVER:
        state.turn(max_player)  # raises where that has no meaning
    return Result(*max_value(state, depth, -inf, inf))


def with_turn(state: State, player: int) -> State:
    """The state with the turn given to `player`; as it is if the game is over, or over for that player."""
    if state.player in {OVER, player}:
        return state
    try:
        return state.turn(player)
    except NotApplicableError:
        return state
