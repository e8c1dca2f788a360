"""What a search took and found in all positions."""

from __future__ import annotations

from statistics import geometric_mean
from typing import TYPE_CHECKING

from protocol.cli.ablation.theory import branching

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.cli.ablation.laboratory import FinishedDepth
    from protocol.cli.ablation.variants import Variant
    from protocol.cli.suites.epd import SuitePosition

NANOSECONDS = 1_000_000_000
"""In a second."""


class VariantResult:
    """One search in all positions.

    Nodes and seconds are those of a position, as geometric means: so each position counts for the same, and a
    ratio of means is the mean of ratios.
    """

    def __init__(
        self,
        variant: Variant,
        positions: Sequence[SuitePosition],
        measured: Sequence[Sequence[FinishedDepth]],
    ) -> None:
        """`measured` has the depths finished in each position, from 1."""
        self.variant = variant
        self.positions = positions
        self.measured = measured
        self.depth = min(len(finished) for finished in measured)
        """The deepest that was finished in all positions; 0 if there is none."""

    def nodes(self, depth: int) -> float:
        """To that depth, the depths before it included."""
        return geometric_mean(finished[depth - 1].nodes for finished in self.measured)

    def seconds(self, depth: int) -> float:
        """To that depth, likewise."""
        times = (max(finished[depth - 1].nanoseconds, 1) for finished in self.measured)
        return geometric_mean(times) / NANOSECONDS

    @property
    def branching(self) -> float | None:
        """The effective branching factor, None where there is none."""
        return branching([self.nodes(depth) for depth in range(1, self.depth + 1)])

    @property
    def found(self) -> int:
        """In how many positions the best move at `depth` is as asked."""
        if not self.depth:
            return 0
        return sum(
            position.is_answered_by(
                position.board.parse_uci(finished[self.depth - 1].move),
                finished[self.depth - 1].score.mate(),
            )
            for position, finished in zip(self.positions, self.measured, strict=True)
        )

    def ratios(self, other: VariantResult) -> tuple[float, float] | None:
        """Nodes and time, for each one of the other, at the deepest depth of both; None if there is none."""
        depth = min(self.depth, other.depth)
        if not depth:
            return None
        return self.nodes(depth) / other.nodes(depth), self.seconds(depth) / other.seconds(depth)
