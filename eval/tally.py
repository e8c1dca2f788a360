"""The weights, looked up one feature at a time, and on request a count of what applied.

A weight for the middle game and one for the endgame travel in one number, middle << 32 plus endgame,
so that a sum of many costs no more than a sum of one.
"""

from collections.abc import Sequence

import cython

if not cython.compiled:
    from eval.features import WEIGHTS

    def weigh(tally: "Tally", colour: int, index: int, count: int) -> int:
        """What `count` times a feature is worth to a side, both stages in one number."""
        if tally.tracing:
            tally.counts[colour * WEIGHTS + index] += count
        return tally.weights[index] * count


class Tally:
    """The weights of one evaluator; while `tracing` is set, `counts` adds up what either side has.

    Raises ValueError where there are too few weights or too many.
    """

    def __init__(self, middle: Sequence[int], endgame: Sequence[int]) -> None:
        if len(middle) != WEIGHTS or len(endgame) != WEIGHTS:
            raise ValueError(f"there must be {WEIGHTS} weights for either stage")
        if not cython.compiled:
            self.weights = [0] * WEIGHTS
            self.counts = [0] * (2 * WEIGHTS)
        self.tracing = False
        for index in range(WEIGHTS):
            self.weights[index] = (int(middle[index]) << 32) + int(endgame[index])

    def clear(self) -> None:
        """Set all counts to 0."""
        for index in range(2 * WEIGHTS):
            self.counts[index] = 0

    def counted(self) -> dict[int, tuple[int, int]]:
        """The indices of which either side has any, with (White's count, Black's count)."""
        found = {}
        for index in range(WEIGHTS):
            white = self.counts[index]
            black = self.counts[WEIGHTS + index]
            if white != 0 or black != 0:
                found[index] = (white, black)
        return found
