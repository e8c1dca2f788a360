"""The base class of all evaluators."""

from engine.board.position import Position
from eval.explanation import FULL_SCALE, Explanation, phase_of


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
