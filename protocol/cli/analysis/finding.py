"""What an analysis finds: one line of play as one finished depth sees it, in python-chess's terms."""

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
class Finding:
    """One line of one depth.

    `line` counts from 1, the best; `depth` and `seldepth` are in plies; `score` is that of the side to
    move, in centipawns of the scale that UCI tells too; `chances` are per mille, None where the
    evaluator has no model of the outcome. Of a game that is over `depth` is 0 and `moves` is empty.
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
        """Less than a millisecond counts as one."""
        return self.nodes * _MILLISECONDS_PER_SECOND // max(1, self.milliseconds)

    @property
    def white_bound(self) -> Bound:
        """What the score says about the true one, from White's point of view."""
        return self.bound if self.score.turn else _OPPOSITE[self.bound]


def score_content(score: Score) -> dict[str, int]:
    """A score for machines: `{"cp": centipawns}`, or `{"mate": moves}`."""
    mate = score.mate()
    return {"cp": score.score() or 0} if mate is None else {"mate": mate}
