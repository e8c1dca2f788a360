cimport cython
from engine.board.bitboard cimport *
from engine.board.move cimport *
from engine.board.position cimport Position
from engine.system.portable cimport CACHE_LINE
from eval.endings cimport FULL_SCALE, drawn_scale, won_ending
from eval.evaluator cimport Evaluator
from eval.material cimport worth
from eval.network_shape cimport *

cdef enum:
    LARGEST = 20000         # centipawns
    HEIGHT_MASK = 255
    HEIGHT_SLOTS = 512      # height * 2 + side
    LONGEST_WALK = 12       # plies
    PLACES = 64             # 2 * king bucket + half of the board: what a king's square does to the rows
    KNOWN = 1536            # (side * PLACES + place) * 12 + colour * 6 + kind
    FEW_MEN = 12
    FEW_SQUARES = 6         # that differ: there an empty board is never nearer

@cython.final
cdef class Network(Evaluator):
    cdef readonly object weights
    cdef const short[::1] numbers
    cdef readonly short[::1] sums   # slots of accumulators
    cdef readonly int width, scale
    cdef Py_ssize_t blocks          # of WIDTH_STEP units
    cdef public bint won_endings, drawish_endings
    cdef Py_ssize_t outputs
    cdef int output_biases[OUTPUT_BUCKETS]
    cdef signed char places[128]    # side * 64 + square of the king
    cdef U64 keys[HEIGHT_SLOTS]
    cdef U64 known[KNOWN]
    cdef U64 occupied[128]          # side * PLACES + place: the squares of those pieces
    cdef Py_ssize_t removed[64]     # rows of pieces
    cdef Py_ssize_t added[64]
    cdef int removals, additions
    cdef char _after[CACHE_LINE]

    cdef int _value(self, Position position, int bucket) noexcept nogil
    cdef void _update(self, Position position, int us) noexcept nogil
    cdef bint _needs_refresh(self, Position position, int height, int us, int place) noexcept nogil
    cdef void _carry_over(self, Position position, int height, int us, int place) noexcept nogil
    @cython.locals(men=U64, count=int)
    cdef void _refresh(self, Position position, int us, int place) noexcept nogil
    @cython.locals(there=U64, differing=int)
    cdef int _differing(self, Position position, int entry) noexcept nogil
    @cython.locals(there=U64, left=U64, man=int, known=int)
    cdef void _gather(self, Position position, int us, int place) noexcept nogil
    cdef Py_ssize_t _slot(self, int height, int us) noexcept nogil
    cdef Py_ssize_t _row(self, int piece, int square, int us, int place) noexcept nogil
    @cython.locals(i=Py_ssize_t)
    cdef void _step(self, Py_ssize_t new, Py_ssize_t old, Py_ssize_t added, Py_ssize_t removed, Py_ssize_t taken) noexcept nogil
    @cython.locals(i=Py_ssize_t)
    cdef void _castle(self, Py_ssize_t new, Py_ssize_t old, Py_ssize_t added, Py_ssize_t removed, Py_ssize_t rook_added, Py_ssize_t rook_removed) noexcept nogil
    @cython.locals(done=int, i=Py_ssize_t, a=Py_ssize_t, b=Py_ssize_t, c=Py_ssize_t, d=Py_ssize_t)
    cdef void _add(self, Py_ssize_t sums) noexcept nogil
    @cython.locals(done=int, i=Py_ssize_t, a=Py_ssize_t, b=Py_ssize_t, c=Py_ssize_t, d=Py_ssize_t)
    cdef void _remove(self, Py_ssize_t sums) noexcept nogil
    @cython.locals(i=Py_ssize_t)
    cdef void _copy(self, Py_ssize_t new, Py_ssize_t old) noexcept nogil
    @cython.locals(i=Py_ssize_t)
    cdef void _start(self, Py_ssize_t sums) noexcept nogil
    @cython.locals(i=Py_ssize_t, x=short, y=short, weighed=short, weighed_other=short, owns=int, others=int)
    cdef long long _output(self, Py_ssize_t own, Py_ssize_t other, Py_ssize_t outputs) noexcept nogil
