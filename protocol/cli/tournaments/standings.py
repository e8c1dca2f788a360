"""The scores of the entrants of a tournament, with their intervals."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from protocol.cli.tournaments.contest import PlayerTotals
from protocol.intervals import wilson

if TYPE_CHECKING:
    from protocol.cli.tournaments.contest import Contest, TournamentGame


@dataclass(slots=True)
class Standing:
    """One entrant. The greatest payoff wins a game; if several players have it, they share the game.

    `points` are 1 for a game won and the share of a shared one; `payoff` is the sum of the payoffs.
    """

    label: str
    games: int = 0
    won: int = 0
    shared: int = 0
    points: float = 0.0
    payoff: float = 0.0
    totals: PlayerTotals = field(default_factory=PlayerTotals)

    @property
    def lost(self) -> int:
        """Games in which another player had a greater payoff."""
        return self.games - self.won - self.shared

    @property
    def score(self) -> float:
        """Points per game, 0 … 1."""
        return self.points / self.games if self.games else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the score; see `wilson`."""
        return wilson(self.points, self.games)


class Standings:
    """All entrants, and the points of each against each."""

    def __init__(self, contest: Contest) -> None:
        self.table = [Standing(entrant.label) for entrant in contest.entrants]
        self.games = 0
        self.against = [[0.0] * len(self.table) for _ in self.table]
        """The points of the row's entrant against the column's, in games of two."""
        self.meetings = [[0] * len(self.table) for _ in self.table]

    def add(self, played: TournamentGame) -> None:
        """Add a game. For an entrant in several seats it counts once for each."""
        self.games += 1
        most = max(played.payoffs)
        winners = [seat for seat, payoff in enumerate(played.payoffs) if payoff == most]
        seats = played.fixture.seats
        for seat, entrant in enumerate(seats):
            points = 1 / len(winners) if seat in winners else 0.0
            standing = self.table[entrant]
            standing.games += 1
            standing.won += points == 1
            standing.shared += 0 < points < 1
            standing.points += points
            standing.payoff += played.payoffs[seat]
            standing.totals.include(played.totals[seat])
            if len(seats) == 2:
                self.against[entrant][seats[1 - seat]] += points
                self.meetings[entrant][seats[1 - seat]] += 1

    def ranked(self) -> list[Standing]:
        """The entrants, best first; equal ones in the order in which they were named."""
        return sorted(self.table, key=lambda standing: -standing.score)
