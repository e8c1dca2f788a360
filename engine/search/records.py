"""What a search keeps of one position on its line, and of a list of moves that is made in stages.

This module is never compiled: in C the classes are the structs of records.pxd, and a test compares the two.
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


@dataclass(slots=True)
class Picking:
    """Two stretches of the move stack: hash move, captures and promotions; then the quiet moves."""

    stage: int
    """Which moves come next."""

    hash_move: int
    """The hash move if it is legal, else NO_MOVE."""

    start: int
    """Where the first stretch begins."""

    noisy: int
    """Where its moves that were not yet picked begin; in the end those that lose material are left."""

    noisy_end: int
    """Its end."""

    quiet: int
    """Where the quiet moves that were not yet picked begin."""

    end: int
    """The end of all moves so far."""

    last: int
    """Where the move picked last stands."""
