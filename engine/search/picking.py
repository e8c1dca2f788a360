"""A list of moves that is made in stages: where it stands.

This module is never compiled: in C the class is the struct of picking.pxd, and a test compares the two.
"""

from dataclasses import dataclass


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
