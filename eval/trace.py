"""How the linear evaluation came to its value, for the learner and the explanation."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Trace:
    """What a position counts.

    `counts` maps an index of a weight to (White's count, Black's count) where either is not 0;
    `material` and `value` are White's centipawns; `phase` runs from 24, all pieces, to 0, none; the
    endgame part is multiplied by `scale` / 64. In a `known` ending special rules replaced the sum.

    Otherwise, with c = White's count - Black's, the value is
    ((material + middle . c) * phase * 64 + (material + endgame . c) * (24 - phase) * scale) / (24 * 64),
    rounded towards zero, and 20,000 at most.
    """

    counts: dict[int, tuple[int, int]]
    material: int
    phase: int
    scale: int
    known: bool
    value: int
