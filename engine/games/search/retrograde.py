"""Retrograde analysis: who wins, and how soon, from the ends of a game backwards, without any search.

A position is won if one move wins, lost if all moves lose; what is found to be neither, because play goes
round in circles, is drawn (Ströhlein 1970; Thompson, "Retrograde analysis of certain endgames", 1986).
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Generic, NamedTuple, TypeVar

from engine.games.rules.game import CHANCE, OVER, NotApplicableError, State
from engine.games.search.basics import Meter
from engine.games.search.lookup import MOST_STATES, Payoffs, reachable

K = TypeVar("K")


class ExactValue(NamedTuple):
    """Who wins in how many plies, if the winner plays for the shortest and the loser for the longest way.

    None is a draw.
    """

    winner: int | None = None
    plies: int = 0


DRAWN = ExactValue()


class Backwards(Generic[K]):
    """The analysis. Positions are whatever can be a key: states, or their numbers."""

    def __init__(self) -> None:
        self._movers: dict[K, int] = {}
        self._undecided: dict[K, int] = {}  # moves that are not yet known to lose
        self._parents: defaultdict[K, list[K]] = defaultdict(list)
        self._news: list[list[tuple[K, int]]] = []  # by plies: a position, and who wins by a move from it

    def add(self, position: K, mover: int, children: Sequence[K], known: Sequence[ExactValue] = ()) -> None:
        """A position where `mover` has moves to `children`, which are added, too, and to what is `known`."""
        self._movers[position] = mover
        self._undecided[position] = len(children) + len(known)
        for child in children:
            self._parents[child].append(position)
        for verdict in known:
            if verdict.winner is not None:
                self._tell(position, verdict.winner, verdict.plies + 1)

    def end(self, position: K, winner: int | None) -> None:
        """A position where the game is over; None for a draw."""
        self._movers[position], self._undecided[position] = OVER, 0
        if winner is not None:
            self._tell(position, winner, 0)

    def verdicts(self, meter: Meter | None = None) -> dict[K, ExactValue]:
        """The verdict on every position that was added and is not drawn.

        Raises SearchStoppedError where the meter says so; it counts nothing.
        """
        meter = meter or Meter()
        found: dict[K, ExactValue] = {}
        for plies, news in enumerate(self._news):  # grows meanwhile
            for position, winner in meter.looking(news):
                if position in found:
                    continue
                if winner != self._movers[position]:
                    self._undecided[position] -= 1
                    if self._undecided[position] > 0:
                        continue
                found[position] = ExactValue(winner, plies)
                for parent in self._parents[position]:
                    self._tell(parent, winner, plies + 1)
        return found

    def _tell(self, position: K, winner: int, plies: int) -> None:
        while len(self._news) <= plies:
            self._news.append([])
        self._news[plies].append((position, winner))


def retrograde(starts: Iterable[State], most: int = MOST_STATES) -> dict[State, Payoffs]:
    """The payoffs with best play of all states that can follow, for two players whose payoffs are -1, 0, +1.

    Raises TooManyStatesError for more than `most` states, NotApplicableError where there is chance.
    """
    analysis: Backwards[State] = Backwards()
    after = reachable(starts, most)
    for state, children in after.items():
        if state.player == CHANCE:
            raise NotApplicableError("retrograde analysis does not work with chance")
        if state.player == OVER:
            analysis.end(state, winner_of(state))
        else:
            analysis.add(state, state.player, children)
    verdicts = analysis.verdicts()
    return {state: payoffs_of(verdicts.get(state, DRAWN)) for state in after}


def winner_of(state: State) -> int | None:
    """At OVER: who has won; None for a draw."""
    ahead = state.payoff()[0]
    return None if ahead == 0 else 0 if ahead > 0 else 1


def payoffs_of(verdict: ExactValue) -> Payoffs:
    if verdict.winner is None:
        return 0.0, 0.0
    return (1.0, -1.0) if verdict.winner == 0 else (-1.0, 1.0)
