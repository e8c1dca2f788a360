"""The scale on which values are told: the evaluator's own centipawns, or normalised ones, and chances."""

from dataclasses import dataclass

from engine.board.position import Position
from eval.outcome import OutcomeModel, material_of


@dataclass(frozen=True, slots=True)
class Scale:
    """`model` and `material` say what a value means in a position, None where that is not known.

    With `normalises` centipawns are those of the model; with `shows_chances` these are told, too.
    """

    model: OutcomeModel | None = None
    material: int = 0
    normalises: bool = False
    shows_chances: bool = False

    def centipawns(self, value: int) -> int:
        """A value in the evaluator's centipawns as one to be told."""
        if self.model is None or not self.normalises:
            return value
        return self.model.normalised(value, self.material)


PLAIN = Scale()
"""The evaluator's own centipawns."""


def scale_of(
    position: Position, model: OutcomeModel | None, normalises: bool, shows_chances: bool = False
) -> Scale:
    """The scale for the values of a search from this position."""
    return PLAIN if model is None else Scale(model, material_of(position), normalises, shows_chances)
