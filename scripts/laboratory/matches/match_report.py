"""The report on a match: one line while it is played, and a summary."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rich.console import Group
from rich.table import Table
from rich.text import Text

from scripts.laboratory.engine_pipe import NS_PER_MS, NS_PER_S
from scripts.laboratory.matches.record import FORFEITS
from scripts.laboratory.statistics import elo_estimate, likelihood_of_superiority, normalised_elo_estimate

if TYPE_CHECKING:
    from rich.console import RenderableType

    from scripts.laboratory.matches.plan import EngineSpec
    from scripts.laboratory.matches.record import FinishedGame, MatchTally, Usage
    from scripts.laboratory.statistics import IntervalEstimate, Sprt

_FORFEITS_SHOWN = 3


def status_line(tally: MatchTally, sprt: Sprt | None) -> str:
    """Score, Elo and the state of the sequential test, in one line."""
    losses, draws, wins = tally.games
    parts = [f"+{wins} -{losses} ={draws}"]
    if any(tally.pairs):
        parts.append(f"Elo {interval(elo_estimate(tally.pairs))}")
    if sprt is not None:
        parts.append(f"LLR {sprt.ratio(tally.pairs):.2f} ({sprt.lower:.2f}, {sprt.upper:.2f})")
    if tally.forfeits:
        parts.append(f"forfeits {sum(tally.forfeits_of(0).values())}:{sum(tally.forfeits_of(1).values())}")
    return "  ".join(parts)


def forfeit_line(record: FinishedGame, engines: tuple[EngineSpec, EngineSpec]) -> str:
    """Which engine failed to play on, and why."""
    name = engines[record.forfeiter or 0].name
    return f"game {record.number + 1}: {name} forfeits by {record.ending.value}: {record.detail}"


def result_line(record: FinishedGame, engines: tuple[EngineSpec, EngineSpec]) -> str:
    """Who played whom, and how it ended."""
    white, black = engines[record.white].name, engines[1 - record.white].name
    moves = (record.plies + 1) // 2
    return f"game {record.number + 1}: {white} {record.result} {black}, {record.ending.value}, {moves} moves"


def summary(
    tally: MatchTally, engines: tuple[EngineSpec, EngineSpec], games: int, sprt: Sprt | None
) -> RenderableType:
    """Score, Elo, sequential test, the engines' usage, and the last forfeits."""
    parts: list[RenderableType] = [Text(line) for line in _result_lines(tally, engines, games, sprt)]
    parts.append(_usage_table(tally, engines))
    for record in tally.forfeits[-_FORFEITS_SHOWN:]:
        parts.append(Text(forfeit_line(record, engines)))
        parts += [Text(f"    {line}") for line in record.last_lines]
    if len(tally.forfeits) > _FORFEITS_SHOWN:
        parts.append(Text(f"(the last {_FORFEITS_SHOWN} of {len(tally.forfeits)} forfeits)"))
    return Group(*parts)


def _result_lines(
    tally: MatchTally, engines: tuple[EngineSpec, EngineSpec], games: int, sprt: Sprt | None
) -> list[str]:
    losses, draws, wins = tally.games
    played = max(1, tally.played)
    by_pairs, by_games = elo_estimate(tally.pairs), elo_estimate(tally.games)
    normalised = interval(normalised_elo_estimate(tally.pairs))
    share, drawn = tally.points / played, draws / played
    lines = [
        f"{engines[0].name} against {engines[1].name}: {tally.played} of {games} games",
        f"  score    +{wins} -{losses} ={draws}, {tally.points:g} points ({share:.1%}), draws {drawn:.1%}",
        f"  Elo      {interval(by_pairs)} by pairs, {interval(by_games)} by games, normalised {normalised}",
        f"  stronger with a likelihood of {likelihood_of_superiority(tally.pairs):.1%}",
        f"  pairs    {tally.pairs} with 0, ½, 1, 1½, 2 points",
    ]
    if sprt is not None:
        lines.append(
            f"  SPRT     LLR {sprt.ratio(tally.pairs):.2f} in ({sprt.lower:.2f}, {sprt.upper:.2f}) for "
            f"[{sprt.elo0:g}, {sprt.elo1:g}] {sprt.model.value}: {sprt.verdict(tally.pairs).value}"
        )
    endings = ", ".join(f"{ending.value} {count}" for ending, count in tally.endings.most_common())
    lines.append(f"  endings  {endings or 'none'}")
    return lines


def _usage_table(tally: MatchTally, engines: tuple[EngineSpec, EngineSpec]) -> Table:
    table = Table("engine", "pace", "moves", "depth", "knps", "ms a move", "longest", "least left", "peak MB")
    for ending in FORFEITS:
        table.add_column(ending.value, justify="right")
    for seat, engine in enumerate(engines):
        forfeits = tally.forfeits_of(seat)
        table.add_row(
            engine.name,
            str(engine.pace),
            *_usage_cells(tally.usage[seat]),
            *(str(forfeits[ending]) for ending in FORFEITS),
        )
    return table


def _usage_cells(usage: Usage) -> tuple[str, ...]:
    return (
        str(usage.moves),
        f"{usage.depth / usage.depth_moves:.1f}" if usage.depth_moves else "-",
        f"{usage.nodes * NS_PER_S / usage.nodes_time / 1000:.0f}" if usage.nodes_time else "-",
        f"{usage.time / usage.moves / NS_PER_MS:.2f}" if usage.moves else "-",
        f"{usage.longest_move / NS_PER_MS:.1f}",
        "-" if usage.lowest_clock is None else f"{usage.lowest_clock / NS_PER_MS:.0f}",
        f"{usage.peak_memory / (1 << 20):.0f}" if usage.peak_memory else "-",
    )


def interval(estimate: IntervalEstimate) -> str:
    """A number with its 95% interval, in words."""
    if math.isnan(estimate.value):
        return "unknown"
    if math.isinf(estimate.value):
        return f"{estimate.value:+}"
    return f"{estimate.value:+.1f} ± {estimate.margin:.1f}"
