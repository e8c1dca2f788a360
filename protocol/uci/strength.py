"""How strong to play, as UCI has it: three options that together make one handicap."""

from dataclasses import dataclass

from engine.search.handicap import FULL_SKILL, USUAL_ELO, Handicap


@dataclass(frozen=True, slots=True)
class Strength:
    """What the options are set to. While the strength is `limited` the Elo counts, else the skill."""

    limited: bool = False
    elo: int = USUAL_ELO
    skill: int = FULL_SKILL

    @property
    def handicap(self) -> Handicap:
        """What they come to."""
        return Handicap.of_elo(self.elo) if self.limited else Handicap.of_skill(self.skill)
