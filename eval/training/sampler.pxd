cimport cython
from engine.board.bitboard cimport *
from engine.board.position cimport Position
from eval.evaluator cimport Evaluator
from eval.training.layout cimport *

cdef enum:
    LARGEST_SAMPLED_SCORE = 2500    # centipawns
    RECENT = 1024

cdef U64 MIXER

@cython.final
cdef class Sampler(Evaluator):
    cdef Evaluator inner, teacher
    cdef int one_in, capacity
    cdef readonly int count
    cdef U64 game, salt
    cdef U64 recent[1024]       # keys chosen not long ago
    cdef object words
    cdef unsigned long long[::1] _word_at

    cdef bint _chooses(self, U64 key) noexcept nogil
    cdef void _note(self, Position position, int score) noexcept nogil

@cython.locals(row=Py_ssize_t, at=Py_ssize_t)
cpdef Py_ssize_t first_unsound(const U64[::1] words) noexcept
@cython.locals(left=U64, kings=int, enemies=int, man=int)
cdef bint _is_sound_record(U64 occupied, U64 low, U64 high, U64 rest) noexcept nogil
