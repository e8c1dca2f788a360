"""A tournament while it is played, and what came of it: a table for people, JSON for machines."""

from __future__ import annotations

import json
from contextlib import contextmanager
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.measure import Measurement
from rich.table import Table

from protocol.cli.terminal.bar import bar
from protocol.cli.terminal.console import output
from protocol.cli.terminal.progress import below
from protocol.cli.terminal.words import count_text, duration_text
from protocol.cli.tournaments.standings import Standing, Standings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

    from protocol.cli.tournaments.contest import Contest, TournamentGame

_MOST_ACROSS = 8
"""Entrants for whom there is room to show all against all."""
_NARROW = 16
"""What a label has on a line at least, if it is so long."""
_DISPENSABLE = (
    frozenset[str](),
    frozenset({"Depth", "Payoff"}),
    frozenset({"Depth", "Payoff", "Won", "Shared", "Lost"}),
    frozenset({"Depth", "Payoff", "Won", "Shared", "Lost", "Playouts"}),
    frozenset({"Depth", "Payoff", "Won", "Shared", "Lost", "Playouts", "Nodes", "Time"}),
)
"""What is left out of the standings where there is no room for everything: as little as can be."""
_WIDEST = 1_000
"""Columns of a terminal, more than the standings ever need."""


class TournamentDisplay:
    """Tells of each game as it ends, where asked to, and of the standings: on a terminal all the time."""

    def __init__(self, contest: Contest, games: int, *, as_json: bool, every_game: bool) -> None:
        self.standings = Standings(contest)
        self._contest = contest
        self._as_json = as_json
        self._every_game = every_game
        self._console = output()
        self._print: Callable[[RenderableType], None] = partial(self._console.print, soft_wrap=True)
        self._lock = Lock()
        self._bar = bar()
        self._task = self._bar.add_task("games", total=games)

    @contextmanager
    def shown(self) -> Iterator[None]:
        """For as long as it is played."""
        with below(self._console, self._live, as_json=self._as_json) as self._print:
            yield
        self._print = partial(self._console.print, soft_wrap=True)

    def ended(self, played: TournamentGame) -> None:
        """A game is over."""
        with self._lock:
            self.standings.add(played)
        self._bar.update(self._task, completed=self.standings.games)
        if self._as_json:
            self._print(json.dumps({"type": "game", **self._content(played)}))
        elif self._every_game:
            self._print(self._line(played))

    def finish(self, seconds: float, *, interrupted: bool) -> None:
        """Tell the standings."""
        if self._as_json:
            for rank, standing in enumerate(self.standings.ranked(), 1):
                self._print(json.dumps({"type": "standing", "rank": rank, **standing_content(standing)}))
            summary = {
                "games": self.standings.games,
                "time": round(seconds, 3),
                "interrupted": interrupted,
            }
            self._print(json.dumps({"type": "summary", **summary}))
            return
        self._console.print(StandingsTable(self.standings))
        if self._contest.players == 2 and 2 < len(self.standings.table) <= _MOST_ACROSS:
            self._console.print(cross_table(self.standings))
        stopped = ", stopped" if interrupted else ""
        games = "1 game" if self.standings.games == 1 else f"{self.standings.games} games"
        self._console.print(f"{games} in {duration_text(seconds)}{stopped}; scores with their 95% intervals")

    def _live(self) -> Group:
        """Called in another thread."""
        with self._lock:
            return Group(StandingsTable(self.standings), self._bar)

    def _labels(self, played: TournamentGame) -> list[str]:
        return [self._contest.entrants[entrant].label for entrant in played.fixture.seats]

    def _line(self, played: TournamentGame) -> str:
        result = ", ".join(
            f"{label} {payoff:+g}" for label, payoff in zip(self._labels(played), played.payoffs, strict=True)
        )
        return f"{played.fixture.number}: {result}; {len(played.moves)} plies"

    def _content(self, played: TournamentGame) -> dict[str, Any]:
        return {
            "number": played.fixture.number,
            "opening": played.fixture.opening,
            "players": self._labels(played),
            "payoffs": played.payoffs,
            "moves": played.moves,
        }


class StandingsTable:
    """The standings as they are now, the best first, with what a move of theirs takes; as wide as can be."""

    def __init__(self, standings: Standings) -> None:
        ranked = standings.ranked()
        self._longest = max(len(standing.label) for standing in ranked)
        self._tables = [_standings_table(ranked, left_out) for left_out in _DISPENSABLE]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The first table that there is room for, with labels folded if need be."""
        to_spare = max(0, self._longest - _NARROW)
        for table in self._tables:
            needed = Measurement.get(console, options.update_width(_WIDEST), table).minimum
            if needed - to_spare <= options.max_width:
                break
        yield table


def _standings_table(ranked: Sequence[Standing], left_out: AbstractSet[str]) -> Table:
    rows = [_row(standing) for standing in ranked]
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("#", justify="right", no_wrap=True)
    table.add_column("Player", overflow="fold")
    names = [name for name in rows[0] if name not in left_out]
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
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
    """Everybody's points against everybody, in games of two."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    ranked = standings.ranked()
    numbers = [standings.table.index(standing) for standing in ranked]
    table.add_column("Points of", overflow="fold")
    for rank in range(1, len(ranked) + 1):
        table.add_column(f"#{rank}", justify="right", no_wrap=True)
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
    spent = standing.spent
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
        "moves": spent.moves,
        "nodes": spent.nodes,
        "playouts": spent.playouts,
        "depth": round(_mean(spent.depth, spent.moves), 2),
        "time": round(spent.seconds, 3),
    }


def _per_move(standing: Standing) -> dict[str, str]:
    """Empty where there is nothing."""
    spent = standing.spent
    moves = spent.moves or 1
    return {
        "Nodes": count_text(spent.nodes / moves) if spent.nodes else "",
        "Playouts": count_text(spent.playouts / moves) if spent.playouts else "",
        "Depth": f"{spent.depth / moves:.1f}" if spent.depth else "",
        "Time": _time_text(spent.seconds / moves) if spent.moves else "",
    }


def _time_text(seconds: float) -> str:
    return f"{1000 * seconds:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def _mean(total: float, count: int) -> float:
    return total / count if count else 0.0
