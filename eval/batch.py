"""Static values of packed positions by the million."""

from collections.abc import Callable
from typing import Any

import cython

from engine.board.packed import PackedReader
from eval.evaluator import Evaluator

if not cython.compiled:
    from engine.board.bitboard import BISHOP, KNIGHT, PAWN, QUEEN, ROOK, popcount
    from engine.board.packed import PACKED
    from engine.board.position import Position

    MATERIALS = 512

    def rint(number: float) -> float:
        """The nearest whole number, of two the even one."""
        return float(round(number))


class BatchEvaluator:
    """Evaluates packed positions one after the other, for one thread at a time.

    `unit(material)` is the value in the evaluator's centipawns that counts as 100, where both sides together
    have `material` pawns' worth; see `outcome.material_of`.
    """

    def __init__(self, evaluator: Evaluator, unit: Callable[[int], float]) -> None:
        self.reader = PackedReader()
        self.evaluator = evaluator
        self.unit = [100.0] * 512
        for material in range(MATERIALS):
            self.unit[material] = unit(material)

    def evaluate(self, data: Any, out: Any, first: int, last: int) -> int:
        """Write the values of the positions in rows `first` to `last` - 1 of `data` into those rows of `out`.

        In centipawns from the point of view of the side to move. Returns `last`, or the row of the first
        position from which a game could not go on.
        """
        with cython.nogil:
            row = self._evaluate(data, out, first, last)
        return row

    def _evaluate(self, data: Any, out: Any, first: int, last: int) -> int:
        for row in range(first, last):
            if not self.reader.read(data, row * PACKED):
                return row
            value = self.evaluator.evaluate(self.reader.position)
            out[row] = int(rint(100 * value / self.unit[self._material(self.reader.position)]))
        return last

    def _material(self, position: "Position") -> int:
        minor = popcount(position.by_type[KNIGHT] | position.by_type[BISHOP])
        pieces = 5 * popcount(position.by_type[ROOK]) + 9 * popcount(position.by_type[QUEEN])
        return popcount(position.by_type[PAWN]) + 3 * minor + pieces
