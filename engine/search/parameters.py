"""The numbers that steer the search: the field's usual starting values, not tuned yet.

Scores are in centipawns; a mate in n plies scores MATE - n. This module is never compiled: C reads
the same numbers from parameters.pxd, and a test holds the two together.
"""

MAX_PLY = 246
"""The deepest a line may go, quiescence included."""

INFINITE, MATE, MATE_BOUND = 32000, 31000, 30500

NULL_DEPTH, NULL_BASE, NULL_DIVISOR = 3, 3, 4
"""Null move: from this depth on, reduced by NULL_BASE + depth // NULL_DIVISOR."""

LMR_DEPTH, LMR_MOVES = 3, 3
"""Late move reductions: from this depth on, after so many moves."""

LMR_HISTORY_BITS = 13
"""Late move reductions: 2**LMR_HISTORY_BITS of history are worth a ply."""

SINGULAR_DEPTH, SINGULAR_TABLE_DEPTH, SINGULAR_MARGIN = 7, 3, 2
"""Singular extensions: from this depth on, by a table entry at most so much shallower; a move is
singular if all others fall short of it by SINGULAR_MARGIN centipawns a ply of depth."""

SORT_DEPTH, SORT_MOVES = 4, 6
"""Below this depth only so many moves are put in order; a cutoff after them is unlikely."""

FIFTY_CAUTION = 90
"""From so many halfmoves without progress on the table's scores are not believed."""

POLL_INTERVAL = 1024
"""Nodes between two looks at the stop flag and the clock."""
