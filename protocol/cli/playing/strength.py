"""How strong the engine is to play, and what that is called."""

from __future__ import annotations

from dataclasses import dataclass

from engine.search.handicap import (
    ELO_OF_LEVEL,
    FULL_STRENGTH,
    STRONGEST_ELO,
    WEAKEST_ELO,
    WEAKEST_LEVEL,
    Handicap,
)

LEVELS = f"{WEAKEST_LEVEL} … {FULL_STRENGTH}"
ELOS = f"{WEAKEST_ELO} … {STRONGEST_ELO}"


@dataclass(frozen=True, slots=True)
class PlayStrength:
    """A handicap with its name, short for a list of players and longer for a sentence."""

    handicap: Handicap
    name: str
    description: str

    @classmethod
    def of_level(cls, level: int) -> PlayStrength:
        """Raises ValueError where there is no such level."""
        handicap = Handicap.of_level(level)
        if level == FULL_STRENGTH:
            return FULL
        elo = ELO_OF_LEVEL[level - WEAKEST_LEVEL]
        return cls(handicap, f"level {level}", f"level {level} of {FULL_STRENGTH}, about {elo} Elo")

    @classmethod
    def of_elo(cls, elo: int) -> PlayStrength:
        """Raises ValueError where the levels do not reach so far."""
        return cls(Handicap.of_elo(elo), f"{elo} Elo", f"about {elo} Elo")


FULL = PlayStrength(Handicap(), "full strength", "full strength")
