"""The table of a soak, and a line about each forfeit."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from scripts.laboratory.engine_pipe import NS_PER_MS
from scripts.laboratory.matches.record import Termination

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rich.console import RenderableType

    from scripts.laboratory.soaking.conditions import Condition, SoakPlan, SoakTerms
    from scripts.laboratory.soaking.soak import Health, SoakGame

_MB = 1 << 20
_SHORTEST_LIFE = 8  # games; fewer do not show whether memory grows
_FAULTS_SHOWN = 20


class SoakRow:
    """The sums over the games of a row. The opponent is included if it is the engine under test, too."""

    def __init__(self) -> None:
        """Start without games."""
        self.games = 0
        self.plies = 0
        self.faults: Counter[Termination] = Counter()
        self.hopeless = 0
        self.of_opponent = 0
        self.overrun = 0
        self.stops = 0
        self.pause = 0
        self._lives: dict[str, list[Health]] = defaultdict(list)

    def add(self, game: SoakGame, condition: Condition) -> None:
        """Count a game."""
        record = game.record
        seats = (0, 1) if condition.opponent == "self" else (0,)
        self.games += 1
        self.plies += record.plies
        self.stops += game.stops
        self.pause = max(self.pause, game.pause)
        self.overrun = max(self.overrun, *(record.usage[seat].overrun for seat in seats))
        if record.forfeiter in seats:
            self.faults[record.ending] += 1
            self.hopeless += game.hopeless
        elif record.forfeiter is not None:
            self.of_opponent += 1
        for seat in seats:
            if (health := game.health[seat]) is not None:
                self._lives[health.life].append(health)

    def growth(self, value: Callable[[Health], int]) -> int | None:
        """The largest growth of a value from the first half of an engine's games to the second.

        None if no engine has played enough games.
        """
        lives = [
            [value(each) for each in life] for life in self._lives.values() if len(life) >= _SHORTEST_LIFE
        ]
        grown = (max(life[len(life) // 2 :]) - max(life[: len(life) // 2]) for life in lives)
        return max(grown, default=None)

    def most(self, value: Callable[[Health], int]) -> int | None:
        """The maximum of a value over all engines and games."""
        return max((value(each) for life in self._lives.values() for each in life), default=None)

    def cells(self) -> tuple[str, ...]:
        """The cells of the row."""
        return (
            str(self.games),
            str(self.plies),
            _count(self.faults[Termination.TIME_LOSS]) + (f" ({self.hopeless})" if self.hopeless else ""),
            _count(self.faults[Termination.ILLEGAL_MOVE]),
            _count(self.faults[Termination.CRASH]),
            _count(self.faults[Termination.STALL]),
            _count(self.of_opponent),
            f"{self.overrun / NS_PER_MS:.1f}",
            f"{self.stops / max(self.games, 1):.1f}",
            f"{self.pause / NS_PER_MS:.0f}",
            *(_held(self.most(value), self.growth(value), unit) for value, unit in _HELD),
        )


_HELD: tuple[tuple[Callable[[Health], int], int], ...] = (
    (lambda health: health.resident, _MB),
    (lambda health: health.descriptors, 1),
    (lambda health: health.threads, 1),
)


def summary(games: Sequence[SoakGame], plan: SoakPlan, terms: SoakTerms) -> RenderableType:
    """The table, its notes, and the last forfeits."""
    table = Table(box=box.SIMPLE, pad_edge=False)
    table.add_column("condition", no_wrap=True)
    for name in (
        "games",
        "plies",
        "lost on time",
        "illegal",
        "crash",
        "stall",
        "other's",
        "overrun ms",
        "stops",
    ):
        table.add_column(name, justify="right")
    for name in ("pause ms", "MB", "descriptors", "threads"):
        table.add_column(name, justify="right")
    for section in _sections(games, plan):
        for name, row in section.items():
            if row.games:
                table.add_row(name, *row.cells())
        table.add_section()
    forgiven = f"{terms.margin / NS_PER_MS:g} ms"
    notes = [
        "lost on time: in brackets those in which the engine was stopped for longer than its clock allowed",
        f"stall: no answer within {terms.stall_seconds:g} s; other's: all forfeits of the opponent",
        f"overrun: the most by which a move exceeded its clock; {forgiven} are allowed",
        "stops: how often the engines were stopped in a game; pause: the longest delay by the machine",
        "MB, descriptors, threads: the maximum after a game, and the growth over an engine's games",
    ]
    common = ", ".join(next(iter(factor)) for factor in plan.factors() if len(factor) == 1)
    title = [Text(f"All games: {common}")] if common else []
    return Group(*title, table, *map(Text, notes), *_fault_lines(games, plan, terms))


def fault_line(game: SoakGame, plan: SoakPlan, terms: SoakTerms) -> str:
    """Which engine failed to play on, why, and under which condition."""
    record, condition = game.record, plan.condition(game.record.number)
    name = terms.rules(condition).engines[record.forfeiter or 0].name
    line = f"game {record.number + 1}: {name} forfeits by {record.ending.value}: {record.detail}"
    if record.ending is Termination.TIME_LOSS:
        line += f", stopped for {game.stopped / NS_PER_MS:.0f} ms of them"
        line += f", longest delay by the machine {game.pause / NS_PER_MS:.0f} ms"
    return f"{line} ({condition})"


def is_fault(game: SoakGame, condition: Condition) -> bool:
    """Whether the engine under test forfeited, except on time while it was stopped."""
    record = game.record
    mine = record.forfeiter is not None and (condition.opponent == "self" or record.forfeiter == 0)
    return mine and not (record.ending is Termination.TIME_LOSS and game.stopped)


def _sections(games: Iterable[SoakGame], plan: SoakPlan) -> list[dict[str, SoakRow]]:
    """A section for each factor with several values, and one for all games."""
    sections: list[dict[str, SoakRow]] = [{name: SoakRow() for name in factor} for factor in plan.factors()]
    everything = SoakRow()
    for game in games:
        condition = plan.condition(game.record.number)
        for section, name in zip(sections, condition.factors, strict=True):
            section[name].add(game, condition)
        everything.add(game, condition)
    return [*(section for section in sections if len(section) > 1), {"all": everything}]


def _fault_lines(games: Sequence[SoakGame], plan: SoakPlan, terms: SoakTerms) -> list[Text]:
    faults = [game for game in games if game.record.forfeiter is not None]
    lines = []
    for game in faults[-_FAULTS_SHOWN:]:
        lines.append(Text(fault_line(game, plan, terms)))
        if game.record.ending is not Termination.TIME_LOSS:
            lines += [Text(f"    {line}") for line in game.record.last_lines]
    if len(faults) > _FAULTS_SHOWN:
        lines.append(Text(f"(the last {_FAULTS_SHOWN} of {len(faults)} forfeits)"))
    return lines


def _count(number: int) -> str:
    return str(number) if number else "-"


def _held(most: int | None, growth: int | None, unit: int) -> str:
    if most is None:
        return "-"
    digits = 1 if unit > 1 else 0
    grown = "" if growth is None else f" {growth / unit:+.{digits}f}"
    return f"{most / unit:.{digits}f}{grown}"
