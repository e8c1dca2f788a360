"""What a search reports, as python-chess has it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

import chess
from chess.engine import (
    INFO_PV,
    INFO_SCORE,
    BestMove,
    Cp,
    Info,
    InfoDict,
    Mate,
    PovScore,
    PovWdl,
    Score,
    Wdl,
)

from engine.search.report import Bound, Outcome, Progress, Report
from lolli._moves import chess_move, chess_moves
from protocol.evaluation import Scale
from protocol.uci.replies import per_second

_BOUNDS = {Bound.LOWER: "lowerbound", Bound.UPPER: "upperbound"}


@dataclass(frozen=True, slots=True)
class BenchResult:
    """What a bench has found: `nodes` are the same on every run, `seconds` are not."""

    nodes: int
    seconds: float

    @property
    def nps(self) -> int:
        """Nodes per second."""
        return per_second(self.nodes, round(1000 * self.seconds))


@dataclass(frozen=True, slots=True)
class Translator:
    """From the engine's terms to those of python-chess, for one board; `wanted` selects what is told."""

    turn: chess.Color
    chess960: bool
    scale: Scale
    wanted: Info

    def info(self, item: Report | Progress) -> InfoDict:
        """The dictionary that python-chess makes of the `info` line over UCI; empty if nothing is wanted."""
        if not self.wanted:
            return InfoDict()
        if isinstance(item, Progress):
            move = chess_move(item.move, self.chess960)
            return InfoDict(depth=item.depth, currmove=move, currmovenumber=item.number)
        found = InfoDict(
            depth=item.depth,
            seldepth=item.seldepth,
            multipv=item.line,
            nodes=item.nodes,
            nps=per_second(item.nodes, item.milliseconds),
            hashfull=item.hashfull,
            tbhits=item.table_hits,
            time=item.milliseconds / 1000,
        )
        if self.wanted & INFO_SCORE:
            found["score"] = PovScore(self._score(item), self.turn)
            if item.bound in _BOUNDS:
                cast("dict[str, Any]", found)[_BOUNDS[item.bound]] = True  # as python-chess does
        if self.wanted & INFO_PV and item.moves:
            found["pv"] = chess_moves(item.moves, self.chess960)
        if (chances := self._chances(item)) is not None:
            found["wdl"] = PovWdl(chances, self.turn)
        return found

    def best(self, outcome: Outcome) -> BestMove:
        """The move to play and the expected reply; None where there is none."""
        return BestMove(self._move(outcome.best), self._move(outcome.ponder))

    def _move(self, move: int) -> chess.Move | None:
        return chess_move(move, self.chess960) if move else None

    def _score(self, report: Report) -> Score:
        mate = report.score.mate()
        if mate is not None:
            return Mate(mate)
        return Cp(self.scale.centipawns(report.score.value, report.known))

    def _chances(self, report: Report) -> Wdl | None:
        """Win, draw and loss; None unless asked for and known."""
        numbers = self.scale.chances(report) if self.scale.shows_chances else None
        return None if numbers is None else Wdl(*numbers)


def combined(infos: Iterable[InfoDict]) -> list[InfoDict]:
    """What is known at the end, a dictionary for each line: the latest of each kind; at least one."""
    lines: list[InfoDict] = [InfoDict()]
    for info in infos:
        fold(lines, info)
    return lines


def fold(lines: list[InfoDict], info: InfoDict) -> None:
    """Bring the dictionary of the line that `info` is about up to date."""
    number = info.get("multipv", 1)
    while len(lines) < number:
        lines.append(InfoDict())
    line = lines[number - 1]
    if "score" in info:
        for bound in _BOUNDS.values():
            cast("dict[str, Any]", line).pop(bound, None)
    line.update(info)
