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
    """What an analyst is made from; can be sent to another process.

    `evaluator` is a name, `weights` a file for it; None is the default, or the evaluator of the weights.
    `megabytes` is the size of the transposition table, `lines` the number of best lines to find.
    """

    evaluator: str | None = None
    weights: str | None = None
    megabytes: int = 16
    threads: int = 1
    lines: int = 1


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of play at one finished depth, in python-chess's terms.

    `line` counts from 1, the best; `depth` and `seldepth` are in plies; `score` is from the view of the side
    to move, in the same centipawns as in UCI; `chances` are per mille, None if the evaluator has no model of
    the outcome. If the game is over, `depth` is 0 and `moves` is empty.
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
        """The score from White's point of view."""
        return self.score.white()

    @property
    def nodes_per_second(self) -> int:
        """The speed; less than a millisecond counts as one."""
        return self.nodes * _MILLISECONDS_PER_SECOND // max(1, self.milliseconds)

    @property
    def white_bound(self) -> Bound:
        """Whether White's score is exact, a lower or an upper bound."""
        return self.bound if self.score.turn else _OPPOSITE[self.bound]


def score_content(score: Score) -> dict[str, int]:
    """A score for machines: `{"cp": centipawns}`, or `{"mate": moves}`."""
    mate = score.mate()
    return {"cp": score.score() or 0} if mate is None else {"mate": mate}
