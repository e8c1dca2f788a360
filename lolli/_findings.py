"""The settings and the findings of an analysis: quick to import, as the engine is not needed for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.search.report import Bound

if TYPE_CHECKING:
    from chess import Move
    from chess.engine import PovScore, PovWdl, Score

_OPPOSITE = {Bound.EXACT: Bound.EXACT, Bound.LOWER: Bound.UPPER, Bound.UPPER: Bound.LOWER}
_MILLISECONDS_PER_SECOND = 1000


@dataclass(frozen=True, slots=True)
class AnalystSettings:
    """Picklable. None: the default evaluator, or that of the weights file. `lines`: how many to find."""

    evaluator: str | None = None
    weights: str | None = None
    megabytes: int = 16
    threads: int = 1
    lines: int = 1


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of play at one finished depth; depths in plies.

    `line` counts from 1, the best; `score` is for the side to move; `chances` are per mille, None if the
    evaluator has no WDL model. If the game is over, `depth` is 0 and `moves` is empty.
    """

    line: int
    depth: int
    seldepth: int
    score: PovScore
    chances: PovWdl | None
    bound: Bound
    nodes: int
    milliseconds: int
    hashfull: int
    moves: tuple[Move, ...]

    @property
    def white(self) -> Score:
        return self.score.white()

    @property
    def nodes_per_second(self) -> int:
        return self.nodes * _MILLISECONDS_PER_SECOND // max(1, self.milliseconds)

    @property
    def white_bound(self) -> Bound:
        return self.bound if self.score.turn else _OPPOSITE[self.bound]


def score_content(score: Score) -> dict[str, int]:
    """A score for machines: `{"cp": centipawns}`, or `{"mate": moves}`."""
    mate = score.mate()
    return {"cp": score.score() or 0} if mate is None else {"mate": mate}
