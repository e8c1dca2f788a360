"""What a search keeps of one position on its line.

This module is never compiled: in C the class is the struct of ply.pxd, and a test holds the two together.
"""

from dataclasses import dataclass


@dataclass(slots=True)
class Ply:
    """One position, so many plies below the root as its place in `Searcher.plies`."""

    excluded: int
    """The move left out where the others are searched for how they compare with it; else NO_MOVE."""

    static_value: int
    """Corrected centipawns from the mover's point of view; UNKNOWN in check."""

    improving: bool
    """Whether the static value has risen since the mover's last turn."""

    principal: bool
    """Whether the position is or was on a principal variation."""
