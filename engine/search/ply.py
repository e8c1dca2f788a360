"""What a search keeps of one position on its line.

This module is never compiled: in C the class is the struct of ply.pxd, and a test compares the two.
"""

from dataclasses import dataclass


@dataclass(slots=True)
class Ply:
    """One position; its index in `Searcher.plies` is its distance from the root in plies."""

    excluded: int
    """The hash move while a singular search leaves it out; else NO_MOVE."""

    static_value: int
    """Corrected centipawns from the mover's point of view; UNKNOWN in check."""

    improving: bool
    """Whether the static value has risen since the mover's last turn."""

    principal: bool
    """Whether the position is or was on a principal variation."""
