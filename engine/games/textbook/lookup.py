"""Look-up tables: what is known beforehand need not be searched.

- `solve`: every state that can follow one, with what best play brings; for small games and endgames
- `retrograde`: the same backwards from the ends, for games in which play may go round in circles
- `replies`: what to answer in the first plies, for openings

The first two are dictionaries, and their `get` is the look-up that `alphabeta` takes.
"""

from __future__ import annotations

from collections import deque
from graphlib import CycleError, TopologicalSorter
from operator import itemgetter, mul
from typing import TYPE_CHECKING

from engine.games.rules.interface import CHANCE, OVER, NotApplicableError
from engine.games.textbook.limits import Meter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from engine.games.rules.interface import Move, State

    Payoffs = tuple[float, ...]

MOST_STATES = 1_000_000


class TooManyStatesError(Exception):
    """A table would have more states than were allowed."""


def solve(state: State, most: int = MOST_STATES, meter: Meter | None = None) -> dict[State, Payoffs]:
    """The payoffs with best play of a state and of all that can follow, any number of players, with chance.

    Everybody maximises their own payoff and takes the first of equal moves. Raises TooManyStatesError,
    SearchStoppedError where the meter says so, NotApplicableError where a state may come again.
    """
    after = reachable([state], most, meter)
    table: dict[State, Payoffs] = {}
    try:
        for reached in TopologicalSorter(after).static_order():  # those that follow come first
            table[reached] = _value(reached, [table[child] for child in after[reached]])
    except CycleError as error:
        raise NotApplicableError("play may go round in circles") from error
    return table


def reachable(
    starts: Iterable[State], most: int = MOST_STATES, meter: Meter | None = None
) -> dict[State, tuple[State, ...]]:
    """All states that can follow, each with those that follow it at once, in the order of the moves.

    Raises TooManyStatesError, SearchStoppedError where the meter says so.
    """
    meter = meter or Meter()
    after: dict[State, tuple[State, ...]] = dict.fromkeys(starts, ())
    waiting = deque(after)
    while waiting:
        state = waiting.popleft()
        meter.visit()
        after[state] = tuple(state.play(move) for move in state.moves())
        for child in after[state]:
            if child not in after:
                if len(after) >= most:
                    raise TooManyStatesError(f"there are more than {most} states")
                after[child] = ()
                waiting.append(child)
    return after


def retrograde(starts: Iterable[State], most: int = MOST_STATES) -> dict[State, Payoffs]:
    """The payoffs with best play of all states that can follow, for two players whose payoffs are -1, 0, +1.

    It goes backwards from the ends: a state is won if one move wins, lost if all lose; what neither is ever
    found of, because play goes round in circles, is drawn (Ströhlein 1970). Raises TooManyStatesError,
    NotApplicableError where there is chance.
    """
    after = reachable(starts, most)
    before: dict[State, list[State]] = {state: [] for state in after}
    for state, children in after.items():
        if state.player == CHANCE:
            raise NotApplicableError("retrograde analysis knows nothing of chance")
        for child in children:
            before[child].append(state)
    winner = {state: _winner(state) for state in after if state.player == OVER}
    winner = {state: won for state, won in winner.items() if won is not None}
    undecided = {state: len(children) for state, children in after.items()}
    waiting = deque(winner)
    while waiting:
        state = waiting.popleft()
        for parent in before[state]:
            undecided[parent] -= 1
            if parent not in winner and (winner[state] == parent.player or not undecided[parent]):
                winner[parent] = winner[state]
                waiting.append(parent)
    payoffs = {0: (1.0, -1.0), 1: (-1.0, 1.0), None: (0.0, 0.0)}
    return {state: payoffs[winner.get(state)] for state in after}


def replies(state: State, plies: int, choose: Callable[[State], Move]) -> dict[State, Move]:
    """What to play, by `choose`, in every state with somebody to move that can follow in fewer plies."""
    table: dict[State, Move] = {}
    ply = {state}
    for _ in range(plies):
        for reached in ply:
            if reached.player >= 0:
                table[reached] = choose(reached)
        ply = {reached.play(move) for reached in ply for move in reached.moves()}
    return table


def _value(state: State, children: Sequence[Payoffs]) -> Payoffs:
    """What best play brings, given what it brings after each move."""
    if state.player == OVER:
        return tuple(state.payoff())
    if state.player == CHANCE:
        shares = [share for _, share in state.chances()]
        return tuple(sum(map(mul, shares, payoffs)) for payoffs in zip(*children, strict=True))
    return max(children, key=itemgetter(state.player))


def _winner(state: State) -> int | None:
    ahead = state.payoff()[0]
    return None if ahead == 0 else 0 if ahead > 0 else 1
