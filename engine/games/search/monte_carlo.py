"""Flat Monte-Carlo: random games after each move, and then the move that has done best.

No tree: the opponents are taken to move at random for ever, so more games do not lead to perfect play
(Abramson 1990; Brügmann 1993).
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from random import Random

from engine.games.rules.game import CHANCE, OVER, Move, State
from engine.games.search.basics import Decision, Meter, SearchStoppedError, Tried, sensible_moves

Playout = Callable[[State, int], Sequence[float]]


def random_playout(state: State, seed: int) -> Sequence[float]:
    """The payoffs after a random game from `state`; the same seed plays the same game.

    A state with a `playout` of its own plays it by itself: compiled ones are faster, and may prefer sensible
    moves.
    """
    own: Callable[[int], Sequence[float]] | None = getattr(state, "playout", None)
    if own is not None:
        return own(seed)
    random = Random(seed)
    while state.player != OVER:
        move = sampled(state, random) if state.player == CHANCE else random.choice(state.moves())
        state = state.play(move)
    return state.payoff()


def sampled(state: State, random: Random) -> Move:
    """One of the outcomes at CHANCE, by their probabilities."""
    outcomes, weights = zip(*state.chances(), strict=True)
    return random.choices(outcomes, weights)[0]


def monte_carlo(state: State, meter: Meter, *, seed: int = 0, playout: Playout = random_playout) -> Decision:
    """The move with the highest mean payoff for the player to move; any number of players, chance or not.

    Each move in turn has a random game until the meter says stop; for 50 games a move, limit the playouts to
    50 times the number of moves. Ties go to the first; the seed of game number i is seed·2³² + i.
    """
    moves, mover = sensible_moves(state), state.player
    children = [state.play(move) for move in moves]
    totals, games = [0.0] * len(moves), [0] * len(moves)
    with suppress(SearchStoppedError):
        for number in count():
            i = number % len(moves)
            meter.play_out()
            results = playout(children[i], (seed << 32) + number)
            totals[i] += results[mover]
            games[i] += 1
            meter.sample(state, moves[i], results)
    tried = [Tried(moves[i], games[i], totals[i] / games[i]) for i in range(len(moves)) if games[i]]
    if not tried:
        return Decision(moves[0])
    best = max(tried, key=lambda each: each.mean)
    most_first = sorted(tried, key=lambda each: -each.visits)
    return Decision(best.move, best.mean, line=(best.move,), tried=tuple(most_first))
