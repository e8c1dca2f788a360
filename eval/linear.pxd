cimport cython
from engine.board.bitboard cimport *
from engine.board.position cimport Position
from engine.system.portable cimport CACHE_LINE
from eval.endings cimport FULL_SCALE, drawish_scale, won_ending
from eval.evaluator cimport Evaluator
from eval.features cimport TEMPO
from eval.material cimport MINOR_VALUE, PAWN_VALUE, QUEEN_VALUE, ROOK_VALUE, worth
from eval.pawns cimport PASSERS, SCORE, SPAN, Pawns
from eval.pieces cimport *
from eval.tally cimport Tally, weigh

cdef enum:
    FULL_PHASE = 24
    LARGEST = 20000
    MEMORY_MASK = 4095

@cython.final
cdef class Linear(Evaluator):
    cdef Tally tally
    cdef readonly Pawns pawns
    cdef readonly AttackMaps maps
    cdef object weights
    cdef U64 memory[4096]
    cdef int material, phase, scale
    cdef bint known
    cdef char _after[CACHE_LINE]

    cdef int _white_value(self, Position position) noexcept nogil
    cdef long long _side(self, Position position, int us, int base) noexcept nogil
    cdef void _count_material(self, Position position) noexcept nogil
    cdef int _taper(self, Position position, long long total) noexcept nogil
