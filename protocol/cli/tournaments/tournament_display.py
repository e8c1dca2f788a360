"""A tournament while it is played, and its results: tables for people, JSON for machines."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any

from rich.console import Group

from protocol.cli.terminal.progress import Display
from protocol.cli.terminal.tables import FirstFitting, figures_table
from protocol.cli.terminal.words import count_text, duration_text
from protocol.cli.tournaments.standings import Standing, Standings

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from rich.table import Table

    from protocol.cli.tournaments.contest import Contest, TournamentGame

_MOST_ACROSS = 8
"""The most entrants for a table of all against all."""
_NARROW = 16
"""The columns to which a longer label may be folded."""
_DISPENSABLE = (
    frozenset[str](),
    frozenset({"Depth", "Payoff"}),
    frozenset({"Depth", "Payoff", "Won", "Shared", "Lost"}),
    frozenset({"Depth", "Payoff", "Won", "Shared", "Lost", "Playouts"}),
    frozenset({"Depth", "Payoff", "Won", "Shared", "Lost", "Playouts", "Nodes", "Time"}),
)
"""The columns to leave out on narrower and narrower terminals."""


class TournamentDisplay(Display):
    """Reports games as they end, if asked to, and the standings: on a terminal all the time."""

    def __init__(self, contest: Contest, games: int, *, as_json: bool, every_game: bool) -> None:
        super().__init__(games, "games", as_json=as_json)
        self.standings = Standings(contest)
        self._contest = contest
        self._every_game = every_game
        self._lock = Lock()

    def ended(self, game: TournamentGame) -> None:
        """A game is over."""
        with self._lock:
            self.standings.add(game)
        self.progress.update(self.task, completed=self.standings.games)
        if self.as_json:
            self.print_json("game", self._content(game))
        elif self._every_game:
            self.print(self._line(game))

    def finish(self, seconds: float, *, interrupted: bool) -> None:
        """Print the standings."""
        count = self.standings.games
        if self.as_json:
            for rank, standing in enumerate(self.standings.ranked(), 1):
                self.print_json("standing", {"rank": rank, **standing_content(standing)})
            summary = {"games": count, "time": round(seconds, 3), "interrupted": interrupted}
            self.print_json("summary", summary)
            return
        self.console.print(standings_table(self.standings))
        if self._contest.players == 2 and 2 < len(self.standings.table) <= _MOST_ACROSS:
            self.console.print(cross_table(self.standings))
        games = "1 game" if count == 1 else f"{count} games"
        stopped = ", stopped" if interrupted else ""
        self.console.print(f"{games} in {duration_text(seconds)}{stopped}; scores with their 95% intervals")

    def live(self) -> Group:
        """The standings and the bar."""
        with self._lock:
            return Group(standings_table(self.standings), self.progress)

    def _labels(self, game: TournamentGame) -> list[str]:
        return [self._contest.entrants[entrant].label for entrant in game.fixture.seats]

    def _line(self, game: TournamentGame) -> str:
        result = ", ".join(
            f"{label} {payoff:+g}" for label, payoff in zip(self._labels(game), game.payoffs, strict=True)
        )
        return f"{game.fixture.number}: {result}; {len(game.moves)} plies"

    def _content(self, game: TournamentGame) -> dict[str, Any]:
        return {
            "number": game.fixture.number,
            "opening": game.fixture.opening,
            "players": self._labels(game),
            "payoffs": game.payoffs,
            "moves": game.moves,
        }


def standings_table(standings: Standings) -> FirstFitting:
    """The standings, best first, with the means of a move's figures, in as many columns as fit."""
    ranked = standings.ranked()
    longest = max(len(standing.label) for standing in ranked)
    tables = [_standings_table(ranked, left_out) for left_out in _DISPENSABLE]
    return FirstFitting(tables, slack=max(0, longest - _NARROW))


def _standings_table(ranked: Sequence[Standing], left_out: AbstractSet[str]) -> Table:
    rows = [_row(standing) for standing in ranked]
    names = [name for name in rows[0] if name not in left_out]
    table = figures_table("Player", names, ranked=True)
    for rank, (standing, row) in enumerate(zip(ranked, rows, strict=True), 1):
        table.add_row(str(rank), standing.label, *(row[name] for name in names))
    return table


def _row(standing: Standing) -> dict[str, str]:
    low, high = standing.interval
    return {
        "Games": str(standing.games),
        "Won": str(standing.won),
        "Shared": str(standing.shared),
        "Lost": str(standing.lost),
        "Score": f"{100 * standing.score:.1f}%",
        "95%": f"{100 * low:.0f}-{100 * high:.0f}%",
        "Payoff": f"{_mean(standing.payoff, standing.games):+.2f}",
        **_per_move(standing),
    }


def cross_table(standings: Standings) -> Table:
    """The points of all against all, in games of two."""
    ranked = standings.ranked()
    numbers = [standings.table.index(standing) for standing in ranked]
    table = figures_table("Points of", [f"#{rank}" for rank in range(1, len(ranked) + 1)])
    for standing, row in zip(ranked, numbers, strict=True):
        cells = [
            f"{standings.against[row][column]:g}/{standings.meetings[row][column]}" if row != column else ""
            for column in numbers
        ]
        table.add_row(standing.label, *cells)
    return table


def standing_content(standing: Standing) -> dict[str, Any]:
    """For machines: the sums, and the score with its interval."""
    low, high = standing.interval
    totals = standing.totals
    return {
        "player": standing.label,
        "games": standing.games,
        "won": standing.won,
        "shared": standing.shared,
        "lost": standing.lost,
        "score": round(standing.score, 4),
        "low": round(low, 4),
        "high": round(high, 4),
        "payoff": round(_mean(standing.payoff, standing.games), 4),
        "moves": totals.moves,
        "nodes": totals.nodes,
        "playouts": totals.playouts,
        "depth": round(_mean(totals.depth, totals.moves), 2),
        "time": round(totals.seconds, 3),
    }


def _per_move(standing: Standing) -> dict[str, str]:
    """The means of a move's figures; empty if there are none."""
    totals = standing.totals
    moves = totals.moves or 1
    return {
        "Nodes": count_text(totals.nodes / moves) if totals.nodes else "",
        "Playouts": count_text(totals.playouts / moves) if totals.playouts else "",
        "Depth": f"{totals.depth / moves:.1f}" if totals.depth else "",
        "Time": _time_text(totals.seconds / moves) if totals.moves else "",
    }


def _time_text(seconds: float) -> str:
    return f"{1000 * seconds:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def _mean(total: float, count: int) -> float:
    return total / count if count else 0.0
