cimport cython
from engine.board.attacks cimport PAWN_ATTACKS
from engine.board.bitboard cimport *
from engine.board.position cimport Position
from engine.board.zobrist cimport PIECE_KEYS
from engine.system.portable cimport CACHE_LINE
from eval.features cimport *
from eval.masks cimport *
from eval.tally cimport Tally, weigh

cdef enum:
    ENTRY_MASK = 8191       # eight slots to an entry
    SCORE = 1               # places in an entry; 0 is the key
    PASSERS = 2
    SPAN = 3                # White's, then Black's
    KINGS_RACE_RANK = 3     # from here on a passed pawn's distance from both kings counts

@cython.final
cdef class Pawns:
    cdef U64 slots[65536]
    cdef char _after[CACHE_LINE]

    cdef int probe(self, Position position, Tally tally) noexcept nogil
    cdef long long _evaluate_side(self, Position position, Tally tally, int us, int base) noexcept nogil
    cdef long long _structure(self, Position position, Tally tally, int us, int sq, bint passed) noexcept nogil
    cdef long long _king(self, Position position, Tally tally, int us) noexcept nogil

cdef int _nearest_rank(U64 pawns, int us) noexcept nogil
