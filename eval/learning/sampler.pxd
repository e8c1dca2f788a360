cimport cython
from engine.board.bitboard cimport *
from engine.board.position cimport Position
from eval.evaluator cimport Evaluator
from eval.learning.layout cimport DRAWN, LONGEST_PLY, RECORD_WORDS

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
