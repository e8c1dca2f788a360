"""What every evaluator is."""

from engine.board.position import Position


class Evaluator:
    """Judges positions without searching. The search does not know which one it has."""

    def evaluate(self, position: Position) -> int:
        """The static value in centipawns from the side to move's point of view."""
        return 0

    def judge(self, position: Position) -> int:
        """`evaluate` for callers from outside the compiled kernel."""
        return self.evaluate(position)

    def terms(self, position: Position) -> list[tuple[str, int, int]]:
        """The parts of the judgement: (term, White's centipawns, Black's centipawns)."""
        return []
