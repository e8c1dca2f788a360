"""The base class of all evaluators, and what a static value is made of."""

from dataclasses import dataclass

from engine.board.position import Position

FULL_PHASE = 24
"""The phase with all pieces: minor pieces count 1 each, rooks 2, queens 4; a higher sum counts as this."""
FULL_SCALE = 64
"""The scale of an ending in which an advantage is worth as much as elsewhere."""
_PHASES = (0, 1, 1, 2, 4)  # pawn … queen


@dataclass(frozen=True, slots=True)
class Term:
    """One term: White's and Black's share of it, each (middle game, endgame) in centipawns."""

    name: str
    white: tuple[int, int]
    black: tuple[int, int]

    @property
    def total(self) -> tuple[int, int]:
        """White's less Black's, middle game and endgame."""
        return self.white[0] - self.black[0], self.white[1] - self.black[1]


@dataclass(frozen=True, slots=True)
class NetworkParts:
    """How a network sees a position, in centipawns, before any rules for endings.

    `buckets` has White's value by each output bucket, `used` the index of the one that counts. `men` has for
    each square, a1 to h8, what the piece there is worth to its own side: the value less the value without it;
    None where there is no piece, or a king.
    """

    buckets: tuple[int, ...]
    used: int
    men: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """The terms, and how they add up to `value`, White's centipawns.

    The middle game counts phase / 24 and the endgame, first multiplied by scale / 64, the rest. A network has
    its parts instead of terms, and no stages: its whole value is multiplied by scale / 64. A `note` says, for
    example, that special rules replaced the sum.
    """

    terms: tuple[Term, ...]
    phase: int
    scale: int
    value: int
    note: str = ""
    network: NetworkParts | None = None


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


def phase_of(position: Position) -> int:
    """From 24, all pieces, to 0, none but pawns and kings."""
    kinds = [position.piece_at(square) & 7 for square in range(64)]
    return min(FULL_PHASE, sum(phase * kinds.count(kind) for kind, phase in enumerate(_PHASES)))


class Evaluator:
    """Evaluates positions without searching. The search does not know which evaluator it has."""

    def evaluate(self, position: Position) -> int:
        """The static value in centipawns from the side to move's point of view."""
        return 0

    def static_value(self, position: Position) -> int:
        """`evaluate` for callers from outside the compiled kernel."""
        return self.evaluate(position)

    def explain(self, position: Position) -> Explanation:
        """The same value from White's point of view, with its terms."""
        value = self.evaluate(position)
        return Explanation((), phase_of(position), FULL_SCALE, -value if position.side else value)
