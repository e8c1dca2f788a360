"""Move ordering: the better the first moves, the more alpha-beta prunes."""

from collections.abc import Callable, Iterable, Sequence

from engine.games.rules.game import Move, State

Order = Callable[[State, Sequence[Move]], Iterable[Move]]


def as_they_come(state: State, moves: Sequence[Move]) -> Iterable[Move]:  # noqa: ARG001 - other orders look at it
    """In the order of the game."""
    return moves


def by_value(value: Callable[[State], Sequence[float]]) -> Order:
    """The best move for the mover first, by `value(child)`, one number for each player.

    With an estimate as the value it is a guess; with the outcome of best play it is perfect ordering.
    """

    def order(state: State, moves: Sequence[Move]) -> Iterable[Move]:
        mover = state.player
        return sorted(moves, key=lambda move: value(state.play(move))[mover], reverse=True)

    return order
