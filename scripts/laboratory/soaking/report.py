"""The table of a soak, and what there is to say of the games that were not played to their end."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from scripts.laboratory.matches.record import Termination
from scripts.laboratory.matches.time_control import NS_PER_MS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rich.console import RenderableType

    from scripts.laboratory.soaking.conditions import Condition, SoakPlan, SoakTerms
    from scripts.laboratory.soaking.soak import Health, SoakGame

_MB = 1 << 20
_SHORTEST_LIFE = 8  # games; of fewer it cannot be said whether memory grows
_FAULTS_SHOWN = 20


class SoakRow:
    """What the games of a row of the table add up to. The opponent counts only if it is the engine itself."""

    def __init__(self) -> None:
        """No games yet."""
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
        """By how much the second half of an engine's games had more than the first half, at most.

        None where no engine has played enough games.
        """
        lives = [
            [value(each) for each in life] for life in self._lives.values() if len(life) >= _SHORTEST_LIFE
        ]
        grown = (max(life[len(life) // 2 :]) - max(life[: len(life) // 2]) for life in lives)
        return max(grown, default=None)

    def most(self, value: Callable[[Health], int]) -> int | None:
        """The most that any engine held after a game."""
        return max((value(each) for life in self._lives.values() for each in life), default=None)

    def cells(self) -> tuple[str, ...]:
        """As the table shows it."""
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
    """All there is to say of a soak."""
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
        "lost on time: in brackets those that were hopeless, stopped for longer than the clock allowed",
        f"stall: no answer within {terms.stall_seconds:g} s; other's: faults of the opponent, of any kind",
        f"overrun: the most by which a clock was overdrawn, of which {forgiven} are forgiven",
        "stops: how often the engines were stopped in a game; pause: how long the machine let a program wait",
        "MB, descriptors, threads: the most after a game, and how many more in the later games of an engine",
    ]
    common = ", ".join(next(iter(factor)) for factor in plan.factors() if len(factor) == 1)
    title = [Text(f"All games: {common}")] if common else []
    return Group(*title, table, *map(Text, notes), *_fault_lines(games, plan, terms))


def fault_line(game: SoakGame, plan: SoakPlan, terms: SoakTerms) -> str:
    """Who failed to play on, why, and under which condition."""
    record, condition = game.record, plan.condition(game.record.number)
    name = terms.rules(condition).engines[record.forfeiter or 0].name
    line = f"game {record.number + 1}: {name} forfeits by {record.ending.value}: {record.detail}"
    if record.ending is Termination.TIME_LOSS:
        line += f", stopped for {game.stopped / NS_PER_MS:.0f} ms of it"
        line += f", longest pause of the machine in the game {game.pause / NS_PER_MS:.0f} ms"
    return f"{line} ({condition})"


def is_fault(game: SoakGame, condition: Condition) -> bool:
    """Whether the engine that is tried failed, and had not been stopped while it lost on time."""
    record = game.record
    mine = record.forfeiter is not None and (condition.opponent == "self" or record.forfeiter == 0)
    return mine and not (record.ending is Termination.TIME_LOSS and game.stopped)


def _sections(games: Iterable[SoakGame], plan: SoakPlan) -> list[dict[str, SoakRow]]:
    """A section for each factor of the conditions that has several values, and a last one for all games."""
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
