"""The scale of scores, which are in centipawns, other numbers that nobody tunes, and two structs.

This module is never compiled: C reads the same from constants.pxd, and a test compares the two.
"""

from dataclasses import dataclass

MAX_PLY = 246  # the deepest a line may go, quiescence included
MAX_DEPTH = 245  # the deepest that the root is searched
PLIES = 256  # the length of arrays with an entry for each ply
INFINITE, MATE, MATE_BOUND = 32000, 31000, 30500  # a mate in n plies scores MATE - n

TABLEBASE_WIN, TABLEBASE_BOUND = 30000, 29500
"""A win by the endgame tables, n plies from the root, scores TABLEBASE_WIN - n: more than any evaluation."""

TABLEBASE_DEPTH = 6  # by how many plies deeper what the endgame tables tell counts as searched
UNKNOWN = 32767  # no score: more than all of them
LOWER, UPPER, EXACT = 1, 2, 3  # how a score bounds the value

FIFTY_CAUTION = 90
"""From this many halfmoves without capture or pawn move on, the transposition table does not cut off."""

POLL_INTERVAL = 1024  # nodes between two looks at the stop flag and the clock

FIRST_WINDOW_DEPTH = 4
"""Aspiration windows begin at this depth: the score of a shallower one says too little about the next."""

WIDEST_WINDOW = 1000  # centipawns: an aspiration window that would reach further has no bound on that side

ROOT_REDUCTION_DEPTH, ROOT_REDUCTION_MOVES = 3, 4
"""From this depth on, quiet root moves after this many are reduced at first, by at least a ply."""


@dataclass(slots=True)
class Ply:
    """What a search keeps of one position on its line; constants.pxd explains the fields."""

    excluded: int
    static_value: int
    improving: bool
    principal: bool
    number: int
    reduction: int


@dataclass(slots=True)
class Picking:
    """A list of moves that is made in stages; constants.pxd explains the fields."""

    stage: int
    hash_move: int
    start: int
    noisy: int
    noisy_end: int
    quiet: int
    end: int
    last: int
